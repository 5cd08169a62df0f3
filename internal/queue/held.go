package queue

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// Why the context of a held run was cancelled.
var (
	// ErrCancelled: somebody wants the run to stop. What was found is kept.
	ErrCancelled = errors.New("the run was cancelled")
	// ErrDraining: the worker is shutting down and the run is handed back.
	ErrDraining = errors.New("the worker is shutting down")
)

// Permanent is an error that trying again will not mend. Its text is for people.
type Permanent struct{ Err error }

func (e *Permanent) Error() string { return e.Err.Error() }
func (e *Permanent) Unwrap() error { return e.Err }

// Spared is an error that may be another run's doing: the run is played again,
// and the attempt is not counted. Whoever returns it sees to it that a run is not
// spared for ever. Its text is for people.
type Spared struct{ Err error }

func (e *Spared) Error() string { return e.Err.Error() }
func (e *Spared) Unwrap() error { return e.Err }

// Player plays a run to its end. Its context is cancelled with one of the
// reasons above or store.ErrLost; after ErrCancelled it may return what it
// has. An error means another attempt later, unless it is a Permanent one; a
// Spared one is not counted.
type Player func(ctx context.Context, h *Held) (*record.Record, *record.Report, error)

// Held is a run that this process is working on.
type Held struct {
	Run      store.Run
	Target   record.Target
	Settings store.Settings
	// Manifest is the SHA-256 of the manifest of the evidence that this attempt
	// has left. The player sets it before it returns; it is stored with the end
	// of the run, and from then on this attempt's evidence is the run's.
	Manifest string
	// Weight is how many bytes that evidence has.
	Weight int64

	q      *Queue
	cancel context.CancelCauseFunc

	mu   sync.Mutex
	lost bool
	seen time.Time // when the lease was last known to be ours
}

// Lease is the right under which the run is written about.
func (h *Held) Lease() store.Lease { return store.Lease{RunID: h.Run.ID, Number: h.Run.Lease} }

// Store is where the run is kept.
func (h *Held) Store() *store.Store { return h.q.store }

// Checkpoint notes that a phase is behind the run, and keeps its record so far.
// With complete, nothing is left but to judge the record.
func (h *Held) Checkpoint(ctx context.Context, phase string, rec *record.Record, complete bool) error {
	return h.noticed(h.q.store.Update(ctx, func(tx *store.Tx) error { return tx.Checkpoint(ctx, h.Lease(), phase, rec, complete) }))
}

// Events keeps signs of life.
func (h *Held) Events(ctx context.Context, events []record.Event) error {
	return h.noticed(h.q.store.AddEvents(ctx, h.Lease(), events))
}

// Explored returns the record of an earlier attempt that is complete, and that
// attempt's lease. It is nil when there is none.
func (h *Held) Explored(ctx context.Context) (*record.Record, int64, error) {
	rec, lease, err := h.q.store.Explored(ctx, h.Run.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, 0, nil
	}
	return rec, lease, err
}

// Fence says whether the run may still be written about, in places that know
// nothing of leases: store.ErrLost when it is another's. It asks the database
// only when the last sign of the lease is old, as it is after the process was
// stopped or the machine suspended. While the database is away nobody knows,
// and the answer is yes: what is written meanwhile must have names of its own.
func (h *Held) Fence(ctx context.Context) error {
	if !fencing {
		return nil
	}
	h.mu.Lock()
	lost, old := h.lost, elapsed(h.seen) > h.q.opts.Silence/2
	h.mu.Unlock()
	switch {
	case lost:
		return store.ErrLost
	case !old:
		return nil
	}
	asking, done := context.WithTimeout(ctx, h.q.opts.Heartbeat)
	defer done()
	if _, err := h.beat(asking); errors.Is(err, store.ErrLost) {
		return err
	}
	return nil
}

