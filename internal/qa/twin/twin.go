// Package twin is a page of a game under a stepped clock and seeded chance. Two
// such pages that get the same inputs at the same frames show the same, so what
// differs between one that was left alone and one that got an input was caused
// by the input.
package twin

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/playtest-dev/playtest/browser"
	wire "github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/record"
)

// FramesPerSecond of game time.
const FramesPerSecond = 60

// WarmUp are the frames in which a game does what it does first, before any input.
const WarmUp = 10

// Frames is how many frames pass in a stretch of game time.
func Frames(d time.Duration) int { return int(d * FramesPerSecond / time.Second) }

const (
	loadLimit = 12 * time.Second
	// stepLimit is how long a step of a few frames or a picture may take, hungAfter how much longer the
	// page may be busy with it before it counts as hung: a step should take a second.
	stepLimit, hungAfter = 12 * time.Second, 20 * time.Second
	// hungEffort is for how long a page must have worked in that time.
	hungEffort = 8 * time.Second
	// mostFrames is how many frames pass without asking how long they take.
	mostFrames = 20
	// batch is how long a batch of frames should take at most, so that none comes
	// near the limit on a busy machine.
	batch = time.Second
	// idleFor is how long no request may be under way before a page counts as loaded.
	idleFor = 50 * time.Millisecond
	// completeLimit is how long a document without requests may take to be complete.
	completeLimit = 2 * time.Second
	// maxWaits bounds how often a page waits for what the game asks for on the way:
	// some answers never come.
	maxWaits = 4
	// maxFrames bounds the frames of the page in which time passes.
	maxFrames = 24
	// maxLeaves bounds how often the page is left during a few frames.
	maxLeaves = 3
	// decidedToLeave is what clock.js says when a loop of the game left the page.
	decidedToLeave = -2
)

// Opener opens a fresh browser context.
type Opener func(context.Context) (*browser.Context, error)

// ErrHung is returned when a step did not return in time.
var ErrHung = errors.New("the page does not return from a step")

// Twin is one page. One goroutine at a time uses it.
type Twin struct {
	Page  *browser.Page
	Probe *probe.Probe
	// Steps are the inputs it got.
	Steps []record.Step
	// Scrolls: the page is larger than the window, so that keys may scroll it.
	Scrolls bool
	// Blind: no picture will be taken before it is false again and frames have passed,
	// so that scenes need not be painted.
	Blind bool
	// Paint: every frame is painted. Stale: the page paints now and then, and a picture was
	// taken of it that lacks the last painting, because that frame was not to be looked at.
	Paint, Stale bool
	// Frame is how many frames of game time have passed, Drew the one in which the page drew
	// or changed something last, when the trace was read, and Active in how many it did.
	Frame, Drew, Active int
	// Stretches are those of the clock since the first input, as far as the trace was read.
	Stretches []Stretch
	// Code records which code of the game runs; nil unless that was asked for.
	Code *coverage.Recorder
	// Seen is given every picture that is taken, for whoever watches. It may be nil, and
	// must neither block nor change the picture.
	Seen func(*image.RGBA)

	context *browser.Context
	clock   string // the script
	view    browser.Rect
	opened  int // documents when it was opened
	painted int // documents when a picture was taken last
	home    string
	waits   int
	decided int // how often a loop of the game left the page
	untold  int // how often it was left and nobody knows by whom
	// reseeded: chance began anew since the last input.
	reseeded bool
	cost     time.Duration            // of one frame, lately
	dialogs  int                      // before the present step
	lived    map[*browser.Session]int // frames that each worker has seen
	told     map[*browser.Frame]Stretch
}

// Stretch is a stretch of time in milliseconds: as it passed, and as the game was told.
type Stretch struct{ Passed, Told float64 }

// stretch is how long a stretch of the clock is at least.
const stretch = 500

