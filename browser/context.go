package browser

import (
	"context"
	"fmt"
	"sort"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// ContextOptions say what the pages of a context are shown on. The zero value
// is a 1280x720 screen.
type ContextOptions struct {
	Width, Height int     // CSS pixels, 1280x720 if zero
	DeviceScale   float64 // device pixels per CSS pixel, 1 if zero
	UserAgent     string  // the browser's if empty
	Touch         bool    // a touch screen instead of none
	Locale        string  // such as "de-DE", Chromium's if empty
	Timezone      string  // such as "Europe/Berlin", the machine's if empty

	// Proxy is what all requests go through; nil is the browser's own way.
	Proxy Proxy

	// Credentials answer a site that asks for a password, nil for none.
	Credentials *Credentials

	// InitScripts run in every frame of every page before its own first line.
	InitScripts []InitScript

	Mobile      bool   // as a telephone lays pages out; see Device
	ColorScheme string // "dark" or "light", Chromium's if empty
	// Headers are sent with every request of the pages, to whatever host: tokens
	// for one host belong into a cookie or a storage state instead.
	Headers map[string]string
	// Geolocation is where the machine says it is. It is also granted then.
	Geolocation *Geolocation
	// Permissions are granted without asking, such as "clipboard-read"; all
	// others are denied.
	Permissions []string
	// Storage is what an earlier context kept: cookies and local storage.
	Storage *StorageState
	// Tabs is how many pages the context may have at a time, counting those that
	// pages open. 0 and 1 let pages open none: their windows are closed before
	// their first line, and the log tells of them.
	Tabs int
	// Downloads is where files go that pages offer. Nil refuses them.
	Downloads *DownloadOptions
}

// Context is an isolated set of pages: cookies, storage and cache are its own.
type Context struct {
	browser *Browser
	id      string
	opts    ContextOptions

	// Guarded by browser.mu.
	creating  int
	closed    bool
	active    *Page
	downloads []*transfer

	folder string // where downloads are until they are whole
}

// Size is that of the screen, in CSS pixels.
func (c *Context) Size() (width, height int) { return c.opts.Width, c.opts.Height }

// NewContext opens an isolated context.
func (b *Browser) NewContext(ctx context.Context, opts *ContextOptions) (*Context, error) {
	if err := b.Err(); err != nil {
		return nil, fmt.Errorf("opening context: %w", err)
	}
	c := &Context{browser: b}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Width <= 0 || c.opts.Height <= 0 {
		c.opts.Width, c.opts.Height = 1280, 720
	}
	if c.opts.DeviceScale <= 0 {
		c.opts.DeviceScale = 1
	}
	if c.opts.UserAgent == "" {
		c.opts.UserAgent = b.userAgent
	}
	if c.opts.Proxy == nil {
		c.opts.Proxy, _ = ctx.Value(proxyKey{}).(Proxy)
	}
	if c.opts.Credentials == nil {
		c.opts.Credentials, _ = ctx.Value(credentialsKey{}).(*Credentials)
	}
	params := target.CreateBrowserContextParams{DisposeOnDetach: ptr(true)}
	if c.opts.Proxy != nil {
		params.ProxyServer = "http://" + c.opts.Proxy.Address()
		params.ProxyBypassList = "<-loopback>" // without it loopback needs no proxy
	}
	res, err := protocol.Call(ctx, b.root, target.CreateBrowserContext, params)
	if err != nil {
		return nil, fmt.Errorf("opening context: %w", err)
	}
	c.id = string(res.BrowserContextID)
	b.mu.Lock()
	b.contexts[c.id] = c
	b.mu.Unlock()
	for _, set := range []func(context.Context) error{c.permit, c.receive, c.restore} {
		if err := set(ctx); err != nil {
			c.dispose(context.WithoutCancel(ctx))
			return nil, fmt.Errorf("opening context: %w", err)
		}
	}
	return c, nil
}

// Pages are the context's open pages, in the order in which they were opened.
func (c *Context) Pages() []*Page {
	c.browser.mu.Lock()
	defer c.browser.mu.Unlock()
	var pages []*Page
	for _, p := range c.browser.pages {
		if p.context == c {
			pages = append(pages, p)
		}
	}
	sort.Slice(pages, func(i, j int) bool { return pages[i].seq < pages[j].seq })
	return pages
}

// Close closes the context with its pages and forgets its storage.
func (c *Context) Close(ctx context.Context) error {
	if err := c.browser.Err(); err != nil {
		c.tidyDownloads()
		return nil // gone with the browser
	}
	pages := c.Pages()
	if err := c.dispose(ctx); err != nil {
		return fmt.Errorf("closing context: %w", err)
	}
	for _, p := range pages {
		p.end(ErrPageClosed)
		p.wg.Wait()
	}
	return nil
}

func (c *Context) dispose(ctx context.Context) error {
	b := c.browser
	b.mu.Lock()
	closed := c.closed
	c.closed = true
	delete(b.contexts, c.id)
	b.mu.Unlock()
	if closed {
		return nil
	}
	defer c.tidyDownloads()
	_, err := protocol.Call(ctx, b.root, target.DisposeBrowserContext, target.DisposeBrowserContextParams{
		BrowserContextID: protocol.BrowserContextID(c.id),
	})
	return err
}

// create opens a blank page target and returns its session.
func (c *Context) create(ctx context.Context) (parked, error) {
	b := c.browser
	b.mu.Lock()
	c.creating++
	b.mu.Unlock()
	defer c.created()
	params := target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: protocol.BrowserContextID(c.id),
		Width: int64(c.opts.Width), Height: int64(c.opts.Height),
	}
	if len(c.Pages()) > 0 {
		// It would be a tab of the other page's window, which has its size already. To
		// say false for the first page is an error.
		params.NewWindow = ptr(true)
	}
	res, err := protocol.Call(ctx, b.root, target.CreateTarget, params)
	if err != nil {
		return parked{}, err
	}
	for {
		b.mu.Lock()
		found, ok := b.parked[string(res.TargetID)]
		delete(b.parked, string(res.TargetID))
		changed, err := b.changed, b.err
		b.mu.Unlock()
		if ok {
			return found, nil
		}
		if err != nil {
			return parked{}, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			b.root.Start(target.CommandCloseTarget, target.CloseTargetParams(res))
			return parked{}, context.Cause(ctx)
		}
	}
}

// created ends a create. Targets that nobody has claimed when the last one ends
// are pop-ups without an opener.
func (c *Context) created() {
	b := c.browser
	var left []parked
	b.mu.Lock()
	c.creating--
	if c.creating == 0 {
		for id, p := range b.parked {
			if string(p.info.BrowserContextID) == c.id {
				left = append(left, p)
				delete(b.parked, id)
			}
		}
	}
	b.mu.Unlock()
	for _, p := range left {
		b.popup(p.session, p.info)
	}
}
