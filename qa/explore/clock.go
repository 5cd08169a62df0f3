package explore

import (
	"context"
	"slices"
	"time"

	"playtest/browser/probe"
	"playtest/qa/cause"
	"playtest/qa/game"
)

// setting is how things stood when play began.
type setting struct {
	clock   []float64
	picture *game.Picture
}

// clock reads the clocks that the game sees, nil if it cannot be asked.
func (e *Explorer) clock(ctx context.Context) []float64 {
	frames := e.g.Page.Frames()
	if e.g.Focus >= len(frames) {
		return nil
	}
	var now []float64
	if err := frames[e.g.Focus].Evaluate(ctx, "[Date.now(), performance.now()]\n//# sourceURL=playtest:clock", &now); err != nil {
		return nil
	}
	return now
}

// timeless: the game draws, but no clock that it could ask goes on, and nothing that
// was done to it lasted: what is pressed lights up as long as it is held, at most.
func (e *Explorer) timeless(ctx context.Context) bool {
	if e.g.Record.Load.Kind == "dom" {
		return false
	}
	from := e.before
	if from.clock == nil {
		from.clock = e.clock(ctx)
		e.g.Pause(ctx, tick)
	}
	if from.clock == nil || !slices.Equal(from.clock, e.clock(ctx)) {
		return false
	}
	a, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
	if err != nil {
		return false
	}
	e.g.Pause(ctx, tick)
	b, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
	if err != nil || b.Drawn() == a.Drawn() {
		return false
	}
	if !e.responsive() {
		return true
	}
	tiles := game.Tiles(from.picture, e.g.Picture(ctx))
	return tiles != nil && cause.Window{Tiles: tiles}.Changed() == 0
}

// tick is how long a clock is watched.
const tick = 300 * time.Millisecond
