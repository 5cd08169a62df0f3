package explore

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
)

// setting is how things stood when play began.
type setting struct {
	clock   reading
	picture *game.Picture
}

// reading is what the clocks that the game sees said, and when.
type reading struct {
	Date, Performance float64 // in milliseconds
	at                time.Time
}

// clock reads the clocks of the frame that the game is in.
func (e *Explorer) clock(ctx context.Context) (reading, bool) {
	var r reading
	frames := e.g.Page.Frames()
	if e.g.Focus >= len(frames) {
		return r, false
	}
	err := frames[e.g.Focus].Evaluate(ctx, "({ Date: Date.now(), Performance: performance.now() })\n//# sourceURL=playtest:clock", &r)
	r.at = time.Now()
	return r, err == nil
}

// pace is how much faster than ours both clocks go: 1 where nobody meddles with them,
// or it cannot be told. Documents do without.
func (e *Explorer) pace(ctx context.Context) float64 {
	if e.g.Record.Load.Kind == "dom" {
		return 1
	}
	from, ok := e.before.clock, !e.before.clock.at.IsZero()
	if !ok {
		from, ok = e.clock(ctx)
		e.g.Pause(ctx, tick)
	}
	now, again := e.clock(ctx)
	passed := now.at.Sub(from.at).Seconds() * 1000
	if !ok || !again || passed <= 0 {
		return 1
	}
	return max(now.Date-from.Date, now.Performance-from.Performance) / passed
}

const (
	// tick is how long a clock is watched.
	tick = 300 * time.Millisecond
	// racing is a pace at which no person can play.
	racing = 6
)

// timeless: the game draws, but no clock that it could ask goes on, and nothing that
// was done to it lasted: what is pressed lights up as long as it is held, at most.
func (e *Explorer) timeless(ctx context.Context, pace float64) bool {
	if pace != 0 || !e.draws(ctx) {
		return false
	}
	if !e.responsive() {
		return true
	}
	tiles := game.Tiles(e.before.picture, e.g.Picture(ctx))
	return tiles != nil && cause.Window{Tiles: tiles}.Changed() == 0
}

// draws reports whether the game paints without being asked to.
func (e *Explorer) draws(ctx context.Context) bool {
	a, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
	if err != nil {
		return false
	}
	e.g.Pause(ctx, tick)
	b, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
	return err == nil && b.Drawn() > a.Drawn()
}
