package queue

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

// Words for people about runs that lost their worker.
const (
	lostMessage   = "the worker that played the game was lost; the run starts again"
	parkedMessage = "the run was given up: each worker that played the game was lost"
)

// Rescue queues the runs of workers that have been silent too long, by the
// database's clock, and returns how many there were. Runs that were taken up
// too often are parked, those that somebody wanted cancelled are.
func (q *Queue) Rescue(ctx context.Context) (int, error) {
	return q.rescue(ctx, q.opts.Silence)
}

func (q *Queue) rescue(ctx context.Context, silence time.Duration) (int, error) {
	found, queued := 0, 0
	err := q.store.Update(ctx, func(tx *store.Tx) error {
		found, queued = 0, 0
		runs, err := tx.Stale(ctx, silence)
		if err != nil {
			return err
		}
		for _, r := range runs {
			l := store.Lease{RunID: r.ID, Number: r.Lease}
			if q.mine.has(l) {
				// It is silent because we were: the machine was suspended, the database
				// away or the clock set. Its next heartbeat is on its way.
				continue
			}
			switch {
			case r.CancelRequested:
				err = tx.End(ctx, l, store.Cancelled, "", "")
			case r.Attempts >= r.MaxAttempts:
				err = tx.End(ctx, l, store.Parked, parkedMessage, "")
			default:
				queued++
				err = tx.Requeue(ctx, l, store.OutcomeLost, lostMessage, 0, true)
			}
			if err != nil {
				return err
			}
			found++
			q.opts.Log.Warn("run lost its worker", "run", r.ID, "worker", r.Worker, "attempt", r.Attempts, "phase", r.Phase)
		}
		if queued > 0 {
			if err := q.engine.announce(ctx, tx, queued, 0); err != nil {
				return err
			}
		}
		return q.engine.mend(ctx, tx)
	})
	if err == nil && queued > 0 {
		q.engine.announced()
	}
	return found, err
}

// sweep rescues until ctx ends.
func (q *Queue) sweep(ctx context.Context) {
	every(ctx, q.opts.Sweep, func() bool {
		if _, err := q.Rescue(ctx); err != nil && ctx.Err() == nil {
			q.opts.Log.Warn("look for lost workers", "error", err)
		}
		return true
	})
}

// every calls do at intervals until it says that it is enough, or ctx ends.
func every(ctx context.Context, interval time.Duration, do func() (again bool)) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !do() {
			return
		}
	}
}
