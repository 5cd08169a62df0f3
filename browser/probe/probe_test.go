package probe_test

import (
	"context"
	"embed"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/browser/probe"
)

//go:embed testdata
var testdata embed.FS

// patience is for a loaded machine, also for a single call to the browser; nothing here measures time.
const patience = 90 * time.Second

// shared is one Chromium for all tests; each has a context of its own.
var shared *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &shared) }

// watched is a page under the probe.
type watched struct {
	t     testing.TB
	ctx   context.Context
	page  *browser.Page
	probe *probe.Probe
}

// blank opens a page with the probe, without navigating.
func blank(t testing.TB, opts *browser.ContextOptions) *watched {
	t.Helper()
	p := probe.New()
	return &watched{t, timeout(t), newPage(t, opts, p.Script()), p}
}

func timeout(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return cdp.WithTimeout(ctx, patience)
}

func newPage(t testing.TB, opts *browser.ContextOptions, scripts ...browser.InitScript) *browser.Page {
	t.Helper()
	ctx := timeout(t)
	c, err := shared.NewContext(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(ctx) }) // the browser's end closes it at the latest
	page, err := c.NewPage(ctx, &browser.PageOptions{InitScripts: scripts})
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// server serves testdata, and pages given as text under their path.
func server(t testing.TB, pages map[string]string) *httptest.Server {
	t.Helper()
	files, err := fs.Sub(testdata, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	next := http.FileServerFS(files)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := pages[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(text)) // a page that went away needs no answer
			return
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// visit opens an address with the probe and waits until it has loaded.
func visit(t testing.TB, url string) *watched {
	t.Helper()
	w := blank(t, nil)
	w.open(url)
	return w
}

// html opens a page given as text.
func html(t testing.TB, text string) *watched {
	t.Helper()
	return visit(t, server(t, map[string]string{"/": "<!doctype html>" + text}).URL)
}

func (w *watched) open(url string) {
	w.t.Helper()
	if _, err := w.page.Navigate(w.ctx, url, nil); err != nil {
		w.t.Fatal(err)
	}
	if err := w.page.WaitLoad(w.ctx, browser.Complete); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watched) read() *probe.Reading {
	w.t.Helper()
	r, err := w.probe.Read(w.ctx, w.page, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// main is what the probe saw in the main frame.
func (w *watched) main() *probe.State {
	w.t.Helper()
	return w.read().Frames[0]
}

// until reads the main frame until a condition holds.
func (w *watched) until(what string, holds func(*probe.State) bool) *probe.State {
	w.t.Helper()
	return w.untilAll(what, func(r *probe.Reading) bool { return len(r.Frames) > 0 && holds(r.Frames[0]) }).Frames[0]
}

// untilAll reads all frames until a condition holds.
func (w *watched) untilAll(what string, holds func(*probe.Reading) bool) *probe.Reading {
	w.t.Helper()
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for {
		r := w.read()
		if holds(r) {
			return r
		}
		select {
		case <-limit:
			w.t.Fatalf("never seen: %s; last of the main frame %+v", what, r.Frames[0])
		case <-tick.C:
		}
	}
}

func (w *watched) eval(expr string, out any) {
	w.t.Helper()
	if err := w.page.Evaluate(w.ctx, expr, out); err != nil {
		w.t.Fatalf("%.80s: %v", expr, err)
	}
}

// str evaluates to a string.
func (w *watched) str(expr string) string {
	w.t.Helper()
	var s string
	w.eval("String("+expr+")", &s)
	return s
}

// clean fails the test if the page saw an exception.
func (w *watched) clean() {
	w.t.Helper()
	for _, e := range w.page.Log().Exceptions() {
		w.t.Errorf("exception: %s %s", e.Text, e.Stack)
	}
}
