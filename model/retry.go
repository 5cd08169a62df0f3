package model

import (
	"context"
	"math/rand/v2"
	"time"
)

// Waiting before the same provider is asked again.
const (
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 8 * time.Second
)

// backoff is how long to wait after the attempt-th failure. The provider's own
// word counts if it gave one; otherwise the wait doubles, with the upper half
// of it left to chance so that parallel runs do not come back in step.
func backoff(attempt int, retryAfter time.Duration) time.Duration {
	if retryAfter > 0 {
		return retryAfter + time.Duration(rand.Int64N(int64(retryAfter)/10+1))
	}
	wait := min(firstBackoff<<(attempt-1), maxBackoff)
	return wait/2 + time.Duration(rand.Int64N(int64(wait)/2+1))
}

// fits reports whether waiting that long leaves any of the context's time.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Now().Add(wait).Before(deadline)
}

// pause waits, or returns the context's error.
func pause(ctx context.Context, wait time.Duration) error {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
