package worker

import (
	"testing"
	"time"

	"playtest"
)

// What waits while the database is away is bounded, and where a run stands is
// told all the same.
func TestTellerKeepsMilestones(t *testing.T) {
	tell := &teller{wake: make(chan struct{}, 1)}
	say := func(kind string) { tell.Event(playtest.Event{Time: time.Now(), Kind: kind}) }
	for range 2 * untold {
		say(playtest.EventWarning)
	}
	if len(tell.waiting) != untold {
		t.Fatalf("%d events wait, want %d", len(tell.waiting), untold)
	}
	say(playtest.EventPhase)
	say(playtest.EventProgress)
	say(playtest.EventWarning)
	say(playtest.EventVerdict)
	var late []string
	for _, e := range tell.waiting[untold:] {
		late = append(late, e.Kind)
	}
	if len(late) != 2 || late[0] != playtest.EventPhase || late[1] != playtest.EventVerdict {
		t.Errorf("%v were taken then, want the phase and the verdict", late)
	}
}
