package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

const (
	// untold bounds the events that wait while the database is away. Beyond it the
	// newest are left out, except phases and the verdict, of which there are few.
	untold = 500
	// telling bounds one try.
	telling = 10 * time.Second
)

// events is where a teller keeps them. *queue.Held is one.
type events interface {
	Events(ctx context.Context, events []record.Event) error
}

// teller keeps a run's events without making the run wait, as many as Digest
// lets pass.
type teller struct {
	run  string
	into events
	log  *slog.Logger

	mu      sync.Mutex
	waiting []record.Event
	digest  Digest
	phase   string
	lost    bool          // the run is another's: nothing is told any more
	wake    chan struct{} // holds at most one sign
	ended   chan struct{}
	done    chan struct{}
}

func newTeller(run string, into events, log *slog.Logger) *teller {
	t := &teller{run: run, into: into, log: log, wake: make(chan struct{}, 1), ended: make(chan struct{}), done: make(chan struct{})}
	go t.loop()
	return t
}

// Event takes an event. It does not block.
func (t *teller) Event(e record.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Phase != "" {
		t.phase = e.Phase
	}
	if t.lost || !t.digest.Keep(e) || !milestone(e) && len(t.waiting) >= untold {
		return
	}
	t.waiting = append(t.waiting, e)
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// warn tells a person of something that went wrong.
func (t *teller) warn(message string) {
	t.mu.Lock()
	phase := t.phase
	t.mu.Unlock()
	t.Event(record.Event{Time: time.Now(), RunID: t.run, Phase: phase, Kind: record.EventWarning, Message: message})
}

func (t *teller) loop() {
	defer close(t.done)
	for {
		select {
		case <-t.wake:
			t.tell(telling)
		case <-t.ended:
			t.tell(telling)
			return
		}
	}
}

// tell stores what waits. What the database has no time for is kept for the next
// time; what it refuses is left out, or it would be in the way for ever.
func (t *teller) tell(limit time.Duration) {
	t.mu.Lock()
	events := t.waiting
	t.waiting = nil
	t.mu.Unlock()
	if len(events) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := t.into.Events(ctx, events)
	if err == nil {
		return
	}
	if store.Permanent(err) && len(events) > 1 {
		events, err = t.oneByOne(ctx, events)
	}
	switch {
	case err == nil:
		return
	case errors.Is(err, store.ErrLost):
		t.mu.Lock()
		t.waiting, t.lost = nil, true
		t.mu.Unlock()
		return
	case store.Permanent(err):
		t.log.Warn("an event cannot be kept", "error", err)
		return
	}
	t.log.Warn("keep events", "error", err)
	t.mu.Lock()
	t.waiting = append(events, t.waiting...)
	t.mu.Unlock()
}

// oneByOne finds the events that spoil a batch and leaves them out. When the
// database goes away meanwhile it returns those that are left.
func (t *teller) oneByOne(ctx context.Context, events []record.Event) ([]record.Event, error) {
	for i := range events {
		err := t.into.Events(ctx, events[i:i+1])
		if err != nil && !store.Permanent(err) {
			return events[i:], err
		}
		if err != nil {
			t.log.Warn("an event cannot be kept", "error", err)
		}
	}
	return nil, nil
}

// close stores what is left and ends.
func (t *teller) close() {
	close(t.ended)
	<-t.done
}
