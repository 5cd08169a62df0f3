package search

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

const (
	// follow is how many frames the consequences of an input are watched.
	follow = 12
	// leastPixels is how many pixels of the half-size picture must differ.
	leastPixels = 4
	// invisible is how many more frames a difference that cannot be seen yet is given.
	invisible = 30
	// unrepeatable is the share of the picture that may differ by chance.
	unrepeatable  = 0.1
	closeLimit    = 5 * time.Second
	idleWindow    = 30 // frames
	idleWindows   = 3
	timesChance   = 10 // how many times more pixels an input must change than chance does
	screenApart   = 0.45
	screenAlike   = 0.6
	repeatsOfOnce = 2
)

// pair is two twins that live through the same seconds: one is left alone and
// one gets the inputs.
type pair struct {
	open     twin.Opener
	url      string
	viewport record.Rect

	alone, played *twin.Twin
	// mask is where they differ by chance, stray how many pixels outside of it
	// did at most while nothing was sent.
	mask  twin.Mask
	stray int
	// fields is where text is written, which the browser itself shows.
	fields twin.Mask
	// traced: while nothing is sent they draw the same, so that drawing tells an effect.
	traced bool
	scroll record.Point
}

// outcome is what differs between the twins after an input.
type outcome struct {
	trace         bool
	diff          twin.Difference
	alone, played *image.RGBA
	left          string
	loaded        bool
	threw         string
	dialog        bool
}

func (o outcome) effect() bool { return o.diff.Pixels >= leastPixels }

// both does the same in both twins at once.
func (p *pair) both(do func(t *twin.Twin) error) error {
	return p.each(do, do)
}

func (p *pair) each(alone, played func(t *twin.Twin) error) error {
	var wg sync.WaitGroup
	var errs [2]error
	wg.Go(func() { errs[0] = alone(p.alone) })
	wg.Go(func() { errs[1] = played(p.played) })
	wg.Wait()
	return errors.Join(errs[:]...)
}

