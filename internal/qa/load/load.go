// Package load is phase 1 of a run: it opens the game, waits until it is
// ready, tells what kind of game it is and clears away what lies over it.
package load

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// Limits of the phase.
const (
	NavigateLimit = 30 * time.Second
	ReadyLimit    = 60 * time.Second
	// stagnant is how long nothing at all may happen before waiting is given up.
	stagnant = 10 * time.Second
)

// Run opens the game and fills the record's load part. It returns an error
// only when the page cannot be opened or is gone; everything else degrades.
func Run(ctx context.Context, g *game.Game) error {
	g.Phase = record.PhaseLoad
	rec := &g.Record.Load
	if err := open(ctx, g); err != nil {
		return err
	}
	if err := Wait(ctx, g); err != nil {
		return err
	}
	rec.URL = landed(g)
	if err := Survey(ctx, g); err != nil {
		return err
	}
	rec.Success = rec.Failure == nil && !rec.Blank
	g.Screenshot(ctx, record.StageInitialLoad, "phase1-initial-load", "after loading")
	return nil
}

// landed is the address that the game is played at: a page may do no more than lead
// to it at once. One that leaves later leaves its game.
func landed(g *game.Game) string {
	const atOnce = 2500 * time.Millisecond
	at := g.Record.Load.URL
	for _, n := range g.Page.Loads() {
		if n.Time.Sub(g.Navigated()) < atOnce && strings.HasPrefix(n.URL, "http") {
			at = n.URL
		}
	}
	return at
}

// Wait waits until the game that was opened is ready, nothing more happens, or
// time is up, clears what lies over it, and then leaves it alone for as long as
// its metadata asks for.
func Wait(ctx context.Context, g *game.Game) error {
	w := &waiter{g: g, rec: &g.Record.Load, meta: g.Record.Target.Metadata}
	if err := w.wait(ctx); err != nil {
		return err
	}
	dismiss(ctx, g)
	g.Pause(ctx, g.Record.Target.Metadata.Wait())
	return nil
}

// Survey looks at the page as it stands: kind, engine, where the game lies,
// what it listens to, whether it waits for a start. It is repeated whenever the
// page may have become another one.
func Survey(ctx context.Context, g *game.Game) error {
	rec := &g.Record.Load
	r, err := g.Read(ctx, nil)
	if err != nil {
		if gone := g.Alive(ctx); gone != nil {
			return gone
		}
		return err
	}
	kind(rec, r)
	place(ctx, g, r)
	g.Focus = 0
	if rec.Kind == "iframe" {
		focus(ctx, g, r)
	}
	game.FocusField(ctx, g.Page)
	els, err := g.Probe.Elements(ctx, g.Page, browser.Point(g.Rect.Center()))
	if err != nil {
		if gone := g.Alive(ctx); gone != nil {
			return gone
		}
		els = &probe.Elements{}
	}
	var things []probe.Object
	if e, err := g.Probe.Engine(ctx, g.Page); err == nil && e.Name != "" {
		rec.Engine = record.Engine{Name: e.Name, Version: e.Version, Scene: e.Scene}
		things = e.Objects
	}
	rec.Listens = listens(r, els)
	if len(r.Frames) > 0 {
		rec.Title = r.Frames[0].Title
	}
	rec.GameRect = g.Rect

	uniform, _ := g.PictureOf(ctx, g.Shown()).Uniform()
	rec.Blank = uniform && !anythingToSee(els)
	rec.Covered = ""
	if uniform && els.Top != nil && els.Top.Tag != "canvas" && els.Top.Tag != "body" && els.Top.Tag != "html" && g.Covers(els.Top.Box, g.Rect) {
		rec.Covered = els.Top.Selector
	}
	rec.LoadingText = sayingLoading(r, els)
	rec.RawTemplate = ""
	for _, t := range els.Texts {
		if t.InView && words.IsTemplate(t.Text) {
			rec.RawTemplate = t.Text
		}
	}
	rec.RequiresInteraction = rec.Kind != "dom" && WaitsForDoubleClick(r)
	for _, t := range r.Texts() {
		if words.SaysStart(t.Text) {
			rec.RequiresInteraction = true
		}
	}
	for _, e := range els.Elements {
		if e.InView && e.Hit && (words.Of(e.Text) == words.Start || e.Tag == "button" && words.IsStartButton(e.Text)) {
			rec.RequiresInteraction = true
		}
	}
	for _, t := range els.Texts {
		if AsksForStart(t) {
			rec.RequiresInteraction = true
		}
	}
	for _, o := range things {
		if m := words.Of(o.Text); m == words.Start || m == words.None && words.NamesStart(o.Text) {
			rec.RequiresInteraction = true
		}
	}
	return nil
}

