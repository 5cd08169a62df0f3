package queue

import (
	"context"
	"sync"
	"time"
)

// drain is how a worker ends in time when it is told to stop:
//
//	told to stop ─── runs go on ───┬── runs are handed back ──┬── what is left is left ──┐
//	                          handBack                       over                     grace
//
// The last stretch is for closing browsers and connections.
type drain struct {
	handBack context.Context
	over     context.Context

	stop  func() // ends both
	wg    sync.WaitGroup
	holds sync.WaitGroup // runs under way
	last  time.Duration  // for what is still being written when it is over
}

// handingBack bounds what of the grace is kept for handing back and closing.
const handingBack = 6 * time.Second

// newDrain watches for ctx to end.
func newDrain(ctx context.Context, grace time.Duration) *drain {
	lasting := context.WithoutCancel(ctx)
	handBack, giveBack := context.WithCancel(lasting)
	over, end := context.WithCancel(lasting)
	d := &drain{handBack: handBack, over: over, stop: func() { giveBack(); end() }}
	reserve := min(grace/3, handingBack)
	d.last = reserve / 4
	d.wg.Go(func() {
		for _, step := range []struct {
			wait time.Duration
			then func()
		}{{grace - reserve, giveBack}, {reserve / 2, end}} {
			select {
			case <-ctx.Done():
			case <-over.Done():
				return
			}
			select {
			case <-time.After(step.wait):
				step.then()
			case <-over.Done():
				return
			}
		}
	})
	return d
}

// settle waits for runs whose end is just being written, to a file for instance.
// An engine does not wait for them when it is over.
func (d *drain) settle() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.holds.Wait()
	}()
	select {
	case <-done:
	case <-time.After(d.last):
	}
}

// close ends the watch.
func (d *drain) close() {
	d.stop()
	d.wg.Wait()
}
