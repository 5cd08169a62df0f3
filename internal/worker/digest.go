package worker

import (
	"time"

	"github.com/playtest-dev/playtest/record"
)

// chatter is the least time between two events about nothing in particular.
const chatter = 5 * time.Second

// Digest chooses which events of a run are kept: all but mere progress, of which
// there is one every few seconds.
type Digest struct{ said time.Time }

// Keep reports whether an event is kept.
func (d *Digest) Keep(e record.Event) bool {
	if e.Kind != record.EventProgress {
		return true
	}
	if e.Time.Sub(d.said) < chatter {
		return false
	}
	d.said = e.Time
	return true
}

// milestone tells the few events without which nobody knows where a run stands.
func milestone(e record.Event) bool {
	return e.Kind == record.EventPhase || e.Kind == record.EventPhaseEnded || e.Kind == record.EventVerdict
}