// Options of a twin.
type Options struct {
	Context Opener
	URL     string
	Size    record.Rect
	// Patient: what the game asks for is waited for.
	Patient bool
	// Paint: every frame is painted, also those that nobody will see.
	Paint bool
	// Draw numbers the draws of chance: twins with the same one throw the same dice.
	Draw int
	// Code: it is recorded which code of the game runs.
	Code bool
	// Answer answers the dialogs of the page, nil for the usual answers.
	Answer func(browser.Dialog) (accept bool, text string)
}

// Open opens a game in a fresh context and lets its first frames pass.
func Open(ctx context.Context, opts Options) (*Twin, error) {
	c, err := opts.Context(ctx)
	if err != nil {
		return nil, fmt.Errorf("open a context: %w", err)
	}
	t := &Twin{
		context: c, clock: clock(opts.Draw), view: browser.Rect(opts.Size), Paint: opts.Paint, Probe: probe.New(),
		lived: map[*browser.Session]int{}, told: map[*browser.Frame]Stretch{},
	}
	if !opts.Patient {
		t.waits = maxWaits
	}
	if t.Page, err = c.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{{Source: t.clock}, t.Probe.Script()}}); err != nil {
		return t, fmt.Errorf("open a page: %w", err)
	}
	t.Page.OnDialog(opts.Answer)
	loading, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	if opts.Code {
		if t.Code, err = coverage.Start(loading, t.Page); err != nil {
			return t, fmt.Errorf("record the code: %w", err)
		}
	}
	if _, err := t.Page.Navigate(loading, opts.URL, nil); err != nil {
		return t, fmt.Errorf("open the game: %w", err)
	}
	_ = t.Page.ForgetHistory(loading) // it is gone when the game is, at the latest
	// What the first frames ask for must be there before the next.
	t.complete(loading)
	if err := t.Pass(ctx, WarmUp); err != nil {
		return t, err
	}
	if t.Page.Log().InFlight() > 0 {
		t.loaded(loading)
	}
	t.home, t.opened = t.Page.URL(), len(t.Page.Loads())
	return t, nil
}

// Asked is the question that the page asked last, since it had asked n dialogs.
func (t *Twin) Asked(n int) (question string, ok bool) {
	all := t.Page.Log().Dialogs()
	for _, d := range all[min(n, len(all)):] {
		if d.Type == "prompt" {
			question, ok = d.Message, true
		}
	}
	return question, ok
}

// Questions counts the dialogs in which the page asked for a text or a decision.
func (t *Twin) Questions() (n int) {
	for _, d := range t.Page.Log().Dialogs() {
		if d.Type == "prompt" || d.Type == "confirm" {
			n++
		}
	}
	return n
}

// Close closes the page with its context.
func (t *Twin) Close(ctx context.Context) error {
	if t == nil || t.context == nil {
		return nil
	}
	return t.context.Close(ctx)
}

// GaveUp reports whether the twin no longer waits for what the game asks for, because
// something did not come.
func (t *Twin) GaveUp() bool { return t.waits >= maxWaits }

// Seconds of game time that have passed.
func (t *Twin) Seconds() float64 { return float64(t.Frame) / FramesPerSecond }

// complete waits until the document says that it is loaded and no request is under
// way. What is still to come then would come in another frame in each twin.
func (t *Twin) complete(ctx context.Context) {
	for began := time.Now(); ; {
		t.loaded(ctx)
		var done bool
		err := t.Page.MainFrame().EvaluateIsolated(ctx, "document.readyState === 'complete'", &done)
		if err != nil || done || ctx.Err() != nil || time.Since(began) > completeLimit {
			return
		}
	}
}

// loaded waits until no request is under way for a moment.
func (t *Twin) loaded(ctx context.Context) {
	quiet := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for time.Since(quiet) < idleFor {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if t.Page.Log().InFlight() > 0 {
			quiet = time.Now()
		}
	}
}

// Pass lets frames of the game pass, in every frame and worker of the page. The last of
// them are painted, unless the twin is blind.
func (t *Twin) Pass(ctx context.Context, n int) error {
	for n > 0 {
		// A scene may become a hundred times as heavy from one frame to the next.
		some := min(n, mostFrames)
		if t.cost > 0 {
			some = max(1, min(some, int(batch/t.cost)))
		}
		began := time.Now()
		if err := t.pump(ctx, some, t.Blind || some < n); err != nil {
			return err
		}
		t.cost = time.Since(began) / time.Duration(some)
		n -= some
	}
	return nil
}

