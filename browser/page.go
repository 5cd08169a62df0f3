package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/playtest-dev/playtest/browser/cdp"
)

var (
	// ErrPageClosed is what calls get on a page that is gone: closed by us, by
	// itself with window.close, or killed.
	ErrPageClosed = errors.New("page closed")
	// ErrCrashed is what calls get on a page whose renderer has crashed. A new
	// Navigate revives it.
	ErrCrashed = errors.New("page crashed")
)

// InitScript is JavaScript that runs in every frame before the page's own.
type InitScript struct {
	Source  string
	World   string // "" is the page's own world, any other name an isolated one
	Workers bool   // also in workers, before their first line
}

// PageOptions tune NewPage.
type PageOptions struct {
	InitScripts []InitScript
}

// Page is one tab. Its methods may be called from any goroutine.
//
// What is in the page is reached through [Page.Locator] and [Page.Frames], input that
// goes to a place or to no element in particular through [Page.Mouse], [Page.Keyboard]
// and [Page.Touch], what it logged and loaded through [Page.Log], and its time through
// [Page.Clock]. Cookies, storage and emulation are those of all tabs of its [Context].
type Page struct {
	context *Context
	browser *Browser
	target  string
	seq     int64
	root    *Session
	queue   *cdp.Queue
	log     *Log

	mouse    *Mouse
	keyboard *Keyboard
	clock    *Clock
	touch    *Touch

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced at each change somebody waits for
	sessions  []*Session    // root first, in order of attachment
	frames    map[string]*Frame
	main      *Frame
	scripts   []InitScript
	hooks     []func(*Session)
	intercept *interception
	guards    []*guard
	inputs    []*onInput
	counted   int64           // inputs that were sent
	lately    []InputEvent    // the newest of them
	tried     map[string]bool // requests that were given the context's credentials
	onDialog  func(Dialog) (accept bool, text string)
	size      *Rect // of the viewport, where it is not the context's
	leaving   int   // navigations and closings of our own under way
	crashed   bool
	crashes   int
	moves     int // documents and addresses that the main frame has had
	err       error

	open bool // guarded by browser.mu: it is ready to be used
	done chan struct{}
	wg   sync.WaitGroup
}

var pageSeq atomic.Int64

// NewPage opens a blank page, ready to record and with its init scripts set.
func (c *Context) NewPage(ctx context.Context, opts *PageOptions) (*Page, error) {
	attached, err := c.create(ctx)
	if err != nil {
		return nil, fmt.Errorf("opening page: %w", err)
	}
	p := c.newPage(attached)
	if opts != nil {
		p.scripts = append(p.scripts, opts.InitScripts...)
	}
	if err := p.register(); err != nil {
		return nil, fmt.Errorf("opening page: %w", err)
	}
	if err := p.prepare(ctx, p.root); err != nil {
		p.Close(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("opening page: %w", err)
	}
	p.activate()
	return p, nil
}

// newPage is the page of a target that has attached. Nobody knows of it yet.
func (c *Context) newPage(attached parked) *Page {
	p := &Page{
		context: c, browser: c.browser, target: string(attached.info.TargetID), seq: pageSeq.Add(1),
		queue: cdp.NewQueue(nil), log: newLog(), changed: make(chan struct{}),
		frames: make(map[string]*Frame), tried: make(map[string]bool), done: make(chan struct{}),
	}
	p.log.proxy = c.opts.Proxy
	p.scripts = append(p.scripts, c.opts.InitScripts...)
	p.root = newSession(p, attached.session, attached.info)
	p.sessions = []*Session{p.root}
	p.main = p.addFrame(p.target, "", p.root)
	p.mouse = &Mouse{page: p}
	p.keyboard = &Keyboard{page: p, held: make(map[string]bool)}
	p.clock = &Clock{page: p}
	p.touch = &Touch{page: p}
	return p
}

// register makes the page one of the browser's, and starts to follow it.
func (p *Page) register() error {
	b, s := p.browser, p.root.Session
	b.mu.Lock()
	if err := b.err; err != nil {
		b.mu.Unlock()
		return err
	}
	b.pages[s.ID()] = p
	b.mu.Unlock()
	if s.Err() != nil { // ended before we had it in the map
		b.detached(s.ID())
		return ErrPageClosed
	}
	p.root.Listen(p.queue, p.root.events())
	p.spawn(p.loop)
	return nil
}

// spawn runs f in a goroutine that the end of the context and of the browser
// wait for. On a page that has ended it does nothing.
func (p *Page) spawn(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return
	}
	p.browser.wg.Add(1)
	p.wg.Go(func() {
		defer p.browser.wg.Done()
		f()
	})
}

// Context is the context the page was opened in.
func (p *Page) Context() *Context { return p.context }

// Mouse is the page's mouse.
func (p *Page) Mouse() *Mouse { return p.mouse }

// Keyboard is the page's keyboard.
func (p *Page) Keyboard() *Keyboard { return p.keyboard }

// Touch is the page's touch screen.
func (p *Page) Touch() *Touch { return p.touch }

// Log is what the page has logged and loaded since it was opened.
func (p *Page) Log() *Log { return p.log }

