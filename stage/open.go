package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/model"
)

// OpenOptions tune Open. The zero value is a headless Chromium that is found by
// itself, and a page of 1280x720.
type OpenOptions struct {
	Options
	// Browser is a running browser to open the page in. Nil launches one with
	// Launch, which Close ends.
	Browser *browser.Browser
	Launch  *browser.LaunchOptions
	// Context is what the page is shown on: its size or device, headers, storage
	// state, place and permissions, tabs and downloads.
	Context *browser.ContextOptions
	// Load is how long the page may take to load before it is taken as it is, 15
	// s if zero.
	Load time.Duration
}

// Open is the short way in: it opens an address in a browser of its own and makes
// a stage of the page. Canvases can be seen into. Close ends it all.
//
// The model is any model.Model: one that package model/provider opens by a name
// such as "anthropic/claude-haiku-5-5", a gateway with several of them, or nil for
// all that needs none. It is not opened here by its name, or every program that
// acts on a page would link the SDKs of all vendors.
func Open(ctx context.Context, url string, m model.Model, opts *OpenOptions) (*Stage, error) {
	var o OpenOptions
	if opts != nil {
		o = *opts
	}
	end := func() error { return nil }
	b := o.Browser
	if b == nil {
		var err error
		if b, err = browser.Launch(ctx, o.Launch); err != nil {
			return nil, fmt.Errorf("open %s: %w", url, err)
		}
		end = b.Close
	}
	s, err := openIn(ctx, b, url, m, &o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", url, err), end())
	}
	c := s.page.Context()
	s.close = func() error {
		bound, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		return errors.Join(c.Close(bound), end())
	}
	return s, nil
}

const (
	closeLimit  = 10 * time.Second
	defaultLoad = 15 * time.Second
)

func openIn(ctx context.Context, b *browser.Browser, url string, m model.Model, o *OpenOptions) (*Stage, error) {
	c, err := b.NewContext(ctx, o.Context)
	if err != nil {
		return nil, err
	}
	var page browser.PageOptions
	if o.Probe == nil {
		o.Probe = probe.New()
		page.InitScripts = append(page.InitScripts, o.Probe.Script())
	}
	p, err := c.NewPage(ctx, &page)
	if err == nil {
		_, err = p.Navigate(ctx, url, nil)
	}
	if err == nil {
		load := o.Load
		if load <= 0 {
			load = defaultLoad
		}
		bound, cancel := context.WithTimeout(ctx, load)
		_ = p.WaitLoad(bound, browser.Complete) // what never finishes is taken as it is
		cancel()
		err = ctx.Err()
	}
	var s *Stage
	if err == nil {
		s, err = New(ctx, p, m, &o.Options)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// Close ends what Open opened. A stage that New made has nothing to close.
func (s *Stage) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// Goto opens another address in the stage's page and waits until it has loaded.
// An answer such as 404 is an error.
func (s *Stage) Goto(ctx context.Context, url string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	resp, err := s.page.Navigate(ctx, url, nil)
	if err != nil {
		return fmt.Errorf("goto: %w", err)
	}
	if resp.Status >= 400 {
		return fmt.Errorf("goto %s: status %d", url, resp.Status)
	}
	bound, cancel := context.WithTimeout(ctx, defaultLoad)
	defer cancel()
	_ = s.page.WaitLoad(bound, browser.Complete) // as with Open
	return ctx.Err()
}
