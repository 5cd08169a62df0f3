package record

import "time"

// Event is a sign of life of a run, for whoever watches it.
type Event struct {
	Time  time.Time `json:"time"`
	RunID string    `json:"runId"`
	Phase string    `json:"phase"`
	// Kind is one of those below.
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Done and Total say how far the phase got, where that is known.
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
	// Seconds is how long the phase took, of an event that says that it ended.
	Seconds float64 `json:"seconds,omitempty"`
}

// Event kinds. Phase transitions and verdicts are never dropped, and only progress
// is chatter that may be thinned out.
const (
	EventPhase      = "phase"
	EventPhaseEnded = "phase_ended"
	EventControls   = "controls" // how many were discovered, in Done
	EventControl    = "control"  // one was shown to work
	EventConsole    = "console"  // an error of the page
	EventProgress   = "progress" // also a sign of life while nothing else is told
	EventScreenshot = "screenshot"
	EventWarning    = "warning"
	EventVerdict    = "verdict"
)