// Conceal says that nobody will look at the twin until it is revealed, so that nothing of
// it need be painted.
func (t *Twin) Conceal(ctx context.Context) { t.conceal(ctx, true) }

// Reveal says that the twin may be looked at once frames have passed.
func (t *Twin) Reveal(ctx context.Context) {
	if t.Blind {
		t.conceal(ctx, false)
	}
}

func (t *Twin) conceal(ctx context.Context, yes bool) {
	t.Blind = yes
	// A page that does not answer is painted as it was.
	_ = t.Page.MainFrame().Evaluate(ctx, fmt.Sprintf("__playtestConceal(%t)", yes), nil)
}

// Cost is how long a frame takes lately.
func (t *Twin) Cost() time.Duration { return t.cost }

// Slow reports whether the page takes so long for a frame that little of the
// game can be watched.
func (t *Twin) Slow() bool { return t.cost > 30*time.Millisecond }

func (t *Twin) pump(ctx context.Context, n int, blind bool) error {
	// One frame of the page after the other, so that frames which meddle with
	// each other do so in the same order in every twin.
	t.dialogs = t.Page.Log().Counts().Dialogs
	frames := t.frames()
	errs := make([]error, len(frames))
	for i, f := range frames {
		errs[i] = t.steps(ctx, f, n, blind)
	}
	if err := unlessSome(errs); err != nil {
		return fmt.Errorf("let time pass: %w", t.hung(ctx, err))
	}
	t.Frame += n
	workers := false
	for _, s := range t.Page.Sessions() {
		if s.Kind != "worker" {
			continue
		}
		workers = true
		step, cancel := context.WithTimeout(ctx, stepLimit)
		err := t.pumpWorker(step, s)
		cancel()
		if err != nil && !wire.IsGone(err) && slices.Contains(t.Page.Sessions(), s) {
			return fmt.Errorf("let time pass in a worker: %w", err)
		}
	}
	if workers {
		return t.inFrames(ctx, "__playtestArrived()") // what a worker posts takes a moment
	}
	return nil
}

// hung is ErrHung if a page that did not answer in time goes on being busy, and the error
// as it is otherwise.
func (t *Twin) hung(ctx context.Context, err error) error {
	late := func(err error) bool {
		return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, wire.ErrTimeout)
	}
	if ctx.Err() != nil || !late(err) || t.Page.Log().Counts().Dialogs > t.dialogs {
		return err // a dialog keeps the page from going on
	}
	silent := t.Page.Silent(ctx, hungEffort, func() bool {
		waiting, cancel := context.WithTimeout(wire.WithTimeout(ctx, hungAfter), hungAfter)
		defer cancel()
		return !late(t.Page.MainFrame().Evaluate(waiting, "0", nil))
	})
	if !silent || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrHung, err)
}

