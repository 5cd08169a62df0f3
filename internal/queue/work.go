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
	// Grace is how long runs under way may go on when ctx has ended before
	// they are handed back. Default 30 seconds.
	Grace time.Duration
	// Admit is asked before a run is taken up; false means not now. Nil admits
	// always.
	Admit func() bool
	// Idle makes Work return when nothing is queued any more and nothing under way.
	Idle bool
}

// Work takes up runs and plays them until ctx ends, then waits for those under
// way, or hands them back when grace is over. Meanwhile it rescues the runs of
// workers that died. On SQLite there is one worker at a time: store.ErrOwned.
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
	// Draining ends grace after ctx has.
	draining, handBack := context.WithCancel(context.WithoutCancel(ctx))
	defer handBack()
	var background sync.WaitGroup
	background.Go(func() {
		select {
		case <-ctx.Done():
		case <-draining.Done():
			return
		}
		select {
		case <-time.After(o.Grace):
			handBack()
		case <-draining.Done():
		}
	})
	background.Go(func() { q.sweep(taking) })
	if o.Idle {
		background.Go(func() { q.stopWhenIdle(taking, stop) })
	}
	err = q.engine.work(taking, o.Slots, func() bool {
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
		q.hold(draining, h, play)
		return true
	})
	stop()
	handBack()
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
