package opinion

import (
	"fmt"
	"math"
	"strings"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// How far an opinion reaches.
const (
	// reach is how many points a refined metric may move.
	reach = 25
	// apart is how many points a model's mark and a measured one may differ
	// before they disagree.
	apart = 40
	// doubt and smallDoubt are what a disagreement leaves of the confidence.
	doubt      = 0.8
	smallDoubt = 0.95
)

// subject is the check that a metric stands on.
var subject = map[string]record.CheckName{
	metadata.MetricLoad: record.GameLoaded, metadata.MetricVisual: record.GameLoaded,
	metadata.MetricControls: record.ControlsResponsive, metadata.MetricPlayability: record.ControlsResponsive,
	metadata.MetricTechnical: record.GameStable,
}

// asks is each check as a question that a sentence can end with.
var asks = map[record.CheckName]string{
	record.GameLoaded:         "whether the game loaded",
	record.ControlsResponsive: "whether its controls work",
	record.GameStable:         "whether it stayed alive",
}

var says = map[record.CheckState]string{record.Proven: "yes", record.Disproven: "no", record.Unknown: "undecided"}

// meet holds the opinion against the measurements and works it into the report.
func (a *asking) meet(got *reply) *record.Opinion {
	op := &record.Opinion{Evaluator: a.opts.Evaluator, Model: a.model, Reasoning: strings.TrimSpace(got.Reasoning), Checks: []record.OpinionCheck{}}
	for _, p := range a.pictures {
		op.Pictures = append(op.Pictures, p.shot.Path)
	}
	muddled := contradictions(got, op)
	trust := 1.0
	for _, c := range a.rep.Checks {
		said := got.check(c.Name)
		op.Checks = append(op.Checks, record.OpinionCheck{Name: c.Name, Says: said, Measured: c.State})
		if muddled[c.Name] || said == c.State || said == record.Unknown || c.State == record.Unknown {
			continue
		}
		op.Disagreements = append(op.Disagreements, fmt.Sprintf("Asked %s the model says %s; measured was %s. %s", asks[c.Name], says[said], says[c.State], c.Reason))
		trust *= doubt
	}
	for i := range a.rep.Metrics {
		m := &a.rep.Metrics[i]
		mark, ok := got.Metrics[m.Name]
		if !ok {
			continue
		}
		om := record.OpinionMetric{Name: m.Name, Says: mark.Score, Measured: m.Score, Justification: a.facts.spell(sentences(mark.Justification, 3))}
		ungrounded := a.facts.ungrounded(mark.Justification)
		refined := m.Score
		if m.Name == metadata.MetricVisual || m.Name == metadata.MetricPlayability {
			refined = a.refined(m.Name, m.Score, mark.Score)
		}
		switch {
		case muddled[subject[m.Name]]:
		case ungrounded != "":
			op.Dropped = append(op.Dropped, record.DroppedIssue{
				Description: fmt.Sprintf("%s %d: %s", m.Name, mark.Score, clip(mark.Justification)), Why: ungrounded,
			})
		case refined != m.Score:
			om.Taken, om.Because = true, m.Justification
			m.Score = refined
			m.Justification = fmt.Sprintf("%s Measured was %d, the model says %d.", a.facts.spell(sentences(mark.Justification, 2)), om.Measured, om.Says)
		case mark.Score-m.Score > apart || m.Score-mark.Score > apart:
			op.Disagreements = append(op.Disagreements, fmt.Sprintf("The model gives %s %d of 100; measured was %d.", m.Name, mark.Score, m.Score))
			trust *= smallDoubt
		}
		op.Metrics = append(op.Metrics, om)
	}
	a.rep.OverallScore = record.Overall(a.rep.Metrics)
	a.raise(got.Issues, op)
	op.Reasoning = a.facts.spell(op.Reasoning)
	if len(op.Disagreements) > 0 {
		a.rep.Confidence = math.Round(a.rep.Confidence*trust*100) / 100
		a.rep.Issues = append(a.rep.Issues, record.Issue{
			Severity: record.Minor, By: a.model,
			Description: "A model sees it differently from what was measured, which stands: " + strings.Join(op.Disagreements, " "),
			Evidence:    clip(op.Reasoning),
		})
	}
	return op
}

// refined moves a score towards the model's, within reach. What was measured
// to be broken does not become better by looking good.
func (a *asking) refined(metric string, measured, said int) int {
	moved := measured + max(-reach, min(reach, said-measured))
	for _, c := range a.rep.Checks {
		broken := c.State == record.Disproven && (c.Name == subject[metric] || metric == metadata.MetricPlayability)
		if broken {
			moved = min(moved, measured)
		}
	}
	return max(0, min(100, moved))
}

// contradictions finds checks of which the model says two things at once: a
// good mark for what it calls broken, or the other way round.
func contradictions(got *reply, op *record.Opinion) map[record.CheckName]bool {
	muddled := map[record.CheckName]bool{}
	for _, name := range metadata.MetricNames {
		mark, ok := got.Metrics[name]
		if !ok || name == metadata.MetricVisual || name == metadata.MetricPlayability {
			continue // much besides the check goes into these
		}
		said := got.check(subject[name])
		if said == record.Disproven && mark.Score >= 70 || said == record.Proven && mark.Score <= 20 {
			muddled[subject[name]] = true
			op.Contradictions = append(op.Contradictions,
				fmt.Sprintf("Asked %s the model says %s, and gives %s %d of 100.", asks[subject[name]], says[said], name, mark.Score))
		}
	}
	for _, i := range got.Issues {
		if i.Severity == record.Critical && got.GameLoaded == record.Proven && got.ControlsResponsive == record.Proven && got.GameStable == record.Proven {
			op.Contradictions = append(op.Contradictions, fmt.Sprintf("The model says yes to all checks, and calls an issue critical: %s", clip(i.Description)))
		}
	}
	return muddled
}

// sentences keeps the first n sentences of a text.
func sentences(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	count := 0
	for i, r := range s {
		if (r == '.' || r == '!' || r == '?') && (i+1 == len(s) || s[i+1] == ' ') {
			if count++; count == n {
				return s[:i+1]
			}
		}
	}
	return s
}

func clip(s string) string {
	const most = 400
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
