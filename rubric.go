package playtest

import "fmt"

// Rubric holds the weights of the metrics and the score a game has to reach.
type Rubric struct {
	// Weights by metric name. They are normalised by their sum.
	Weights map[string]float64 `json:"weights,omitempty"`
	// Threshold is the playability score, 0 to 100, below which a game fails.
	Threshold int `json:"threshold,omitempty"`
}

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
	return out
}
