package explore

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// search makes ever less likely gestures until a control answers or nothing is
// left to try.
func (e *Explorer) search(ctx context.Context) error {
	if hopeless, err := e.hopeless(ctx); err != nil || hopeless {
		return err
	}
	if begun, err := e.askForStart(ctx); err != nil {
		return err
	} else if begun {
		if err := e.again(ctx); err != nil {
			return err
		}
	}
	for round := 0; !e.responsive() && round < maxRounds && ctx.Err() == nil && time.Since(e.readyAt) < e.patience(searchLimit); round++ {
		worked, err := e.anyGesture(ctx)
		if err != nil {
			return err
		}
		if e.silence(ctx, 3) != nil {
			break // it ran and has stopped; gestures will not bring it back
		}
		if !worked {
			// A countdown, a splash screen: see whether the game moves on by itself.
			moved, err := e.wait(ctx, patience)
			if err != nil {
				return err
			}
			if !moved && (round > 0 || e.unmoved()) {
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

// askForStart has others find the start where the free ways found none. A game
// that answers already needs none.
func (e *Explorer) askForStart(ctx context.Context) (bool, error) {
	if e.rec.Start.Started || e.responsive() {
		return false, nil
	}
	for _, start := range e.opts.Starts {
		err := start.Find(ctx, func(ctx context.Context, what string, do func(context.Context) error) (string, error) {
			in := game.Input{Kind: game.Other, Label: what, Do: do}
			if _, err := e.tryStart(ctx, gesture{input: in, tier: start.Tier, hit: true}); err != nil {
				return "", err
			}
			attempts := e.rec.Start.Attempts
			return attempts[len(attempts)-1].Proof, nil
		})
		if e.rec.Start.Started {
			return true, nil
		}
		if gone := e.g.Alive(ctx); gone != nil {
			return false, gone
		}
		if err != nil {
			e.g.Emit(record.EventWarning, "the start could not be asked for: %v", err)
		}
	}
	return false, nil
}
