package egress_test

import (
	"context"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/egress"
)

// BenchmarkPage opens a bundled game until it has loaded, in a fresh page of one
// browser: what the proxy adds to a run is the difference.
func BenchmarkPage(b *testing.B) {
	ctx := context.Background()
	srv, err := games.Serve(ctx, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	url := srv.URL("starfall", 1)
	chromium, err := browser.Launch(ctx, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer chromium.Close()
	policy, err := egress.ForTarget(ctx, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	proxy := listen(b, policy, nil)
	for _, way := range []struct {
		name string
		ctx  context.Context
	}{{"direct", ctx}, {"proxy", browser.WithProxy(ctx, proxy)}} {
		b.Run(way.name, func(b *testing.B) {
			c, err := chromium.NewContext(way.ctx, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close(ctx)
			page, err := c.NewPage(ctx, nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := page.Navigate(ctx, url, nil); err != nil {
					b.Fatal(err)
				}
				if err := page.WaitLoad(ctx, browser.Complete); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
