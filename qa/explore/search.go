package explore

import (
	"context"
	"time"
)

// search makes ever less likely gestures until a control answers or nothing is
// left to try.
func (e *Explorer) search(ctx context.Context) error {
	if hopeless, err := e.hopeless(ctx); err != nil || hopeless {
		return err
	}
	for round := 0; !e.responsive() && round < maxRounds && ctx.Err() == nil && time.Since(e.readyAt) < searchLimit; round++ {
		worked, err := e.anyGesture(ctx)
		if err != nil {
			return err
		}
		if e.silence() != nil {
			break // it ran and has stopped; gestures will not bring it back
		}
		if !worked {
			// A countdown, a splash screen: see whether the game moves on by itself.
			moved, err := e.wait(ctx, patience)
			if err != nil {
				return err
			}
			if !moved && round > 0 {
				break
			}
		}
		if err := e.refresh(ctx); err != nil {
			return err
		}
		if err := e.begin(ctx); err != nil {
			return err
		}
	}
	return nil
}

const (
	maxRounds = 4
	patience  = 5 * time.Second
	// searchLimit bounds the search for a control that answers.
	searchLimit = 60 * time.Second
)

// hopeless reports that what was measured so far rules out any answer: no
// event reaches the game's code, every input ends in an error, or nothing of the game can be seen. Trying more
// would only take longer.
func (e *Explorer) hopeless(ctx context.Context) (bool, error) {
	if e.responsive() {
		return false, nil
	}
	e.lost = e.deaf(ctx) || e.throws()
	if load := &e.g.Record.Load; !e.lost && (load.Blank || load.Covered != "") {
		worked, err := e.usualGestures(ctx)
		if err != nil || worked {
			return false, err
		}
		e.lost = true
	}
	e.unseen(ctx)
	if e.g.Record.Health.Unseen != "" {
		e.g.Pause(ctx, 2*time.Second) // it may be between two screens
		e.g.Record.Health.Unseen = ""
		e.unseen(ctx)
		e.lost = e.g.Record.Health.Unseen != ""
	}
	if e.lost {
		e.g.Decide("stop trying", "what was measured rules out any answer", 0.9)
	}
	return e.lost, nil
}

// throws reports whether every input ends in an error, and idling does not.
func (e *Explorer) throws() bool {
	throwing, tried := 0, 0
	for _, r := range e.results {
		for _, w := range r.windows {
			tried++
			if w.Throws > 0 {
				throwing++
			}
		}
	}
	return tried >= 4 && throwing == tried && !e.idleThrows()
}
