package explore

import (
	"context"
	"time"
)

const (
	// sureRounds is how many rounds in a row must end before anybody could act.
	sureRounds = 3
	// tooShort is a round that no player could have influenced.
	tooShort = 700 * time.Millisecond
	// overLook is how often the screen is asked whether the round is over.
	overLook = 40 * time.Millisecond
)

// ends finds out whether each round is over as soon as it begins. The gestures
// that led out of the last game over are made again, and the time is taken until
// the screen says so again.
func (e *Explorer) ends(ctx context.Context) error {
	if e.responsive() || len(e.revived) == 0 {
		return nil
	}
	var longest time.Duration
	for range sureRounds {
		lasted, short, err := e.round(ctx)
		if err != nil || !short {
			return err
		}
		longest = max(longest, lasted)
	}
	e.g.Record.Health.Ends = e.g.Incident("each round is over %.1f seconds after it begins, before anybody can act", longest.Seconds())
	e.lost = true
	return nil
}

// round begins a round after the end of the last one and reports how long it
// lasted, if it was too short.
func (e *Explorer) round(ctx context.Context) (lasted time.Duration, short bool, err error) {
	if over, err := e.becomes(ctx, true, 2*time.Second); err != nil || !over {
		return 0, false, err
	}
	var begun time.Time
	for i, in := range e.revived {
		if i > 0 {
			e.g.Pause(ctx, 300*time.Millisecond) // as long as a screen takes to come
		}
		in.Why, begun = "how long does a round last?", time.Now()
		if err := e.g.Do(ctx, in, overLook); err != nil {
			return 0, false, e.g.Alive(ctx)
		}
		if begins, err := e.becomes(ctx, false, tooShort); err != nil || !begins {
			return 0, false, err
		}
	}
	over, err := e.becomes(ctx, true, tooShort-time.Since(begun))
	return time.Since(begun), over, err
}

// becomes waits until the screen says that the round is over, or not over.
func (e *Explorer) becomes(ctx context.Context, over bool, patience time.Duration) (bool, error) {
	until := time.Now().Add(patience)
	for {
		_, is, err := e.overText(ctx)
		if err != nil || is == over {
			return is == over, err
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return false, ctx.Err()
		}
		e.g.Pause(ctx, overLook)
	}
}