// URL is the address of the main frame's document.
func (p *Page) URL() string { return p.MainFrame().URL() }

// Done is closed when the page is gone.
func (p *Page) Done() <-chan struct{} { return p.done }

// Err says why the page is gone, ErrCrashed while it is crashed, nil otherwise.
func (p *Page) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil && p.crashed {
		return ErrCrashed
	}
	return p.err
}

// Closed reports whether the page is gone.
func (p *Page) Closed() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Crashed reports whether the page's renderer has crashed and not been revived.
func (p *Page) Crashed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crashed
}

// Close closes the page without asking it, and waits until it is gone.
func (p *Page) Close(ctx context.Context) error {
	if p.Closed() {
		return nil
	}
	p.leave(1)
	defer p.leave(-1)
	if err := p.closeTarget(ctx, cdp.DefaultTimeout); err != nil {
		return fmt.Errorf("closing page: %w", err)
	}
	return nil
}

func (p *Page) closeTarget(ctx context.Context, patience time.Duration) error {
	_, err := protocol.Call(ctx, p.browser.root, target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(p.target)})
	var refused *cdp.Error
	if err != nil && !errors.As(err, &refused) { // a refusal means that it is already gone
		if p.Closed() {
			return nil
		}
		return err
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return cdp.ErrTimeout
	}
}

// Kill ends the page even when it hangs: its target is closed, and if it
// resists its renderer is crashed first. Other pages go on.
func (p *Page) Kill(ctx context.Context) error {
	if p.Closed() {
		return nil
	}
	p.leave(1)
	defer p.leave(-1)
	if p.closeTarget(ctx, 2*time.Second) == nil {
		return nil
	}
	p.root.Start(page.CommandCrash, nil)
	if err := p.closeTarget(ctx, 5*time.Second); err != nil {
		return fmt.Errorf("killing page: %w", err)
	}
	return nil
}

// Responsive reports whether the page's main thread answers within d.
func (p *Page) Responsive(ctx context.Context, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return p.root.Call(ctx, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "1" + ownSource, Silent: ptr(true)}, nil) == nil
}

func (p *Page) leave(n int) {
	p.mu.Lock()
	p.leaving += n
	p.mu.Unlock()
}

// end is the end of the page, for whatever reason. The first reason stays.
func (p *Page) end(err error) {
	p.mu.Lock()
	if p.err != nil {
		p.mu.Unlock()
		return
	}
	p.err = err
	for _, f := range p.frames {
		f.detached = true
	}
	p.frames = map[string]*Frame{}
	p.sessions = nil
	close(p.changed)
	close(p.done)
	p.mu.Unlock()
	p.queue.Close(err)
	p.browser.mu.Lock()
	delete(p.browser.pages, p.root.ID())
	p.browser.mu.Unlock()
	p.context.deactivate(p)
}

// notify wakes everybody who waits for a change.
func (p *Page) notify() {
	p.mu.Lock()
	p.broadcast()
	p.mu.Unlock()
}

func (p *Page) broadcast() {
	if p.err == nil {
		close(p.changed)
		p.changed = make(chan struct{})
	}
}

// wait returns when ok says so, which is asked under p.mu after each change. It
// fails when the page ends or is crashed.
func (p *Page) wait(ctx context.Context, ok func() bool) error {
	return p.waitFor(ctx, func() (bool, error) {
		if ok() {
			return true, nil
		}
		if p.crashed {
			return false, ErrCrashed
		}
		return false, nil
	})
}

func (p *Page) waitFor(ctx context.Context, ok func() (bool, error)) error {
	for {
		p.mu.Lock()
		ready, err := ok()
		if !ready && err == nil {
			err = p.err
		}
		changed := p.changed
		p.mu.Unlock()
		if ready || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (p *Page) hasFrame(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frames[id] != nil
}

// Missing says why the page's document is not what was asked for: "" when it is.
func (p *Page) Missing() string {
	main := p.MainFrame()
	if main == nil {
		return ""
	}
	requests := p.Log().Requests()
	for _, r := range slices.Backward(requests) {
		if r.Type == "Document" && r.FrameID == main.ID() {
			return r.Lost()
		}
	}
	return ""
}

// Freeze stops the page's timers and frames, as a browser does with a tab that nobody
// looks at, or lets them go on.
func (p *Page) Freeze(ctx context.Context, frozen bool) error {
	state := page.SetWebLifecycleStateStateActive
	if frozen {
		state = page.SetWebLifecycleStateStateFrozen
	}
	if _, err := protocol.Call(ctx, p.root, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state}); err != nil {
		return fmt.Errorf("freezing page: %w", err)
	}
	return nil
}

// Deselect takes back what drags and double clicks select, in every frame.
func (p *Page) Deselect(ctx context.Context) {
	frames := p.Frames()
	for _, f := range frames[:min(len(frames), maxDeselected)] {
		// A frame that is gone or hangs shows no selection that matters.
		_ = f.Evaluate(ctx, "void getSelection()?.removeAllRanges()\n//# sourceURL=playtest:select", nil)
	}
}

const maxDeselected = 24
