package record

// Opinion is what a model made of a record, held against what was measured.
// It explains and adds; no check changes because of it.
type Opinion struct {
	// Evaluator is data or vision.
	Evaluator string `json:"evaluator"`
	// Model is the one that answered.
	Model string `json:"model"`
	// Reasoning is the model's own explanation.
	Reasoning string          `json:"reasoning"`
	Checks    []OpinionCheck  `json:"checks"`
	Metrics   []OpinionMetric `json:"metrics,omitempty"`
	// Disagreements are sentences on where the model and the measurements part.
	// Each of them lowered the confidence.
	Disagreements []string `json:"disagreements,omitempty"`
	// Contradictions are sentences on where the model contradicts itself. Its
	// checks and marks there were not used.
	Contradictions []string `json:"contradictions,omitempty"`
	// Dropped are issues and marks of the model's that were not taken up.
	Dropped []DroppedIssue `json:"dropped,omitempty"`
	// Answers are those to the rubric's questions, in their order.
	Answers []Answer `json:"answers,omitempty"`
	// Pictures are those that the model was shown.
	Pictures []string `json:"pictures,omitempty"`
	Tokens   int      `json:"tokens"`
	// Cost is in dollars, and missing when the model's price is not known.
	Cost *float64 `json:"cost,omitempty"`
	// Latency is how long the model took, in seconds.
	Latency float64 `json:"latency"`
}

// OpinionCheck is a model's answer to a check beside the measured one.
type OpinionCheck struct {
	Name     CheckName  `json:"name"`
	Says     CheckState `json:"says"`
	Measured CheckState `json:"measured"`
}

// OpinionMetric is a model's score beside the measured one.
type OpinionMetric struct {
	Name          string `json:"name"`
	Says          int    `json:"says"`
	Measured      int    `json:"measured"`
	Justification string `json:"justification"`
	// Taken: the report's score moved towards the model's. Because is then the
	// measured score's justification, which stood there before.
	Taken   bool   `json:"taken"`
	Because string `json:"because,omitempty"`
}

// DroppedIssue is an issue that a model raised, or a mark that it gave, and why
// it was not taken up.
type DroppedIssue struct {
	Description string `json:"description"`
	Why         string `json:"why"`
}

// Answer is a model's answer to a question of the rubric.
type Answer struct {
	Question string `json:"question"`
	Expected string `json:"expected"`
	// Answer is YES, NO, or INVALID when the model's reply could not be read.
	Answer    string `json:"answer"`
	Reasoning string `json:"reasoning"`
	Met       bool   `json:"met"`
}
