package worker

import (
	"testing"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// What waits while the database is away is bounded, and where a run stands is
// told all the same.
func TestTellerKeepsMilestones(t *testing.T) {
	tell := &teller{wake: make(chan struct{}, 1)}
	say := func(kind string) { tell.Event(record.Event{Time: time.Now(), Kind: kind}) }
	for range 2 * untold {
		say(record.EventWarning)
	}
	if len(tell.waiting) != untold {
		t.Fatalf("%d events wait, want %d", len(tell.waiting), untold)
	}
	say(record.EventPhase)
	say(record.EventProgress)
	say(record.EventWarning)
	say(record.EventVerdict)
	var late []string
	for _, e := range tell.waiting[untold:] {
		late = append(late, e.Kind)
	}
	if len(late) != 2 || late[0] != record.EventPhase || late[1] != record.EventVerdict {
		t.Errorf("%v were taken then, want the phase and the verdict", late)
	}
}
