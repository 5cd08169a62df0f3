package replay

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/playtest-dev/playtest/browser"
	wire "github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

//go:embed steer.js
var steer string

const (
	warmUp  = 60 // frames from loading to the first gesture
	begun   = 60 // frames after each gesture that starts the game
	held    = 6  // frames for which an input is held
	follows = 12 // frames in which its consequences are watched

	loadLimit = 8 * time.Second
	stepLimit = 10 * time.Second
	// idleFor is how long no request may be under way before a page counts as loaded.
	idleFor = 100 * time.Millisecond
)

// arm is one of the pages that live through the same seconds.
type arm struct {
	context *browser.Context
	page    *browser.Page
	view    browser.Rect

	home   string                   // where the game was opened
	opened int                      // documents by then
	passed int                      // frames since then
	waits  int                      // how often it was waited for what the game asked for
	lived  map[*browser.Session]int // how many of them each worker has seen
}

func newArm(ctx context.Context, open Opener, address string, view record.Rect) (*arm, error) {
	c, err := open(ctx)
	if err != nil {
		return nil, fmt.Errorf("open a context: %w", err)
	}
	a := &arm{context: c, view: browser.Rect(view), lived: map[*browser.Session]int{}}
	if a.page, err = c.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{{Source: steer}}}); err != nil {
		return a, fmt.Errorf("open a page: %w", err)
	}
	lctx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	if _, err := a.page.Navigate(lctx, address, nil); err != nil {
		return a, fmt.Errorf("open the game: %w", err)
	}
	_ = a.page.ForgetHistory(lctx) // it is gone when the game is, at the latest
	// What the first frames ask for must be there before the next.
	for range 2 {
		a.loaded(lctx)
		if err := a.pump(ctx, warmUp/2); err != nil {
			return a, err
		}
	}
	a.loaded(lctx)
	a.home, a.opened = a.page.URL(), len(a.page.Loads())
	return a, nil
}

// focus gives the keyboard to a frame of the page, and in it to the game's field.
func (a *arm) focus(ctx context.Context, n int) error {
	if frames := a.page.Frames(); n > 0 && n < len(frames) {
		if err := frames[n].Evaluate(ctx, "window.focus()", nil); err != nil {
			return fmt.Errorf("focus a frame: %w", err)
		}
	}
	game.FocusField(ctx, a.page)
	return nil
}

func (a *arm) close(ctx context.Context) error {
	if a == nil || a.context == nil {
		return nil
	}
	return a.context.Close(ctx)
}

// loaded waits until no request is under way for a moment.
func (a *arm) loaded(ctx context.Context) {
	quiet := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for time.Since(quiet) < idleFor {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if a.page.Log().InFlight() > 0 {
			quiet = time.Now()
		}
	}
}

// pass lets time pass, a second at a go so that none takes too long.
func (a *arm) pass(ctx context.Context, d time.Duration) error {
	for n := int(d / frame); n > 0; n -= 60 {
		if err := a.pump(ctx, min(n, 60)); err != nil {
			return err
		}
	}
	return nil
}

// pump lets so many frames of the game pass in every frame of the page.
func (a *arm) pump(ctx context.Context, n int) error {
	// One after the other, so that frames which meddle with each other do so in the
	// same order in every arm.
	frames := a.frames()
	errs := make([]error, len(frames))
	for i, f := range frames {
		errs[i] = a.steps(ctx, f, n)
	}
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	if err := none(errs); err != nil {
		return fmt.Errorf("let time pass: %w", err)
	}
	a.passed += n
	workers := false
	for _, s := range a.page.Sessions() {
		if s.Kind == "worker" {
			workers = true
			if err := a.pumpWorker(ctx, s); err != nil && !wire.IsGone(err) && slices.Contains(a.page.Sessions(), s) {
				return fmt.Errorf("let time pass in a worker: %w", err)
			}
		}
	}
	if workers {
		return a.shown(ctx) // what it posts takes a moment to arrive
	}
	return nil
}

