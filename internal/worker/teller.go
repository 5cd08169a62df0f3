package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/record"
)

const (
	// chatter is the least time between two events about nothing in particular.
	chatter = 5 * time.Second
	// untold bounds the events that wait while the database is away. Beyond it the
	// newest are left out, except phases and the verdict, of which there are few.
	untold = 500
	// telling bounds one try.
	telling = 10 * time.Second
)

// teller keeps a run's events without making the run wait: phases, warnings
// and the verdict at once, other signs of life every few seconds.
type teller struct {
	h   *queue.Held
	log *slog.Logger

	mu      sync.Mutex
	waiting []record.Event
	said    time.Time
	phase   string
	wake    chan struct{} // holds at most one sign
	ended   chan struct{}
	done    chan struct{}
}

func newTeller(h *queue.Held, log *slog.Logger) *teller {
	t := &teller{h: h, log: log, wake: make(chan struct{}, 1), ended: make(chan struct{}), done: make(chan struct{})}
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
	milestone := e.Kind == record.EventPhase || e.Kind == record.EventVerdict
	matters := milestone || e.Kind == record.EventWarning
	if !matters && e.Time.Sub(t.said) < chatter || !milestone && len(t.waiting) >= untold {
		return
	}
	if !matters {
		t.said = e.Time
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
	t.Event(record.Event{Time: time.Now(), RunID: t.h.Run.ID, Phase: phase, Kind: record.EventWarning, Message: message})
}

func (t *teller) loop() {
	defer close(t.done)
	for {
		select {
		case <-t.wake:
			t.tell()
		case <-t.ended:
			t.tell()
			return
		}
	}
}

// tell stores what waits, and keeps it for the next time when that fails.
func (t *teller) tell() {
	t.mu.Lock()
	events := t.waiting
	t.waiting = nil
	t.mu.Unlock()
	if len(events) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), telling)
	defer cancel()
	if err := t.h.Events(ctx, events); err != nil {
		t.log.Warn("keep events", "error", err)
		t.mu.Lock()
		t.waiting = append(events, t.waiting...)
		t.mu.Unlock()
	}
}

// close stores what is left and ends.
func (t *teller) close() {
	close(t.ended)
	<-t.done
}
