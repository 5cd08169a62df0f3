package browser

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/runtime"

	"github.com/playtest-dev/playtest/browser/cdp"
)

//go:embed clock.js
var clockJS string

const (
	// ownClock is the clock of a world, once it has one.
	ownClock = "globalThis[Symbol.for('playtest.clock')]"
	// clockSource tells our code from the page's.
	clockSource = "\n//# sourceURL=playtest:clock"
)

// Clock is the page's time. It passes by itself until Stop; from then on only
// while Run runs, until Start.
//
// While it stands the page can be asked and pictured, and it answers to input,
// but its animation frames and timers wait and its clocks read the same. It
// works inside the page, so it does not reach timers that were set before it
// was first stopped, code that kept the browser's functions for itself before
// that, sound, sockets, and what the compositor animates. Page.Hold stops all
// code, but then the page cannot be asked.
type Clock struct {
	page    *Page
	stopped atomic.Bool
}

// Clock is the page's time.
func (p *Page) Clock() *Clock { return p.clock }

// Stop lets no more time pass, in every frame and worker. A clock that stands
// stays so; a document that was loaded since is stopped, too.
func (c *Clock) Stop(ctx context.Context) error {
	c.stopped.Store(true)
	return c.tell(ctx, "stop()", "stopping")
}

// Start lets time pass again. What came due meanwhile happens once, now.
func (c *Clock) Start(ctx context.Context) error {
	c.stopped.Store(false)
	return c.tell(ctx, "start()", "starting")
}

// Run lets the page live for d of its own time and stops the clock again,
// inside the page, so that it makes no difference how soon we hear of it. Where
// frames are slow the page's time is: a game does not notice a busy machine.
func (c *Clock) Run(ctx context.Context, d time.Duration) error {
	c.stopped.Store(true)
	limit := runPatience(d)
	expr := fmt.Sprintf("run(%f, %d)", float64(d)/float64(time.Millisecond), limit.Milliseconds())
	return c.tell(cdp.WithTimeout(ctx, limit+releaseLimit), expr, "running")
}

// runPatience is how long d of a page's time may take.
func runPatience(d time.Duration) time.Duration { return 2*time.Second + 10*d }

// tell has all worlds of the page do the same at the same time.
func (c *Clock) tell(ctx context.Context, call, what string) error {
	if err := c.page.Err(); err != nil {
		return fmt.Errorf("%s the page's clock: %w", what, err)
	}
	expr := "(" + ownClock + " ?? " + clockJS + ")." + call + clockSource
	var replies []*cdp.Reply
	for _, s := range c.page.Sessions() {
		for _, w := range c.page.worlds(s) {
			params := w.params(expr)
			params.AwaitPromise = ptr(true)
			replies = append(replies, s.Start(runtime.CommandEvaluate, params))
		}
	}
	var failed error
	for _, r := range replies {
		err := r.Wait(ctx, nil)
		var refused *cdp.Error
		if errors.As(err, &refused) && c.page.Err() == nil {
			continue // a document that left meanwhile has no time
		}
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s the page's clock: %w", what, err)
		}
	}
	return failed
}

// mapClocks puts the map before the page's clocks where it is missing, and lets
// the frames pass that were asked for with the old ones.
func (p *Page) mapClocks(ctx context.Context) error {
	fresh := false
	for _, s := range p.Sessions() {
		for _, w := range p.worlds(s) {
			var missing struct {
				Result struct {
					Value bool `json:"value"`
				} `json:"result"`
			}
			if err := s.Call(ctx, runtime.CommandEvaluate, w.params("!"+ownClock+" && !!"+clockJS+clockSource), &missing); err != nil && !cdp.IsGone(err) && !contextMissing(err) {
				return err
			}
			fresh = fresh || missing.Result.Value
		}
	}
	if !fresh {
		return nil
	}
	const twoFrames = "new Promise(done => { setTimeout(done, 200); requestAnimationFrame(() => requestAnimationFrame(done)) })"
	return p.Evaluate(ctx, twoFrames, nil)
}

// worlds are the main worlds of a session's frames, or that of a worker.
func (p *Page) worlds(s *Session) []execution {
	if s.Kind == "worker" {
		return []execution{{}}
	}
	if !s.frames() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []execution
	for _, c := range s.contexts {
		if c.main {
			out = append(out, c)
		}
	}
	return out
}

func (w execution) params(expr string) runtime.EvaluateParams {
	params := runtime.EvaluateParams{Expression: expr, Silent: ptr(true)}
	if w.unique != "" {
		params.UniqueContextID = w.unique
	} else if w.id != 0 {
		params.ContextID = runtime.ExecutionContextID(w.id)
	}
	return params
}