// AsksForStart reports whether a text of the document that can be seen and is short
// enough to be read at once asks the player to start.
func AsksForStart(t probe.PageText) bool {
	return t.InView && !t.Covered && t.H < 200 && len(t.Text) < 120 && words.SaysStart(t.Text)
}

// WaitsForDoubleClick reports whether the game hears double clicks but no other
// press of the pointer, as far as its canvases and the page as a whole go.
func WaitsForDoubleClick(r *probe.Reading) bool {
	double := false
	for _, f := range r.Frames {
		if f.Hears("click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend") {
			return false
		}
		double = double || f.Hears("dblclick")
	}
	return double
}

// focus puts the keyboard into the frame that listens to keys, where a player's
// first click would put it.
func focus(ctx context.Context, g *game.Game, r *probe.Reading) {
	for _, st := range r.Frames[1:] {
		for i, f := range g.Page.Frames() {
			if f.ID() == st.FrameID && (len(st.Canvases) > 0 || len(st.Listeners) > 0) {
				g.Focus = i
				// A frame that cannot be focused gets its keys after the first click.
				_ = f.Evaluate(ctx, "window.focus()\n//# sourceURL=playtest:focus", nil)
				return
			}
		}
	}
}

func anythingToSee(els *probe.Elements) bool {
	for _, t := range els.Texts {
		if t.InView {
			return true
		}
	}
	return false
}

// kind tells the kind of game from the contexts its canvases have.
func kind(rec *record.LoadRecord, r *probe.Reading) {
	best, inFrame, area := "", false, 0.0
	for i, f := range r.Frames {
		for _, c := range f.Canvases {
			if !c.Shown || c.Ornament || c.W*c.H < 60*40 || c.W*c.H <= area {
				continue
			}
			area, inFrame = c.W*c.H, i > 0
			best = "canvas2d"
			if strings.HasPrefix(c.Kind, "webgl") || c.Kind == "webgpu" {
				best = "webgl"
			}
		}
	}
	if best == "" {
		best = "dom"
		if rec.Blank {
			best = "unknown"
		}
		for i, f := range r.Frames {
			if i > 0 && len(f.Listeners) > 2 && len(r.Frames[0].Listeners) == 0 {
				inFrame = true
			}
		}
	}
	rec.Kind, rec.Inside = best, ""
	if inFrame {
		rec.Kind, rec.Inside = "iframe", best
	}
}

// place finds the game's rectangle: its largest visible canvas when that is a
// good part of the screen, otherwise the whole viewport, because the score and
// the board of a small game may lie beside the canvas.
func place(ctx context.Context, g *game.Game, r *probe.Reading) {
	rec := &g.Record.Load
	var best record.Rect
	for _, c := range r.Canvases() {
		rect := record.Rect{X: c.X, Y: c.Y, Width: c.W, Height: c.H}
		if c.Shown && !c.Ornament && rect.Width*rect.Height > best.Width*best.Height {
			best = rect
		}
		rec.CanvasShown = rec.CanvasShown || c.Shown && rect.Width*rect.Height > 0 && !c.Void()
	}
	visible := g.Clamp(best)
	if best.Width*best.Height > 0 && visible.Height < 0.6*best.Height && best.Height <= g.Viewport.Height*1.2 {
		// The canvas is below the fold: scroll to it, as a player would.
		_ = g.Page.Evaluate(ctx, fmt.Sprintf("window.scrollBy({top: %f, behavior: 'instant'})", best.Y-8), nil)
		if again, err := g.Read(ctx, nil); err == nil {
			for _, c := range again.Canvases() {
				if c.Shown && c.W == best.Width && c.H == best.Height {
					visible = g.Clamp(record.Rect{X: c.X, Y: c.Y, Width: c.W, Height: c.H})
				}
			}
		}
	}
	g.Rect, g.Field, rec.GameNote = g.Viewport, g.Viewport, "the whole viewport"
	share := visible.Width * visible.Height / (g.Viewport.Width * g.Viewport.Height)
	if share >= smallCanvas {
		g.Field = visible
	}
	if share >= 0.3 {
		g.Rect, rec.GameNote = visible, "the largest visible canvas"
	}
}

// smallCanvas is the share of the viewport from which on a canvas is what a pointer
// is meant for, though not all there is to see of the game.
const smallCanvas = 0.02

var inputEvents = []string{"keydown", "keyup", "keypress", "mousedown", "mouseup", "mousemove", "click", "dblclick", "pointerdown", "pointermove", "pointerup", "touchstart", "touchmove", "wheel", "dragstart", "drop", "input", "submit", "change"}

func listens(r *probe.Reading, els *probe.Elements) []string {
	var out []string
	for _, t := range inputEvents {
		found := r.Listens(t)
		for _, h := range els.Handlers {
			found = found || strings.HasPrefix(h, t+"|")
		}
		if found {
			out = append(out, t)
		}
	}
	return out
}
