package game

import (
	"context"
	"fmt"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/record"
)

// Arrows and space scroll pages that do not want them. That is no effect on the
// game, and it moves the game out of sight.

// scrolledBack undoes scrolling that happened in the window and reports
// whether there was any.
func (g *Game) scrolledBack(ctx context.Context, before, after *probe.Reading) bool {
	if len(before.Frames) == 0 || len(after.Frames) == 0 || before.Frames[0].FrameID != after.Frames[0].FrameID {
		return false
	}
	was, is := before.Frames[0], after.Frames[0]
	if was.ScrollX == is.ScrollX && was.ScrollY == is.ScrollY {
		return false
	}
	return g.scrollTo(ctx, record.Point{X: was.ScrollX, Y: was.ScrollY}) == nil
}

// scroll is how far the page is scrolled; false when it cannot be asked.
func (g *Game) scroll(ctx context.Context) (record.Point, bool) {
	r, err := g.Read(ctx, &probe.ReadOptions{Brief: true})
	if err != nil || len(r.Frames) == 0 {
		return record.Point{}, false
	}
	return record.Point{X: r.Frames[0].ScrollX, Y: r.Frames[0].ScrollY}, true
}

func (g *Game) scrollTo(ctx context.Context, p record.Point) error {
	return g.Page.Evaluate(ctx, fmt.Sprintf("window.scrollTo({left: %f, top: %f, behavior: 'instant'})\n//# sourceURL=playtest:scroll", p.X, p.Y), nil)
}
