package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// loop handles the events of all the page's sessions in the order of the wire.
// It starts calls and never waits for one.
func (p *Page) loop() {
	for {
		e, err := p.queue.Next(context.Background())
		if err != nil {
			if errors.Is(err, cdp.ErrOverflow) {
				p.closeOverflown(err)
			}
			return
		}
		s := p.session(e.SessionID)
		if s == nil {
			continue // its target is gone
		}
		if err := p.handle(s, e); err != nil {
			p.browser.log.Warn("skipped an event that does not decode", "event", e.Method, "err", err)
		}
	}
}

func (p *Page) closeOverflown(err error) {
	p.browser.root.Start(target.CommandCloseTarget, target.CloseTargetParams{TargetID: target.ID(p.target)})
	p.end(fmt.Errorf("page events: %w", err))
}

func (p *Page) session(id string) *Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessions {
		if s.ID() == id {
			return s
		}
	}
	return nil
}

func (p *Page) handle(s *Session, e cdp.Event) error {
	switch e.Method {
	case runtime.ConsoleAPICalled.Method:
		return decode(e, func(ev *runtime.EventConsoleAPICalled) { p.log.console(ev, p.frameOf(s, int64(ev.ExecutionContextID))) })
	case runtime.ExceptionThrown.Method:
		return decode(e, func(ev *runtime.EventExceptionThrown) { p.exception(s, ev) })
	case cdplog.EntryAdded.Method:
		return decode(e, func(ev *cdplog.EventEntryAdded) { p.log.entry(ev.Entry) })
	case runtime.ExecutionContextCreated.Method:
		return decode(e, func(ev *runtime.EventExecutionContextCreated) { p.contextCreated(s, ev.Context) })
	case runtime.ExecutionContextDestroyed.Method:
		return decode(e, func(ev *contextDestroyed) { p.contextDestroyed(s, ev) })
	case runtime.ExecutionContextsCleared.Method:
		p.locked(func() { s.contexts = make(map[int64]execution) })
	case network.RequestWillBeSent.Method, network.ResponseReceived.Method, network.LoadingFinished.Method,
		network.LoadingFailed.Method, network.RequestServedFromCache.Method,
		network.WebSocketCreated.Method, network.WebSocketClosed.Method, network.WebSocketFrameError.Method:
		err := p.log.network(s, e)
		p.notify()
		return err
	case fetch.RequestPaused.Method:
		return decode(e, func(ev *fetch.EventRequestPaused) { p.paused(s, ev) })
	case fetch.AuthRequired.Method:
		return decode(e, func(ev *fetch.EventAuthRequired) { p.challenged(s, ev) })
	case target.AttachedToTarget.Method:
		return decode(e, func(ev *target.EventAttachedToTarget) { p.attach(s, ev) })
	case target.DetachedFromTarget.Method:
		return decode(e, func(ev *target.EventDetachedFromTarget) { p.detach(s, string(ev.SessionID)) })
	case inspector.TargetCrashed.Method:
		p.crash(s)
	case page.JavascriptDialogOpening.Method:
		return decode(e, func(ev *page.EventJavascriptDialogOpening) { p.dialog(s, ev) })
	default:
		return p.handleFrame(s, e)
	}
	return nil
}

