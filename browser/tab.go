package browser

import (
	"context"
	"errors"
	"fmt"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// ErrNoTab is an action that opened no tab where one was waited for.
var ErrNoTab = errors.New("no tab was opened")

// Active is the page that a person would have in front of them: the one that was
// opened or activated last and is still there. Nil when there is none.
func (c *Context) Active() *Page {
	c.browser.mu.Lock()
	defer c.browser.mu.Unlock()
	return c.active
}

// Tabs is how many pages the context may have at a time, at least 1.
func (c *Context) Tabs() int { return max(c.opts.Tabs, 1) }

// Activate brings the page to the front and makes it the active one.
func (p *Page) Activate(ctx context.Context) error {
	if _, err := protocol.Call(ctx, p.root, page.BringToFront, protocol.Empty{}); err != nil {
		return fmt.Errorf("activating page: %w", err)
	}
	p.activate()
	return nil
}

// alone reports whether the page is the only one of its context and nobody sees it, so that
// no other tab has to make way for it.
func (p *Page) alone() bool { return p.browser.windowless && len(p.context.Pages()) == 1 }

func (p *Page) activate() {
	b := p.browser
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pages[p.root.ID()] == p {
		p.context.active = p
		p.open = true
		b.broadcast()
	}
}

// deactivate gives the place of a page that is gone to the one opened last.
func (c *Context) deactivate(gone *Page) {
	list := c.Pages()
	c.browser.mu.Lock()
	defer c.browser.mu.Unlock()
	if c.active != gone {
		return
	}
	c.active = nil
	for _, p := range list {
		if p.open {
			c.active = p
		}
	}
}

// adopt makes a page of a window that a page opened, if the context has room for
// one. It inherits what watches and guards the page that opened it. One that names
// no opener may lead nowhere that any page of the context may not.
func (b *Browser) adopt(window parked) bool {
	b.mu.Lock()
	c := b.contexts[string(window.info.BrowserContextID)]
	var siblings []*Page
	var opener *Page
	for _, p := range b.pages {
		if p.context == c {
			siblings = append(siblings, p)
			if p.target == string(window.info.OpenerID) {
				opener = p
			}
		}
	}
	if c == nil || c.opts.Tabs < 2 || len(siblings) >= c.opts.Tabs {
		b.mu.Unlock()
		return false
	}
	guarded := []*Page{opener}
	if opener == nil {
		opener, guarded = c.active, siblings // links without an opener name none
	}
	b.mu.Unlock()
	p := c.newPage(window)
	p.root.opened = true
	if opener != nil {
		opener.mu.Lock()
		p.scripts = append(p.scripts[:0], opener.scripts...)
		p.intercept, p.onDialog = opener.intercept, opener.onDialog
		opener.mu.Unlock()
	}
	for _, by := range guarded {
		by.mu.Lock()
		p.guards = append(p.guards, by.guards...)
		by.mu.Unlock()
	}
	if p.register() != nil {
		return true // it is gone already
	}
	p.spawn(func() {
		ctx, cancel := context.WithTimeoutCause(context.Background(), cdp.DefaultTimeout, cdp.ErrTimeout)
		defer cancel()
		err := p.prepare(ctx, p.root)
		if err == nil {
			p.activate()
			return
		}
		b.log.Warn("a tab could not be watched and is closed", "err", err)
		p.closeOverflown(err)
	})
	return true
}

// WaitForPage carries out do and waits for the tab that it opens. The context
// must allow tabs.
func (c *Context) WaitForPage(ctx context.Context, do func(context.Context) error) (*Page, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, locateLimit, cdp.ErrTimeout)
	defer cancel()
	if c.opts.Tabs < 2 {
		return nil, fmt.Errorf("waiting for a tab: %w: ContextOptions.Tabs is not set", ErrNoTab)
	}
	since := pageSeq.Load()
	if err := do(ctx); err != nil {
		return nil, err
	}
	for {
		c.browser.mu.Lock()
		err, changed := c.browser.err, c.browser.changed
		var found *Page
		for _, p := range c.browser.pages {
			if p.context == c && p.seq > since && p.open {
				found = p
			}
		}
		c.browser.mu.Unlock()
		if found != nil {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("waiting for a tab: %w", err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for a tab: %w: %w", ErrNoTab, context.Cause(ctx))
		}
	}
}
