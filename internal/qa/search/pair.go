package search

import (
	"context"
	"errors"
	"image"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

const (
	// follow is how many frames the consequences of an input are watched.
	follow = 12
	// followUnseen is how many where a worker draws, of which nobody knows whether it has
	// begun to answer.
	followUnseen = 30
	// painted is how many frames are painted before a look, after some that were not.
	painted = 2
	// invisible is how many more frames a difference that cannot be seen yet is given, and
	// invisibleTimes how often while a timer runs in one of the twins only.
	invisible, invisibleTimes = 30, 5
	// maxUnseen is how often in a row that is given.
	maxUnseen = 4
	// unrepeatable is the share of the picture that may differ by chance.
	unrepeatable = 0.1
	closeLimit   = 5 * time.Second
	idleWindow   = 10 // frames
	idleWindows  = 4
	timesChance  = 10 // how many times more pixels an input must change than chance does
)

// pair is two twins that live through the same seconds: one is left alone and
// one gets the inputs.
type pair struct {
	open     twin.Opener
	url      string
	viewport record.Rect
	draw     int // of chance

	alone, played *twin.Twin
	// spares are more of them that are made ready, for when these must be replaced.
	spares []*spare
	// discarding are those that are being closed.
	discarding sync.WaitGroup
	unused     bool // no more of them are needed
	// impatient: something that the game asks for never comes, so nobody waits any more.
	impatient bool
	// seen are the pictures that were taken last, at frame seenAt.
	seen   view
	seenAt int
	// mask is where they differ by chance, stray how many pixels outside of it
	// did at most while nothing was sent.
	mask  twin.Mask
	stray int
	// fields is where text is written, which the browser itself shows.
	fields twin.Mask
	// traced: while nothing is sent they draw the same, so that drawing tells an effect.
	traced bool
	// untraceable: the page draws in a way that the trace does not know.
	untraceable bool
	// drawnByWorker: the page has workers, which may draw.
	drawnByWorker bool
	// unnoticed are inputs in a row that the game drew something else for, though nobody could see it.
	unnoticed int
	// reloads is how often the played twin had been loaded again before the last input.
	reloads int
	scroll  record.Point
	// paint: every frame is painted, since the game paints now and then.
	paint bool
	// watched is given the pictures of the played twin. It may be nil.
	watched func(*browser.Page, *image.RGBA)
	// leaving is called before the played twin is closed.
	leaving func(context.Context)
	// lived is how many seconds of game time passed in played twins that were replaced.
	lived float64
	// opens counts the twins that were opened.
	opens atomic.Int32
}

// view is a picture of both twins at one moment.
type view struct {
	alone, played *image.RGBA
	diff          twin.Difference
}

// outcome is what differs between the twins after an input.
type outcome struct {
	view
	trace  bool
	left   string
	loaded bool
	threw  string
	dialog bool
	passed bool // what the view shows was over again when the twins had been watched for longer
}

func (o outcome) effect() bool { return o.diff.Pixels >= record.LeastPixels }

// fill writes what differs into an observation.
func (o outcome) fill(ob *record.Observation) {
	ob.Trace, ob.Pixels, ob.Area, ob.Cells = o.trace, o.diff.Pixels, o.diff.Area, o.diff.Cells
	ob.Left, ob.Loaded, ob.Threw, ob.Dialog = o.left, o.loaded, o.threw, o.dialog
}

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

func (p *pair) newTwin(ctx context.Context, opts twin.Options) (*twin.Twin, error) {
	p.opens.Add(1)
	return twin.Open(ctx, opts)
}

func (p *pair) options() twin.Options {
	return twin.Options{Context: p.open, URL: p.url, Size: p.viewport, Patient: !p.impatient, Paint: p.paint, Draw: p.draw}
}

// reopen opens both twins afresh and brings them to the end of a prefix.
func (p *pair) reopen(ctx context.Context, prefix []record.Step, frame int) error {
	if err := p.openAt(ctx, prefix, frame); err != nil {
		return err
	}
	return p.compareIdle(ctx)
}

// openAt opens both twins afresh at one frame, of which it is known whether they are alike.
func (p *pair) openAt(ctx context.Context, prefix []record.Step, frame int) error {
	p.closeTwins(ctx)
	one, two := p.spare(prefix, frame), p.spare(prefix, frame)
	var wg sync.WaitGroup
	var errs [2]error
	wg.Go(func() { p.alone, errs[0] = p.fresh(ctx, one, prefix, frame) })
	wg.Go(func() { p.played, errs[1] = p.fresh(ctx, two, prefix, frame) })
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		p.closeTwins(ctx)
		return err
	}
	p.impatient = p.impatient || p.alone.GaveUp() && p.played.GaveUp()
	p.show()
	p.stock(ctx, prefix, frame)
	p.traces(ctx)
	return p.look(ctx, false)
}

