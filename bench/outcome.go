package bench

import (
	"playtest"
)

// Outcome is what the run under test came to.
type Outcome struct {
	Verdict    playtest.Verdict                           `json:"verdict"`
	Checks     map[playtest.CheckName]playtest.CheckState `json:"checks"`
	Reason     string                                     `json:"reason,omitempty"`
	Confidence float64                                    `json:"confidence"`
	Dollars    float64                                    `json:"dollars"`
	Issues     []string                                   `json:"issues,omitempty"`
	// Baselines are the verdicts that simpler rules give on the same run.
	Baselines map[string]playtest.Verdict `json:"baselines,omitempty"`
	// Record is all that was measured, for Progress only: it is not kept.
	Record *playtest.Record `json:"-"`
}

// NewOutcome takes from a record and its report what the benchmark compares.
func NewOutcome(record *playtest.Record, report *playtest.Report) Outcome {
	o := Outcome{
		Verdict: report.Status, Checks: map[playtest.CheckName]playtest.CheckState{}, Reason: report.Summary,
		Confidence: report.Confidence, Dollars: report.Metadata.EstimatedCost,
		Baselines: map[string]playtest.Verdict{}, Record: record,
	}
	for _, c := range report.Checks {
		o.Checks[c.Name] = c.State
	}
	for _, i := range report.Issues {
		o.Issues = append(o.Issues, string(i.Severity)+": "+i.Description)
	}
	for _, b := range Baselines {
		o.Baselines[b.Name] = b.Judge(record)
	}
	return o
}

// Baseline is a rule that others judge games by.
type Baseline struct {
	Name  string
	Rule  string
	Judge func(*playtest.Record) playtest.Verdict
}

// Baselines are computed on the same runs as the verdict.
var Baselines = []Baseline{
	{"picture difference", "the page opened and the picture changed while input was sent", pictureDifference},
	{"console errors", "the page opened and nothing was thrown or logged as an error", consoleErrors},
	{"action success rate", "30 points if any action was sent, 40 if half of them were, 30 without errors; 50 pass", successRate},
}

func opened(r *playtest.Record) bool {
	return r.Load.Failure == nil && r.Load.Status < 400
}

func verdict(ok bool) playtest.Verdict {
	if ok {
		return playtest.Pass
	}
	return playtest.Fail
}

func pictureDifference(r *playtest.Record) playtest.Verdict {
	if !opened(r) {
		return playtest.Fail
	}
	// A hundredth of a percent is a dozen pixels of a window.
	const visible = 0.0001
	for _, s := range r.Health.Samples {
		if s.Acting && s.Changed > visible {
			return playtest.Pass
		}
	}
	return playtest.Fail
}

func errorCount(r *playtest.Record) int {
	n := 0
	for _, list := range [][]playtest.ErrorGroup{r.Health.Exceptions, r.Health.ConsoleErrors} {
		for _, g := range list {
			n += g.Count
		}
	}
	return n
}

func consoleErrors(r *playtest.Record) playtest.Verdict {
	return verdict(opened(r) && errorCount(r) == 0)
}

func successRate(r *playtest.Record) playtest.Verdict {
	sent := 0
	for _, a := range r.Actions {
		if a.Success {
			sent++
		}
	}
	score := 0
	if sent > 0 {
		score += playtest.Points[playtest.GameLoaded]
	}
	if len(r.Actions) > 0 && 2*sent >= len(r.Actions) {
		score += playtest.Points[playtest.ControlsResponsive]
	}
	if opened(r) && errorCount(r) == 0 {
		score += playtest.Points[playtest.GameStable]
	}
	return verdict(score >= playtest.DefaultRubric().Threshold)
}
