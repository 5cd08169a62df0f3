package explore

import (
	"context"

	"playtest"
	"playtest/qa/game"
	"playtest/qa/replay"
)

// names are what is written into the text fields before a game.
var names = []string{"Ada", "Ben", "Cleo", "Dan"}

// fillIn writes names into the empty text fields beside a start button that is
// still there after it was pressed: it may have asked for them. It does so once.
func (e *Explorer) fillIn(ctx context.Context, s gesture) (bool, error) {
	if e.filledIn || s.button == nil {
		return false, nil
	}
	fields := e.emptyFields(ctx)
	if len(fields) == 0 || len(fields) > len(names) || e.vanished(ctx, *s.button) {
		return false, nil
	}
	e.filledIn = true
	for i, at := range fields {
		for _, in := range []game.Input{{Kind: game.Click, At: at, Label: "a text field"}, {Kind: game.Typing, Text: names[i]}} {
			in.Why = "the start may wait for a name"
			t := replay.Try{Input: in, Scroll: e.scrolled(ctx), At: e.g.SinceLoad()}
			if err := e.g.Do(ctx, in, 0); err != nil {
				return false, e.g.Alive(ctx)
			}
			e.startedBy = append(e.startedBy, t)
		}
	}
	e.idle = nil // of how it was before
	return true, nil
}

// emptyFields are the middles of the empty text fields of the page that can be seen.
func (e *Explorer) emptyFields(ctx context.Context) []playtest.Point {
	const expr = `[...document.querySelectorAll('input:not([type]), input[type=text], textarea')]
		.filter((f) => !f.value && !f.disabled && !f.readOnly && f.checkVisibility({opacityProperty: true, visibilityProperty: true}))
		.map((f) => { const r = f.getBoundingClientRect(); return {x: r.left + r.width / 2, y: r.top + r.height / 2}; })
		.filter((p) => p.x > 0 && p.y > 0 && p.x < innerWidth && p.y < innerHeight)`
	var out []playtest.Point
	if err := e.g.Page.MainFrame().EvaluateIsolated(ctx, expr, &out); err != nil {
		return nil // a page between two documents has none
	}
	return out
}
