package game

import (
	"context"
	"regexp"
	"time"

	"playtest"
	"playtest/browser/coverage"
	"playtest/browser/probe"
	"playtest/qa/cause"
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
	before, err := g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true})
	if err != nil {
		if err := g.Alive(ctx); err != nil {
			return w, err
		}
		return w, err
	}
	logged := g.Page.Log().Counts()
	hold, tail := g.lengths(before)
	if in.Kind == KeyHold {
		hold *= 3
	}
	start := time.Now()
	a := g.recent()
	if a == nil {
		a = g.Picture(ctx)
	}
	g.Take(ctx)

	// On a page whose frames take long every question costs a frame, so fewer
	// are asked: what ran is then not told apart by when it ran.
	lean := g.Slow()
	in = in.aimed(ctx)
	sent := time.Now()
	release, err := g.press(ctx, in)
	w.Sending = time.Since(sent)
	var early, late coverage.Sample
	if !lean {
		early = g.Take(ctx)
	}
	if err == nil {
		pause(ctx, hold)
	}
	if !lean {
		late = g.Take(ctx)
	}
	if in.Kind == Drag || in.Kind == DoubleClick {
		// Both select text, which is the browser's doing.
		g.Page.Deselect(ctx)
	}
	b := g.Picture(ctx)
	if rerr := release(ctx); err == nil {
		err = rerr
	}
	if in.Kind != Idle {
		g.act(playtest.Action{Kind: string(in.Kind), Target: in.String(), Reasoning: in.Why}, sent, err)
	}
	if err != nil {
		if gone := g.Alive(ctx); gone != nil {
			return w, gone
		}
		return w, err
	}
	c := b
	if !lean {
		pause(ctx, tail)
	}
	rest := g.Take(ctx)
	if !lean || in.Kind == Drag { // what is held looks other than what was let go
		c = g.Picture(ctx)
	}
	g.last, g.lastAt, g.lastRect = c, time.Now(), g.Rect
	after, err := g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true})
	if err != nil {
		if gone := g.Alive(ctx); gone != nil {
			return w, gone
		}
		return w, err
	}

	if g.scrolledBack(ctx, before, after) {
		// Arrows and space scroll pages that do not want them; that is no
		// effect on the game.
		c = g.Picture(ctx)
		b = c
	}
	soon, later := Tiles(a, b), Tiles(a, c)
	w.Tiles = Larger(soon, later)
	g.before, g.after = a, c
	if changedMore(soon, later) {
		g.after = b
	}
	switch {
	case lean:
	case in.Kind == KeyPress || in.Kind == KeyHold:
		w.Late = late // what follows the key's release includes its handlers
	default:
		w.Late = union(late, rest)
	}
	w.Code = union(early, late, rest)
	g.measure(&w, in, before, after)
	if in.Kind != Idle && !g.stirred(w, after) {
		// Nothing but the browser's own hover, focus and pressed styles changed.
		clear(w.Tiles)
	}
	if in.Kind == Typing {
		w.Field = g.field(ctx, a)
	}
	if in.Kind == Idle && w.Mutations == 0 && w.Changed() > 0 {
		for _, t := range g.field(ctx, a) {
			w.Tiles[t] = 0 // its caret blinks
		}
	}
	now := g.Page.Log().Counts()
	w.Dialogs = now.Dialogs - logged.Dialogs
	w.Navigations = now.Navigations - logged.Navigations
	w.Throws = now.Exceptions - logged.Exceptions
	if w.Throws > 0 {
		for _, e := range g.Page.Log().Exceptions() {
			if !e.Time.Before(start) {
				w.Threw = e.Text
				break
			}
		}
	}
	g.sample(after, w.Changed(), in.Kind != Idle)
	g.Weigh(ctx)
	return w, nil
}

// recent is the last window's closing picture while it is still fresh, so that
// windows in a row need not take the same picture twice.
func (g *Game) recent() *Picture {
	if g.last != nil && time.Since(g.lastAt) < max(freshPicture, 3*g.latency) && g.lastRect == g.Rect {
		return g.last
	}
	return nil
}

// freshPicture is how old it may be: a few frames of a page at full speed.
const freshPicture = 50 * time.Millisecond

func changedMore(a, b []float32) bool {
	var sa, sb float32
	for _, v := range a {
		sa += v
	}
	for _, v := range b {
		sb += v
	}
	return sa > sb
}

// stirred reports whether the page itself did something in the window: it drew,
// or it changed its document. What a worker draws cannot be seen from here, and
// a page without code of its own may be a game of style sheets.
func (g *Game) stirred(w cause.Window, r *probe.Reading) bool {
	if w.Mutations > 0 || w.Draws > 0 || g.Fresh() == 0 {
		return true
	}
	return r.Sum(func(s *probe.State) int { return s.Workers + s.WASM }) > 0
}

func union(samples ...coverage.Sample) coverage.Sample {
	out := coverage.Sample{}
	for _, s := range samples {
		out.Union(s)
	}
	return out
}

