package explore

import (
	"context"
	"slices"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// onlyIn is the game's own code that ran in a window and in none of the newest
// without input.
func (e *Explorer) onlyIn(w cause.Window) coverage.Sample {
	usual := coverage.Sample{}
	for _, o := range e.idle[max(0, len(e.idle)-3):] {
		usual.Union(o.Code)
	}
	return w.Code.Own().Subtract(usual)
}

// overAgain makes the gesture that started the game once more and reports
// whether it started the game again: then the round had ended meanwhile, with
// or without words.
func (e *Explorer) overAgain(ctx context.Context) (bool, error) {
	if e.begunBy.Kind == "" || e.startCode.Empty() {
		return false, nil
	}
	in := e.begunBy
	in.Why = "does it start the game again?"
	w, err := e.observe(ctx, in)
	if err != nil {
		return false, err
	}
	again := e.onlyIn(w).Intersect(e.startCode).Size()
	return again > newCode && 10*again > e.startCode.Size(), nil
}

const (
	sprintIdle    = 4
	sprintWindows = 3
	sprintKeys    = 3
)

// sprint tries the keys of a game that is over within seconds: each window
// comes right after a start of its own, with and without the input alike.
func (e *Explorer) sprint(ctx context.Context) error {
	again, err := e.overAgain(ctx)
	if err != nil || !again {
		return err
	}
	e.g.Decide("start before each try", "the game ends sooner than its controls can be tried", 0.7)
	start := e.begunBy
	start.Why = "start another round"
	window := func(in game.Input) (cause.Window, error) {
		if err := e.g.Do(ctx, start, 0); err != nil {
			if gone := e.g.Alive(ctx); gone != nil {
				return cause.Window{}, gone
			}
		}
		e.rec.Restarts++
		return e.observe(ctx, in)
	}
	e.idle = nil
	for range sprintIdle {
		w, err := window(game.Input{Kind: game.Idle})
		if err != nil {
			return err
		}
		e.addIdle(w)
	}
	list := slices.DeleteFunc(e.candidates(), func(c candidate) bool { return c.control.Type == record.ControlClick && e.knowsKeys() })
	for _, c := range list[:min(sprintKeys, len(list))] {
		res := e.result(c.control)
		res.windows = nil
		for i := range sprintWindows {
			in := c.inputs[i%len(c.inputs)]
			if c.control.Type == record.ControlKey {
				in.Kind = game.KeyHold
			}
			in.Why = "does the game answer to " + c.control.Description + "?"
			w, err := window(in)
			if err != nil {
				return err
			}
			res.windows = append(res.windows, w)
		}
		if e.concluded(res) {
			return nil
		}
	}
	return nil
}
