package record

import "time"

// Event is a sign of life of a run, for whoever watches it.
type Event struct {
	Time  time.Time `json:"time"`
	RunID string    `json:"runId"`
	Phase string    `json:"phase"`
	// Kind is phase, progress, screenshot, warning or verdict.
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Done and Total say how far the phase got, where that is known.
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
}

// Event kinds. Phase transitions and verdicts are never dropped.
const (
	EventPhase      = "phase"
	EventProgress   = "progress"
	EventScreenshot = "screenshot"
	EventWarning    = "warning"
	EventVerdict    = "verdict"
)
