package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/playtest-dev/playtest/internal/store"
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

// refusing is a database that does not take certain events.
type refusing struct {
	err   error // for a batch with a bad event
	tries int
	kept  []string
}

func (r *refusing) Events(_ context.Context, events []record.Event) error {
	r.tries++
	if slices.ContainsFunc(events, func(e record.Event) bool { return e.Message == "bad" }) {
		return r.err
	}
	for _, e := range events {
		r.kept = append(r.kept, e.Message)
	}
	return nil
}

// One event that the database refuses costs that event and no other; one that
// it has no time for is told later; a run that is another's is told nothing of.
func TestTellerLeavesOutWhatIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name    string
		err     error
		kept    []string
		waiting int
	}{
		{"refused", &pgconn.PgError{Code: "22021"}, []string{"one", "two", "three"}, 0},
		{"away", errors.New("connection refused"), nil, 4},
		{"another's", store.ErrLost, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			into := &refusing{err: tt.err}
			tell := &teller{into: into, log: slog.New(slog.DiscardHandler), wake: make(chan struct{}, 1)}
			for _, message := range []string{"one", "two", "bad", "three"} {
				tell.Event(record.Event{Kind: record.EventWarning, Message: message})
			}
			tell.tell(time.Second)
			if !slices.Equal(into.kept, tt.kept) || len(tell.waiting) != tt.waiting {
				t.Errorf("kept %q, %d wait; want %q and %d", into.kept, len(tell.waiting), tt.kept, tt.waiting)
			}
			tries := into.tries
			tell.tell(time.Second)
			if tt.waiting == 0 && into.tries != tries {
				t.Error("what was refused is tried again")
			}
		})
	}
}
