// Package gametest opens pages under observation for the tests of what watches
// them.
package gametest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// Patience is for a loaded machine; nothing measures how fast it is.
const Patience = 2 * time.Minute

// Page serves one document at the root of a server of its own.
func Page(html string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, html)
	})
}

// Open prepares a page of its own for what a handler serves, which is not opened
// yet. It goes away with the test.
func Open(t testing.TB, b *browser.Browser, served http.Handler, meta *metadata.Metadata, opts game.Options) (context.Context, *game.Game) {
	t.Helper()
	s := httptest.NewServer(served)
	t.Cleanup(s.Close)
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	t.Cleanup(cancel)
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(ctx) }) // the browser's end closes it at the latest
	rec := &record.Record{Target: record.Target{URL: s.URL + "/", Metadata: meta}, Environment: record.Environment{Width: 1280, Height: 720}}
	g, err := game.Open(ctx, c, rec, opts)
	if err != nil {
		t.Fatal(err)
	}
	return ctx, g
}
