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
	// Done and Total say how far the phase got, where that is known. Of an event about
	// screens they number the one before the input and the one after it.
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
	EventScreen     = "screen"   // an input led from one screen to another
	EventConsole    = "console"  // an error of the page
	EventNetwork    = "network"  // something that the page asked for and did not get
	EventDecision   = "decision" // what is done next, and why
	EventProgress   = "progress" // also a sign of life while nothing else is told
	EventScreenshot = "screenshot"
	EventWarning    = "warning"
	EventVerdict    = "verdict"
)

// Chatter reports whether somebody who is slow may miss the event: it changes nothing
// about where the run stands.
func (e Event) Chatter() bool {
	switch e.Kind {
	case EventProgress, EventConsole, EventNetwork, EventDecision:
		return true
	}
	return false
}

// Answers is how an event says that a control was shown to work.
func (c Control) Answers() string { return c.Description + ": the game answers" }

// Glimpse is what somebody who watches a run sees at one moment: the page that is played,
// and what has been done to it since the glimpse before.
type Glimpse struct {
	Time time.Time `json:"time"`
	// Stepped: the page is one whose time is stepped; otherwise it runs as in any browser.
	Stepped bool `json:"stepped"`
	// Width and Height of the window, which Pointer and Presses are places of.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Pointer is where the mouse is, Presses where buttons and fingers were put down.
	Pointer Point   `json:"pointer"`
	Presses []Point `json:"presses,omitempty"`
	// Keys are the codes of keys that were pressed. Typing: a text was typed, which is
	// told to nobody.
	Keys   []string `json:"keys,omitempty"`
	Typing bool     `json:"typing,omitempty"`
	// JPEG is the picture, smaller than the window.
	JPEG []byte `json:"jpeg"`
}
