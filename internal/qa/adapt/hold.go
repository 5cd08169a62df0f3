package adapt

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

// holding keeps the game from living on while it is looked at and thought
// about. Its clock is stopped from the first look on, and runs only for as long
// as an action wants it to; what the clock does not reach is held while a model
// thinks.
type holding struct {
	now      *browser.Held
	standing bool
	times    int
	total    time.Duration
	// failed: it cannot be held; it is not tried again.
	failed bool
}

// stop lets no more of the game's time pass. Only a game that a model plays
// needs it: everybody else is quick enough.
func (p *player) stop(ctx context.Context) {
	if p.held.failed || p.opts.NoHold || p.run == nil {
		return
	}
	if err := p.g.Page.Clock().Stop(ctx); err != nil {
		p.unstoppable(ctx, err)
		return
	}
	p.held.standing = true
}

// live lets the game go on for so long, of its own time where its clock stands.
func (p *player) live(ctx context.Context, d time.Duration) {
	if !p.held.standing {
		p.g.Pause(ctx, d)
		return
	}
	if err := p.g.Page.Clock().Run(ctx, d); err != nil {
		p.unstoppable(ctx, err)
	}
}

// flowing does something that takes the game's time as it comes.
func (p *player) flowing(ctx context.Context, do func() error) error {
	if !p.held.standing {
		return do()
	}
	p.start(ctx)
	defer p.stop(ctx)
	return do()
}

func (p *player) start(ctx context.Context) {
	if !p.held.standing {
		return
	}
	p.held.standing = false
	if err := p.g.Page.Clock().Start(context.WithoutCancel(ctx)); err != nil {
		p.unstoppable(ctx, err)
	}
}

func (p *player) unstoppable(ctx context.Context, err error) {
	if ctx.Err() != nil || p.held.failed {
		return
	}
	p.held.failed = true
	p.start(ctx)
	p.g.Emit(record.EventWarning, "the game goes on while it is thought about: %v", err)
}

// hold stops all code of the game, unless it is stopped already. Until free
// nothing may be asked of the page.
func (p *player) hold(ctx context.Context) {
	if p.held.now != nil || p.held.failed || p.opts.NoHold {
		return
	}
	held, err := p.g.Page.Hold(ctx)
	if err != nil {
		p.unstoppable(ctx, err)
		return
	}
	p.held.now = held
}

// free lets the page be asked again.
func (p *player) free(ctx context.Context) {
	if p.held.now == nil {
		return
	}
	d, err := p.held.now.Release(ctx)
	p.held.now = nil
	p.held.times++
	p.held.total += d
	if err != nil {
		p.unstoppable(ctx, err)
	}
}

// release gives the game its time back.
func (p *player) release(ctx context.Context) {
	p.free(ctx)
	p.start(ctx)
}

// around holds the game while a model thinks.
func (p *player) around(ctx context.Context, _ string) (done func()) {
	p.sum.Checks++
	p.hold(ctx)
	return func() {}
}
