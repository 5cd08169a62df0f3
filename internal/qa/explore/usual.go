package explore

import (
	"context"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// usual are the gestures that start most games that do not say how.
func (e *Explorer) usual() []game.Input {
	mid := e.g.Field.Center()
	list := []game.Input{
		{Kind: game.Click, At: mid, Label: "the middle"},
		{Kind: game.KeyPress, Key: "Space"},
		{Kind: game.KeyPress, Key: "Enter"},
	}
	double := game.Input{Kind: game.DoubleClick, At: mid, Label: "the middle"}
	if slices.Contains(e.g.Record.Load.Listens, "dblclick") {
		return append([]game.Input{double}, list...)
	}
	return append(list, double)
}

// loneButtons are the few buttons and links in view, whatever they say.
func (e *Explorer) loneButtons(ctx context.Context) []game.Input {
	var out []game.Input
	for _, el := range e.doors(ctx) {
		if el.InView {
			out = append(out, click(boxOf(el), el.Text))
		}
	}
	if len(out) > maxLabels {
		return nil // they are the game's, not its door
	}
	return out
}

func leadsAway(el probe.Element) bool {
	return el.Href != "" && !strings.HasPrefix(el.Href, "#") && !strings.HasPrefix(el.Href, "javascript:")
}

// usualGestures tries what starts most games that do not say how.
func (e *Explorer) usualGestures(ctx context.Context) (bool, error) {
	for _, in := range append(e.loneButtons(ctx), e.usual()...) {
		s := gesture{input: in, tier: "gesture", hit: true}
		if e.tried[s.key()] {
			continue
		}
		if ok, err := e.tryStart(ctx, s); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

// anyGesture tries what the screen does not ask for: the middle, the usual
// keys, a double click, anything that looks like a button. It stops at the
// first that has an effect.
func (e *Explorer) anyGesture(ctx context.Context) (bool, error) {
	list, err := e.gestures(ctx)
	if err != nil {
		return false, err
	}
	mid := e.g.Field.Center()
	plain := func(in game.Input) gesture { return gesture{input: in, tier: "gesture", hit: true} }
	labels, err := e.painted(ctx)
	if err != nil {
		return false, err
	}
	for _, in := range labels {
		list = append(list, plain(in))
	}
	if worked, err := e.usualGestures(ctx); err != nil || worked {
		return worked, err
	}
	list = append(list,
		plain(game.Input{Kind: game.KeyPress, Key: "ArrowRight"}),
		plain(game.Input{Kind: game.KeyPress, Key: "ArrowUp"}),
	)
	var below []probe.Element
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(mid))
	if err == nil {
		n := 0
		for _, el := range els.Elements {
			if n >= 10 || el.Disabled || leadsAway(el) || el.Box.W <= 20 || words.IsAside(el.Text) || el.Is("cell") || el.InView && !el.Hit {
				continue
			}
			n++
			in := click(boxOf(el), el.Text)
			if !el.InView {
				below = append(below, el)
				continue
			}
			list = append(list, plain(in))
		}
	}
	for _, p := range e.spotList {
		list = append(list, plain(game.Input{Kind: game.Click, At: p, Label: "a place that the code knows"}))
	}
	for _, s := range list {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if e.tried[s.key()] {
			continue
		}
		ok, err := e.tryStart(ctx, s)
		if err != nil || ok {
			return ok, err
		}
	}
	for _, el := range below {
		// Only now is it scrolled to, because everything else moves with it.
		at := e.scrollTo(ctx, el, record.Point{X: el.Box.X + el.Box.W/2, Y: el.Box.Y + el.Box.H/2})
		e.idle = nil
		s := plain(game.Input{Kind: game.Click, At: at, Label: el.Text})
		if e.tried[s.key()] {
			continue
		}
		if ok, err := e.tryStart(ctx, s); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}
