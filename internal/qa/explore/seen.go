package explore

import (
	"context"
	"fmt"
	"slices"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// unseen finds out why nothing of a running game can be seen.
func (e *Explorer) unseen(ctx context.Context) {
	r, err := e.g.Read(ctx, nil)
	if err != nil {
		return
	}
	h := &e.g.Record.Health
	drawn, shown, hidden := 0, 0, ""
	var largest probe.Canvas
	for _, c := range r.Canvases() {
		if c.Ornament {
			continue
		}
		drawn++
		if c.Shown && c.W >= 8 && c.H >= 8 && !c.Void() {
			shown++
			if c.W*c.H > largest.W*largest.H {
				largest = c
			}
			continue
		}
		// A small one that is not shown is a map or a buffer, not the game.
		if c.Width*c.Height >= 320*240 || c.Void() {
			hidden = fmt.Sprintf("%dx%d", c.Width, c.Height)
		}
	}
	draws := r.Drawn()
	switch {
	case draws > 0 && drawn > 0 && shown == 0 && hidden != "" && !e.g.Record.Load.CanvasShown && !e.showsMuch():
		h.Unseen = fmt.Sprintf("the game's canvas (%s pixels) is hidden or has no size on the page", hidden)
	case shown > 0 && (!e.document || e.flat(ctx, largest)) && e.paintsNothing(ctx, r):
		h.Unseen = "the game draws, but its canvas stays empty"
	case shown > 0 && largest.W*largest.H > 0.08*e.g.Viewport.Width*e.g.Viewport.Height:
		if e.flat(ctx, largest) {
			rect := e.inWindow(largest)
			els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(rect.Center()))
			if err == nil && els.Top != nil && els.Top.Tag != "canvas" && els.Top.Tag != "html" && els.Top.Tag != "body" && e.g.Covers(els.Top.Box, rect) {
				h.Unseen = fmt.Sprintf("%s lies over the whole game", els.Top.Selector)
			} else if draws > 0 {
				h.Unseen = fmt.Sprintf("the canvas shows one flat colour although %d drawing calls were made", draws)
			} else {
				h.Unseen = "the canvas shows one flat colour: nothing was drawn on it"
			}
		}
	}
}

// glimpse remembers that the game's canvas was once seen to show more than one colour.
// A game that was seen and played may end on an empty screen.
func (e *Explorer) glimpse(ctx context.Context) {
	if e.glimpsed {
		return
	}
	r, err := e.g.Read(ctx, nil)
	if err != nil {
		return
	}
	for _, c := range r.Canvases() {
		if rect := e.inWindow(c); c.Shown && !c.Ornament && !c.Void() && rect.Width > 20 && rect.Height > 20 {
			e.glimpsed = e.glimpsed || !e.flat(ctx, c)
		}
	}
}

// inWindow is the part of a canvas that can be seen without scrolling.
func (e *Explorer) inWindow(c probe.Canvas) record.Rect {
	return e.g.Clamp(record.Rect{X: c.X, Y: c.Y, Width: c.W, Height: c.H})
}

// flat: where a canvas lies one colour is to be seen. A game of the document may use
// one to dim the rest.
func (e *Explorer) flat(ctx context.Context, c probe.Canvas) bool {
	rect := e.inWindow(c)
	if rect.Width <= 20 || rect.Height <= 20 {
		return false
	}
	uniform, _ := e.g.PictureOf(ctx, rect).Uniform()
	return uniform
}

// tells: a click changes much of the page although the game's canvas is not shown,
// as where a tale is told before it.
func (e *Explorer) tells(ctx context.Context) bool {
	in := game.Input{Kind: game.Click, At: e.g.Field.Center(), Label: "the middle", Why: "is anything shown but the canvas?"}
	w, err := e.observe(ctx, in)
	return err == nil && w.Novelty(e.idle...) > much
}

// much is the share of the picture that more than a score takes up.
const much = 0.15

// showsMuch: a control was seen to change a good part of the picture. Where the
// game itself is hidden that leaves no more than a score to change.
func (e *Explorer) showsMuch() bool {
	pixels := e.g.Rect.Width * e.g.Rect.Height * game.PictureScale * game.PictureScale
	return slices.ContainsFunc(e.all(), func(r *result) bool {
		return r.trial.Outcome == record.Responsive && slices.ContainsFunc(r.trial.Signals, func(s record.Signal) bool {
			return s.Holds && (s.Name == record.SignalReplay && s.With > much*pixels || s.Name == "picture" && s.With > much)
		})
	})
}
