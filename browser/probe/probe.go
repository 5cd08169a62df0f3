// Package probe watches a page from inside: what it paints, which input it
// listens to and reads, how its frames go, what it asks the browser for.
//
// The script runs in every frame before the page's first line, wraps and never
// calls, and is read in one call per frame.
package probe

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// The parts of the script share one scope, in this order.
var (
	//go:embed probe.js
	probeJS string
	//go:embed paint.js
	paintJS string
	//go:embed input.js
	inputJS string
	//go:embed ask.js
	askJS string
	//go:embed read.js
	readJS string
)

//go:embed elements.js
var elementsJS string

//go:embed engine.js
var engineJS string

// Probe is the probe of one page.
type Probe struct {
	key string

	mu       sync.Mutex
	contacts map[string]contact // by the id of a frame or worker
}

// contact is what is known of how a frame or worker answers.
type contact struct {
	heard  bool      // it has answered
	since  time.Time // when it first did not any more
	missed int       // how often it kept us waiting, since it last answered
}

// maxContacts bounds what is kept of pages that make frames without end.
const maxContacts = 1000

// New makes a probe. Its key is what keeps a page from finding it by name.
func New() *Probe {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // crypto/rand never fails
	return &Probe{key: "k" + hex.EncodeToString(b), contacts: map[string]contact{}}
}

// Script is to be run in every frame and worker of the page before its first line.
func (p *Probe) Script() browser.InitScript {
	body := probeJS + paintJS + inputJS + askJS + readJS
	return browser.InitScript{Source: named("probe", p.keyed("(() => {\n'use strict';\n"+body+"})();")), Workers: true}
}

// keyed puts the probe's key into a script.
func (p *Probe) keyed(source string) string {
	return strings.ReplaceAll(source, "'KEY'", "'"+p.key+"'")
}

// named gives a script a name that coverage can leave out.
func named(name, source string) string {
	return source + "\n//# sourceURL=playtest:" + name
}

// ReadOptions narrow a reading.
type ReadOptions struct {
	// Brief leaves out listeners, canvases, painted texts and images.
	Brief bool `json:"brief,omitempty"`
	// Texts adds canvases and painted texts to a brief reading.
	Texts bool `json:"texts,omitempty"`
	// Since limits the drawing signatures to those after this page time, per frame id.
	Since map[string]float64 `json:"-"`
	// MaxAge is how long ago a text may have been painted, in milliseconds.
	MaxAge float64 `json:"maxAge,omitempty"`
}

// Read reads every frame of the page, then its workers. One that does not answer is
// left out, and counted in Silent if it has answered before.
func (p *Probe) Read(ctx context.Context, page *browser.Page, opts *ReadOptions) (*Reading, error) {
	if opts == nil {
		opts = &ReadOptions{}
	}
	frames := page.Frames()
	frames = frames[:min(len(frames), maxFrames)]
	workers := p.workers(page)
	states := make([]*State, len(frames)+len(workers))
	errs := make([]error, len(frames))
	var wg sync.WaitGroup
	for i, f := range frames {
		wg.Go(func() { states[i], errs[i] = p.readFrame(ctx, f, opts) })
	}
	for i, s := range workers {
		wg.Go(func() {
			if expr, err := p.readExpr(opts, s.TargetID); err == nil {
				states[len(frames)+i] = p.readWorker(ctx, s, expr)
			}
		})
	}
	wg.Wait()
	r := &Reading{}
	for i, st := range states {
		id := ""
		if i < len(frames) {
			id = frames[i].ID()
		} else {
			id = workers[i-len(frames)].TargetID
		}
		if p.hear(id, st != nil) {
			r.Silent++
		}
		if st == nil {
			continue
		}
		if st.Worker {
			r.place(st)
		}
		r.Frames = append(r.Frames, st)
	}
	if failed := cmp.Or(errs...); len(r.Frames) == 0 && failed != nil {
		return r, fmt.Errorf("read probe: %w", failed)
	}
	return r, nil
}

// stall is how long something that has answered may not answer before it counts as gone.
const stall = 8 * time.Second

// hear notes whether a frame or worker answered, and reports whether it is one that
// will do so again, as far as one can tell.
func (p *Probe) hear(id string, answered bool) (silent bool) {
	c := p.note(id, func(c *contact) {
		switch {
		case answered:
			*c = contact{heard: true}
		case c.since.IsZero():
			c.since = time.Now()
		}
	})
	return !answered && c.heard && time.Since(c.since) < stall
}

