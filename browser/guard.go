package browser

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// document is what a frame navigates to.
const document = string(network.ResourceTypeDocument)

// guard is one who is asked before a frame goes anywhere.
type guard struct{ allow func(*Request) bool }

// Guard has allow asked before a frame of the page requests a document, at
// every redirect too. A navigation that it refuses is cancelled before anything
// is sent, and the frame stays where it is. Several guards must all agree, and
// none is in the way of Intercept. allow is called from several goroutines at a
// time. release ends it, in the tabs that the page has opened too.
func (p *Page) Guard(ctx context.Context, allow func(*Request) bool) (release func(context.Context) error, err error) {
	g := &guard{allow: allow}
	p.mu.Lock()
	p.guards = append(p.guards, g)
	p.mu.Unlock()
	release = func(ctx context.Context) error {
		err := p.unguard(ctx, g)
		for _, tab := range p.context.Pages() {
			if tab != p {
				err = errors.Join(err, tab.unguard(ctx, g))
			}
		}
		return err
	}
	if err := p.refetch(ctx); err != nil {
		return release, fmt.Errorf("guarding navigations: %w", err)
	}
	return release, nil
}

// unguard takes a guard away, if the page has it.
func (p *Page) unguard(ctx context.Context, g *guard) error {
	p.mu.Lock()
	had := slices.Contains(p.guards, g)
	p.guards = slices.DeleteFunc(p.guards, func(other *guard) bool { return other == g })
	p.mu.Unlock()
	if !had {
		return nil
	}
	return p.refetch(ctx)
}

// guarded reports whether every guard lets the request through.
func (p *Page) guarded(r *Request) bool {
	if r.Type != document || r.Stage != AtRequest {
		return true
	}
	p.mu.Lock()
	guards := slices.Clone(p.guards)
	p.mu.Unlock()
	return !slices.ContainsFunc(guards, func(g *guard) bool { return !g.allow(r) })
}

// fetching is what Chromium is to pause for us, false when nothing. Called
// under page.mu.
func (p *Page) fetching() (fetch.EnableParams, bool) {
	var params fetch.EnableParams
	if p.intercept != nil {
		params = p.intercept.params()
	}
	if len(p.guards) > 0 {
		params.Patterns = append(params.Patterns, &fetch.RequestPattern{ResourceType: network.ResourceTypeDocument})
	}
	if p.context.opts.Credentials != nil {
		// Chromium asks us for passwords only where it shows us the request, too.
		// All of them, since nobody else would answer another site that asks.
		params.Patterns = append(params.Patterns, &fetch.RequestPattern{})
		params.HandleAuthRequests = ptr(true)
	}
	return params, len(params.Patterns) > 0
}

// refetch tells all sessions what to pause from now on.
func (p *Page) refetch(ctx context.Context) error {
	var sessions []*Session
	p.mu.Lock()
	params, some := p.fetching()
	for _, s := range p.sessions {
		if s.set { // those that are not set yet will take it by themselves
			sessions = append(sessions, s)
		}
	}
	p.mu.Unlock()
	for _, s := range sessions {
		var err error
		if some {
			err = s.Call(ctx, fetch.CommandEnable, params, nil)
		} else {
			err = s.Call(ctx, fetch.CommandDisable, nil, nil)
		}
		if err != nil && s.frames() && !cdp.IsGone(err) {
			return err
		}
	}
	return nil
}

// wants reports whether the interception asked for a request that may have
// been paused for a guard's sake.
func (i *interception) wants(r *Request) bool {
	return slices.ContainsFunc(i.patterns, func(p Pattern) bool {
		stage := p.Stage
		if stage == "" {
			stage = AtRequest
		}
		return stage == r.Stage && (p.Type == "" || p.Type == r.Type) && globbed(p.URL, r.URL)
	})
}

// globbed matches as Chromium does: * is anything, ? one character, \ escapes.
func globbed(pattern, url string) bool {
	if pattern == "" {
		return true
	}
	url, _, _ = strings.Cut(url, "#")
	var expr strings.Builder
	escaped := false
	for _, c := range pattern {
		switch {
		case !escaped && c == '\\':
			escaped = true
			continue
		case !escaped && c == '*':
			expr.WriteString(".*")
		case !escaped && c == '?':
			expr.WriteString(".")
		default:
			expr.WriteString(regexp.QuoteMeta(string(c)))
		}
		escaped = false
	}
	ok, err := regexp.MatchString("(?s)^"+expr.String()+"$", url)
	return err == nil && ok
}