func (g *Game) measure(w *cause.Window, in Input, before, after *probe.Reading) {
	w.Mutations = after.Mutated() - before.Mutated()
	w.Draws = after.Drawn() - before.Drawn()
	w.Ticks = after.Ticks() - before.Ticks()
	if types := in.events(); types != nil {
		w.Delivered = after.Delivered(types...) - before.Delivered(types...)
		all := append([]string{"keyup", "keypress", "mouseup", "click", "dblclick", "pointerdown", "pointerup", "pointermove", "touchend"}, types...)
		w.Reads = after.Reads(all...) - before.Reads(all...)
		w.Prevented = after.Prevented(all...) - before.Prevented(all...)
	}
	w.Redrawn = Drawing(before) != Drawing(after)
	known := map[string]bool{}
	for _, t := range before.Texts() {
		known[Shape(t.Text)] = true
	}
	for _, t := range after.Texts() {
		if s := Shape(t.Text); !known[s] {
			w.Texts = append(w.Texts, s)
			known[s] = true
		}
	}
}

var digits = regexp.MustCompile(`\d+([.,:]\d+)*`)

// Shape is a text with its numbers taken out, so that a running clock is one text.
func Shape(text string) string { return digits.ReplaceAllString(text, "#") }

// Drawing is the signature of what each frame drew last.
func Drawing(r *probe.Reading) int64 {
	var h int64 = 17
	for _, f := range r.Frames {
		if n := len(f.Sigs); n > 0 {
			h = h*1000003 + int64(f.Sigs[n-1])
		}
	}
	return h
}

// Slow reports whether the page takes long to answer, as WebGL without a
// graphics card does.
func (g *Game) Slow() bool { return g.latency > slowAnswer }

const slowAnswer = 45 * time.Millisecond

// lengths says how long an input is held and how long its consequences are
// watched: five or six frames of this game, at the speed this machine gives it.
func (g *Game) lengths(r *probe.Reading) (hold, tail time.Duration) {
	hold, tail = 120*time.Millisecond, 180*time.Millisecond
	if frame := r.Rhythm(); frame > 20*time.Millisecond {
		hold = min(max(hold, 6*frame), 700*time.Millisecond)
		tail = min(max(tail, 5*frame), 700*time.Millisecond)
	}
	return hold, tail
}

// Read reads the probe and keeps an eye on the page's life.
func (g *Game) Read(ctx context.Context, opts *probe.ReadOptions) (*probe.Reading, error) {
	started := time.Now()
	r, err := g.Probe.Read(ctx, g.Page, opts)
	// The mean of the last few answers: one garbage collection is not slowness.
	g.latency = (3*g.latency + time.Since(started)) / 4
	return r, err
}

func (g *Game) sample(r *probe.Reading, changed float64, acting bool) {
	h := &g.Record.Health
	if len(h.Samples) >= maxSamples || r.Silent > 0 {
		return // half a look would show a game that does nothing
	}
	h.Samples = append(h.Samples, playtest.HealthSample{
		At: g.Age(), Frames: r.Ticks(), Ran: ran(r), Draws: r.Drawn(), Changed: changed, Mutations: r.Mutated(), Latency: g.latency, Acting: acting,
	})
}

// ran is how long a game has run by the number of its frames, however slow the
// machine is. Frames that come now and then are no running.
func ran(r *probe.Reading) time.Duration {
	const fast, slow = time.Second / 60, 50 * time.Millisecond
	return time.Duration(r.Ticks()) * min(max(r.Rhythm(), fast), slow)
}

// Scan sends inputs one after the other, quickly and without pictures, and
// returns the code that ran for each. It is how a few dozen keys are tried in a
// second or two. An input after which the page is another document is the last:
// what follows would be another page's. Its window counts that navigation, and no
// window those within a document.
func (g *Game) Scan(ctx context.Context, inputs []Input, hold time.Duration) ([]cause.Window, error) {
	at, known := g.scroll(ctx)
	out, err := g.scan(ctx, inputs, hold)
	if err != nil || !known || Left(out) {
		return out, err
	}
	if now, ok := g.scroll(ctx); ok && now != at {
		// What is looked at from here on is the game, not what lies below it. A
		// page that cannot be scrolled back is looked at where it is.
		_ = g.scrollTo(ctx, at)
	}
	return out, nil
}

// Left reports whether a scan ended because the page was left.
func Left(scanned []cause.Window) bool {
	return len(scanned) > 0 && scanned[len(scanned)-1].Navigations > 0
}

func (g *Game) scan(ctx context.Context, inputs []Input, hold time.Duration) ([]cause.Window, error) {
	out := make([]cause.Window, 0, len(inputs))
	document := g.Page.MainFrame().Document()
	g.Take(ctx)
	for _, in := range inputs {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		g.Doing = in.String()
		logged := g.Page.Log().Counts()
		started := time.Now()
		release, err := g.press(ctx, in)
		if err == nil {
			pause(ctx, hold)
			err = release(ctx)
		}
		if err == nil {
			w := cause.Window{Input: in.String(), Code: g.Take(ctx)}
			if in.Kind == Idle {
				w.Input = ""
			}
			now := g.Page.Log().Counts()
			w.Dialogs, w.Throws = now.Dialogs-logged.Dialogs, now.Exceptions-logged.Exceptions
			if g.Page.MainFrame().Document() != document {
				w.Navigations = 1
			}
			out = append(out, w)
		}
		if in.Kind != Idle {
			g.act(playtest.Action{Kind: string(in.Kind), Target: in.String(), Reasoning: in.Why}, started, err)
		}
		if err != nil {
			if gone := g.Alive(ctx); gone != nil {
				return out, gone
			}
			return out, err
		}
		if Left(out) {
			return out, nil
		}
	}
	g.Doing = ""
	return out, nil
}
