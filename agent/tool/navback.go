package tool

import (
	"context"
	_ "embed"
	"errors"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

//go:embed navback.md
var navbackText string

func (k *Kit) navback() Tool {
	t := must("navback", navbackText, func(ctx context.Context, _ struct{}) (*Outcome, error) {
		s := k.page().Session()
		history, err := protocol.Call(ctx, s, page.GetNavigationHistory, protocol.Empty{})
		if err != nil {
			return nil, err
		}
		if history.CurrentIndex < 1 || int(history.CurrentIndex) > len(history.Entries) {
			return nil, errors.New("there is no page before this one")
		}
		entry := history.Entries[history.CurrentIndex-1]
		// The browser may have the page in its memory and ask nobody for it.
		if err := k.Bounds.Allows(entry.URL); err != nil {
			k.Bounds.Refuse(entry.URL)
			return nil, err
		}
		seen := k.page().Log().Counts().Navigations
		if _, err := protocol.Call(ctx, s, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID}); err != nil {
			return nil, err
		}
		for k.page().Log().Counts().Navigations == seen {
			if err := pause(ctx, settleStep); err != nil {
				return nil, err
			}
		}
		k.loaded(ctx)
		return Say("Went back to " + k.page().URL() + "."), nil
	})
	t.Repeats = true
	return t
}
