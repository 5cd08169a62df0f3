package games_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/games"
)

// one Chromium serves all tests that play, each in its own context.
var chromium *browser.Browser

func TestMain(m *testing.M) {
	browsertest.OneByOne()
	browsertest.Main(m, &chromium, func() error { return goleak.Find() })
}

func serve(t *testing.T, opts *games.ServeOptions) *games.Server {
	t.Helper()
	s, err := games.Serve(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

func get(t *testing.T, address string) (int, http.Header, string) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

func TestServeGivesEveryGame(t *testing.T) {
	s := serve(t, nil)
	status, _, index := get(t, s.URL("", 0))
	if status != http.StatusOK {
		t.Fatalf("index: status %d", status)
	}
	for _, g := range games.All() {
		for _, want := range []string{`id="` + g.Name + `"`, g.Name + "/thumb.webp", g.Genre} {
			if !strings.Contains(index, want) {
				t.Errorf("the index page lacks %q", want)
			}
		}
		status, header, page := get(t, s.URL(g.Name, 7))
		if status != http.StatusOK || header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(page, "<!doctype html>") {
			t.Errorf("%s: status %d, type %q", g.Name, status, header.Get("Content-Type"))
		}
	}
}

func TestServeAnswers(t *testing.T) {
	s := serve(t, nil)
	base := strings.TrimSuffix(s.URL("", 0), "/")
	tests := []struct {
		name, path, contentType string
		status                  int
	}{
		{"a script", "/starfall/starfall.js", "text/javascript; charset=utf-8", 200},
		{"data", "/ridge/levels.json", "application/json", 200},
		{"a drawing", "/breakout/panes.svg", "image/svg+xml", 200},
		{"a picture", "/noughts/thumb.webp", "image/webp", 200},
		{"the icon", "/favicon.ico", "image/svg+xml", 200},
		{"a folder without slash", "/noughts?seed=3", "text/html; charset=utf-8", 200},
		{"a missing file", "/starfall/missing.js", "", 404},
		{"a missing game", "/nothing/", "", 404},
		{"a way out of the folder", "/starfall/..%2fgames.go", "", 404},
		{"a fault without faults", "/~fault/x/starfall/", "", 404},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, header, _ := get(t, base+tt.path)
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			if tt.contentType != "" && header.Get("Content-Type") != tt.contentType {
				t.Errorf("type %q, want %q", header.Get("Content-Type"), tt.contentType)
			}
		})
	}
	resp, err := http.Post(base+"/starfall/", "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", resp.StatusCode)
	}
}

func TestFramesLiveOnAnotherOrigin(t *testing.T) {
	s := serve(t, nil)
	_, _, script := get(t, s.URL("", 0)+"config.js")
	_, rest, _ := strings.Cut(script, `"frameBase":"`)
	frameBase, _, _ := strings.Cut(rest, `"`)
	frame, err := url.Parse(frameBase)
	if err != nil {
		t.Fatal(err)
	}
	page, err := url.Parse(s.URL("harbour", 1))
	if err != nil {
		t.Fatal(err)
	}
	if frame.Hostname() == page.Hostname() || frame.Port() == page.Port() || frame.Port() == "" {
		t.Fatalf("the frame is at %s, the page at %s", frame, page)
	}
	frame.Host = page.Hostname() + ":" + frame.Port()
	if status, _, body := get(t, frame.String()+"harbour/inner.html"); status != 200 || !strings.Contains(body, "Light the lamp") {
		t.Errorf("the frame answers %d", status)
	}
}

func TestFaultsAreOfferedAndStayWithThePage(t *testing.T) {
	type seen struct{ fault, path string }
	calls := make(chan seen, 8)
	s := serve(t, &games.ServeOptions{
		Faults: []games.FaultInfo{{Name: "dark", Title: "the lights go out", Kind: "paint"}},
		Apply: func(fault string, w http.ResponseWriter, r *http.Request, next http.Handler) {
			calls <- seen{fault, r.URL.Path}
			if strings.HasSuffix(r.URL.Path, ".js") && r.URL.Path != "/config.js" {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			next.ServeHTTP(w, r)
		},
	})
	if _, _, index := get(t, s.URL("", 0)); !strings.Contains(index, "the lights go out") {
		t.Error("the index page does not offer the fault")
	}
	address := s.FaultURL("starfall", "dark", 4)
	if status, _, body := get(t, address); status != 200 || !strings.Contains(body, "Starfall") {
		t.Errorf("page: status %d", status)
	}
	if got := <-calls; got != (seen{"dark", "/starfall/"}) {
		t.Errorf("Apply got %v", got)
	}
	base, _, _ := strings.Cut(address, "?")
	if status, _, _ := get(t, base+"starfall.js"); status != http.StatusTeapot {
		t.Errorf("script: status %d", status)
	}
	<-calls
	if _, _, script := get(t, strings.TrimSuffix(base, "starfall/")+"config.js"); !strings.Contains(script, "/~fault/dark/") {
		t.Errorf("frames lose the fault: %s", script)
	}
}

func TestServeRefusesABadAddress(t *testing.T) {
	for _, addr := range []string{"nonsense", "127.0.0.1:99999"} {
		if s, err := games.Serve(t.Context(), &games.ServeOptions{Addr: addr}); err == nil {
			s.Close()
			t.Errorf("%q was accepted", addr)
		}
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := games.Serve(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if resp, err := http.Get(s.URL("", 0)); err == nil {
		resp.Body.Close()
		t.Error("the server still answers")
	}
}
