package explore

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// restart begins another round after an end.
func (e *Explorer) restart(ctx context.Context) (bool, error) {
	e.tried = map[string]bool{}
	if err := load.Survey(ctx, e.g); err != nil {
		return false, err
	}
	list, err := e.againGestures(ctx)
	if err != nil {
		return false, err
	}
	playing := e.idle // windows of play stay good for comparison in the next round
	e.idle = nil
	defer func() { e.idle = playing }()
	for _, s := range list {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		ok, err := e.tryStart(ctx, s)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		if _, still, err := e.roundOver(ctx); err != nil || still {
			continue // something changed, but the round is still over
		}
		if err := e.comeBackIn(ctx); err != nil {
			return false, err
		}
		e.rec.Restarts++
		e.restarts = append(e.restarts, time.Now())
		return true, nil
	}
	return false, nil
}

// comeBackIn starts the game as it was started before where what left the end of a
// round leads to the menu: what was clicked there can be clicked again.
func (e *Explorer) comeBackIn(ctx context.Context) error {
	for _, in := range inputs(e.startedBy) {
		if in.Kind != game.Click || NamesPlace(in.Label) || !e.canClick(ctx, in) {
			continue
		}
		in.Why = "begin as before"
		if err := e.g.Do(ctx, in, overLook); err != nil {
			return e.g.Alive(ctx)
		}
		e.begunBy = game.Input{} // no single gesture begins a round
		e.settle(ctx)
	}
	return nil
}

func (e *Explorer) againGestures(ctx context.Context) ([]gesture, error) {
	r, err := e.read(ctx)
	if err != nil {
		return nil, err
	}
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		els = &probe.Elements{}
	}
	var out []gesture
	for _, el := range els.Elements {
		if m := words.Of(el.Text); (m == words.Again || m == words.Start || m == words.Continue) && el.InView && el.Hit && !el.Disabled {
			out = append(out, gesture{input: click(boxOf(el), el.Text), tier: TierAgain, hit: true})
		}
	}
	for _, o := range e.scene(ctx).Objects {
		if m := words.Of(o.Text); m == words.Again || m == words.Start || m == words.Continue || m == words.None && (words.NamesAgain(o.Text) || words.NamesStart(o.Text)) {
			out = append(out, gesture{input: click(placeOf(o), o.Text), tier: TierAgain, hit: true})
		}
	}
	for _, t := range r.Texts() {
		if words.SaysAgain(t.Text) || words.SaysStart(t.Text) {
			if k, ok := words.NamedKey(t.Text); ok {
				out = append(out, gesture{input: game.Input{Kind: game.KeyPress, Key: k, Label: t.Text}, tier: TierAgain, hit: true})
			}
			out = append(out, gesture{input: click(e.g.Clamp(record.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}), t.Text), tier: TierAgain, hit: true})
		}
	}
	for _, t := range e.startedBy {
		out = append(out, gesture{input: t.Input, tier: TierAgain, hit: true})
	}
	mid := e.g.Field.Center()
	for _, in := range []game.Input{
		{Kind: game.KeyPress, Key: "Space"}, {Kind: game.KeyPress, Key: "Enter"}, {Kind: game.Click, At: mid, Label: "the middle"}, {Kind: game.KeyPress, Key: "KeyR"},
	} {
		out = append(out, gesture{input: in, tier: TierAgain, hit: true})
	}
	return out, nil
}
