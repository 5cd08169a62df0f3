package explore

import (
	"context"
	"math"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// hit is a click on something of the page or of a scene, which may have moved by then.
func (e *Explorer) hit(c record.Control) game.Input {
	in := click(*c.Box, c.Text)
	at := in.At
	if e.g.Record.Load.Inside == "" {
		in.Selector = c.Selector
	}
	in.Aim = func(ctx context.Context) (record.Point, bool) { return e.where(ctx, c, at) }
	return in
}

// where says where to click something that does not stay where it was seen: on the
// thing itself or, since things that float by are soon gone, on another of its kind,
// the nearest to the middle. What stays is clicked where it is.
func (e *Explorer) where(ctx context.Context, c record.Control, was record.Point) (at record.Point, moved bool) {
	if e.still() {
		return at, false
	}
	mid, nearest := e.g.Rect.Center(), math.Inf(1)
	for _, box := range e.alikeNow(ctx, c, was) {
		p := box.Center()
		if math.Abs(p.X-was.X) < box.Width/4 && math.Abs(p.Y-was.Y) < box.Height/4 {
			return was, false
		}
		if d := math.Hypot(p.X-mid.X, p.Y-mid.Y); d < nearest {
			at, moved, nearest = p, true, d
		}
	}
	return at, moved
}

// alikeNow are the boxes of what is like the control, as they are now.
func (e *Explorer) alikeNow(ctx context.Context, c record.Control, at record.Point) []record.Rect {
	const turned = 1.5 // a thing that turns is not always equally wide
	alike := func(w, h float64) bool {
		return w < turned*c.Box.Width && w*turned > c.Box.Width && h < turned*c.Box.Height && h*turned > c.Box.Height
	}
	var out []record.Rect
	if ofScene(c) {
		engine, _ := e.g.Probe.Engine(ctx, e.g.Page) // an engine that does not answer has nothing to hit
		for _, o := range engine.Objects {
			if o.Text == c.Text && alike(o.W, o.H) {
				out = append(out, placeOf(o))
			}
		}
		return out
	}
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(at))
	if err != nil {
		return nil
	}
	kind := nth.ReplaceAllString(c.Selector, "")
	for _, el := range els.Elements {
		if el.InView && el.Hit && !el.Disabled && nth.ReplaceAllString(el.Selector, "") == kind && alike(el.Box.W, el.Box.H) {
			out = append(out, boxOf(el))
		}
	}
	return out
}
