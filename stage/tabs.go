package stage

import (
	"context"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

// Page is the page that the stage acts on now.
func (s *Stage) Page() *browser.Page { return s.page }

// Probe is the probe in the page, for an agent that goes on there.
func (s *Stage) Probe() *probe.Probe { return s.opts.Probe }

// Use has the stage act on another page from now on, such as another tab. The
// ids of the page before mean nothing there.
func (s *Stage) Use(ctx context.Context, page *browser.Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.use(ctx, page)
}

func (s *Stage) use(ctx context.Context, page *browser.Page) {
	s.page = page
	s.reader = snapshot.New(page, &snapshot.Options{Probe: s.opts.Probe, Hrefs: true})
	s.rest = rest{page: page}
	s.rest.watch(ctx)
}

// tabPatience is how long a tab that an action opened may take to come, and
// tabLoad how long its document may.
const (
	tabPatience = 3 * time.Second
	tabLoad     = 15 * time.Second
)

// windows is how many windows the page has wanted and which page is in front.
type windows struct {
	wanted int
	front  *browser.Page
}

func (s *Stage) windows() windows {
	return windows{s.page.Log().Counts().Popups, s.page.Context().Active()}
}

// follow goes on in the tab that an action opened. A tab that was wanted and
// refused is an error when nothing else came of the action: a link that opens
// nothing has not been followed.
func (s *Stage) follow(ctx context.Context, a Action, before windows, moved bool, c *Acted) error {
	popups := s.page.Log().Popups()
	n := s.page.Log().Counts().Popups - before.wanted
	if n <= 0 || len(popups) == 0 {
		return nil
	}
	address := popups[len(popups)-1].URL
	deadline := time.Now().Add(tabPatience)
	for time.Now().Before(deadline) && s.page.Context().Tabs() > 1 {
		if now := s.page.Context().Active(); now != nil && now != before.front && now != s.page {
			bound, cancel := context.WithTimeout(ctx, tabLoad)
			_ = now.WaitLoad(bound, browser.Complete) // what never finishes is looked at as it is
			cancel()
			s.use(ctx, now)
			c.Opened = append(c.Opened, now.URL())
			return nil
		}
		if !pause(ctx, 20*time.Millisecond) {
			return ctx.Err()
		}
	}
	c.Refused = append(c.Refused, s.secrets.Text(address))
	if moved && a.Role != "link" {
		return nil
	}
	return &ActError{Action: a, Sent: true, Err: fmt.Errorf("%w: %s", ErrTab, s.secrets.Text(address))}
}
