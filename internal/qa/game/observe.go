package game

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/record"
)

// Observe opens a window: it sends the input, holds it for some frames of the
// game, watches what follows, and measures all of it. The same window with
// Idle is what the input is compared with.
func (g *Game) Observe(ctx context.Context, in Input) (cause.Window, error) {
	g.Doing = in.String()
	defer func() { g.Doing = "" }()
	watched, done := g.watched(ctx)
	w, err := g.observe(watched, in)
	if done() && ctx.Err() == nil {
		g.hung()
		return w, ErrGone
	}
	return w, err
}

func (g *Game) observe(ctx context.Context, in Input) (cause.Window, error) {
	w := cause.Window{Input: in.String()}
	if in.Kind == Idle {
		w.Input = ""
	}
	f, err := g.shoot(ctx, in)
	if err != nil {
		if gone := g.Alive(ctx); gone != nil {
			return w, gone
		}
		return w, err
	}
	g.compare(ctx, &w, in, f)
	g.sample(f.after, w.Changed(), in.Kind != Idle)
	g.Weigh(ctx)
	return w, nil
}

// footage is what was seen before, during and after one input.
type footage struct {
	started       time.Time
	sending       time.Duration
	logged        browser.Counts
	before, after *probe.Reading
	// first is the picture before it, held while it was held, last when it was over.
	first, held, last *Picture
	// early ran while it was sent, late while it was held, rest when it was let go.
	early, late, rest coverage.Sample
	// lean: fewer questions were asked, and what ran is not told apart by when.
	lean bool
}

// shoot makes an input and looks on.
func (g *Game) shoot(ctx context.Context, in Input) (f footage, err error) {
	if f.before, err = g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true}); err != nil {
		return f, err
	}
	f.logged = g.Page.Log().Counts()
	hold, tail := g.lengths(f.before)
	if in.Kind == KeyHold {
		hold *= 3
	}
	f.started = time.Now()
	if f.first = g.recent(); f.first == nil {
		f.first = g.Picture(ctx)
	}
	g.Take(ctx)

	// On a page whose frames take long every question costs a frame.
	f.lean = g.Slow()
	in = in.aimed(ctx)
	sent := time.Now()
	release, err := g.press(ctx, in)
	f.sending = time.Since(sent)
	if !f.lean {
		f.early = g.Take(ctx)
	}
	if err == nil {
		pause(ctx, hold)
	}
	if !f.lean {
		f.late = g.Take(ctx)
	}
	if in.Kind == Drag || in.Kind == DoubleClick {
		// Both select text, which is the browser's doing.
		g.Page.Deselect(ctx)
	}
	f.held = g.Picture(ctx)
	if rerr := release(ctx); err == nil {
		err = rerr
	}
	if in.Kind != Idle {
		g.act(record.Action{Kind: string(in.Kind), Target: in.String(), Reasoning: in.Why}, sent, err)
	}
	if err != nil {
		return f, err
	}
	f.last = f.held
	if !f.lean {
		pause(ctx, tail)
	}
	f.rest = g.Take(ctx)
	if !f.lean || in.Kind == Drag { // what is held looks other than what was let go
		f.last = g.Picture(ctx)
	}
	g.last, g.lastAt, g.lastRect = f.last, time.Now(), g.Rect
	if f.after, err = g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true}); err != nil {
		return f, err
	}
	if g.scrolledBack(ctx, f.before, f.after) {
		// Arrows and space scroll pages that do not want them; that is no
		// effect on the game.
		f.last = g.Picture(ctx)
		f.held = f.last
	}
	return f, nil
}

// compare measures what the footage shows.
func (g *Game) compare(ctx context.Context, w *cause.Window, in Input, f footage) {
	w.Sending = f.sending
	soon, later := Tiles(f.first, f.held), Tiles(f.first, f.last)
	w.Tiles = Larger(soon, later)
	g.before, g.after = f.first, f.last
	if changedMore(soon, later) {
		g.after = f.held
	}
	switch {
	case f.lean:
	case in.Kind == KeyPress || in.Kind == KeyHold:
		w.Late = f.late // what follows the key's release includes its handlers
	default:
		w.Late = union(f.late, f.rest)
	}
	w.Code = union(f.early, f.late, f.rest)
	g.measure(w, in, f.before, f.after)
	if in.Kind != Idle && !g.stirred(*w, f.after) {
		// Nothing but the browser's own hover, focus and pressed styles changed.
		clear(w.Tiles)
	}
	if in.Kind == Typing {
		w.Field = g.field(ctx, f.first)
	}
	if in.Kind == Idle && w.Mutations == 0 && w.Changed() > 0 {
		for _, t := range g.field(ctx, f.first) {
			w.Tiles[t] = 0 // its caret blinks
		}
	}
	now := g.Page.Log().Counts()
	w.Dialogs = now.Dialogs - f.logged.Dialogs
	w.Navigations = now.Navigations - f.logged.Navigations
	w.Throws = now.Exceptions - f.logged.Exceptions
	if w.Throws > 0 {
		for _, e := range g.Page.Log().Exceptions() {
			if !e.Time.Before(f.started) {
				w.Threw = e.Text
				break
			}
		}
	}
}
