package explore

import (
	"context"
	"slices"
	"strings"
	"time"

	"playtest"
	"playtest/qa/discover"
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
	// InVain is told of each that was tried for being known and not seen to
	// work.
	InVain func(id string)
}

// KnownControl is a control that worked in an earlier run.
type KnownControl struct {
	ID string
	// Blind: it was not watching that showed it to work; the same seconds had to
	// be played again.
	Blind bool
}

// NamesPlace reports whether the label of a gesture is not what stands there but
// only says where it is made.
func NamesPlace(label string) bool {
	return slices.Contains([]string{"", "canvas", "the middle", "a place that the code knows"}, label)
}

const (
	// maxVain bounds the known gestures that are made in vain in a run, and the
	// known controls.
	maxVain = 2
	// knownWindows is how often a known control is tried before the game is
	// asked for others.
	knownWindows = 2
	// maxFamiliar bounds the known controls that are put before all others.
	maxFamiliar = 3
)

// startAsKnown makes the gestures that started the game before. What the screen
// asks for comes after it, as if nothing were known: after gestures in vain,
// which may have done something that was not seen, on a fresh page.
func (e *Explorer) startAsKnown(ctx context.Context) error {
	if e.opts.Known == nil || len(e.startedBy) > 0 || e.vain > 0 {
		return nil // it was started by now, or what is known is of no use
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
		if err != nil {
			return err
		}
		if !began {
			break
		}
		if err := e.refresh(ctx); err != nil {
			return err
		}
	}
	if e.vain > 0 && len(e.startedBy) == 0 {
		return e.afresh(ctx)
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
	slices.SortStableFunc(list, func(a, b candidate) int { return place[a.control.ID] - place[b.control.ID] })
	return list
}

func (k KnownControl) is(c candidate) bool { return c.control.ID == k.ID }

// tryKnown tries the control that is surest to work before the keyboard is
// asked and the others are tried. One that is not seen to work leaves no trace:
// it is tried in its turn as if nothing were known.
func (e *Explorer) tryKnown(ctx context.Context) (began bool, err error) {
	c, ok := e.surest()
	if !ok || e.responsive() || e.vainControls >= maxVain {
		return false, nil
	}
	e.g.Decide("try "+c.control.Description+" first", "it worked in an earlier run", 0)
	began, err = e.try(ctx, &c, knownWindows, time.Now().Add(trialBudget))
	if err != nil || began || e.works(c.control.ID) {
		return began, err
	}
	e.vainControls++
	e.opts.Known.InVain(c.control.ID)
	delete(e.results, c.control.ID)
	e.order = slices.DeleteFunc(e.order, func(id string) bool { return id == c.control.ID })
	return false, nil
}

// surest is the known control that can be tried on the present screen.
func (e *Explorer) surest() (candidate, bool) {
	if e.opts.Known == nil || len(e.opts.Known.Controls) == 0 {
		return candidate{}, false
	}
	list := e.candidates()
	for _, k := range e.opts.Known.Controls {
		// In a game that moves, playing the same seconds again is quicker for
		// what needed it the last time.
		if r := e.results[k.ID]; k.Blind && !e.still() || r != nil && len(r.windows) > 0 {
			continue
		}
		if i := slices.IndexFunc(list, k.is); i >= 0 {
			return list[i], true
		}
		// The code was not asked for its keys yet.
		if key, ok := strings.CutPrefix(k.ID, "key:"); ok && k.ID != anyKey && !e.scanned && discover.ListensToKeys(e.g.Record.Load.Listens) {
			c := e.keyCandidate(key)
			c.control.Sources = []string{TierKnown} // which proves nothing
			return c, true
		}
	}
	return candidate{}, false
}
