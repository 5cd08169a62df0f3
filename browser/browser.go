// Package browser drives a Chromium: it launches one or attaches to one, opens
// isolated contexts and pages in it, follows every frame and worker, sends
// trusted input, takes pictures and records what pages log and load.
//
//	Browser ─┬─ Context ─┬─ Page ─┬─ Frame (the main one, and all below)
//	         │           │        ├─ Session (page, cross-origin frames, workers)
//	         │           │        └─ Mouse, Keyboard, Touch, Log
//
// Each page has one goroutine that handles the events of all its sessions in
// the order of the wire. Every protocol call has a deadline of its own, so a
// page that hangs, crashes or drowns us in dialogs fails its own calls only.
package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	chromium "github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/target"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// ErrClosed is what calls get on a browser, context or page that was closed.
var ErrClosed = errors.New("browser closed")

// Browser is one Chromium process, ours or somebody else's.
type Browser struct {
	conn       *cdp.Conn
	root       *cdp.Session
	proc       *process // nil when attached
	log        *slog.Logger
	version    string
	userAgent  string
	sandbox    string
	queue      *cdp.Queue
	windowless bool         // nobody sees its pages
	release    func() error // of a service that lent us the browser, or nil
	inspect    string

	mu       sync.Mutex
	contexts map[string]*Context
	pages    map[string]*Page // by session id of the page's root session
	parked   map[string]parked
	changed  chan struct{}
	err      error

	done      chan struct{}
	wg        sync.WaitGroup
	closeOnce sync.Once
	closeErr  error
}

// parked is a page target that has attached while a NewPage is under way and
// may turn out to be the one it asked for.
type parked struct {
	session *cdp.Session
	info    *target.Info
}

func newBrowser(conn *cdp.Conn, proc *process, log *slog.Logger) *Browser {
	b := &Browser{
		conn: conn, root: conn.Browser(), proc: proc, log: log, sandbox: "unknown", queue: cdp.NewQueue(nil),
		contexts: make(map[string]*Context), pages: make(map[string]*Page), parked: make(map[string]parked),
		changed: make(chan struct{}), done: make(chan struct{}),
	}
	b.root.Listen(b.queue, map[string]cdp.Policy{
		target.AttachedToTarget.Method:    cdp.MustDeliver,
		target.DetachedFromTarget.Method:  cdp.MustDeliver,
		chromium.DownloadWillBegin.Method: cdp.MustDeliver,
		chromium.DownloadProgress.Method:  cdp.MustDeliver,
	})
	b.wg.Go(b.watch)
	b.wg.Go(b.loop)
	return b
}

// start asks the fresh connection who is there.
func (b *Browser) start(ctx context.Context, timeout time.Duration) error {
	ctx = cdp.WithTimeout(ctx, timeout)
	v, err := protocol.Call(ctx, b.root, chromium.GetVersion, protocol.Empty{})
	if err != nil {
		return err
	}
	b.version = v.Product
	b.userAgent = strings.Replace(v.UserAgent, "HeadlessChrome", "Chrome", 1) + " playtest"
	// Only pages: their own sessions attach to what is below them. A browser
	// that others use too is never made to wait for us.
	_, err = protocol.Call(ctx, b.root, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: b.proc != nil, Flatten: ptr(true),
		Filter: target.Filter{{Type: "page"}, {Exclude: true}},
	})
	return err
}

// Version is what the browser calls itself, such as "Chrome/156.0.8078.79".
func (b *Browser) Version() string { return b.version }

// UserAgent is what pages are told unless a context says otherwise.
func (b *Browser) UserAgent() string { return b.userAgent }

// Inspect is where a person can look at a browser of a service, "" elsewhere.
func (b *Browser) Inspect() string { return b.inspect }

// PID is the process id of a launched browser, 0 for an attached one.
func (b *Browser) PID() int {
	if b.proc == nil {
		return 0
	}
	return b.proc.pid()
}

// Done is closed when the browser is gone, whoever ended it.
func (b *Browser) Done() <-chan struct{} { return b.done }

// Err says why the browser is gone: ErrClosed after Close, an *ExitError when
// Chromium ended by itself, a *cdp.LostError when a remote one was lost.
func (b *Browser) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Close ends a launched browser with all its processes and removes its profile;
// of an attached one it closes only what we opened. It may be called often.
func (b *Browser) Close() error {
	b.closeOnce.Do(func() {
		b.fail(ErrClosed)
		if b.proc != nil {
			b.root.Start(chromium.Close.Method, nil)
			b.closeErr = b.proc.end(500 * time.Millisecond)
			for _, c := range b.contextList() {
				c.tidyDownloads()
			}
		} else {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			for _, c := range b.contextList() {
				c.dispose(ctx)
			}
		}
		b.closeErr = errors.Join(b.closeErr, b.conn.Close())
		b.wg.Wait()
		if b.release != nil {
			b.closeErr = errors.Join(b.closeErr, b.release())
		}
	})
	return b.closeErr
}