// note changes what is known of a frame or worker.
func (p *Probe) note(id string, change func(*contact)) contact {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, met := p.contacts[id]
	change(&c)
	if met || len(p.contacts) < maxContacts {
		p.contacts[id] = c
	}
	return c
}

// contact is what is known of a frame or worker.
func (p *Probe) contact(id string) contact {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.contacts[id]
}

// readFrame reads one frame; nil where the probe is not at home.
func (p *Probe) readFrame(ctx context.Context, f *browser.Frame, opts *ReadOptions) (*State, error) {
	expr, err := p.readExpr(opts, f.ID())
	if err != nil {
		return nil, err
	}
	var st *State
	if err := f.Evaluate(ctx, expr, &st); err != nil || st == nil {
		return nil, err
	}
	st.FrameID, st.FrameURL = f.ID(), f.URL()
	if f.ParentID() != "" && (!opts.Brief || opts.Texts) {
		if o, err := f.Origin(ctx); err == nil {
			st.shift(o)
		}
	}
	return st, nil
}

// maxFrames bounds the frames that are read; the first ones hold the game.
const maxFrames = 24

// Elements lists what can be seen and hit in every frame, in the page's
// coordinates. The point is where the question "what is on top" is asked.
func (p *Probe) Elements(ctx context.Context, page *browser.Page, at browser.Point) (*Elements, error) {
	parts, err := inFrames(page, func(f *browser.Frame) (*Elements, error) { return p.elementsIn(ctx, f, at) })
	var out *Elements
	for _, part := range parts {
		if part == nil {
			continue
		}
		if out == nil {
			out = part
			continue
		}
		out.merge(part)
	}
	if out == nil {
		return nil, fmt.Errorf("list elements: %w", err)
	}
	return out, nil
}

// elementsIn lists those of one frame; nil where there is nothing to be seen.
func (p *Probe) elementsIn(ctx context.Context, f *browser.Frame, at browser.Point) (*Elements, error) {
	var o browser.Point
	if f.ParentID() != "" {
		var err error
		if o, err = f.Origin(ctx); err != nil {
			return nil, nil // a frame that is not shown has no place
		}
	}
	arg := fmt.Sprintf(`{"x":%g,"y":%g}`, at.X-o.X, at.Y-o.Y)
	var part *Elements
	expr := named("elements", p.keyed(strings.TrimSpace(elementsJS))+"("+arg+")")
	err := f.Evaluate(ctx, expr, &part)
	if thrown := (*browser.EvalError)(nil); errors.As(err, &thrown) {
		// The page broke what the script needs. A world of our own is whole,
		// but sees no listeners and no closed shadow roots.
		err = f.EvaluateIsolated(ctx, expr, &part)
	}
	if err != nil || part == nil {
		return nil, err
	}
	part.shift(o, f)
	return part, nil
}

// Engine asks every frame for a game engine and returns the first that answers.
func (p *Probe) Engine(ctx context.Context, page *browser.Page) (Engine, error) {
	engines, err := inFrames(page, func(f *browser.Frame) (e Engine, err error) {
		if err := f.Evaluate(ctx, named("engine", engineJS), &e); err != nil || e.Name == "" || f.ParentID() == "" {
			return e, err
		}
		if o, err := f.Origin(ctx); err == nil {
			for _, list := range [][]Object{e.Objects, e.Texts} {
				for i := range list {
					list[i].X += o.X
					list[i].Y += o.Y
				}
			}
		}
		return e, nil
	})
	for _, e := range engines {
		if e.Name != "" {
			return e, nil
		}
	}
	return Engine{}, err
}

// inFrames asks every frame at once, so that a page of many costs no more
// round trips than a page of one. The error is that of the first that failed.
func inFrames[T any](page *browser.Page, ask func(*browser.Frame) (T, error)) ([]T, error) {
	frames := page.Frames()
	frames = frames[:min(len(frames), maxFrames)]
	answers, errs := make([]T, len(frames)), make([]error, len(frames))
	var wg sync.WaitGroup
	for i, f := range frames {
		wg.Go(func() { answers[i], errs[i] = ask(f) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// Off stops watching in every frame; what was counted stays readable.
func (p *Probe) Off(ctx context.Context, page *browser.Page) {
	for _, f := range page.Frames() {
		// A frame that does not answer is watched a little longer, that is all.
		_ = f.Evaluate(ctx, named("off", fmt.Sprintf("globalThis.%s?.off()", p.key)), nil)
	}
}
