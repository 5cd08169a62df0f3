package game

import (
	"context"
	"regexp"
	"time"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/record"
)

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
	w.Texts = NewTexts(before, after)
}

// NewTexts are the texts, by shape, that were not there before.
func NewTexts(before, after *probe.Reading) []string {
	known := map[string]bool{}
	for _, t := range before.Texts() {
		known[Shape(t.Text)] = true
	}
	var out []string
	for _, t := range after.Texts() {
		if s := Shape(t.Text); !known[s] {
			out = append(out, s)
			known[s] = true
		}
	}
	return out
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
	h.Samples = append(h.Samples, record.HealthSample{
		At: g.Age(), Frames: r.Ticks(), Ran: ran(r), Draws: r.Drawn(), Changed: changed, Mutations: r.Mutated(), Latency: g.latency, Acting: acting,
	})
}

// ran is how long a game has run by the number of its frames, however slow the
// machine is. Frames that come now and then are no running.
func ran(r *probe.Reading) time.Duration {
	const fast, slow = time.Second / 60, 50 * time.Millisecond
	return time.Duration(r.Ticks()) * min(max(r.Rhythm(), fast), slow)
}