func (p *Page) handleFrame(s *Session, e cdp.Event) error {
	switch e.Method {
	case page.FrameAttached.Method:
		return decode(e, func(ev *page.EventFrameAttached) {
			p.locked(func() { p.frameAttached(s, string(ev.FrameID), string(ev.ParentFrameID)) })
		})
	case page.FrameDetached.Method:
		return decode(e, func(ev *page.EventFrameDetached) {
			p.locked(func() { p.frameDetached(s, string(ev.FrameID), ev.Reason == page.FrameDetachedReasonSwap) })
		})
	case page.FrameNavigated.Method:
		return decode(e, func(ev *page.EventFrameNavigated) {
			p.locked(func() { p.frameNavigated(s, ev.Frame) })
			p.log.addNavigation(Navigation{Time: time.Now(), FrameID: string(ev.Frame.ID), URL: clip(ev.Frame.URL+ev.Frame.URLFragment, maxURL), Kind: string(ev.Type)})
		})
	case page.NavigatedWithinDocument.Method:
		return decode(e, func(ev *page.EventNavigatedWithinDocument) {
			p.locked(func() {
				if f := p.frames[string(ev.FrameID)]; f != nil {
					f.url = clip(ev.URL, maxAddress)
					if f == p.main {
						p.moves++
					}
				}
			})
			p.log.addNavigation(Navigation{Time: time.Now(), FrameID: string(ev.FrameID), URL: clip(ev.URL, maxURL), SameDocument: true, Kind: string(ev.NavigationType)})
		})
	case page.WindowOpen.Method:
		return decode(e, func(ev *page.EventWindowOpen) {
			p.log.addPopup(Popup{Time: time.Now(), URL: clip(ev.URL, maxURL), Name: clip(ev.WindowName, maxURL), Gesture: ev.UserGesture, FrameID: s.FrameID})
		})
	case page.DocumentOpened.Method:
		return decode(e, func(ev *page.EventDocumentOpened) {
			p.locked(func() {
				if f := p.frames[string(ev.Frame.ID)]; f != nil {
					f.url = clip(ev.Frame.URL+ev.Frame.URLFragment, maxAddress)
				}
			})
		})
	case page.LifecycleEvent.Method:
		return decode(e, func(ev *page.EventLifecycleEvent) {
			p.locked(func() {
				f := p.frames[string(ev.FrameID)]
				switch {
				case f == nil:
				case ev.Name == "init" || ev.Name == "commit":
					f.begin(string(ev.LoaderID))
				case f.starting == string(ev.LoaderID):
					f.lifecycle[ev.Name] = true
				}
			})
		})
	}
	return nil
}

func decode[E any](e cdp.Event, use func(*E)) error {
	var ev E
	if err := jsonv2.Unmarshal(e.Params, &ev); err != nil {
		return err
	}
	use(&ev)
	return nil
}

func (p *Page) locked(change func()) {
	p.mu.Lock()
	change()
	p.broadcast()
	p.mu.Unlock()
}

// contextDestroyed has the numeric id too, which Chromium still sends and
// cdproto has dropped.
type contextDestroyed struct {
	ID     int64  `json:"executionContextId"`
	Unique string `json:"executionContextUniqueId"`
}

func (p *Page) contextCreated(s *Session, c *runtime.ExecutionContextDescription) {
	var aux struct {
		FrameID   string `json:"frameId"`
		IsDefault bool   `json:"isDefault"`
	}
	if len(c.AuxData) > 0 && jsonv2.Unmarshal(c.AuxData, &aux) != nil {
		return
	}
	p.locked(func() {
		s.contexts[int64(c.ID)] = execution{id: int64(c.ID), unique: c.UniqueID, frame: aux.FrameID, world: clip(c.Name, maxName), main: aux.IsDefault}
	})
}

func (p *Page) contextDestroyed(s *Session, ev *contextDestroyed) {
	p.locked(func() {
		for id, c := range s.contexts {
			if id == ev.ID || ev.Unique != "" && c.unique == ev.Unique {
				delete(s.contexts, id)
			}
		}
	})
}

func (p *Page) frameOf(s *Session, context int64) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := s.contexts[context]; ok && c.frame != "" {
		return c.frame
	}
	return s.FrameID
}

func (p *Page) exception(s *Session, ev *runtime.EventExceptionThrown) {
	switch {
	case ev.ExceptionDetails == nil:
	case s.Kind == "service_worker":
		p.log.beside(ev)
	default:
		p.log.exception(ev, p.frameOf(s, int64(ev.ExceptionDetails.ExecutionContextID)))
	}
}

// crash fails at once what waits for a renderer that is no more.
func (p *Page) crash(s *Session) {
	p.locked(func() {
		s.crashed = true
		s.contexts = make(map[int64]execution)
		if f := p.frames[s.FrameID]; f != nil && s.frames() {
			p.removeChildren(f)
		}
		if s == p.root {
			p.crashed = true
			p.crashes++
		}
	})
	s.Abandon(ErrCrashed)
	p.log.addCrash(Crash{Time: time.Now(), Kind: s.Kind, FrameID: s.FrameID, URL: s.URL})
}