// steps lets frames pass in one frame of the page. What the game asks for on the
// way is waited for.
func (t *Twin) steps(ctx context.Context, f *browser.Frame, n int, blind bool) error {
	for leaves, told := 0, false; n > 0; {
		step, cancel := context.WithTimeout(wire.WithTimeout(ctx, stepLimit), stepLimit)
		passed := n
		moved, err := evaluate(step, f, fmt.Sprintf("__playtestSteps(%d, %t, %t, %t)", n, t.waits >= maxWaits, blind, t.Paint), &passed)
		if moved && !told {
			t.untold++ // the answer was lost with the page
		}
		told = passed < 0
		switch {
		case err != nil:
		case passed < 0:
			// The rest passes in the next page, unless this one never goes.
			if leaves++; leaves > maxLeaves {
				n = 0
			}
			if passed == decidedToLeave {
				t.decided++
			}
		case passed < n:
			t.waits++
			t.loaded(step)
			n -= passed
		default:
			n = 0
		}
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// evaluate evaluates an expression in a frame, in the next document if the one it
// ran in led there, and reports whether it did.
func evaluate(ctx context.Context, f *browser.Frame, expr string, out any) (moved bool, err error) {
	const documents = 2
	for range documents {
		if err = f.Evaluate(ctx, expr, out); !errors.Is(err, browser.ErrNavigated) {
			return moved, err
		}
		moved = true
	}
	return moved, f.Evaluate(ctx, expr, out)
}

// shown waits until what was painted last is on the screen.
func (t *Twin) shown(ctx context.Context) error { return t.inFrames(ctx, "__playtestShown()") }

// inFrames waits for an expression in all frames of the page.
func (t *Twin) inFrames(ctx context.Context, expr string) error {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	frames := t.frames()
	errs := make([]error, len(frames))
	var wg sync.WaitGroup
	for i, f := range frames {
		wg.Go(func() { _, errs[i] = evaluate(ctx, f, expr, nil) })
	}
	wg.Wait()
	if err := unlessSome(errs); err != nil {
		return fmt.Errorf("wait for a frame: %w", err)
	}
	return nil
}

func (t *Twin) frames() []*browser.Frame {
	frames := t.Page.Frames()
	return frames[:min(len(frames), maxFrames)]
}

// unlessSome returns the errors if no frame answered. Frames come and go, so that
// some do not is no failure.
func unlessSome(errs []error) error {
	if slices.Contains(errs, nil) {
		return nil
	}
	return errors.Join(errs...)
}

// pumpWorker lets frames pass in a worker. A worker gets its clock with the first
// of them after its first line, before which it has no timers to replace. When that
// is depends on the machine, so it lives through what it missed.
func (t *Twin) pumpWorker(ctx context.Context, s *browser.Session) error {
	expr := fmt.Sprintf("if (!globalThis.__playtestSteps) {%s\n}\n__playtestSteps(%d)", t.clock, t.Frame-t.lived[s])
	res, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: expr, AwaitPromise: new(true), Silent: new(true)})
	if err == nil && res.ExceptionDetails == nil {
		t.lived[s] = t.Frame
	}
	return err
}

// Due is after how many frames all has happened that the page waits to do once, while it rests
// apart from that; zero if it does not rest, or if nothing is to happen soon.
func (t *Twin) Due(ctx context.Context) int {
	last := 0.0
	for _, f := range t.frames() {
		var ms float64
		step, cancel := context.WithTimeout(ctx, stepLimit)
		err := f.Evaluate(step, "__playtestDue()", &ms)
		cancel()
		if err != nil || ms < 0 {
			return 0
		}
		last = max(last, ms)
	}
	if last == 0 {
		return 0
	}
	return Frames(time.Duration(last*float64(time.Millisecond))) + 2 // and what it shows then
}

// Trace is what a page did since the last one was read: equal traces mean that two pages drew the
// same and changed their documents in the same way.
type Trace struct {
	Hash    int64 `json:"hash"`
	Drawn   int   `json:"drawn"`
	Changed int   `json:"changed"`
	// Frames and Timers count what waits to run.
	Frames int `json:"frames"`
	Timers int `json:"timers"`
}

// Trace reads the trace of all frames. Frames that do not answer are left out.
func (t *Twin) Trace(ctx context.Context) Trace {
	var sum Trace
	var busiest struct {
		frame  *browser.Frame
		active int
		now    Stretch
	}
	for _, f := range t.frames() {
		var one struct {
			Trace
			Last   int     `json:"last"`
			Active int     `json:"active"`
			Own    float64 `json:"own"`
			Told   float64 `json:"told"`
			Stale  bool    `json:"stale"`
		}
		step, cancel := context.WithTimeout(ctx, stepLimit)
		err := f.Evaluate(step, "__playtestTrace()", &one)
		cancel()
		if err != nil {
			continue
		}
		sum.Hash = sum.Hash*31 + one.Hash
		sum.Drawn += one.Drawn
		sum.Changed += one.Changed
		t.Drew, t.Active = max(t.Drew, one.Last), max(t.Active, one.Active)
		sum.Frames += one.Frames
		sum.Timers += one.Timers
		t.Stale = t.Stale || one.Stale
		if one.Active > busiest.active {
			busiest.frame, busiest.active, busiest.now = f, one.Active, Stretch{Passed: one.Own, Told: one.Told}
		}
	}
	if busiest.frame != nil {
		t.clocked(busiest.frame, busiest.now)
	}
	return sum
}

