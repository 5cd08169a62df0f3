package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// Session is a protocol session of a page: of the page itself, of a
// cross-origin frame in a process of its own, or of a worker. It implements
// cdproto's Session.
type Session struct {
	*cdp.Session
	Kind     string // "page", "iframe", "worker", "shared_worker", "service_worker", ...
	TargetID string
	FrameID  string // the root frame for pages and frames, the creating frame for workers if known
	URL      string // when it attached

	page     *Page
	contexts map[int64]execution // guarded by page.mu
	crashed  bool                // guarded by page.mu
	set      bool                // guarded by page.mu: has its init scripts and interception
	hooked   int                 // guarded by page.mu: hooks called so far
	ready    bool                // guarded by page.mu: all hooks called
	opened   bool                // of a window that a page opened
}

var _ protocol.Session = (*Session)(nil)

const (
	// maxSessions bounds the workers and cross-origin frames that are watched;
	// those above it run unwatched. The games we know have fewer than ten.
	maxSessions = 256
	// maxFrames bounds the frames that are followed.
	maxFrames = 2000
	// maxAddress bounds the addresses that something is asked for again with,
	// where maxURL is for those that are only shown.
	maxAddress = 64 << 10
)

// execution is a JavaScript world of a frame.
type execution struct {
	id     int64
	unique string
	frame  string
	world  string
	main   bool
}

func newSession(p *Page, s *cdp.Session, info *target.Info) *Session {
	n := &Session{Session: s, Kind: info.Type, TargetID: string(info.TargetID), URL: clip(info.URL, maxAddress), page: p, contexts: make(map[int64]execution)}
	if n.frames() {
		n.FrameID = n.TargetID
	} else {
		n.FrameID = string(info.ParentFrameID)
	}
	return n
}

// frames reports whether the session's target has documents.
func (s *Session) frames() bool { return s.Kind == "page" || s.Kind == "iframe" }

// Call runs a command. On a crashed target everything but a new navigation
// fails at once with ErrCrashed, since nobody is left to answer.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return &cdp.CallError{Method: method, Err: err}
	}
	return s.Wait(ctx, s.Start(method, params), result)
}

// Wait waits for a command that was started, as Call does.
func (s *Session) Wait(ctx context.Context, reply *cdp.Reply, result any) error {
	err := reply.Wait(ctx, result)
	if err != nil && cdp.IsGone(err) && s.page.Closed() {
		err = fmt.Errorf("%w: %w", s.page.Err(), err)
	}
	return err
}

// Start sends a command without waiting for its reply; see Call for crashed
// targets.
func (s *Session) Start(method string, params any) *cdp.Reply {
	s.page.mu.Lock()
	crashed := s.crashed
	s.page.mu.Unlock()
	// Requests are paused and let go by the browser, not by the page.
	if crashed && method != page.CommandNavigate && method != page.CommandReload && !strings.HasPrefix(method, "Fetch.") {
		return s.Session.Refuse(method, ErrCrashed)
	}
	return s.Session.Start(method, params)
}

// events are what the page's loop wants to hear of a session. Floods may lose
// their oldest; what the state of frames, requests and dialogs is made of not.
func (s *Session) events() map[string]cdp.Policy {
	m := map[string]cdp.Policy{
		runtime.ConsoleAPICalled.Method:          cdp.DropOldest,
		runtime.ExceptionThrown.Method:           cdp.DropOldest,
		runtime.ExecutionContextCreated.Method:   cdp.MustDeliver,
		runtime.ExecutionContextDestroyed.Method: cdp.MustDeliver,
		runtime.ExecutionContextsCleared.Method:  cdp.MustDeliver,
		cdplog.EntryAdded.Method:                 cdp.DropOldest,
		network.RequestWillBeSent.Method:         cdp.MustDeliver,
		network.RequestServedFromCache.Method:    cdp.MustDeliver,
		network.ResponseReceived.Method:          cdp.MustDeliver,
		network.LoadingFinished.Method:           cdp.MustDeliver,
		network.LoadingFailed.Method:             cdp.MustDeliver,
		network.WebSocketCreated.Method:          cdp.MustDeliver,
		network.WebSocketClosed.Method:           cdp.MustDeliver,
		network.WebSocketFrameError.Method:       cdp.DropOldest,
		target.AttachedToTarget.Method:           cdp.MustDeliver,
		target.DetachedFromTarget.Method:         cdp.MustDeliver,
		fetch.RequestPaused.Method:               cdp.MustDeliver,
		fetch.AuthRequired.Method:                cdp.MustDeliver,
		inspector.TargetCrashed.Method:           cdp.MustDeliver,
	}
	if s.frames() {
		for _, method := range []string{
			page.FrameAttached.Method, page.FrameDetached.Method, page.FrameNavigated.Method,
			page.NavigatedWithinDocument.Method, page.DocumentOpened.Method, page.LifecycleEvent.Method,
			page.JavascriptDialogOpening.Method, page.WindowOpen.Method,
		} {
			m[method] = cdp.MustDeliver
		}
	}
	return m
}

