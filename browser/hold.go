package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/playtest-dev/playtest/browser/cdp"
)

const (
	// quietWait is how long Hold waits for code to run and be stopped. A page
	// on which none runs is still anyway, and what begins later is stopped then.
	quietWait = 250 * time.Millisecond
	// releaseLimit bounds Release, which must not be in vain because a
	// caller's time is up: a page that stays held is lost.
	releaseLimit = 5 * time.Second
)

// Held is a page that stands still. Between Page.Hold and Release no code of
// the page runs and none of its time passes. Pictures cannot be taken, and
// nothing may be evaluated: a page that was quiet would stop in our own
// expression.
type Held struct {
	page  *Page
	stops []*stop
	began time.Time
}

// stop is one session that was told to stop.
type stop struct {
	session *Session
	cancel  func()
	stopped chan time.Time // when it did
	at      time.Time
}

// Hold stops the page where it is, in every frame and worker, and keeps its
// clocks from noticing: performance.now, Date and the times of animation
// frames go on afterwards from where they were. Timers that came due meanwhile
// fire once, afterwards; sound and what the compositor animates go on. Hold a
// page once at a time and always release it.
//
// The first Hold puts a map between the page's code and its clocks; a page that
// is never held is not touched. A page whose Clock was stopped can be held as
// well, which also stops what the clock does not reach.
func (p *Page) Hold(ctx context.Context) (*Held, error) {
	err := p.Err()
	if err == nil {
		err = p.mapClocks(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("holding page: %w", err)
	}
	h := &Held{page: p, began: time.Now()}
	for _, s := range p.Sessions() {
		if !s.frames() && s.Kind != "worker" {
			continue
		}
		one := &stop{session: s, stopped: make(chan time.Time, 1)}
		events, cancel := s.Subscribe(debugger.Paused.Method)
		one.cancel = cancel
		p.spawn(func() {
			if _, ok := <-events; ok {
				one.stopped <- time.Now()
			}
			for range events { // until the subscription ends
			}
		})
		h.stops = append(h.stops, one)
		if err := s.halt(ctx); err != nil && !cdp.IsGone(err) {
			_, _ = h.Release(ctx) // the first failure is the one to tell
			return nil, fmt.Errorf("holding page: %w", err)
		}
	}
	if !p.clock.stopped.Load() { // then nothing runs that could be waited for
		h.await(ctx)
	}
	return h, nil
}

// halt stops the session's code at its next statement.
func (s *Session) halt(ctx context.Context) error {
	if err := s.Call(ctx, debugger.CommandEnable, debugger.EnableParams{}, nil); err != nil {
		return err
	}
	return s.Call(ctx, debugger.CommandPause, nil, nil)
}

// await gives running code the time to be stopped.
func (h *Held) await(ctx context.Context) {
	timer := time.NewTimer(quietWait)
	defer timer.Stop()
	for _, one := range h.stops {
		select {
		case one.at = <-one.stopped:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Release lets the page go on and says for how long it was held.
func (h *Held) Release(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
	defer cancel()
	var failed error
	for _, one := range h.stops {
		select {
		case one.at = <-one.stopped: // it was quiet and began something later
		default:
		}
		if !one.at.IsZero() {
			h.page.lose(ctx, one.session, time.Since(one.at))
		}
	}
	for _, one := range h.stops {
		// Disabling lets it run, or forgets the wish to stop it.
		if err := one.session.Call(ctx, debugger.CommandDisable, nil, nil); err != nil && !cdp.IsGone(err) {
			failed = errors.Join(failed, err)
		}
		one.cancel()
	}
	held := time.Since(h.began)
	if failed != nil {
		return held, fmt.Errorf("releasing page: %w", failed)
	}
	return held, nil
}

// lose tells the worlds of a stopped session how much time did not pass. It
// awaits nothing: promises do not settle in a stopped page.
func (p *Page) lose(ctx context.Context, s *Session, d time.Duration) {
	ms := float64(d) / float64(time.Millisecond)
	expr := fmt.Sprintf(ownClock+"?.lose(%f)"+clockSource, ms)
	for _, w := range p.worlds(s) {
		// A world that does not hear it sees time jump, which is no reason to
		// keep the others waiting.
		_ = s.Call(ctx, runtime.CommandEvaluate, w.params(expr), nil)
	}
}
