package explore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// scan asks for the keys of the game's present state, once.
func (e *Explorer) scan(ctx context.Context) error {
	if e.scanned {
		return nil
	}
	e.scanned = true
	if err := e.askKeyboard(ctx); err != nil {
		return err
	}
	if _, err := e.recover(ctx); err != nil || !e.rec.Start.Started {
		return err
	}
	// That took some seconds, and a game that was just begun has more to show now.
	return discover.Inventory(ctx, e.g)
}

// showsEnough: a slow game that was begun shows what can be hit. Asking for keys
// takes long there and can wait.
func (e *Explorer) showsEnough() bool {
	return e.g.Slow() && e.rec.Start.Started && slices.ContainsFunc(e.g.Record.Discover.Controls, func(c record.Control) bool {
		return ofScene(c) && !aside(c)
	})
}

// askKeyboard asks the code which keys it knows. Where nothing but keys can play
// the game it is asked again if it was deaf at first: games count down after
// their start.
func (e *Explorer) askKeyboard(ctx context.Context) error {
	if time.Since(e.beganAt) > countdown || e.g.Code == nil || e.g.Slow() || !e.onlyKeys() {
		return discover.Keyboard(ctx, e.g)
	}
	before, err := e.handlers(ctx)
	if err != nil {
		return err
	}
	if err := discover.Keyboard(ctx, e.g); err != nil {
		return err
	}
	if !e.knowsKeys() {
		e.g.Pause(ctx, time.Until(e.beganAt.Add(countdown)))
	}
	after, err := e.handlers(ctx)
	if err != nil || after.Subtract(before).Empty() {
		return err
	}
	e.g.Decide("ask for the keys again", "the handler of keys runs code now that it did not run before", 0.8)
	e.asked = e.g.Record.Discover.KeysTried
	return discover.Keyboard(ctx, e.g)
}

// handlers is the game's own code that runs for any key: for keys that no game
// binds, and not without them.
func (e *Explorer) handlers(ctx context.Context) (coverage.Sample, error) {
	var inputs []game.Input
	for _, k := range discover.Unbound[:3] {
		inputs = append(inputs, game.Input{Kind: game.Idle}, game.Input{Kind: game.KeyPress, Key: k, Why: "an input that nothing listens to, for comparison"})
	}
	windows, err := e.g.Scan(ctx, inputs, discover.HoldFor)
	if err != nil {
		return nil, err
	}
	idle, out := coverage.Sample{}, coverage.Sample(nil)
	for _, w := range windows {
		switch {
		case w.Input == "":
			idle.Union(w.Code)
		case out == nil:
			out = w.Code.Own()
		default:
			out = out.Intersect(w.Code)
		}
	}
	return out.Subtract(idle), nil
}

// onlyKeys reports whether the page listens to keys and to nothing that a pointer
// does.
func (e *Explorer) onlyKeys() bool {
	listens := e.g.Record.Load.Listens
	return discover.ListensToKeys(listens) && !slices.ContainsFunc(listens, func(t string) bool {
		return !discover.ListensToKeys([]string{t}) && t != "input"
	})
}

// askOthers asks for the keys that few games use where the game's code knows usual
// ones and none of them did anything: a code may have to be typed before Enter means
// something.
func (e *Explorer) askOthers(ctx context.Context) error {
	if e.g.Slow() || e.askedAll() || !e.knowsKeys() {
		return nil
	}
	_, err := discover.Ask(ctx, e.g, discover.Unlikely)
	return err
}

// askedAll: the whole keyboard was asked for.
func (e *Explorer) askedAll() bool {
	return e.g.Record.Discover.KeysTried-e.asked > 2*len(discover.Likely)
}

// restOfKeyboard asks at the very end, when nothing can be spoilt any more, for
// the keys that few games use: pause, mute, restart, and those that leave the game.
func (e *Explorer) restOfKeyboard(ctx context.Context) error {
	if e.g.Slow() {
		return nil
	}
	listed := slices.ContainsFunc(e.g.Record.Discover.Controls, func(c record.Control) bool { return c.Type == record.ControlKey })
	if listed && !e.askedAll() {
		if _, err := discover.AskRare(ctx, e.g, discover.Unlikely); errors.Is(err, game.ErrGone) {
			return err
		}
	}
	if _, err := discover.Ask(ctx, e.g, discover.Leaving); errors.Is(err, game.ErrGone) {
		return err
	}
	return nil
}