// elapsed is how long ago that was by the clock that says more: one goes on
// while the machine is suspended, the other cannot be set.
func elapsed(since time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// beat says that the run is being worked on.
func (h *Held) beat(ctx context.Context) (cancelled bool, err error) {
	before := time.Now()
	cancelled, err = h.q.store.Heartbeat(ctx, h.Lease())
	if err == nil {
		h.mu.Lock()
		h.seen = before
		h.mu.Unlock()
	}
	return cancelled, h.noticed(err)
}

// noticed ends the run when a write said that it is another's.
func (h *Held) noticed(err error) error {
	if errors.Is(err, store.ErrLost) {
		h.leave(store.ErrLost)
	}
	return err
}

// leave makes this process write nothing more about the run.
func (h *Held) leave(why error) {
	h.mu.Lock()
	h.lost = true
	h.mu.Unlock()
	if h.cancel != nil {
		h.cancel(why)
	}
}

// claim takes up the next run. ErrNotFound says that there is none now.
func (q *Queue) claim(ctx context.Context) (*Held, error) {
	h := &Held{q: q, seen: time.Now()}
	err := q.store.Update(ctx, func(tx *store.Tx) (err error) {
		if h.Run, err = tx.Claim(ctx, q.opts.Worker, q.opts.PerHost); err == nil {
			q.mine.add(h.Lease()) // before anybody can see it and take it for lost
		}
		return err
	})
	if err != nil {
		q.mine.remove(h.Lease())
		return nil, err
	}
	if h.Target, err = q.store.Target(ctx, h.Run.ID); err == nil {
		h.Settings, err = q.store.Settings(ctx, h.Run.ID)
	}
	if err != nil {
		// It will be rescued, and parked when it stays unreadable.
		q.mine.remove(h.Lease())
		return nil, err
	}
	return h, nil
}

// hold plays a claimed run, keeps its lease alive meanwhile and stores how it
// ended. It returns when the grace is over, whatever the player does.
func (q *Queue) hold(d *drain, h *Held, play Player) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(d.over))
	defer cancel(nil)
	h.cancel = cancel
	defer context.AfterFunc(d.handBack, func() { cancel(ErrDraining) })()
	defer q.mine.remove(h.Lease())

	beating, stopBeating := context.WithCancel(context.Background())
	beats := make(chan struct{})
	go func() {
		defer close(beats)
		q.heartbeat(beating, h, cancel)
	}()
	defer func() {
		stopBeating()
		<-beats
	}()
	type end struct {
		rec *record.Record
		rep *record.Report
		err error
	}
	ended := make(chan end, 1)
	go func() {
		rec, rep, err := guarded(ctx, h, play)
		ended <- end{rec, rep, err}
	}()
	select {
	case e := <-ended:
		// The lease lives on while the end is being stored.
		q.finish(d.over, h, context.Cause(ctx), e.rec, e.rep, e.err)
	case <-d.over.Done():
		h.leave(ErrDraining)
		q.opts.Log.Warn("a run did not end in time and is left to be rescued", "run", h.Run.ID)
	}
}

// guarded turns a panic into an error: it is the run's misfortune, not the worker's.
func guarded(ctx context.Context, h *Held, play Player) (rec *record.Record, rep *record.Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.q.opts.Log.Error("panic in a run", "run", h.Run.ID, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("playtest made a mistake while playing the game")
		}
	}()
	return play(ctx, h)
}

// heartbeat keeps the lease until ctx ends. It cancels the run when the lease
// is lost or somebody wants it to stop.
func (q *Queue) heartbeat(ctx context.Context, h *Held, cancel context.CancelCauseFunc) {
	every(ctx, q.opts.Heartbeat, func() bool {
		asking, done := context.WithTimeout(ctx, q.opts.Silence)
		defer done()
		cancelled, err := h.beat(asking)
		switch {
		case errors.Is(err, store.ErrLost):
			return false
		case err != nil && ctx.Err() == nil:
			// The database may come back before anybody misses us.
			q.opts.Log.Warn("heartbeat", "run", h.Run.ID, "error", err)
		case cancelled:
			cancel(ErrCancelled)
		}
		return true
	})
}