// command is a call that is sent in a row with others.
type command struct {
	method   string
	params   any
	required bool
}

// prepare enables on a new session what we need, sets the init scripts and lets
// its target run. The target is always let run, even when something failed.
func (p *Page) prepare(ctx context.Context, s *Session) error {
	defer s.Start(runtime.CommandRunIfWaitingForDebugger, nil)
	commands := p.setup(s)
	replies := make([]*cdp.Reply, len(commands))
	for i, c := range commands {
		replies[i] = s.Start(c.method, c.params)
	}
	if s.Kind == "service_worker" || s.Kind == "shared_worker" || s.opened {
		// These answer nothing while they are paused; what was sent so far
		// still comes before their first line.
		s.Start(runtime.CommandRunIfWaitingForDebugger, nil)
	}
	for i, c := range commands {
		err := replies[i].Wait(ctx, nil)
		if err != nil && (c.required || ctx.Err() != nil) {
			return fmt.Errorf("preparing %s: %w", s.Kind, err)
		}
	}
	for {
		p.mu.Lock()
		if s.hooked == len(p.hooks) {
			s.ready = true
			p.mu.Unlock()
			return nil
		}
		hook := p.hooks[s.hooked]
		s.hooked++
		p.mu.Unlock()
		hook(s)
	}
}

func (p *Page) setup(s *Session) []command {
	opts := p.context.opts
	p.mu.Lock()
	scripts := slices.Clone(p.scripts)
	paused, some := p.fetching()
	s.set = true
	p.mu.Unlock()

	commands := []command{
		{runtime.CommandEnable, nil, true},
		{target.CommandSetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: ptr(true)}, s.frames()},
		{network.CommandEnable, network.EnableParams{}, s.frames()},
		{cdplog.CommandEnable, nil, false},
		{inspector.CommandEnable, nil, false},
	}
	if some {
		commands = append(commands, command{fetch.CommandEnable, paused, s.frames()})
	}
	if len(opts.Headers) > 0 {
		commands = append(commands, command{network.CommandSetExtraHTTPHeaders, headers(opts.Headers), s.frames()})
	}
	if !s.frames() {
		for _, script := range scripts {
			if script.Workers {
				commands = append(commands, command{runtime.CommandEvaluate, runtime.EvaluateParams{Expression: script.Source, Silent: ptr(true)}, false})
			}
		}
		return commands
	}
	commands = append(commands,
		command{page.CommandEnable, page.EnableParams{}, true},
		command{page.CommandSetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true}, true},
		command{emulation.CommandSetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}, false},
		command{emulation.CommandSetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: opts.UserAgent, AcceptLanguage: opts.Locale}, false},
	)
	if s.Kind == "page" {
		// A page loaded ahead of its visit would be watched by nobody.
		commands = append(commands, command{page.CommandSetPrerenderingAllowed, page.SetPrerenderingAllowedParams{IsAllowed: false}, false})
		commands = append(commands, command{emulation.CommandSetDeviceMetricsOverride, p.metrics(), true})
	}
	commands = append(commands, opts.emulation()...)
	if opts.Touch {
		commands = append(commands, command{emulation.CommandSetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 5}, false})
	}
	if opts.Locale != "" {
		commands = append(commands, command{emulation.CommandSetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: opts.Locale}, false})
	}
	if opts.Timezone != "" {
		commands = append(commands, command{emulation.CommandSetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: opts.Timezone}, false})
	}
	for _, script := range append([]InitScript{{Source: leavingScript}}, scripts...) {
		params := script.params()
		// A sandboxed srcdoc frame is announced with its document already there,
		// most often before its first line.
		params.RunImmediately = ptr(s.Kind == "iframe" && s.URL != "")
		commands = append(commands, command{page.CommandAddScriptToEvaluateOnNewDocument, params, true})
	}
	return commands
}

func (s InitScript) params() page.AddScriptToEvaluateOnNewDocumentParams {
	return page.AddScriptToEvaluateOnNewDocumentParams{Source: s.Source, WorldName: s.World}
}

