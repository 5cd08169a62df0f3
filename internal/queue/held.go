package queue

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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

// Player plays a run to its end. Its context is cancelled with one of the
// reasons above or store.ErrLost; after ErrCancelled it may return what it
// has. An error means another attempt later, unless it is a Permanent one.
type Player func(ctx context.Context, h *Held) (*record.Record, *record.Report, error)

// Held is a run that this process is working on.
type Held struct {
	Run    store.Run
	Target record.Target
	q      *Queue
}

// Lease is the right under which the run is written about.
func (h *Held) Lease() store.Lease { return store.Lease{RunID: h.Run.ID, Number: h.Run.Lease} }

// Checkpoint notes that a phase is behind the run, and keeps its record so far.
// With complete, nothing is left but to judge the record.
func (h *Held) Checkpoint(ctx context.Context, phase string, rec *record.Record, complete bool) error {
	return h.q.store.Update(ctx, func(tx *store.Tx) error { return tx.Checkpoint(ctx, h.Lease(), phase, rec, complete) })
}

// Events keeps signs of life.
func (h *Held) Events(ctx context.Context, events []record.Event) error {
	return h.q.store.AddEvents(ctx, h.Lease(), events)
}

// Spend adds calls of models to the run's ledger.
func (h *Held) Spend(ctx context.Context, calls []store.Expense) error {
	return h.q.store.Update(ctx, func(tx *store.Tx) error { return tx.Spend(ctx, h.Run.ID, calls) })
}

// Explored returns the record of an earlier attempt that is complete, nil when
// there is none.
func (h *Held) Explored(ctx context.Context) (*record.Record, error) {
	rec, complete, err := h.q.store.Record(ctx, h.Run.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && !complete {
		return nil, nil
	}
	return rec, err
}

// claim takes up the next run. ErrNotFound says that there is none now.
func (q *Queue) claim(ctx context.Context) (*Held, error) {
	h := &Held{q: q}
	err := q.store.Update(ctx, func(tx *store.Tx) (err error) {
		h.Run, err = tx.Claim(ctx, q.opts.Worker, q.opts.PerHost)
		return err
	})
	if err != nil {
		return nil, err
	}
	if h.Target, err = q.store.Target(ctx, h.Run.ID); err != nil {
		// It will be rescued, and parked when it stays unreadable.
		return nil, err
	}
	return h, nil
}

// hold plays a claimed run, keeps its lease alive meanwhile and stores how it
// ended. Draining ends when runs must be handed back.
func (q *Queue) hold(draining context.Context, h *Held, play Player) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(draining))
	defer cancel(nil)
	stop := context.AfterFunc(draining, func() { cancel(ErrDraining) })
	defer stop()

	beating, stopBeating := context.WithCancel(context.Background())
	beats := make(chan struct{})
	go func() {
		defer close(beats)
		q.heartbeat(beating, h, cancel)
	}()
	rec, rep, err := guarded(ctx, h, play)
	// The lease lives on while the end is being stored.
	q.finish(context.WithoutCancel(draining), h, context.Cause(ctx), rec, rep, err)
	stopBeating()
	<-beats
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
		cancelled, err := q.store.Heartbeat(asking, h.Lease())
		switch {
		case errors.Is(err, store.ErrLost):
			cancel(store.ErrLost)
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

// storing bounds how long the end of a run is kept in memory while the
// database cannot be reached.
const storing = 5 * time.Minute

// finish stores how a run ended, again and again while the database is away.
func (q *Queue) finish(ctx context.Context, h *Held, cause error, rec *record.Record, rep *record.Report, runErr error) {
	if errors.Is(cause, store.ErrLost) {
		q.opts.Log.Warn("run was given to another worker", "run", h.Run.ID)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, storing)
	defer cancel()
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := q.store.Update(ctx, func(tx *store.Tx) error { return q.end(ctx, tx, h, cause, rec, rep, runErr) })
		if err == nil {
			q.engine.announced()
			return
		}
		if errors.Is(err, store.ErrLost) {
			// Ended under another lease, or by a commit whose answer got lost.
			q.opts.Log.Info("the run's end was stored already", "run", h.Run.ID)
			return
		}
		q.opts.Log.Warn("store the end of a run", "run", h.Run.ID, "error", err)
		select {
		case <-ctx.Done():
			return // it will be rescued
		case <-time.After(wait):
		}
	}
}

// end decides what becomes of a run after an attempt.
func (q *Queue) end(ctx context.Context, tx *store.Tx, h *Held, cause error, rec *record.Record, rep *record.Report, runErr error) error {
	l := h.Lease()
	var permanent *Permanent
	switch {
	case errors.Is(cause, ErrDraining):
		if err := tx.Requeue(ctx, l, store.OutcomeBack, "", 0, false); err != nil {
			return err
		}
		return q.engine.announce(ctx, tx, 1, 0)
	case errors.Is(cause, ErrCancelled) && rep != nil && rec != nil:
		return tx.Finish(ctx, l, store.Cancelled, rec, rep, "")
	case errors.Is(cause, ErrCancelled):
		return tx.End(ctx, l, store.Cancelled, "")
	case runErr == nil && rep != nil && rec != nil:
		return tx.Finish(ctx, l, store.Completed, rec, rep, "")
	case runErr == nil:
		runErr = errors.New("the run ended without a report")
	case errors.As(runErr, &permanent):
		return tx.End(ctx, l, store.Failed, permanent.Error())
	}
	if h.Run.Attempts >= h.Run.MaxAttempts {
		return tx.End(ctx, l, store.Parked, runErr.Error())
	}
	delay := q.opts.Backoff(h.Run.Attempts)
	if err := tx.Requeue(ctx, l, store.OutcomeFailed, runErr.Error(), delay, true); err != nil {
		return err
	}
	return q.engine.announce(ctx, tx, 1, delay)
}
