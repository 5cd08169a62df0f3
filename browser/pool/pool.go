// Package pool lends browsers to runs: few Chromium processes for many runs,
// each run in contexts of its own. A browser is replaced after a number of
// runs, when it has grown too large, when it stops answering and when it
// crashed; the runs in it end in it, and runs in other browsers do not notice.
package pool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/proc"
)

// ErrClosed is what borrowers get of a pool that was closed.
var ErrClosed = errors.New("the pool of browsers is closed")

// Options of a pool. The zero value is one Chromium, found by itself, for four
// runs at a time.
type Options struct {
	// Browsers that are lent at a time, 1 if zero. Those that are on their way
	// out and still have runs come on top, at most as many again.
	Browsers int
	// PerBrowser is how many runs may share one at a time, 4 if zero.
	PerBrowser int
	// Runs is after how many a browser is replaced, 50 if zero.
	Runs int
	// MaxMemory in bytes, of all processes of a browser, above which it is
	// replaced: 4 GB if zero. Looked at when a run ends.
	MaxMemory uint64
	// Launch starts a browser, browser.Launch if nil. Attaching is fine, too.
	Launch func(ctx context.Context) (*browser.Browser, error)
	// Log is told why browsers are replaced. Nowhere if nil.
	Log *slog.Logger
}

// answerLimit is how long a browser that was lent before may take to open an
// empty context before it is lent again.
const answerLimit = 20 * time.Second

// Pool lends browsers. It has no goroutine of its own: browsers are launched
// by those who borrow and closed by those who give back.
type Pool struct {
	opts Options

	mu       sync.Mutex
	browsers []*shared
	closed   bool
	changed  chan struct{} // closed at every change of the above
	stats    Stats
}

// shared is a browser with its runs.
type shared struct {
	browser *browser.Browser // nil while it is being launched
	lent    int              // now
	served  int              // ever
	retired bool             // no more runs
	alone   bool             // it has one run and gets no other
}

type aloneKey struct{}

// Alone makes Borrow, when it is called with the returned context, lend a browser
// that nobody else has and that nobody else will get: for a run that may take its
// browser down.
func Alone(ctx context.Context) context.Context {
	return context.WithValue(ctx, aloneKey{}, true)
}

// Stats counts what a pool did.
type Stats struct {
	Launched, Retired, Crashed int
	// Lent is how many runs have a browser now, Browsers how many there are.
	Lent, Browsers int
}

// New makes a pool. Nothing is launched before somebody borrows.
func New(opts *Options) *Pool {
	p := &Pool{changed: make(chan struct{})}
	if opts != nil {
		p.opts = *opts
	}
	o := &p.opts
	if o.Browsers <= 0 {
		o.Browsers = 1
	}
	if o.PerBrowser <= 0 {
		o.PerBrowser = 4
	}
	if o.Runs <= 0 {
		o.Runs = 50
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = 4 << 30
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Launch == nil {
		o.Launch = func(ctx context.Context) (*browser.Browser, error) {
			return browser.Launch(ctx, &browser.LaunchOptions{Log: o.Log})
		}
	}
	return p
}

// Borrow waits for room in a browser and lends it. Release must be called when
// the run has ended and closed its contexts; it may be called more than once.
// The browser must not be closed by the borrower.
func (p *Pool) Borrow(ctx context.Context) (b *browser.Browser, release func(), err error) {
	for {
		s, fresh, err := p.reserve(ctx)
		if err != nil {
			return nil, nil, err
		}
		if fresh {
			err = p.launch(ctx, s)
		} else {
			err = p.try(ctx, s)
		}
		if err == nil {
			return s.browser, sync.OnceFunc(func() { p.giveBack(s) }), nil
		}
		p.giveBack(s)
		if fresh || ctx.Err() != nil {
			return nil, nil, fmt.Errorf("borrow a browser: %w", err)
		}
		// That one is on its way out. There will be another one.
	}
}

// reserve finds room for one more run, or a place for one more browser.
func (p *Pool) reserve(ctx context.Context) (s *shared, fresh bool, err error) {
	room := p.room
	if alone, _ := ctx.Value(aloneKey{}).(bool); alone {
		room = p.roomAlone
	}
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, false, ErrClosed
		}
		s, fresh := room()
		changed := p.changed
		if s != nil {
			s.lent++
			s.served++
			p.stats.Lent++
			if s.served >= p.opts.Runs {
				p.retire(s, "it has had its runs")
			}
		}
		p.mu.Unlock()
		if s != nil {
			return s, fresh, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, false, fmt.Errorf("wait for a browser: %w", context.Cause(ctx))
		}
	}
}

