package load

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
)

// crawl is the time between two frames from which on next to nothing can be tried in a
// game: each look waits for some of them.
const crawl = 200 * time.Millisecond

// Crawls reports whether a game fills its window and draws it so slowly that hardly
// anything could be tried, as large WebGL scenes do without a graphics card. In a
// smaller window they are faster.
func Crawls(ctx context.Context, g *game.Game) bool {
	rec := &g.Record.Load
	if !rec.Ready || rec.Kind != "webgl" && rec.Inside != "webgl" || g.Field.Width < 0.9*g.Viewport.Width || g.Field.Height < 0.9*g.Viewport.Height {
		return false
	}
	before, err := g.Read(ctx, nil)
	if err != nil || before.Rhythm() < crawl && !g.Slow() {
		return false
	}
	began := time.Now()
	g.Pause(ctx, 5*crawl)
	after, err := g.Read(ctx, nil)
	if err != nil {
		return false
	}
	frames := after.Ticks() - before.Ticks()
	return frames > 0 && time.Since(began) > time.Duration(frames)*crawl
}

// Overflows reports whether a canvas is larger than the window, so that not all of the
// game can be seen.
func Overflows(ctx context.Context, g *game.Game) bool {
	r, err := g.Read(ctx, nil)
	if err != nil {
		return false
	}
	for _, c := range r.Canvases() {
		if c.Shown && !c.Ornament && (c.W > 1.05*g.Viewport.Width || c.H > 1.05*g.Viewport.Height) {
			return true
		}
	}
	return false
}
