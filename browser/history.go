package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// ErrNoHistory is a page that has nowhere to go back or forward to.
var ErrNoHistory = errors.New("there is no such page in the history")

// historyLimit is how long a page may take to come back.
const historyLimit = 30 * time.Second

// Reload loads the page again and returns when its document has committed.
func (p *Page) Reload(ctx context.Context) error {
	err := p.moving(ctx, func(ctx context.Context) error {
		return p.root.Call(ctx, page.CommandReload, page.ReloadParams{}, nil)
	})
	if err != nil {
		return fmt.Errorf("reloading: %w", err)
	}
	return nil
}

// Back goes to the page before this one in the history.
func (p *Page) Back(ctx context.Context) error { return p.travel(ctx, -1, "going back") }

// Forward goes to the page after this one in the history.
func (p *Page) Forward(ctx context.Context) error { return p.travel(ctx, 1, "going forward") }

func (p *Page) travel(ctx context.Context, by int64, what string) error {
	history, err := protocol.Call(ctx, p.root, page.GetNavigationHistory, protocol.Empty{})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	to := history.CurrentIndex + by
	if to < 0 || int(to) >= len(history.Entries) {
		return fmt.Errorf("%s: %w", what, ErrNoHistory)
	}
	err = p.moving(ctx, func(ctx context.Context) error {
		_, err := protocol.Call(ctx, p.root, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: history.Entries[to].ID})
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// moving carries out do and waits until the main frame has another document, or
// another address of the same one.
func (p *Page) moving(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, historyLimit, cdp.ErrTimeout)
	defer cancel()
	p.leave(1)
	defer p.leave(-1)
	p.mu.Lock()
	before, crashes := p.moves, p.crashes
	p.mu.Unlock()
	if err := do(cdp.WithTimeout(ctx, historyLimit)); err != nil {
		return err
	}
	return p.waitFor(ctx, func() (bool, error) {
		if p.crashes != crashes {
			return false, ErrCrashed
		}
		return p.moves != before, nil
	})
}