// steps lets so many frames pass in one frame of the page. What the game asks for
// on the way is waited for.
func (a *arm) steps(ctx context.Context, f *browser.Frame, n int) error {
	for n > 0 {
		step, cancel := context.WithTimeout(ctx, stepLimit)
		passed := n
		err := evaluate(step, f, fmt.Sprintf("__playtestSteps(%d, %t)", n, a.waits >= maxWaits), &passed)
		if n -= passed; err == nil && n > 0 {
			a.waits++
			a.loaded(step)
		}
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// evaluate evaluates an expression in a frame, in the next document if the one it
// ran in led there: an input may go to another page of the game.
func evaluate(ctx context.Context, f *browser.Frame, expr string, out any) error {
	for range maxDocuments {
		if err := f.Evaluate(ctx, expr, out); !errors.Is(err, browser.ErrNavigated) {
			return err
		}
	}
	return f.Evaluate(ctx, expr, out)
}

// maxDocuments bounds how many documents an expression is taken through.
const maxDocuments = 2

// maxWaits bounds how often an arm waits for what the game asks for on the way:
// some never stop asking.
const maxWaits = 12

// shown waits until what was painted last is on the screen.
func (a *arm) shown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	frames := a.frames()
	errs := make([]error, len(frames))
	var wg sync.WaitGroup
	for i, f := range frames {
		wg.Go(func() { errs[i] = evaluate(ctx, f, "__playtestShown()", nil) })
	}
	wg.Wait()
	if err := none(errs); err != nil {
		return fmt.Errorf("wait for a frame: %w", err)
	}
	return nil
}

// maxFrames bounds the frames in which time passes. The first ones hold the
// game; in the others nothing moves, in no arm.
const maxFrames = 24

func (a *arm) frames() []*browser.Frame {
	frames := a.page.Frames()
	return frames[:min(len(frames), maxFrames)]
}

// none returns the errors if no frame answered. Frames come and go, so that
// some do not is no failure.
func none(errs []error) error {
	if slices.Contains(errs, nil) {
		return nil
	}
	return errors.Join(errs...)
}

// pumpWorker lets frames pass in a worker. A worker gets its clock with the first
// of them after its first line, before which it has no timers to replace. When that
// is depends on the machine, so it lives through what it missed. In one that
// does not answer another time passes than in the other arms.
func (a *arm) pumpWorker(ctx context.Context, s *browser.Session) error {
	expr := fmt.Sprintf("if (!globalThis.__playtestSteps) {%s\n}\n__playtestSteps(%d)", steer, a.passed-a.lived[s])
	res, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: expr, AwaitPromise: new(true), Silent: new(true)})
	if err == nil && res.ExceptionDetails == nil {
		a.lived[s] = a.passed
	}
	return err
}

// do makes a gesture, holds it for some frames and lets it take effect.
func (a *arm) do(ctx context.Context, t Try, after int) error {
	release, err := a.hold(ctx, t)
	if err != nil {
		return err
	}
	if err := release(); err != nil {
		return fmt.Errorf("%s: %w", t.Input, err)
	}
	return a.pump(ctx, after)
}

// hold makes a gesture and holds it for some frames, until it is released.
func (a *arm) hold(ctx context.Context, t Try) (release func() error, err error) {
	if err := a.scroll(ctx, t); err != nil {
		return nil, err
	}
	a.unfocus(ctx, t)
	if release, err = a.press(ctx, t.Input); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Input, err)
	}
	return release, a.pump(ctx, held)
}

func (a *arm) press(ctx context.Context, in game.Input) (release func() error, err error) {
	nothing := func() error { return nil }
	m, k := a.page.Mouse(), a.page.Keyboard()
	up := func() error { return m.Up(ctx, nil) }
	switch in.Kind {
	case game.Idle:
		return nothing, nil
	case game.KeyPress, game.KeyHold:
		return func() error { return k.Up(ctx, in.Key) }, k.Down(ctx, in.Key)
	case game.Typing:
		return nothing, k.Type(ctx, in.Text)
	case game.Click:
		at := game.Where(ctx, a.page, in)
		if err := m.Move(ctx, at.X, at.Y); err != nil {
			return nothing, err
		}
		return up, m.Down(ctx, nil)
	case game.DoubleClick:
		return nothing, m.Click(ctx, in.At.X, in.At.Y, &browser.ClickOptions{Count: 2})
	case game.Hover:
		return nothing, m.Move(ctx, in.At.X, in.At.Y)
	case game.Drag:
		return up, a.draw(ctx, in.Path)
	}
	return nothing, fmt.Errorf("%s cannot be replayed", in.Kind)
}

