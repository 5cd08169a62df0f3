// Package witness looks whether a fault can be seen in a game, so that no label of the benchmark is wrong.
//
// It shares nothing with the verdict: it follows the game's own description with plain input, and counts which of the
// game's listeners hear of it, what throws, and what the pictures show.
package witness

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
)

//go:embed witness.js
var witnessScript string

//go:embed find.js
var findScript string

//go:embed targets.js
var targetsScript string

// Options say how patient to be.
type Options struct {
	// Late waits for faults that come some seconds after the page has opened.
	Late bool
	// Within is when faults have come that take longer, after the page was opened.
	Within time.Duration
	// Slow waits for covers to go away and for assets that take their time.
	Slow bool
	// Insist tries the usual other ways to start a game too, so that none is missed.
	Insist bool
	// Playable ends the look as soon as the game has answered, where nothing else is to be found out.
	Playable bool
	// Area is where the healthy game lies; it is looked for if empty.
	Area browser.Rect
}

// lateAfter is when the last of the late faults has come.
const lateAfter = 8 * time.Second

type observation struct {
	page  *browser.Page
	game  games.Game
	opts  Options
	signs Signs
	begun time.Time
	url   string
	// before is what the game's listeners had heard when its controls were operated first.
	before int
}

// Observe opens the game in a context of its own, starts it and operates its controls as its description says.
func Observe(ctx context.Context, b *browser.Browser, url string, g games.Game, opts *Options) (Signs, error) {
	if opts == nil {
		opts = &Options{}
	}
	bc, err := b.NewContext(ctx, nil)
	if err != nil {
		return Signs{}, fmt.Errorf("observe %s: %w", g.Name, err)
	}
	defer func() {
		// The context goes with the browser at the latest.
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = bc.Close(closing)
	}()
	page, err := bc.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{{Source: witnessScript}}})
	if err != nil {
		return Signs{}, fmt.Errorf("observe %s: %w", g.Name, err)
	}
	o := &observation{page: page, game: g, opts: *opts, url: url}
	if err := o.run(ctx); err != nil {
		return o.signs, err
	}
	if page.Crashed() {
		o.signs.Crashed = true
	}
	if o.signs.Hung {
		_ = page.Kill(ctx)
	}
	return o.signs, nil
}

// run goes on as long as there is a living page, and ends without an error when there is none.
func (o *observation) run(ctx context.Context) error {
	o.begun = time.Now()
	answer, err := o.page.Navigate(ctx, o.url, &browser.NavigateOptions{Timeout: 6 * time.Second})
	if err != nil {
		var failed *browser.NavigationError
		if errors.As(err, &failed) {
			return nil
		}
		return fmt.Errorf("observe %s: %w", o.game.Name, err)
	}
	o.signs.Opened, o.signs.Status = true, answer.Status
	if answer.Status >= 400 {
		return nil
	}
	steps := []func(context.Context) error{o.load, o.uncover, o.seek, o.look, o.start, o.insist, o.wait, o.operate, o.measure}
	for _, step := range steps {
		err := step(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("observe %s: %w", o.game.Name, ctx.Err())
		}
		if gone := o.gone(ctx); gone {
			return nil
		}
		if err != nil {
			return fmt.Errorf("observe %s: %w", o.game.Name, err)
		}
	}
	return nil
}

// gone reports whether there is no game left to look at, and notes why.
func (o *observation) gone(ctx context.Context) bool {
	if o.page.Crashed() {
		o.signs.Crashed = true
		return true
	}
	if !o.page.Responsive(ctx, 3*time.Second) && !o.page.Crashed() && !o.page.Responsive(ctx, 3*time.Second) {
		o.signs.Crashed = o.page.Crashed()
		o.signs.Hung = !o.signs.Crashed
		return true
	}
	if o.frameHangs(ctx) {
		o.signs.Hung = true
		return true
	}
	before, _, _ := strings.Cut(o.url, "#")
	now, _, _ := strings.Cut(o.page.URL(), "#")
	if now != before {
		o.signs.Left = true
		return true
	}
	return false
}

