package adapt

import (
	"context"
	"time"

	"playtest"
	"playtest/browser"
)

// holding keeps the game still while it is thought about.
type holding struct {
	now   *browser.Held
	times int
	total time.Duration
	// failed: it cannot be held; it is not tried again.
	failed bool
}

// hold stops the game's clock, unless it stands already. Until free nothing may
// be asked of the page.
func (p *player) hold(ctx context.Context) {
	if p.held.now != nil || p.held.failed || p.opts.NoHold {
		return
	}
	held, err := p.g.Page.Hold(ctx)
	if err != nil {
		p.held.failed = true
		p.g.Emit(playtest.EventWarning, "the game goes on while it is thought about: %v", err)
		return
	}
	p.held.now = held
}

// free lets the game go on.
func (p *player) free(ctx context.Context) {
	if p.held.now == nil {
		return
	}
	d, err := p.held.now.Release(ctx)
	p.held.now = nil
	p.held.times++
	p.held.total += d
	if err != nil {
		p.held.failed = true
		p.g.Emit(playtest.EventWarning, "the game could not be released: %v", err)
	}
}

// around holds the game while a model thinks.
func (p *player) around(ctx context.Context, _ string) (done func()) {
	p.sum.Checks++
	p.hold(ctx)
	return func() {}
}
