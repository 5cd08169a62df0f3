package snapshot_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/golden"
)

// one Chromium serves all tests of the package, each in its own context.
var chromium *browser.Browser

func TestMain(m *testing.M) {
	browsertest.Main(m, &chromium, func() error { return goleak.Find() })
}

// patience is for a loaded machine, also for a single call to the browser; nothing here measures time.
const patience = 90 * time.Second

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return cdp.WithTimeout(ctx, patience)
}

// serve serves testdata/pages on two hosts, so that frames can be of another
// site, and whatever pages the test brings.
func serve(t testing.TB, pages map[string]string) string {
	t.Helper()
	var other string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		page, ok := pages[name]
		if !ok {
			data, err := os.ReadFile(filepath.Join("testdata/pages", filepath.Base(name)))
			if err != nil {
				http.NotFound(w, r)
				return
			}
			page = string(data)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(strings.ReplaceAll(page, "{{other}}", other)))
	}))
	t.Cleanup(s.Close)
	other = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	return s.URL + "/"
}

func open(t testing.TB, url string, p *probe.Probe) *browser.Page {
	t.Helper()
	ctx := testContext(t)
	c, err := chromium.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	opts := &browser.PageOptions{}
	if p != nil {
		opts.InitScripts = append(opts.InitScripts, p.Script())
	}
	page, err := c.NewPage(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := page.Navigate(ctx, url, nil); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	return page
}

func capture(t testing.TB, r *snapshot.Reader) *snapshot.Snapshot {
	t.Helper()
	s, err := r.Capture(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFormats(t *testing.T) {
	tests := []struct {
		name, page string
		probe      bool
		opts       *snapshot.FormatOptions
		within     string // is the selector of what opts is to show
	}{
		{name: "form", page: "form.html"},
		{name: "form-interactive", page: "form.html", opts: &snapshot.FormatOptions{Form: snapshot.Interactive}},
		{name: "form-small", page: "form.html", opts: &snapshot.FormatOptions{Form: snapshot.Interactive, Tokens: 160}},
		{name: "form-small-2", page: "form.html", opts: &snapshot.FormatOptions{Form: snapshot.Interactive, Tokens: 160, Part: 2}},
		{name: "form-words", page: "form.html", opts: &snapshot.FormatOptions{Form: snapshot.Interactive, Tokens: 160, Words: []string{"labelled", "elsewhere"}}},
		{name: "form-within", page: "form.html", opts: &snapshot.FormatOptions{}, within: `role=navigation[name="Main"]`},
		{name: "long", page: "long.html"},
		{name: "long-view", page: "long.html", opts: &snapshot.FormatOptions{Form: snapshot.InView}},
		{name: "shadow", page: "shadow.html"},
		{name: "frames", page: "frames.html"},
		{name: "canvas", page: "canvas.html", probe: true},
		{name: "canvas-unwatched", page: "canvas.html"},
		{name: "engine", page: "engine.html", probe: true},
		{name: "hostile", page: "hostile.html"},
		{name: "text", page: "text.html"},
		{name: "text-whole", page: "text.html", opts: &snapshot.FormatOptions{MaxName: -1}},
		{name: "text-words", page: "text.html", opts: &snapshot.FormatOptions{Words: []string{"2024"}}},
		{name: "invisible", page: "invisible.html"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p *probe.Probe
			if tt.probe {
				p = probe.New()
			}
			page := open(t, serve(t, nil)+tt.page, p)
			s := capture(t, snapshot.New(page, &snapshot.Options{Probe: p}))
			if tt.within != "" {
				tt.opts.Within = s.Find(tt.within).ID
			}
			golden.Check(t, filepath.Join("testdata", tt.name+".golden"), s.Format(tt.opts).Text)
		})
	}
}
