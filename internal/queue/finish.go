package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// storing bounds how long the end of a run is kept in memory while the
// database cannot be reached.
const storing = 5 * time.Minute

// finish stores how a run ended, again and again while the database is away,
// until over ends. A result that cannot be stored is kept aside.
func (q *Queue) finish(over context.Context, h *Held, cause error, rec *record.Record, rep *record.Report, runErr error) {
	if errors.Is(cause, store.ErrLost) {
		q.opts.Log.Warn("run was given to another worker", "run", h.Run.ID)
		return
	}
	ctx, cancel := context.WithTimeout(over, storing)
	defer cancel()
	err := q.persist(ctx, h, func(tx *store.Tx) error { return q.end(ctx, tx, h, cause, rec, rep, runErr) })
	if err == nil {
		return
	}
	where := q.keepAside(h, rec, rep, err)
	if !store.Permanent(err) {
		q.opts.Log.Error("the end of a run could not be stored: it will be played again", "run", h.Run.ID, "kept", where, "error", err)
		return
	}
	// Playing it again would end here again.
	q.opts.Log.Error("the database refuses the end of a run", "run", h.Run.ID, "kept", where, "error", err)
	message := "the result could not be stored"
	if where != "" {
		message = fmt.Sprintf("the result could not be stored; %s keeps it in %s", q.opts.Worker, where)
	}
	err = q.persist(ctx, h, func(tx *store.Tx) error { return tx.End(ctx, h.Lease(), store.Failed, message, "") })
	if err != nil {
		q.opts.Log.Error("a run could not be ended", "run", h.Run.ID, "error", err)
	}
}

// persist writes until it has succeeded, the database refuses it for good, or
// ctx ends.
func (q *Queue) persist(ctx context.Context, h *Held, write func(*store.Tx) error) error {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := q.store.Update(ctx, write)
		switch {
		case err == nil:
			q.engine.announced()
			return nil
		case errors.Is(err, store.ErrLost):
			// Ended under another lease, or by a commit whose answer got lost.
			q.opts.Log.Info("the run's end was stored already", "run", h.Run.ID)
			return nil
		case store.Permanent(err):
			return err
		}
		q.opts.Log.Warn("store the end of a run", "run", h.Run.ID, "error", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// end decides what becomes of a run after an attempt.
func (q *Queue) end(ctx context.Context, tx *store.Tx, h *Held, cause error, rec *record.Record, rep *record.Report, runErr error) error {
	l := h.Lease()
	result := store.Result{Record: rec, Report: rep, Manifest: h.Manifest}
	if h.Weight > 0 {
		if err := tx.Weigh(ctx, l, h.Weight); err != nil {
			return err
		}
	}
	var permanent *Permanent
	var spared *Spared
	switch {
	case errors.Is(cause, ErrDraining):
		if err := tx.Requeue(ctx, l, store.OutcomeBack, "", 0, false); err != nil {
			return err
		}
		return q.engine.announce(ctx, tx, 1, 0)
	case errors.Is(cause, ErrCancelled) && rep != nil && rec != nil:
		return tx.Finish(ctx, l, store.Cancelled, result)
	case errors.Is(cause, ErrCancelled):
		return tx.End(ctx, l, store.Cancelled, "", h.Manifest)
	case runErr == nil && rep != nil && rec != nil:
		return tx.Finish(ctx, l, store.Completed, result)
	case runErr == nil:
		runErr = errors.New("the run ended without a report")
	case errors.As(runErr, &permanent):
		return tx.End(ctx, l, store.Failed, permanent.Error(), h.Manifest)
	case errors.As(runErr, &spared):
		if err := tx.Requeue(ctx, l, store.OutcomeSpared, spared.Error(), 0, false); err != nil {
			return err
		}
		return q.engine.announce(ctx, tx, 1, 0)
	}
	if h.Run.Attempts >= h.Run.MaxAttempts {
		return tx.End(ctx, l, store.Parked, runErr.Error(), h.Manifest)
	}
	delay := q.opts.Backoff(h.Run.Attempts)
	if err := tx.Requeue(ctx, l, store.OutcomeFailed, runErr.Error(), delay, true); err != nil {
		return err
	}
	return q.engine.announce(ctx, tx, 1, delay)
}
