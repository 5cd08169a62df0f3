package bench

import (
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// Outcome is what the run under test came to.
type Outcome struct {
	Verdict    record.Verdict                         `json:"verdict"`
	Checks     map[record.CheckName]record.CheckState `json:"checks"`
	Reason     string                                 `json:"reason,omitempty"`
	Confidence float64                                `json:"confidence"`
	Dollars    float64                                `json:"dollars"`
	Issues     []string                               `json:"issues,omitempty"`
	// Baselines are the verdicts that simpler rules give on the same run.
	Baselines map[string]record.Verdict `json:"baselines,omitempty"`
	// Record is all that was measured, for Progress only: it is not kept.
	Record *record.Record `json:"-"`
}

// NewOutcome takes from a record and its report what the benchmark compares.
func NewOutcome(rec *record.Record, report *record.Report) Outcome {
	o := Outcome{
		Verdict: report.Status, Checks: map[record.CheckName]record.CheckState{}, Reason: report.Summary,
		Confidence: report.Confidence, Dollars: report.Metadata.EstimatedCost,
		Baselines: map[string]record.Verdict{}, Record: rec,
	}
	for _, c := range report.Checks {
		o.Checks[c.Name] = c.State
	}
	for _, i := range report.Issues {
		o.Issues = append(o.Issues, string(i.Severity)+": "+i.Description)
	}
	for _, b := range Baselines {
		o.Baselines[b.Name] = b.Judge(rec)
	}
	return o
}

// Baseline is a rule that others judge games by.
type Baseline struct {
	Name  string
	Rule  string
	Judge func(*record.Record) record.Verdict
}

// Baselines are computed on the same runs as the verdict.
var Baselines = []Baseline{
	{"picture difference", "the page opened and the picture changed while input was sent", pictureDifference},
	{"console errors", "the page opened and nothing was thrown or logged as an error", consoleErrors},
	{"action success rate", "30 points if any action was sent, 40 if half of them were, 30 without errors; 50 pass", successRate},
}

func opened(r *record.Record) bool {
	return r.Load.Failure == nil && r.Load.Status < 400
}

func verdict(ok bool) record.Verdict {
	if ok {
		return record.Pass
	}
	return record.Fail
}

func pictureDifference(r *record.Record) record.Verdict {
	if !opened(r) {
		return record.Fail
	}
	// A hundredth of a percent is a dozen pixels of a window.
	const visible = 0.0001
	for _, s := range r.Health.Samples {
		if s.Acting && s.Changed > visible {
			return record.Pass
		}
	}
	return record.Fail
}

func errorCount(r *record.Record) int {
	n := 0
	for _, list := range [][]record.ErrorGroup{r.Health.Exceptions, r.Health.ConsoleErrors} {
		for _, g := range list {
			n += g.Count
		}
	}
	return n
}

func consoleErrors(r *record.Record) record.Verdict {
	return verdict(opened(r) && errorCount(r) == 0)
}

func successRate(r *record.Record) record.Verdict {
	sent := 0
	for _, a := range r.Actions {
		if a.Success {
			sent++
		}
	}
	score := 0
	if sent > 0 {
		score += record.Points[record.GameLoaded]
	}
	if len(r.Actions) > 0 && 2*sent >= len(r.Actions) {
		score += record.Points[record.ControlsResponsive]
	}
	if opened(r) && errorCount(r) == 0 {
		score += record.Points[record.GameStable]
	}
	return verdict(score >= metadata.DefaultRubric().Threshold)
}
