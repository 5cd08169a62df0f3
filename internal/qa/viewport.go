package qa

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// viewport is what a game is played in, unless it turns out not to suit the game.
type viewport struct {
	width, height int
	unfit         func(context.Context, *game.Game) bool
	why           string
	scripts       []browser.InitScript
}

//go:embed jagged.js
var jagged string

// viewports are tried in this order. Scenes that a machine without a graphics card hardly
// draws at all are several times faster in a small one, with jagged edges.
var viewports = []viewport{
	{width: 1280, height: 720, unfit: load.Crawls, why: "this machine draws the game very slowly"},
	{width: 640, height: 360, unfit: load.Overflows, why: "the game does not fit into the smaller window", scripts: []browser.InitScript{{Source: jagged}}},
	{width: 1280, height: 720, unfit: func(context.Context, *game.Game) bool { return false }},
}

// play goes through phases 1 to 3 on one page, in the first window that suits the game.
func (r *run) play(ctx context.Context) error {
	for i, v := range viewports {
		r.rec.Environment.Width, r.rec.Environment.Height = v.width, v.height
		suits, err := r.playIn(ctx, v)
		if err != nil || suits {
			return err
		}
		next := viewports[i+1]
		r.emit(record.EventWarning, "%s; playing it in a window of %dx%d", v.why, next.width, next.height)
		r.rec.Load, r.rec.Discover, r.rec.Explore, r.rec.Health = record.LoadRecord{}, record.DiscoverRecord{}, record.ExploreRecord{}, record.HealthRecord{}
	}
	return nil
}

// opener opens windows of that size, whose pages are told who plays.
func (r *run) opener(v viewport) twin.Opener {
	return func(ctx context.Context) (*browser.Context, error) {
		return r.browser.NewContext(ctx, &browser.ContextOptions{Width: v.width, Height: v.height, InitScripts: v.scripts, UserAgent: r.rec.Environment.UserAgent})
	}
}

// playIn plays the game in a window and reports whether that suits it.
func (r *run) playIn(ctx context.Context, v viewport) (suits bool, err error) {
	open := r.opener(v)
	c, err := open(ctx)
	if err != nil {
		return true, fmt.Errorf("open a browser context: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpLimit)
		defer cancel()
		if err := c.Close(closing); err != nil {
			r.opts.Log.Warn("close browser context", "run", r.rec.RunID, "error", err)
		}
	}()
	var pictures game.Pictures
	if r.opts.Evidence != nil {
		pictures = r.opts.Evidence
	}
	r.environment(ctx, c)
	g, err := game.Open(ctx, c, r.rec, game.Options{Pictures: pictures, Emit: r.opts.Emit, NewContext: open})
	if err != nil {
		return true, err
	}
	r.log = g.Page.Log()
	p := &playing{run: r, g: g, open: open, viewport: v, film: r.roll(g.Page)}
	defer func() {
		if suits {
			p.survey(ctx)
		}
	}()
	defer func() { p.film.cut(ctx, c, suits) }()
	defer func() {
		if !p.shown { // what is shown is not judged
			r.health(ctx, g)
		}
	}()

	p.begin(ctx)
	defer p.stop()
	r.phase(record.PhaseLoad, "opening "+r.rec.Target.URL)
	if !r.attempt(ctx, record.PhaseLoad, loadLimit+r.rec.Target.Metadata.Wait(), func(ctx context.Context, _ *attempt) error { return load.Run(ctx, g) }) {
		return true, nil
	}
	if r.rec.Load.Failure != nil {
		return true, nil
	}
	if r.playedLive() && v.unfit(ctx, g) {
		return false, nil
	}
	r.phase(record.PhaseDiscover, "finding the controls: the game is played twice at once, with and without each input")
	r.attempt(ctx, record.PhaseDiscover, discoverLimit, p.discover)
	r.phase(record.PhaseExplore, "playing the game")
	limit := exploreLimit + max(r.rec.Target.Metadata.PlayFor(), r.rec.Target.Play-record.DefaultPlay)
	r.attempt(ctx, record.PhaseExplore, limit, p.explore)
	r.learn(ctx)
	return true, nil
}
