package metadata

import (
	"fmt"
	"strings"
)

// Rubric holds the weights of the metrics and the score a game has to reach.
type Rubric struct {
	// Weights by metric name. They are normalised by their sum.
	Weights map[string]float64 `json:"weights,omitempty"`
	// Threshold is the playability score, 0 to 100, below which a game fails. A game
	// that passes has all three checks proven and so reaches 100: none is failed by
	// the threshold alone.
	Threshold int `json:"threshold,omitempty"`
	// Questions are put to a model, where there is one. Their answers are in
	// the report and change no check.
	Questions []Question `json:"questions,omitempty"`
}

// Question is a yes/no question about a game.
type Question struct {
	Ask string `json:"ask"`
	// Expect is the answer for a game that is as it should be, yes or no. Empty
	// means yes.
	Expect string `json:"expect,omitempty"`
	// Severity is that of the issue when the answer is the other one. Empty
	// means minor.
	Severity Severity `json:"severity,omitempty"`
}

// MaxQuestions bounds the questions of a rubric: they are put in one call.
const MaxQuestions = 50

// The five metrics.
const (
	MetricLoad        = "load"
	MetricVisual      = "visual"
	MetricControls    = "controls"
	MetricPlayability = "playability"
	MetricTechnical   = "technical"
)

// MetricNames lists the metrics in the order of reports.
var MetricNames = []string{MetricLoad, MetricVisual, MetricControls, MetricPlayability, MetricTechnical}

// DefaultRubric returns the weights and threshold that apply unless a run
// brings its own.
func DefaultRubric() Rubric {
	return Rubric{
		Weights: map[string]float64{
			MetricLoad: 15, MetricVisual: 20, MetricControls: 20, MetricPlayability: 30, MetricTechnical: 15,
		},
		Threshold: 50,
	}
}

// Validate reports unknown metrics, negative weights and a threshold out of range.
func (r *Rubric) Validate() error {
	if r == nil {
		return nil
	}
	defaults := DefaultRubric().Weights
	var sum float64
	for name, w := range r.Weights {
		if _, ok := defaults[name]; !ok {
			return fmt.Errorf("rubric: weights.%s is not a metric (load, visual, controls, playability, technical)", name)
		}
		if w < 0 {
			return fmt.Errorf("rubric: weights.%s is negative", name)
		}
		sum += w
	}
	if len(r.Weights) > 0 && sum == 0 {
		return fmt.Errorf("rubric: all weights are zero")
	}
	if r.Threshold < 0 || r.Threshold > 100 {
		return fmt.Errorf("rubric: threshold %d is not between 0 and 100", r.Threshold)
	}
	if len(r.Questions) > MaxQuestions {
		return fmt.Errorf("rubric: questions are %d; at most %d are accepted", len(r.Questions), MaxQuestions)
	}
	for i, q := range r.Questions {
		switch {
		case strings.TrimSpace(q.Ask) == "":
			return fmt.Errorf("rubric: questions[%d].ask is missing", i)
		case q.Expect != "" && q.Expect != "yes" && q.Expect != "no":
			return fmt.Errorf("rubric: questions[%d].expect %q is not yes or no", i, q.Expect)
		case q.Severity != "" && q.Severity != Critical && q.Severity != Major && q.Severity != Minor:
			return fmt.Errorf("rubric: questions[%d].severity %q is not critical, major or minor", i, q.Severity)
		}
	}
	return nil
}

// Resolved fills what the rubric leaves open from the defaults.
func (r *Rubric) Resolved() Rubric {
	out := DefaultRubric()
	if r == nil {
		return out
	}
	if len(r.Weights) > 0 {
		out.Weights = r.Weights
	}
	if r.Threshold > 0 {
		out.Threshold = r.Threshold
	}
	out.Questions = r.Questions
	return out
}

// Severity of an issue.
type Severity string

// The severities.
const (
	Critical Severity = "critical"
	Major    Severity = "major"
	Minor    Severity = "minor"
)