// show lets whoever watches see the played twin.
func (p *pair) show() {
	if p.watched != nil {
		page := p.played.Page
		p.played.Seen = func(img *image.RGBA) { p.watched(page, img) }
	}
}

// replace replaces one of the twins by one that got the inputs of a prefix, and reports
// whether both show the same then.
func (p *pair) replace(ctx context.Context, t **twin.Twin, prefix []record.Step, frame int) (alike bool, err error) {
	if t == &p.played {
		p.leaving(ctx)
	}
	old := *t
	*t = nil
	closeTwin(ctx, old)
	if *t, err = p.fresh(ctx, p.spare(prefix, frame), prefix, frame); err != nil {
		p.closeTwins(ctx)
		return false, err
	}
	p.show()
	p.stock(ctx, prefix, frame)
	p.traces(ctx)
	if err := p.look(ctx, false); err != nil {
		return false, err
	}
	return p.seen.diff.Pixels <= p.stray, nil
}

// compareIdle finds out whether the twins stay alike while nothing is sent, and
// where they do not. Where they did not before, they need not now.
func (p *pair) compareIdle(ctx context.Context) error {
	p.traced = false
	p.scroll = p.played.Scroll(ctx)
	if err := p.pass(ctx, idleWindow); err != nil {
		return err
	}
	p.traces(ctx) // its first frames are the end of the way here
	for range idleWindows {
		if err := p.pass(ctx, idleWindow); err != nil {
			return err
		}
		a, b := p.traces(ctx)
		p.traced = a == b
		if err := p.look(ctx, false); err != nil {
			return err
		}
		if p.seen.diff.Pixels == 0 {
			if p.traced {
				break
			}
			continue
		}
		if p.mask == nil {
			p.mask = twin.Mask{}
		} else {
			p.stray = max(p.stray, p.seen.diff.Pixels)
		}
		p.mask.Add(p.seen.alone, p.seen.played)
		p.traced = false
	}
	p.drawnByWorker = slices.ContainsFunc(p.alone.Page.Sessions(), func(s *browser.Session) bool { return s.Kind == "worker" })
	if p.untraceable || p.drawnByWorker {
		p.traced = false // workers draw unseen, too
	}
	return nil
}

func (p *pair) traces(ctx context.Context) (a, b twin.Trace) {
	_ = p.each(
		func(t *twin.Twin) error { a = t.Trace(ctx); return nil },
		func(t *twin.Twin) error { b = t.Trace(ctx); return nil })
	if p.alone.Stale || p.played.Stale {
		p.paint, p.alone.Paint, p.played.Paint = true, true, true
	}
	return a, b
}

// look compares what the twins show. Unless it is sure that they drew differently, a
// difference counts when a second look shows it: on a busy machine a page's last
// frame may reach its picture late.
func (p *pair) look(ctx context.Context, sure bool) error {
	for range 2 {
		var v view
		if err := p.each(
			func(t *twin.Twin) (err error) { v.alone, err = t.Picture(ctx); return err },
			func(t *twin.Twin) (err error) { v.played, err = t.Picture(ctx); return err }); err != nil {
			return err
		}
		v.diff = twin.Compare(v.alone, v.played, p.mask, p.fields)
		p.seen, p.seenAt = v, p.played.Frame
		if v.diff.Pixels == 0 || sure {
			break
		}
	}
	return nil
}

// picture is what the played twin shows now.
func (p *pair) picture(ctx context.Context) (*image.RGBA, error) {
	if p.seen.played != nil && p.seenAt == p.played.Frame {
		return p.seen.played, nil
	}
	return p.played.Picture(ctx)
}

// pass lets frames pass in both.
func (p *pair) pass(ctx context.Context, frames int) error {
	return p.both(func(t *twin.Twin) error { return t.Pass(ctx, frames) })
}

// blind says that nobody will look at the next frames, so that they need not be painted.
func (p *pair) blind(yes bool) { p.alone.Blind, p.played.Blind = yes, yes }

// try makes an input in the played twin and compares. Unless a picture is wanted in
// any case, one is taken only when the twins drew differently.
func (p *pair) try(ctx context.Context, in record.Input, picture bool) (o outcome, err error) {
	frames := follow
	if p.drawnByWorker {
		frames = followUnseen
	}
	return p.tryFor(ctx, in, picture, frames, false)
}