// reopen opens both twins afresh and brings them to the end of a prefix.
func (p *pair) reopen(ctx context.Context, prefix []record.Step, frame int) error {
	p.close(ctx)
	var wg sync.WaitGroup
	var errs [2]error
	for i, t := range []**twin.Twin{&p.alone, &p.played} {
		wg.Go(func() { *t, errs[i] = p.fresh(ctx, prefix, frame) })
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	return p.compareIdle(ctx)
}

func (p *pair) fresh(ctx context.Context, prefix []record.Step, frame int) (*twin.Twin, error) {
	t, err := twin.Open(ctx, p.open, p.url, p.viewport)
	if err != nil {
		return t, err
	}
	return t, t.Replay(ctx, prefix, frame)
}

// renew replaces the twin that was left alone by one that got the same inputs as
// the played one, and reports whether both show the same then.
func (p *pair) renew(ctx context.Context, prefix []record.Step) (alike bool, err error) {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	old := p.alone
	p.alone = nil
	if err := old.Close(closing); err != nil {
		return false, fmt.Errorf("close a twin: %w", err)
	}
	if p.alone, err = p.fresh(ctx, prefix, p.played.Frame); err != nil {
		return false, err
	}
	p.played.Trace(ctx)
	p.alone.Trace(ctx)
	d, _, _, err := p.look(ctx, false)
	return err == nil && d.Pixels <= p.stray, err
}

// compareIdle finds out whether the twins stay alike while nothing is sent, and
// where they do not.
func (p *pair) compareIdle(ctx context.Context) error {
	p.mask, p.stray, p.traced = nil, 0, true
	p.scroll = p.played.Scroll(ctx)
	for i := range idleWindows {
		if err := p.both(func(t *twin.Twin) error { return t.Pass(ctx, idleWindow/idleWindows) }); err != nil {
			return err
		}
		a, b := p.traces(ctx)
		if i > 0 && a != b {
			p.traced = false
		}
		d, alone, played, err := p.look(ctx, false)
		if err != nil {
			return err
		}
		if d.Pixels > 0 {
			if p.mask == nil {
				p.mask = twin.Mask{}
			}
			if i > 0 {
				p.stray = max(p.stray, d.Pixels)
			}
			p.mask.Add(alone, played)
			p.traced = false
		} else if i > 0 && p.mask == nil {
			break
		}
	}
	if len(p.alone.Page.Sessions()) > 1 {
		p.traced = false // workers and frames in processes of their own draw unseen
	}
	return nil
}

func (p *pair) traces(ctx context.Context) (a, b twin.Trace) {
	_ = p.each(
		func(t *twin.Twin) error { a = t.Trace(ctx); return nil },
		func(t *twin.Twin) error { b = t.Trace(ctx); return nil })
	return a, b
}

// look compares what the twins show. Unless it is sure that they drew differently, a
// difference counts when a second look shows it: on a busy machine a page's last
// frame may reach its picture late.
func (p *pair) look(ctx context.Context, sure bool) (d twin.Difference, alone, played *image.RGBA, err error) {
	for range 2 {
		if err = p.each(
			func(t *twin.Twin) (err error) { alone, err = t.Picture(ctx); return err },
			func(t *twin.Twin) (err error) { played, err = t.Picture(ctx); return err }); err != nil {
			return d, nil, nil, err
		}
		if d = twin.Compare(alone, played, p.mask, p.fields); d.Pixels == 0 || sure {
			break
		}
	}
	return d, alone, played, nil
}

// pass lets frames pass in both.
func (p *pair) pass(ctx context.Context, frames int) error {
	return p.both(func(t *twin.Twin) error { return t.Pass(ctx, frames) })
}

// try makes an input in the played twin and compares. Unless a picture is wanted in
// any case, one is taken only when the twins drew differently.
func (p *pair) try(ctx context.Context, in record.Input, picture bool) (o outcome, err error) {
	before := p.counts()
	if err := p.each(
		func(t *twin.Twin) error { return t.Forgo(ctx, in) },
		func(t *twin.Twin) error { return t.Take(ctx, in) }); err != nil {
		return o, err
	}
	if err := p.both(func(t *twin.Twin) error {
		if err := t.Pass(ctx, follow); err != nil {
			return err
		}
		if in.Scrolls() {
			t.Tidy(ctx, in, p.scroll)
		}
		return nil
	}); err != nil {
		return o, err
	}
	a, b := p.traces(ctx)
	o.trace = p.traced && a != b
	after := p.counts()
	o.dialog = after.dialogs > before.dialogs
	if after.exceptions > before.exceptions {
		o.threw = p.threw()
	}
	o.left = p.played.Left()
	if p.alone.Left() != "" {
		o.left = ""
	}
	o.loaded = after.loads > before.loads
	if p.traced && !o.trace && !picture && !o.loaded && o.left == "" {
		return o, nil
	}
	if o.diff, o.alone, o.played, err = p.look(ctx, o.trace); err != nil {
		return o, err
	}
	if o.trace && !o.effect() {
		// What differs may show a moment later.
		if err := p.pass(ctx, invisible); err != nil {
			return o, err
		}
		if o.diff, o.alone, o.played, err = p.look(ctx, o.trace); err != nil {
			return o, err
		}
	}
	if o.diff.Pixels <= p.stray*timesChance && p.stray > 0 {
		o.diff.Pixels = 0
	}
	return o, nil
}

// counts are events in the played twin beyond those in the other.
type counts struct{ exceptions, dialogs, loads int }

func (p *pair) counts() counts {
	a, b := p.alone.Page.Log().Counts(), p.played.Page.Log().Counts()
	return counts{b.Exceptions - a.Exceptions, b.Dialogs - a.Dialogs, p.played.Loads() - p.alone.Loads()}
}

// threw is the last exception of the played twin.
func (p *pair) threw() string {
	all := p.played.Page.Log().Exceptions()
	if len(all) == 0 {
		return "an exception"
	}
	return all[len(all)-1].Text
}

func (p *pair) close(ctx context.Context) {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	var wg sync.WaitGroup
	for _, t := range []*twin.Twin{p.alone, p.played} {
		wg.Go(func() { _ = t.Close(closing) }) // the browser is cleaned up after the run
	}
	wg.Wait()
	p.alone, p.played = nil, nil
}