// AddInitScript sets one more init script, for every document from now on.
func (p *Page) AddInitScript(ctx context.Context, script InitScript) error {
	var sessions []*Session
	p.mu.Lock()
	p.scripts = append(p.scripts, script)
	for _, s := range p.sessions {
		if s.frames() && s.set { // those that are not set yet will take it by themselves
			sessions = append(sessions, s)
		}
	}
	p.mu.Unlock()
	for _, s := range sessions {
		if err := s.Call(ctx, page.CommandAddScriptToEvaluateOnNewDocument, script.params(), nil); err != nil && !cdp.IsGone(err) {
			return fmt.Errorf("adding init script: %w", err)
		}
	}
	return nil
}

// Sessions are the page's live sessions, its root first.
func (p *Page) Sessions() []*Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sessions)
}

// Session is the page's root session.
func (p *Page) Session() *Session { return p.root }

// OnSession calls hook for every session that is there and for every one to
// come; those are then still paused before their first line, except service and
// shared workers, which cannot be spoken to while they are. The hook may call
// the protocol but should be quick, since the target waits for it.
func (p *Page) OnSession(hook func(*Session)) {
	var now []*Session
	p.mu.Lock()
	p.hooks = append(p.hooks, hook)
	for _, s := range p.sessions {
		if s.ready { // the others are about to call it by themselves
			s.hooked++
			now = append(now, s)
		}
	}
	p.mu.Unlock()
	for _, s := range now {
		hook(s)
	}
}

// attach takes in a new target below one of the page's sessions.
func (p *Page) attach(parent *Session, ev *target.EventAttachedToTarget) {
	raw := p.browser.conn.Session(string(ev.SessionID))
	switch ev.TargetInfo.Type {
	case "page", "tab":
		// Pop-ups are the browser's matter; it has them on a session of its own,
		// and lets them run when it is done with them.
		if p.context.opts.Tabs < 2 {
			raw.Start(runtime.CommandRunIfWaitingForDebugger, nil)
		}
		parent.Start(target.CommandDetachFromTarget, target.DetachFromTargetParams{SessionID: ev.SessionID})
		return
	}
	s := newSession(p, raw, ev.TargetInfo)
	p.mu.Lock()
	if p.err != nil {
		p.mu.Unlock()
		return
	}
	if len(p.sessions) >= maxSessions {
		p.mu.Unlock()
		raw.Start(runtime.CommandRunIfWaitingForDebugger, nil)
		parent.Start(target.CommandDetachFromTarget, target.DetachFromTargetParams{SessionID: ev.SessionID})
		return
	}
	p.sessions = append(p.sessions, s)
	if s.frames() {
		f := p.frames[s.TargetID]
		if f == nil {
			f = p.addFrame(s.TargetID, string(ev.TargetInfo.ParentFrameID), s)
		}
		f.session = s
		p.removeChildren(f)
	}
	p.broadcast()
	p.mu.Unlock()
	s.Listen(p.queue, s.events())
	p.spawn(func() {
		// Its target stays paused meanwhile, so there is one deadline for it all.
		ctx, cancel := context.WithTimeoutCause(context.Background(), cdp.DefaultTimeout, cdp.ErrTimeout)
		defer cancel()
		if err := p.prepare(ctx, s); err != nil && !cdp.IsGone(err) && !errors.Is(err, ErrCrashed) {
			p.browser.log.Warn("a target is not fully watched", "kind", s.Kind, "err", err)
		}
	})
}

// detach forgets a session whose target is gone. A frame that still counts on
// it is either gone too or on its way back into its parent's process; the
// parent, asked after the event, knows by then.
func (p *Page) detach(parent *Session, id string) {
	p.mu.Lock()
	i := slices.IndexFunc(p.sessions, func(s *Session) bool { return s.ID() == id })
	if i < 0 {
		p.mu.Unlock()
		return
	}
	s := p.sessions[i]
	p.sessions = slices.Delete(slices.Clone(p.sessions), i, i+1)
	s.contexts = make(map[int64]execution)
	f := p.frames[s.TargetID]
	waits := f != nil && f.session == s
	if waits {
		p.removeChildren(f)
	}
	p.broadcast()
	p.mu.Unlock()
	if !s.frames() {
		p.log.sessionGone(s.ID())
	}
	if !waits {
		return
	}
	p.spawn(func() {
		parent.Call(context.Background(), page.CommandEnable, page.EnableParams{}, nil)
		p.mu.Lock()
		if f.session == s {
			p.removeFrame(f)
			p.broadcast()
		}
		p.mu.Unlock()
	})
}