// tryFor does so after a number of frames, and looks earlier, too, if what is over by then
// shall be seen.
func (p *pair) tryFor(ctx context.Context, in record.Input, picture bool, frames int, early bool) (o outcome, err error) {
	before := p.counts()
	p.reloads = p.played.Reloads()
	// Nothing is painted unless it will be looked at.
	blind := p.traced && !picture
	p.blind(blind)
	defer p.blind(false)
	if err := p.each(
		func(t *twin.Twin) error { return t.Forgo(ctx, in) },
		func(t *twin.Twin) error { return t.Take(ctx, in) }); err != nil {
		return o, err
	}
	if err := p.both(func(t *twin.Twin) error {
		first := frames
		if early {
			first = follow
		}
		err := t.Pass(ctx, first)
		if err == nil && in.Scrolls() {
			t.Tidy(ctx, in, p.scroll)
		}
		return err
	}); err != nil {
		return o, err
	}
	a, b := p.traces(ctx)
	differed := a != b
	var soon view
	if early {
		if differed || !p.traced {
			p.blind(false)
			if err := p.pass(ctx, painted); err != nil {
				return o, err
			}
			if err := p.look(ctx, differed); err != nil {
				return o, err
			}
			soon = p.seen
		}
		if err := p.pass(ctx, frames-follow); err != nil {
			return o, err
		}
		a, b = p.traces(ctx)
		differed = differed || a != b
	}
	o.trace = p.traced && differed
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
	if p.blind(false); blind {
		if err := p.pass(ctx, painted); err != nil {
			return o, err
		}
	}
	if err := p.look(ctx, o.trace); err != nil {
		return o, err
	}
	if o.trace && p.seen.diff.Pixels < record.LeastPixels && p.unnoticed < maxUnseen {
		// What differs may show a moment later.
		if err := p.await(ctx); err != nil {
			return o, err
		}
	}
	o.view = p.seen
	if !p.differ(o.view) && p.differ(soon) {
		o.view, o.passed = soon, true
	}
	if !p.differ(o.view) && p.stray > 0 {
		o.diff.Pixels = 0
	}
	if p.unnoticed++; o.effect() || !o.trace {
		p.unnoticed = 0
	}
	return o, nil
}

// differ reports whether the twins differ by more than chance makes them.
func (p *pair) differ(v view) bool {
	return v.diff.Pixels >= record.LeastPixels && v.diff.Pixels > p.stray*timesChance
}

// await gives what differs unseen time to show.
func (p *pair) await(ctx context.Context) error {
	for range invisibleTimes {
		if err := p.pass(ctx, invisible); err != nil {
			return err
		}
		if err := p.look(ctx, true); err != nil {
			return err
		}
		if a, b := p.traces(ctx); p.seen.diff.Pixels >= record.LeastPixels || a.Timers == b.Timers {
			break
		}
	}
	return nil
}

// lastStep is the last input of the played twin.
func (p *pair) lastStep() record.Step { return p.played.Steps[len(p.played.Steps)-1] }

// lookAbove compares what the top of a page shows that is scrolled down.
func (p *pair) lookAbove(ctx context.Context) (v view, err error) {
	look := func(t *twin.Twin) (img *image.RGBA, err error) {
		if err := t.ScrollTo(ctx, record.Point{}); err != nil {
			return nil, err
		}
		if img, err = t.Picture(ctx); err != nil {
			return nil, err
		}
		return img, t.ScrollTo(ctx, p.scroll)
	}
	if err := p.each(
		func(t *twin.Twin) (err error) { v.alone, err = look(t); return err },
		func(t *twin.Twin) (err error) { v.played, err = look(t); return err }); err != nil {
		return v, err
	}
	v.diff = twin.Compare(v.alone, v.played)
	return v, nil
}

// hold makes an input in the played twin and compares while it is held.
func (p *pair) hold(ctx context.Context, in record.Input) (v view, err error) {
	err = p.each(
		func(t *twin.Twin) (err error) {
			if err := t.Forgo(ctx, in); err != nil {
				return err
			}
			v.alone, err = t.Picture(ctx)
			return err
		},
		func(t *twin.Twin) (err error) { v.played, err = t.TakeAndLook(ctx, in); return err })
	if err != nil {
		return v, err
	}
	v.diff = twin.Compare(v.alone, v.played, p.mask, p.fields)
	if err := p.pass(ctx, follow); err != nil {
		return v, err
	}
	p.traces(ctx)
	return v, nil
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
	p.closeTwins(ctx)
	for _, s := range p.spares {
		p.discard(ctx, s)
	}
	p.spares = nil
	p.discarding.Wait()
}

func (p *pair) closeTwins(ctx context.Context) {
	if p.played != nil {
		p.leaving(ctx)
		p.lived += p.played.Seconds()
	}
	var wg sync.WaitGroup
	for _, t := range []*twin.Twin{p.alone, p.played} {
		wg.Go(func() { closeTwin(ctx, t) })
	}
	wg.Wait()
	p.alone, p.played = nil, nil
}

func closeTwin(ctx context.Context, t *twin.Twin) {
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	_ = t.Close(closing) // the browser is cleaned up after the run
}
