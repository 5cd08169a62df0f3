package explore

import (
	"context"
	"net/url"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
)

// outings are the ways by which the page was left.
type outings struct {
	links     map[string]bool // hosts that links of the page lead to
	deadLinks int             // clicks that led to pages of the site that are not there
	followed  int             // pages that offered nothing but links
	strayed   bool            // a click led to another site though nothing said so
	stayed    time.Duration   // how long the page had been there by then
}

// place notices that the page went somewhere else. It returns ErrGone when the
// game left its site by itself.
func (e *Explorer) place(ctx context.Context) error {
	e.g.Reloads()
	now := e.g.Page.URL()
	ours := time.Since(e.g.LastClick()) < 1500*time.Millisecond
	switch {
	case now == "" || now == e.url:
		return nil
	case game.SameSite(e.url, now):
		if why := e.g.Page.Missing(); why != "" && ours && e.deadLinks < maxDeadLinks {
			e.deadLinks++
			return e.comeBack(ctx, "a click led to "+now+", which is not there: "+why)
		}
		e.url = now
		return nil
	case ours && (e.links[game.Host(now)] || !e.strayed):
		// A click on a link is ours; a player would come back. One that is not known as a
		// link is believed once: a page that leaves by itself will do so again.
		if !e.links[game.Host(now)] {
			e.strayed, e.stayed = true, e.g.SinceLoad()
		}
		return e.comeBack(ctx, "a click led to "+now)
	}
	if e.g.Record.Health.Left == nil {
		e.g.Record.Health.Left = e.g.Incident("the page went to another site by itself: %s", now)
	}
	return game.ErrGone
}

// maxDeadLinks bounds how often a player comes back from pages that are not there.
const maxDeadLinks = 3

func (e *Explorer) comeBack(ctx context.Context, why string) error {
	e.g.Decide("come back", why, 0.5)
	if err := e.g.Reload(ctx); err != nil {
		return e.g.Alive(ctx)
	}
	return load.Wait(ctx, e.g)
}

// mayLeave: the page went away once when it was this old, and may do so again.
func (e *Explorer) mayLeave() bool {
	const slack = 2 * time.Second
	return e.strayed && e.g.SinceLoad() < e.stayed+slack
}

// resolve is where a link on a page leads, "" if nowhere.
func resolve(page, href string) string {
	base, err := url.Parse(page)
	if err != nil {
		return ""
	}
	to, err := base.Parse(href)
	if err != nil {
		return ""
	}
	return to.String()
}