// fail notes the first reason for the end and tells every page.
func (b *Browser) fail(err error) {
	b.mu.Lock()
	if b.err != nil {
		b.mu.Unlock()
		return
	}
	b.err = err
	pages := make([]*Page, 0, len(b.pages))
	for _, p := range b.pages {
		pages = append(pages, p)
	}
	close(b.changed)
	close(b.done)
	b.mu.Unlock()
	for _, p := range pages {
		p.end(err)
	}
}

// watch turns a lost connection into the end of the browser.
func (b *Browser) watch() {
	<-b.conn.Done()
	err := b.conn.Err()
	if b.proc != nil && !errors.Is(err, cdp.ErrClosed) {
		if exit := b.proc.exitError(); exit != nil {
			err = exit
		}
	}
	b.fail(err)
	b.queue.Close(err)
}

func (b *Browser) loop() {
	for {
		e, err := b.queue.Next(context.Background())
		if err != nil {
			if errors.Is(err, cdp.ErrOverflow) {
				b.fail(fmt.Errorf("browser events: %w", err))
			}
			return
		}
		switch e.Method {
		case target.AttachedToTarget.Method:
			var ev target.EventAttachedToTarget
			if jsonv2.Unmarshal(e.Params, &ev) == nil && ev.TargetInfo != nil {
				b.attached(&ev)
			}
		case target.DetachedFromTarget.Method:
			var ev target.EventDetachedFromTarget
			if jsonv2.Unmarshal(e.Params, &ev) == nil {
				b.detached(string(ev.SessionID))
			}
		case chromium.DownloadWillBegin.Method:
			var ev chromium.EventDownloadWillBegin
			if jsonv2.Unmarshal(e.Params, &ev) == nil {
				b.download(&ev)
			}
		case chromium.DownloadProgress.Method:
			var ev chromium.EventDownloadProgress
			if jsonv2.Unmarshal(e.Params, &ev) == nil {
				b.downloading(&ev)
			}
		}
	}
}

// attached sorts a new page target: one that NewPage waits for, a pop-up of one
// of our pages, or somebody else's.
func (b *Browser) attached(ev *target.EventAttachedToTarget) {
	s := b.conn.Session(string(ev.SessionID))
	b.mu.Lock()
	c := b.contexts[string(ev.TargetInfo.BrowserContextID)]
	if c != nil && c.creating > 0 && ev.TargetInfo.OpenerID == "" {
		b.parked[string(ev.TargetInfo.TargetID)] = parked{s, ev.TargetInfo}
		b.broadcast()
		b.mu.Unlock()
		return
	}
	b.mu.Unlock()
	if c == nil {
		// Not ours: let it run and let it go.
		s.Start("Runtime.runIfWaitingForDebugger", nil)
		b.root.Start(target.CommandDetachFromTarget, target.DetachFromTargetParams{SessionID: ev.SessionID})
		return
	}
	b.popup(s, ev.TargetInfo)
}

func (b *Browser) broadcast() {
	if b.err == nil {
		close(b.changed)
		b.changed = make(chan struct{})
	}
}

// popup makes a page of a window that a page has opened where the context lets
// it, and closes it otherwise, still paused before its first line. The page's own
// session tells the log about it, address included.
func (b *Browser) popup(s *cdp.Session, info *target.Info) {
	if b.adopt(parked{s, info}) {
		return
	}
	// Closing takes a moment, in which a link's window would already have asked
	// for its page; paused requests go nowhere.
	s.Start(fetch.CommandEnable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{}}})
	b.root.Start(target.CommandCloseTarget, target.CloseTargetParams{TargetID: info.TargetID})
	s.Start("Runtime.runIfWaitingForDebugger", nil)
}

func (b *Browser) detached(session string) {
	b.mu.Lock()
	p := b.pages[session]
	delete(b.pages, session)
	b.mu.Unlock()
	if p != nil {
		p.end(ErrPageClosed)
	}
}

func (b *Browser) contextList() []*Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]*Context, 0, len(b.contexts))
	for _, c := range b.contexts {
		list = append(list, c)
	}
	return list
}

func ptr[T any](v T) *T { return &v }
