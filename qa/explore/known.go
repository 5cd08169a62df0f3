package explore

import (
	"context"
	"slices"
	"time"

	"playtest"
	"playtest/qa/game"
)

// The tiers of starts that the screen does not suggest, as the record calls them.
const (
	// TierKnown is what started the game, or one like it, in an earlier run.
	TierKnown = "knowledge"
	// TierAgain begins another round.
	TierAgain = "again"
)

// Known is what earlier runs found out about the game. It says what is tried
// first; whether it works is measured as ever.
type Known struct {
	// Starts are gestures that may start the game on the present screen, the
	// surest first. Of a game that was begun already they are only those that
	// this screen shows by name.
	Starts func(ctx context.Context, begun bool) ([]game.Input, error)
	// Controls are those that worked, the surest first.
	Controls []KnownControl
}

// KnownControl is a control that worked in an earlier run.
type KnownControl struct {
	ID string
	// Watched: watching it was enough to show that it works, without playing
	// the same seconds again.
	Watched bool
}

const (
	// maxVain bounds the known gestures that are made in vain in a run.
	maxVain = 2
	// maxFamiliar bounds the known controls that are put before all others.
	maxFamiliar = 3
)

// startAsKnown makes the gestures that started the game before. What the screen
// asks for comes after it, as if nothing were known.
func (e *Explorer) startAsKnown(ctx context.Context) error {
	if e.opts.Known == nil || len(e.startedBy) > 0 {
		return nil // it was started by now
	}
	for range maxSteps {
		list, err := e.opts.Known.Starts(ctx, len(e.startedBy) > 0)
		if err != nil {
			if gone := e.g.Alive(ctx); gone != nil {
				return gone
			}
			e.g.Emit(playtest.EventWarning, "what is known of the game could not be looked up: %v", err)
			return ctx.Err()
		}
		began, err := e.firstThatStarts(ctx, list)
		if err != nil || !began {
			return err
		}
		if err := e.refresh(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (e *Explorer) firstThatStarts(ctx context.Context, list []game.Input) (bool, error) {
	for _, in := range list {
		s := gesture{input: in, tier: TierKnown, hit: true}
		if e.tried[s.key()] || e.vain >= maxVain {
			continue
		}
		e.g.Decide("try "+in.String()+" first", in.Why, 0)
		ok, err := e.tryStart(ctx, s)
		if err != nil {
			return false, err
		}
		if ok {
			e.rec.Start.Needed = true
			return true, nil
		}
		e.vain++
	}
	return false, nil
}

// familiar puts controls that worked before in front of the others.
func (e *Explorer) familiar(list []candidate) []candidate {
	if e.opts.Known == nil || len(list) < 2 {
		return list
	}
	place := map[string]int{}
	for _, k := range e.opts.Known.Controls {
		if len(place) < maxFamiliar && slices.ContainsFunc(list, k.is) {
			place[k.ID] = len(place) - maxFamiliar
		}
	}
	usual := list[0].control.ID
	slices.SortStableFunc(list, func(a, b candidate) int { return place[a.control.ID] - place[b.control.ID] })
	if first := list[0].control; first.ID != usual {
		e.g.Decide("try "+first.Description+" first", "it worked in an earlier run", 0)
	}
	return list
}

func (k KnownControl) is(c candidate) bool { return c.control.ID == k.ID }

// tryWatched tries the first of the list before anything else is done, if
// watching it told enough the last time.
func (e *Explorer) tryWatched(ctx context.Context, list []candidate, until time.Time) (began bool, err error) {
	if e.opts.Known == nil || len(list) == 0 || !slices.ContainsFunc(e.opts.Known.Controls, func(k KnownControl) bool { return k.Watched && k.is(list[0]) }) {
		return false, nil
	}
	return e.try(ctx, &list[0], 2, until)
}
