package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// WaitForSelector waits until an element of that selector can be seen; see
// Locator for selectors and for other states.
func (p *Page) WaitForSelector(ctx context.Context, selector string) error {
	return p.Locator(selector).WaitFor(ctx, Visible)
}

// WaitForText waits until the page, or a frame of it, says the words.
func (p *Page) WaitForText(ctx context.Context, words string) error {
	return p.Locator("text="+words).WaitFor(ctx, Visible)
}

// WaitForURL waits until the page's address fits a pattern, in which * stands for
// anything and ? for one character.
func (p *Page) WaitForURL(ctx context.Context, pattern string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, locateLimit, cdp.ErrTimeout)
	defer cancel()
	if err := p.wait(ctx, func() bool { return globbed(pattern, p.main.url) }); err != nil {
		return fmt.Errorf("waiting for the address %s: %w", clip(pattern, 200), err)
	}
	return nil
}

// WaitForResponse carries out do and waits until a request that began since, and
// whose address fits the pattern, has been answered or has failed. A do of nil
// waits for the next one.
func (p *Page) WaitForResponse(ctx context.Context, pattern string, do func(context.Context) error) (*Request, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, locateLimit, cdp.ErrTimeout)
	defer cancel()
	since := p.log.Counts().Requests
	if do != nil {
		if err := do(ctx); err != nil {
			return nil, err
		}
	}
	var found *Request
	err := p.wait(ctx, func() bool {
		found = p.log.answer(since, pattern)
		return found != nil
	})
	if err != nil {
		return nil, fmt.Errorf("waiting for an answer from %s: %w", clip(pattern, 200), err)
	}
	return found, nil
}

// answer is the first request after the first since ones that fits the pattern
// and is answered or over.
func (l *Log) answer(since int, pattern string) *Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.requests.all() {
		if r.seq > since && (r.Status > 0 || !r.End.IsZero()) && globbed(pattern, r.URL) {
			c := *r
			return &c
		}
	}
	return nil
}

// idleQuiet is how long no request may be under way for a page to be idle.
const idleQuiet = 500 * time.Millisecond

// WaitIdle waits until no request has been under way for half a second. Unlike
// the load state NetworkIdle it can be waited for at any time. Connections that
// are made to stay open do not count.
func (p *Page) WaitIdle(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, locateLimit, cdp.ErrTimeout)
	defer cancel()
	for {
		if err := p.Err(); err != nil {
			return fmt.Errorf("waiting until idle: %w", err)
		}
		left := idleQuiet
		if p.log.InFlight() == 0 {
			if left = idleQuiet - time.Since(p.log.LastNetworkActivity()); left <= 0 {
				return nil
			}
		}
		if err := pause(ctx, min(left, locatePace)); err != nil {
			return fmt.Errorf("waiting until idle: %w", err)
		}
	}
}
