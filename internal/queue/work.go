package queue

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

// WorkOptions of a worker. Zero values mean the defaults.
type WorkOptions struct {
	// Slots is how many runs are played at a time. Default 1.
	Slots int
	// Grace is when Work returns at the latest after ctx has ended, whatever the
	// runs and the database do. Runs under way may go on for most of it; those
	// that have not ended then are handed back. Default 30 seconds.
	Grace time.Duration
	// Admit is asked before a run is taken up; false means not now. Nil admits
	// always.
	Admit func() bool
	// Idle makes Work return when nothing is queued any more and nothing under way.
	Idle bool
}

// Work takes up runs and plays them until ctx ends, then waits for those under
// way, or hands them back before the grace is over. Meanwhile it rescues the
// runs of workers that died. A player that does not return when it is told to
// is left behind: its run is rescued. On SQLite there is one worker at a time: store.ErrOwned.
func (q *Queue) Work(ctx context.Context, play Player, opts *WorkOptions) error {
	o := WorkOptions{}
	if opts != nil {
		o = *opts
	}
	o.Slots = max(1, o.Slots)
	setDefault(&o.Grace, 30*time.Second)

	release, err := q.store.Own()
	if err != nil {
		return err
	}
	defer release()
	if q.store.Pool() == nil {
		// Nobody else works on this file: whatever is running lost its worker.
		if _, err := q.rescue(ctx, -time.Hour); err != nil {
			return err
		}
	}
	taking, stop := context.WithCancel(ctx)
	defer stop()
	d := newDrain(ctx, o.Grace)
	defer d.close()
	var background sync.WaitGroup
	background.Go(func() { q.sweep(taking) })
	if o.Idle {
		background.Go(func() { q.stopWhenIdle(taking, stop) })
	}
	err = q.engine.work(taking, d.over, o.Slots, func() bool {
		if o.Admit != nil && !o.Admit() {
			return false
		}
		h, err := q.claim(taking)
		if err != nil {
			if !errors.Is(err, store.ErrNotFound) && taking.Err() == nil {
				q.opts.Log.Warn("take up a run", "error", err)
			}
			return false
		}
		d.holds.Add(1)
		defer d.holds.Done()
		q.hold(d, h, play)
		return true
	})
	stop()
	d.settle()
	background.Wait()
	return err
}

// stopWhenIdle calls stop when nothing is left to do.
func (q *Queue) stopWhenIdle(ctx context.Context, stop func()) {
	every(ctx, poll, func() bool {
		queued, running, err := q.store.Active(ctx)
		if err != nil || queued+running > 0 {
			return true
		}
		stop()
		return false
	})
}