// frameHangs reports whether a frame in a process of its own does not answer.
func (o *observation) frameHangs(ctx context.Context) bool {
	for _, f := range o.page.Frames() {
		if f.Session() == o.page.Session() {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := f.EvaluateIsolated(bounded, "1", nil)
		late := bounded.Err() != nil
		cancel()
		if err != nil && late && !f.Detached() && ctx.Err() == nil {
			return true
		}
	}
	return false
}

func (o *observation) load(ctx context.Context) error {
	patience := 4 * time.Second
	if o.opts.Slow {
		patience = 20 * time.Second
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// Not settling is no finding: some faults are just that.
	_ = o.page.WaitLoad(bounded, browser.NetworkIdle)
	return o.pause(ctx, 500*time.Millisecond)
}

// uncover gets rid of what the traps lay over a game, as a person would.
func (o *observation) uncover(ctx context.Context) error {
	if !o.opts.Slow {
		return nil
	}
	if err := o.pause(ctx, time.Second); err != nil {
		return err
	}
	for range 30 {
		var cover struct {
			Kind string  `json:"kind"`
			X    float64 `json:"x"`
			Y    float64 `json:"y"`
		}
		err := o.page.Evaluate(ctx, `(() => {
			const el = document.querySelector('[data-fault-dismiss], [data-fault-cover]');
			if (!el) return { kind: '' };
			const r = el.getBoundingClientRect();
			return { kind: el.dataset.faultCover || 'click', x: r.x + r.width / 2, y: r.y + r.height / 2 };
		})()`, &cover)
		if err != nil || cover.Kind == "" {
			return err
		}
		if cover.Kind != "waits" {
			if err := o.page.Mouse().Click(ctx, cover.X, cover.Y, &browser.ClickOptions{Hold: 60 * time.Millisecond}); err != nil {
				return err
			}
		}
		if err := o.pause(ctx, 400*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// look takes the pictures of the beginning, and finds where the game lies.
func (o *observation) look(ctx context.Context) error {
	o.signs.Area = o.opts.Area
	if o.signs.Area.Width == 0 {
		o.signs.Area = o.place(ctx)
	}
	for range 3 {
		o.picture(ctx, &o.signs.Begin)
		if err := o.pause(ctx, 150*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// wait gives late faults the time to come.
func (o *observation) wait(ctx context.Context) error {
	after := o.opts.Within
	if o.opts.Late {
		after = max(after, lateAfter)
	}
	if after == 0 {
		return nil
	}
	return o.pause(ctx, time.Until(o.begun.Add(after)))
}

func (o *observation) measure(ctx context.Context) error {
	if o.answered(ctx) {
		return nil
	}
	for _, m := range o.signs.Play {
		o.signs.Detail = max(o.signs.Detail, detail(m, o.signs.Area))
	}
	// A few pictures are enough to compare with, and many games are remembered.
	if n := len(o.signs.Play); n > 6 {
		few := o.signs.Play[:0:0]
		for i := range 6 {
			few = append(few, o.signs.Play[i*(n-1)/5])
		}
		o.signs.Play = few
	}
	first, start := o.clocks(ctx), time.Now()
	if err := o.pause(ctx, time.Second); err != nil {
		return err
	}
	real := time.Since(start).Seconds() * 1000
	for frame, was := range first {
		if now, ok := o.clocks(ctx)[frame]; ok && real > 0 {
			o.signs.Speed = max(o.signs.Speed, (now-was)/real)
		}
	}
	counts := o.page.Log().Counts()
	o.signs.Throws = counts.Exceptions
	for _, n := range o.page.Log().Navigations() {
		if n.FrameID == o.page.MainFrame().ID() && !n.SameDocument {
			o.signs.Loads++
		}
	}
	return nil
}

func (o *observation) clocks(ctx context.Context) map[string]float64 {
	clocks := map[string]float64{}
	for _, f := range o.page.Frames() {
		var now float64
		if f.Evaluate(ctx, "performance.now()", &now) == nil {
			clocks[f.ID()] = now
		}
	}
	return clocks
}

// pause waits, but no longer than the caller does.
func (o *observation) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
