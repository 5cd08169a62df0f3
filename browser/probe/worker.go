package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/playtest-dev/playtest/browser"
)

// Bounds on asking workers. Threads of WebAssembly games wait for each other
// and answer nothing meanwhile, so one that kept us waiting and never answered is
// left alone. One that did answer is given the time that a busy machine takes.
const (
	maxWorkers    = 8
	workerLimit   = 250 * time.Millisecond
	heardLimit    = time.Second
	workerMisses  = 2
	offscreenKind = "offscreen"
)

// workers are the page's dedicated workers that may be asked.
func (p *Probe) workers(page *browser.Page) []*browser.Session {
	var out []*browser.Session
	for _, s := range page.Sessions() {
		if s.Kind != "worker" || len(out) == maxWorkers {
			continue
		}
		if c := p.contact(s.TargetID); c.heard || c.missed < workerMisses {
			out = append(out, s)
		}
	}
	return out
}

// readWorker reads what the probe saw in a worker; nil where it is not at home.
func (p *Probe) readWorker(ctx context.Context, s *browser.Session, expr string) *State {
	limit := workerLimit
	if p.contact(s.TargetID).heard {
		limit = heardLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	yes := true
	res, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: expr, ReturnByValue: &yes, Silent: &yes})
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			p.note(s.TargetID, func(c *contact) { c.missed++ })
		}
		return nil
	}
	if res.ExceptionDetails != nil || res.Result == nil || len(res.Result.Value) == 0 {
		return nil
	}
	var st *State
	if err := json.Unmarshal(res.Result.Value, &st); err != nil {
		return nil
	}
	st.FrameID, st.FrameURL, st.Worker = s.TargetID, s.URL, true
	return st
}

// place puts the texts that a worker painted onto the page's canvas that shows
// them: one of the same size, or the only one there is.
func (r *Reading) place(worker *State) {
	var shown []Canvas
	for _, c := range r.Canvases() {
		if c.Kind == offscreenKind {
			shown = append(shown, c)
		}
	}
	for _, surface := range worker.Surfaces {
		for _, c := range shown {
			if len(shown) > 1 && (c.Width != surface.Width || c.Height != surface.Height) {
				continue
			}
			kx, ky := c.W/float64(max(1, surface.Width)), c.H/float64(max(1, surface.Height))
			for _, t := range surface.Texts {
				t.X, t.Y, t.W, t.H = c.X+t.X*kx, c.Y+t.Y*ky, t.W*kx, t.H*ky
				worker.Texts = append(worker.Texts, t)
			}
			break
		}
	}
	worker.Surfaces = nil
}

// readExpr is the expression that reads a frame or worker.
func (p *Probe) readExpr(opts *ReadOptions, id string) (string, error) {
	b, err := json.Marshal(struct {
		ReadOptions
		Since float64 `json:"since,omitempty"`
	}{*opts, opts.Since[id]})
	if err != nil {
		return "", err
	}
	return named("read", fmt.Sprintf("globalThis.%s?.read(%s)", p.key, b)), nil
}
