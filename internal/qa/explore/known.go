package explore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// The tiers of starts that the screen does not suggest, as the record calls them.
const (
	// TierKnown is what started the game, or one like it, in an earlier run.
	TierKnown = "knowledge"
	// TierAgain begins another round.
	TierAgain = record.TierAgain
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
	// maxVain bounds the known gestures that are made in vain.
	maxVain = 2
	// knownWindows is how often a known control is tried.
	knownWindows = 2
)

// asKnown starts and operates the game as in earlier runs. Whether that works is
// measured as ever, and unless it does the game is loaded afresh and explored as
// if nothing were known: what is known can spare a search, not change what
// comes of it.
func (e *Explorer) asKnown(ctx context.Context) error {
	if e.opts.Known == nil {
		return nil
	}
	dead, code := e.rec.Start.Dead, e.startCode
	vain, err := e.startAsKnown(ctx)
	if err != nil {
		return err
	}
	if !vain {
		c, blind, ok := e.surest()
		if !ok {
			return nil // it is only started, as it asks to be
		}
		e.g.Decide("try "+c.control.Description+" first", "it worked in an earlier run", 0)
		var began bool
		if blind && !e.still() {
			began, err = e.replay(ctx, []candidate{c})
		} else {
			began, err = e.try(ctx, &c, knownWindows, time.Now().Add(e.patience(trialBudget)))
		}
		if err != nil || !began && e.responsive() {
			return err
		}
		e.opts.Known.InVain(c.control.ID)
	}
	e.g.Decide("begin afresh", "what is known of the game did not lead on", 0)
	e.results, e.order, e.promoted, e.replays = map[string]*result{}, nil, 0, 0
	e.rec.Start.Needed, e.rec.Start.Started, e.rec.Start.Dead, e.startCode = false, false, dead, code
	return e.afresh(ctx)
}

// startAsKnown makes the gestures that started the game before and reports
// whether any were in vain.
func (e *Explorer) startAsKnown(ctx context.Context) (vain bool, err error) {
	for range maxSteps {
		list, err := e.opts.Known.Starts(ctx, e.rec.Start.Started)
		if err != nil {
			if gone := e.g.Alive(ctx); gone != nil {
				return false, gone
			}
			e.g.Emit(record.EventWarning, "what is known of the game could not be looked up: %v", err)
			return false, ctx.Err()
		}
		began, tried, err := e.firstThatStarts(ctx, list)
		if err != nil || !began {
			return tried, err
		}
		if err := e.refresh(ctx); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (e *Explorer) firstThatStarts(ctx context.Context, list []game.Input) (began, tried bool, err error) {
	for _, in := range list[:min(len(list), maxVain)] {
		s := gesture{input: in, tier: TierKnown, hit: true}
		if e.tried[s.key()] {
			continue
		}
		tried = true
		e.g.Decide("try "+in.String()+" first", in.Why, 0)
		if began, err = e.tryStart(ctx, s); err != nil || began {
			e.rec.Start.Needed = e.rec.Start.Needed || began
			return began, tried, err
		}
	}
	return false, tried, nil
}

// surest is the known control that can be tried on the present screen. Blind are
// those for which, in a game that moves, the same seconds have to be played again.
func (e *Explorer) surest() (c candidate, blind, ok bool) {
	if len(e.opts.Known.Controls) == 0 {
		return candidate{}, false, false
	}
	list := e.candidates()
	for _, k := range e.opts.Known.Controls {
		if i := slices.IndexFunc(list, func(c candidate) bool { return c.control.ID == k.ID }); i >= 0 {
			return list[i], k.Blind, true
		}
		// The code was not asked for its keys yet.
		if key, ok := strings.CutPrefix(k.ID, "key:"); ok && k.ID != anyKey && !e.scanned && discover.ListensToKeys(e.g.Record.Load.Listens) {
			c := e.keyCandidate(key)
			c.control.Sources = []string{TierKnown} // which proves nothing
			return c, k.Blind, true
		}
	}
	return candidate{}, false, false
}
