package stage

import (
	"context"
	_ "embed"
	"fmt"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/cdp"
)

//go:embed settle.js
var settleScript string

const (
	// quiet is how long nothing may have happened for a page to be at rest.
	quiet = 100 * time.Millisecond
	// reaction is how long a page is given to begin to react to an action.
	reaction = 40 * time.Millisecond
	// patience is how long an unanswered request keeps a page from being at
	// rest: one that is held open, or that Chromium forgot to end, never ends.
	patience = 2 * time.Second
	// restlessCap is the cap on pages that did not come to rest before.
	restlessCap = 400 * time.Millisecond
	// answerLimit is how long a frame may take to say whether it is busy.
	answerLimit = time.Second
)

// rest tells whether a page is at rest: no request under way, no change of a
// document, no navigation, for a moment.
type rest struct {
	page     *browser.Page
	restless string // address of a page that never rests
}

type stillness struct {
	quiet   time.Duration
	changes int
}

// watch starts to watch the documents that are there.
func (r *rest) watch(ctx context.Context) stillness {
	frames := r.page.Frames()
	type answer struct {
		Quiet float64 `json:"quiet"`
		Count int     `json:"count"`
	}
	answers := make([]answer, len(frames))
	var wait sync.WaitGroup
	for i, f := range frames {
		wait.Go(func() {
			answers[i].Quiet = 1e9
			// A frame that does not answer is not waited for.
			_ = f.EvaluateIsolated(cdp.WithTimeout(ctx, answerLimit), settleScript, &answers[i])
		})
	}
	wait.Wait()
	out := stillness{quiet: time.Hour}
	for _, a := range answers {
		out.quiet = min(out.quiet, time.Duration(a.Quiet*float64(time.Millisecond)))
		out.changes += a.Count
	}
	silence := time.Since(r.page.Log().LastNetworkActivity())
	if r.page.Log().InFlight() > 0 && silence < patience {
		silence = 0
	}
	out.quiet = min(out.quiet, silence)
	return out
}

// wait waits until the page is at rest, at most for the cap.
func (r *rest) wait(ctx context.Context, limit time.Duration) bool {
	if r.restless != "" && r.restless == r.page.URL() {
		limit = min(limit, restlessCap)
	}
	deadline := time.Now().Add(limit)
	for {
		now := r.watch(ctx)
		if now.quiet >= quiet {
			r.restless = ""
			return true
		}
		left := time.Until(deadline)
		if left <= 0 {
			r.restless = r.page.URL()
			return false
		}
		if !pause(ctx, min(left, max(quiet-now.quiet, 15*time.Millisecond))) {
			return false
		}
	}
}

// after waits for what an action sets off: nothing, or a page at rest again.
func (r *rest) after(ctx context.Context, before stillness, limit time.Duration) bool {
	if !pause(ctx, reaction) {
		return false
	}
	now := r.watch(ctx)
	if now.changes == before.changes && now.quiet > reaction {
		return true
	}
	return r.wait(ctx, limit)
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *Stage) settle(ctx context.Context, c *call) {
	began := time.Now()
	settled := s.rest.wait(ctx, s.opts.Settle)
	c.meta.Settled = c.meta.Settled && settled
	c.meta.Timings.Settle += time.Since(began)
	s.step("settle", fmt.Sprintf("settled %t", settled), began)
}
