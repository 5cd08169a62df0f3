package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/browser"
)

//go:embed tabs.md
var tabsText string

type tabsArgs struct {
	Switch int `json:"switch,omitempty" jsonschema:"the number of the tab to go on in"`
	Close  int `json:"close,omitempty" jsonschema:"the number of the tab to close"`
}

// tabs is offered where the context has tabs.
func (k *Kit) tabs() Tool {
	t := must("tabs", tabsText, func(ctx context.Context, in tabsArgs) (*Outcome, error) {
		text := ""
		switch {
		case in.Switch != 0 && in.Close != 0:
			return nil, errors.New("either switch or close, not both")
		case in.Switch != 0:
			page, err := k.tab(in.Switch)
			if err != nil {
				return nil, err
			}
			if err := page.Activate(ctx); err != nil {
				return nil, err
			}
			k.Stage.Use(ctx, page)
			text = fmt.Sprintf("Tab %d is in front.", in.Switch)
		case in.Close != 0:
			page, err := k.tab(in.Close)
			if err != nil {
				return nil, err
			}
			if len(k.open()) == 1 {
				return nil, errors.New("this is the last tab, which stays open")
			}
			if err := page.Close(ctx); err != nil {
				return nil, err
			}
			k.Surface(ctx)
			text = fmt.Sprintf("Tab %d is closed.", in.Close)
		}
		out := Say(strings.TrimSpace(text + "\n" + fmt.Sprintf("%d open.", len(k.open()))))
		out.Data = k.listed(ctx)
		return out, nil
	})
	t.Repeats = true
	return t
}

// open are the tabs that the agent works in. Pages that were there before it are
// the caller's, and one that lies outside of the bounds is nobody's business.
func (k *Kit) open() []*browser.Page {
	return slices.DeleteFunc(k.page().Context().Pages(), func(p *browser.Page) bool {
		return p.Closed() || slices.Contains(k.Others, p) || p != k.page() && p.URL() != "about:blank" && k.Bounds.Allows(p.URL()) != nil
	})
}

func (k *Kit) tab(n int) (*browser.Page, error) {
	list := k.open()
	if n < 1 || n > len(list) {
		return nil, fmt.Errorf("there is no tab %d; there are %d", n, len(list))
	}
	return list[n-1], nil
}

// listed is a line for each tab.
func (k *Kit) listed(ctx context.Context) string {
	var b strings.Builder
	for i, p := range k.open() {
		var title string
		bound, cancel := context.WithTimeout(ctx, titleLimit)
		_ = p.MainFrame().EvaluateIsolated(bound, "document.title", &title) // a page that is busy has no title to tell
		cancel()
		fmt.Fprintf(&b, "%d: %s %q", i+1, shorten(p.URL(), 200), shorten(title, 80))
		if p == k.page() {
			b.WriteString(" (in front)")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Surface goes on in another tab of the agent's when the one in front is closed,
// as that of a login may be. It reports whether there is a page to go on with.
func (k *Kit) Surface(ctx context.Context) bool {
	if !k.page().Closed() {
		return true
	}
	list := k.open()
	if len(list) == 0 {
		return false
	}
	k.Stage.Use(ctx, list[len(list)-1])
	return true
}
