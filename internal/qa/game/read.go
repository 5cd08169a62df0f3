package game

import (
	"context"
	"regexp"
	"time"

	"github.com/playtest-dev/playtest/browser/probe"
)

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

// Read reads the probe and keeps an eye on the page's life.
func (g *Game) Read(ctx context.Context, opts *probe.ReadOptions) (*probe.Reading, error) {
	started := time.Now()
	r, err := g.Probe.Read(ctx, g.Page, opts)
	// The mean of the last few answers: one garbage collection is not slowness.
	g.latency = (3*g.latency + time.Since(started)) / 4
	return r, err
}

var digits = regexp.MustCompile(`\d+([.,:]\d+)*`)

// slowAnswer is how long a page that is fast takes to answer at most.
const slowAnswer = 45 * time.Millisecond
