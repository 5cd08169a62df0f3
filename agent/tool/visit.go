package tool

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

//go:embed visit.md
var visitText string

type visitArgs struct {
	URL string `json:"url" jsonschema:"the address, whole or relative to the page's"`
}

// loading is how long a page may take to load before it is looked at as it is.
const loading = 15 * time.Second

// visit is the goto tool; the word is Go's own.
func (k *Kit) visit() Tool {
	t := must("goto", visitText, func(ctx context.Context, in visitArgs) (*Outcome, error) {
		address := in.URL
		if base, err := url.Parse(k.page().URL()); err == nil {
			if whole, err := base.Parse(in.URL); err == nil {
				address = whole.String()
			}
		}
		if err := k.Bounds.Allows(address); err != nil {
			k.Bounds.Refuse(address)
			return nil, err
		}
		resp, err := k.page().Navigate(ctx, address, nil)
		if err != nil {
			return nil, err
		}
		k.loaded(ctx)
		out := Say("Opened " + k.page().URL() + ".")
		if resp.Status >= 400 {
			return out, fmt.Errorf("%s answers with status %d", address, resp.Status)
		}
		return out, nil
	})
	t.Timeout = time.Minute
	return t
}

// loaded waits until the document is there. A page that never finishes loading
// is looked at as it is.
func (k *Kit) loaded(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, loading)
	defer cancel()
	_ = k.page().WaitLoad(ctx, browser.Complete)
}
