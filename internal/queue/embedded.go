package queue

import (
	"context"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

// poll is how often a worker looks for runs that another process submitted,
// that were delayed, or that had to wait for their host.
const poll = 500 * time.Millisecond

// embedded is the engine in one process: slots that look for work when they
// are woken and now and then.
type embedded struct {
	// wake holds at most one sign: that there is work, not how much.
	wake chan struct{}
}

func newEmbedded() *embedded { return &embedded{wake: make(chan struct{}, 1)} }

func (e *embedded) announce(context.Context, *store.Tx, int, time.Duration) error { return nil }

func (e *embedded) mend(context.Context, *store.Tx) error { return nil }

func (e *embedded) announced() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

func (e *embedded) work(ctx, _ context.Context, slots int, take turn) error {
	var wg sync.WaitGroup
	for range slots {
		wg.Go(func() {
			for ctx.Err() == nil {
				if take() {
					e.announced() // the next slot may find something, too
					continue
				}
				select {
				case <-ctx.Done():
				case <-e.wake:
				case <-time.After(poll):
				}
			}
		})
	}
	wg.Wait()
	return nil
}