// room picks the browser with the fewest runs that can take one more. Only when
// all are full another one is made. The caller holds the lock.
func (p *Pool) room() (s *shared, fresh bool) {
	var best *shared
	usable, coming := 0, false
	p.buryCrashed()
	for _, s := range p.browsers {
		if s.retired || s.alone {
			continue
		}
		usable++
		coming = coming || s.browser == nil && s.lent < p.opts.PerBrowser
		if s.browser != nil && s.lent < p.opts.PerBrowser && (best == nil || s.lent < best.lent) {
			best = s
		}
	}
	if best != nil {
		return best, false
	}
	// One that is being launched will have room for others, too.
	if !coming && usable < p.opts.Browsers && len(p.browsers) < 2*p.opts.Browsers {
		s := &shared{}
		p.browsers = append(p.browsers, s)
		return s, true
	}
	return nil, false
}

// roomAlone picks a browser without runs, or makes one beside the others. The
// caller holds the lock.
func (p *Pool) roomAlone() (s *shared, fresh bool) {
	p.buryCrashed()
	for _, s := range p.browsers {
		if s.browser != nil && s.lent == 0 && !s.retired {
			s.alone = true
			return s, false
		}
	}
	if len(p.browsers) < 2*p.opts.Browsers {
		s := &shared{alone: true}
		p.browsers = append(p.browsers, s)
		return s, true
	}
	return nil, false
}

// buryCrashed retires browsers that are no more. The caller holds the lock.
func (p *Pool) buryCrashed() {
	for _, s := range p.browsers {
		if s.browser != nil && gone(s.browser) && !s.retired {
			p.stats.Crashed++
			p.retire(s, "it crashed")
		}
	}
}

func gone(b *browser.Browser) bool {
	select {
	case <-b.Done():
		return true
	default:
		return false
	}
}

// retire lends the browser no more. The caller holds the lock.
func (p *Pool) retire(s *shared, why string) {
	if s.retired {
		return
	}
	s.retired = true
	p.stats.Retired++
	if s.browser != nil {
		p.opts.Log.Info("browser retired", "why", why, "pid", s.browser.PID(), "runs", s.served)
	}
}

// signal wakes those who wait. The caller holds the lock.
func (p *Pool) signal() {
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *Pool) launch(ctx context.Context, s *shared) error {
	b, err := p.opts.Launch(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.retire(s, "it did not start")
		return err
	}
	s.browser = b
	p.stats.Launched++
	p.signal()
	if p.closed {
		p.retire(s, "the pool is closed")
		return ErrClosed
	}
	return nil
}

// try finds out whether a browser that has served still answers.
func (p *Pool) try(ctx context.Context, s *shared) error {
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	c, err := s.browser.NewContext(limited, nil)
	if err == nil {
		err = c.Close(limited)
	}
	if err != nil && ctx.Err() == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.retire(s, "it does not answer")
	}
	return err
}

// giveBack ends a run, and the browser with its last run when it is retired.
func (p *Pool) giveBack(s *shared) {
	grown := false
	if s.browser != nil && !gone(s.browser) {
		grown = proc.Footprint(s.browser.PID()) > p.opts.MaxMemory
	}
	p.mu.Lock()
	s.lent--
	p.stats.Lent--
	if grown {
		p.retire(s, "it has grown too large")
	}
	if s.alone {
		p.retire(s, "it was lent to a run that may take browsers down")
	}
	last := s.retired && s.lent == 0
	p.mu.Unlock()
	if last && s.browser != nil {
		// Before another one is made in its place.
		if err := s.browser.Close(); err != nil {
			p.opts.Log.Warn("close a browser", "error", err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if last {
		p.browsers = slices.DeleteFunc(p.browsers, func(o *shared) bool { return o == s })
	}
	p.signal()
}

// Stats tells what the pool did so far.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := p.stats
	st.Browsers = len(p.browsers)
	return st
}

// Close ends all browsers, and the runs in them. It may be called often.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	var open []*browser.Browser
	for _, s := range p.browsers {
		if s.browser != nil {
			open = append(open, s.browser)
		}
		p.retire(s, "the pool is closed")
	}
	p.browsers = slices.DeleteFunc(p.browsers, func(s *shared) bool { return s.lent == 0 })
	p.signal()
	p.mu.Unlock()
	var errs []error
	for _, b := range open {
		errs = append(errs, b.Close())
	}
	return errors.Join(errs...)
}