// clocked notes what time it is in the frame that does most, where the game is.
func (t *Twin) clocked(f *browser.Frame, now Stretch) {
	before, known := t.told[f]
	passed := now.Passed - before.Passed
	if known && len(t.Steps) > 0 && passed >= stretch {
		t.Stretches = append(t.Stretches, Stretch{Passed: passed, Told: now.Told - before.Told})
	}
	if !known || len(t.Steps) == 0 || passed < 0 || passed >= stretch {
		t.told[f] = now
	}
}

// Picture takes the picture that a player would see now, at half size.
func (t *Twin) Picture(ctx context.Context) (*image.RGBA, error) {
	// A picture forces a frame of the page, but not of what other processes paint, and not
	// of a document that has not been painted at all.
	if loads := len(t.Page.Loads()); len(t.Page.Sessions()) > 1 || loads != t.painted {
		if err := t.shown(ctx); err != nil {
			return nil, err
		}
		t.painted = loads
	}
	img, err := t.Page.Image(ctx, &browser.ScreenshotOptions{Clip: &t.view, Scale: PictureScale, Timeout: stepLimit})
	if err == nil && t.Seen != nil {
		t.Seen(img)
	}
	return img, err
}

// PictureScale is the size of pictures for comparing: half, so that a figure of
// a dozen pixels still shows.
const PictureScale = 0.5

// Loads counts the documents that the page loaded since it was opened.
func (t *Twin) Loads() int { return len(t.Page.Loads()) - t.opened }

// Decided counts how often the page was left by a loop of the game, which does so for a
// reason, such as the end of a round, and not whatever happens, or may have been.
func (t *Twin) Decided() int { return t.decided + t.untold }

// Reloads counts how often the page was loaded again at the address that it had.
func (t *Twin) Reloads() (n int) {
	before := t.home
	for _, l := range t.Page.Loads()[min(t.opened, len(t.Page.Loads())):] {
		at, _, _ := strings.Cut(l.URL, "#")
		if was, _, _ := strings.Cut(before, "#"); at == was {
			n++
		}
		before = l.URL
	}
	return n
}

// Left is the address on another site, or the missing page, that the twin went to; empty
// if it is where its game is.
func (t *Twin) Left() string {
	at := t.Page.URL()
	from, err := url.Parse(t.home)
	to, toErr := url.Parse(at)
	if err != nil || toErr != nil || to.Host != from.Host {
		return at
	}
	if missing := t.Page.Missing(); missing != "" {
		return missing
	}
	return ""
}

// Moved reports whether the twin is on another page than the one that was opened.
func (t *Twin) Moved() bool {
	from, err := url.Parse(t.home)
	to, toErr := url.Parse(t.Page.URL())
	return err == nil && toErr == nil && from.Path != to.Path
}

// Elsewhere is the address of a page of the same site to which the twin climbed from its
// game; empty if it did not.
func (t *Twin) Elsewhere() string {
	from, err := url.Parse(t.home)
	to, toErr := url.Parse(t.Page.URL())
	if err != nil || toErr != nil || !climbs(from.Path, to.Path) {
		return ""
	}
	return to.String()
}

// climbs reports whether a page is the index of the folder that another one is in, or
// lies outside of that folder. A title page leads on to pages beside it or below; a list
// of other games lies above.
func climbs(from, to string) bool {
	from, to = strings.TrimSuffix(from, "index.html"), strings.TrimSuffix(to, "index.html")
	folder := strings.TrimSuffix(path.Dir(from+"x"), "/") + "/"
	return from != to && (to == folder || !strings.HasPrefix(to, folder))
}