// draw presses the button at the first point and moves along the path, some
// frames at each.
func (a *arm) draw(ctx context.Context, path []record.Point) error {
	m := a.page.Mouse()
	for i, p := range path {
		if err := m.Move(ctx, p.X, p.Y); err != nil {
			return err
		}
		if i == 0 {
			if err := m.Down(ctx, nil); err != nil {
				return err
			}
		}
		if err := a.pump(ctx, 2); err != nil {
			return err
		}
	}
	return nil
}

// unfocus takes the focus off buttons before a key is pressed.
func (a *arm) unfocus(ctx context.Context, t Try) {
	if t.Input.Keyed() {
		game.Unfocus(ctx, a.page)
	}
}

// overCanvas reports whether a drag begins on a canvas.
func (a *arm) overCanvas(ctx context.Context, t Try) bool {
	at, over := t.Input.Begins(), false
	err := a.page.Evaluate(ctx, fmt.Sprintf("document.elementFromPoint(%f, %f) instanceof HTMLCanvasElement", at.X, at.Y), &over)
	return err == nil && over
}

// rest lets as many frames pass as a gesture is made and held for. A pointer that
// would press something comes there all the same: that a thing lights up under it is
// no effect of the press.
func (a *arm) rest(ctx context.Context, t Try) error {
	n := held
	if err := a.scroll(ctx, t); err != nil {
		return err
	}
	a.unfocus(ctx, t)
	switch t.Input.Kind {
	case game.Click, game.DoubleClick:
		at := game.Where(ctx, a.page, t.Input)
		if err := a.page.Mouse().Move(ctx, at.X, at.Y); err != nil {
			return err
		}
	case game.Drag:
		n += 2 * len(t.Input.Path)
	}
	return a.pump(ctx, n)
}

// tidy undoes what the browser itself does for an input: keys scroll pages that
// do not want them, and drags select text.
func (a *arm) tidy(ctx context.Context, t Try) error {
	if t.Input.Keyed() {
		// Scrolling by keys takes some frames of its own.
		for range maxScrolling {
			if err := a.shown(ctx); err != nil {
				return err
			}
			moved, err := a.scrollBack(ctx, t)
			if err != nil {
				return err
			}
			if !moved {
				break
			}
		}
	} else if err := a.scroll(ctx, t); err != nil {
		return err
	}
	a.page.Deselect(ctx)
	return nil
}

// maxScrolling bounds how often a page that scrolls is scrolled back.
const maxScrolling = 10

func (a *arm) scroll(ctx context.Context, t Try) error {
	_, err := a.scrollBack(ctx, t)
	return err
}

// scrollBack puts the page where it was and reports whether it had moved.
func (a *arm) scrollBack(ctx context.Context, t Try) (moved bool, err error) {
	err = a.page.Evaluate(ctx, fmt.Sprintf(`(() => {
		const x = scrollX, y = scrollY;
		window.scrollTo({ left: %f, top: %f, behavior: 'instant' });
		return Math.abs(scrollX - x) + Math.abs(scrollY - y) > 1;
	})()`, t.Scroll.X, t.Scroll.Y), &moved)
	return moved, err
}

// left reports whether an input led away from where the arm that was left alone
// still is: to another host, to where the server has nothing, or back to the
// beginning, since the same page was loaded again.
func (a *arm) left(alone *arm) bool {
	was, at := alone.page.URL(), a.page.URL()
	if was == at {
		return len(a.page.Loads()) > len(alone.page.Loads())
	}
	from, err := url.Parse(was)
	to, toErr := url.Parse(at)
	if err != nil || toErr != nil || to.Host != from.Host {
		return true
	}
	return a.page.Missing() != ""
}

// thrownBack reports whether the page was loaded again since the game was opened.
func (a *arm) thrownBack() bool { return a.page.URL() == a.home && len(a.page.Loads()) > a.opened }

func (a *arm) picture(ctx context.Context) (*image.RGBA, error) {
	if err := a.shown(ctx); err != nil {
		return nil, err
	}
	return a.page.Image(ctx, &a.view, game.PictureScale)
}
