package fault_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/record"
)

func TestFaultsDescribeThemselves(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range fault.All() {
		if seen[f.Name] {
			t.Errorf("two faults are called %q", f.Name)
		}
		seen[f.Name] = true
		if f.Title == "" || f.Describe == "" {
			t.Errorf("%s has no title or description", f.Name)
		}
		if f.Script == "" && f.Wrap == nil {
			t.Errorf("%s does nothing", f.Name)
		}
		if got := f.Verdict(); (got == record.Fail) != (len(f.Checks) > 0) {
			t.Errorf("%s: verdict %s with checks %v", f.Name, got, f.Checks)
		}
	}
	if len(seen) < 40 {
		t.Errorf("%d faults, want 40 or more", len(seen))
	}
}

// page answers as a small game does.
func page(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/game/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html>\n<!-- <head> in a comment -->\n<html lang=\"en\"><HEAD class=\"x\"><script src=\"lib.js\"></script></head><body><script src='game.js?v=2'></script></body></html>")
	case "/game/lib.js", "/game/game.js":
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, "healthy()")
	case "/game/level.json":
		_, _ = io.WriteString(w, "{}")
	case "/game/worker.js":
		_, _ = io.WriteString(w, "work()")
	default:
		http.NotFound(w, r)
	}
}

func get(t *testing.T, h http.Handler, path, dest string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Sec-Fetch-Dest", dest)
	r.Header.Set("Accept-Encoding", "gzip, br")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func find(t *testing.T, name string) fault.Fault {
	t.Helper()
	f, ok := fault.Get(name)
	if !ok {
		t.Fatalf("no fault %q", name)
	}
	return f
}

func wrapped(t *testing.T, name string, seed int64) http.Handler {
	t.Helper()
	return find(t, name).Wrapped(http.HandlerFunc(page), games.Game{}, seed)
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		fault  string
		seed   int64
		path   string
		dest   string
		status int
		want   string // in the body
	}{
		{"page-404", 2, "/game/", "document", 404, "Not Found"},
		{"page-404", 2, "/game/", "iframe", 200, "game.js"},
		{"page-404", 1, "/game/", "document", 410, "Gone"},
		{"page-500", 3, "/game/", "document", 500, "Internal Server Error"},
		{"script-404", 1, "/game/game.js", "script", 404, ""},
		{"script-404", 1, "/game/lib.js", "script", 200, "healthy()"},
		{"script-syntax", 1, "/game/game.js", "script", 200, "<!doctype html>"},
		{"script-syntax", 2, "/game/game.js", "script", 200, "function begin"},
		{"script-syntax", 2, "/game/lib.js", "script", 200, "healthy()"},
		{"asset-missing", 1, "/game/level.json", "empty", 404, ""},
		{"asset-missing", 2, "/game/level.json", "empty", 500, ""},
		{"asset-missing", 1, "/game/game.js", "script", 200, "healthy()"},
		{"script-mime", 1, "/game/game.js", "script", 200, "healthy()"},
		{"script-cut", 1, "/game/lib.js", "script", 200, "healthy()"},
		{"library-missing", 1, "/game/lib.js", "script", 404, ""},
		{"library-missing", 1, "/game/game.js", "script", 200, "healthy()"},
		{"assets-partly", 1, "/game/level.json", "empty", 404, ""},
		{"assets-partly", 2, "/game/level.json", "empty", 200, "{}"},
		{"names-case", 1, "/game/Worker.js", "script", 404, ""},
		{"names-case", 1, "/game/game.js", "script", 200, "healthy()"},
		{"trap-font", 1, "/game/~absent/sans.woff2", "font", 404, ""},
		{"navigates-away", 1, "/game/~parked/", "document", 200, "for sale"},
		{"keys-swallowed", 1, "/game/game.js", "script", 200, "healthy()"},
	}
	for _, tt := range tests {
		t.Run(tt.fault+" "+tt.path+" "+tt.dest, func(t *testing.T) {
			h := wrapped(t, tt.fault, tt.seed)
			if tt.dest != "document" {
				_ = get(t, h, "/game/", "document") // the page comes before its parts
			}
			got := get(t, h, tt.path, tt.dest)
			if got.StatusCode != tt.status {
				t.Errorf("status %d, want %d", got.StatusCode, tt.status)
			}
			if text := body(t, got); !strings.Contains(text, tt.want) {
				t.Errorf("body %q does not contain %q", text, tt.want)
			}
		})
	}
}

func TestNeverAnswers(t *testing.T) {
	for _, tt := range []struct{ fault, path, dest string }{
		{"page-silent", "/game/", "document"},
		{"loading-script", "/game/game.js", "script"},
		{"loading-asset", "/game/level.json", "empty"},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			h := wrapped(t, tt.fault, 1)
			if tt.dest != "document" {
				_ = get(t, h, "/game/", "document")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, tt.path, nil)
			r.Header.Set("Sec-Fetch-Dest", tt.dest)
			w := httptest.NewRecorder()
			defer func() {
				if recover() == nil || ctx.Err() == nil || w.Body.Len() > 0 {
					t.Error("the request was answered")
				}
			}()
			h.ServeHTTP(w, r)
		})
	}
}

func TestPolicyForbidsScripts(t *testing.T) {
	got := get(t, wrapped(t, "script-csp", 1), "/game/", "document")
	if policy := got.Header.Get("Content-Security-Policy"); policy != "script-src 'none'" {
		t.Errorf("policy %q", policy)
	}
}

func TestWrongTypeAndPolicy(t *testing.T) {
	h := wrapped(t, "script-mime", 1)
	_ = get(t, h, "/game/", "document")
	if got := get(t, h, "/game/game.js", "script").Header; got.Get("Content-Type") != "text/plain; charset=utf-8" || got.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the main script comes with %v", got)
	}
	if got := get(t, h, "/game/lib.js", "script").Header.Get("Content-Type"); got != "text/javascript" {
		t.Errorf("the library comes as %q", got)
	}
	if policy := get(t, wrapped(t, "content-blocked", 1), "/game/", "document").Header.Get("Content-Security-Policy"); !strings.Contains(policy, "connect-src 'none'") {
		t.Errorf("policy %q", policy)
	}
}

func TestScriptIsCut(t *testing.T) {
	lengths := map[int]bool{}
	for seed := range int64(6) {
		h := wrapped(t, "script-cut", seed)
		_ = get(t, h, "/game/", "document")
		text := body(t, get(t, h, "/game/game.js", "script"))
		if !strings.HasPrefix("healthy()", text) || text == "healthy()" {
			t.Errorf("seed %d: %q is no part of the script", seed, text)
		}
		lengths[len(text)] = true
	}
	if len(lengths) < 3 {
		t.Errorf("cut in the same places: %v", lengths)
	}
}

func TestScriptComesFirst(t *testing.T) {
	got := get(t, wrapped(t, "overlay", 7), "/game/", "document")
	text := body(t, got)
	if !strings.HasPrefix(text, "<!doctype html>\n<!-- <head> in a comment -->\n<html lang=\"en\"><HEAD class=\"x\"><script>(() => {") {
		t.Errorf("the script is not first in the head: %.200q", text)
	}
	if !strings.Contains(text, `"seed":7`) {
		t.Error("the script does not know its seed")
	}
	if n := strings.Count(text, "</script>"); n != 3 {
		t.Errorf("%d scripts end in the page, want 3", n)
	}
}

func TestScriptWithoutHead(t *testing.T) {
	for name, tt := range map[string]struct{ page, before string }{
		"no head":    {"<!doctype html><html lang=en><p>hi", "<!doctype html><html lang=en>"},
		"no html":    {"<!DOCTYPE html>\n<p>hi", "<!DOCTYPE html>"},
		"no doctype": {"<p>hi", ""},
		"header":     {"<!doctype html><header>hi</header>", "<!doctype html>"},
	} {
		t.Run(name, func(t *testing.T) {
			h := find(t, "overlay").Wrapped(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, tt.page)
			}), games.Game{}, 1)
			text := body(t, get(t, h, "/", "document"))
			if !strings.HasPrefix(text, tt.before+"<script>") || !strings.HasSuffix(text, tt.page[len(tt.before):]) {
				t.Errorf("got %.120q", text)
			}
		})
	}
}

func TestScriptInWorkers(t *testing.T) {
	text := body(t, get(t, wrapped(t, "draw-nothing", 1), "/game/worker.js", "worker"))
	if !strings.HasPrefix(text, "(() => {") || !strings.HasSuffix(text, "work()") {
		t.Errorf("got %.80q", text)
	}
}

func TestPackedPageIsUnpacked(t *testing.T) {
	h := find(t, "overlay").Wrapped(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Error("the game was asked for a packed page")
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = io.WriteString(z, "<head></head>game")
		_ = z.Close()
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}), games.Game{}, 1)
	got := get(t, h, "/", "document")
	if coding := got.Header.Get("Content-Encoding"); coding != "" {
		t.Errorf("coding %q", coding)
	}
	if text := body(t, got); !strings.HasPrefix(text, "<head><script>") || !strings.HasSuffix(text, "game") {
		t.Errorf("got %.80q", text)
	}
}

func TestSwitchKeepsFaultsApart(t *testing.T) {
	var s fault.Switch
	serve := func(id, path, dest string) *http.Response {
		return get(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.Apply(id, w, r, http.HandlerFunc(page))
		}), path, dest)
	}
	_ = serve("script-404@1", "/game/", "document")
	if got := serve("script-404@1", "/game/game.js", "script").StatusCode; got != 404 {
		t.Errorf("status %d with the fault, want 404", got)
	}
	if got := serve("overlay@1", "/game/game.js", "script").StatusCode; got != 200 {
		t.Errorf("status %d with another fault, want 200", got)
	}
	if text := body(t, serve("overlay", "/game/?seed=5", "document")); !strings.Contains(text, `"seed":5`) {
		t.Error("a bare name does not take its seed from the address")
	}
	if got := serve("no-such-fault", "/game/", "document").StatusCode; got != 404 {
		t.Errorf("status %d for an unknown fault, want 404", got)
	}
}

func TestProxy(t *testing.T) {
	game := httptest.NewServer(http.HandlerFunc(page))
	t.Cleanup(game.Close)
	target, err := url.Parse(game.URL)
	if err != nil {
		t.Fatal(err)
	}
	h := fault.Proxy(target, find(t, "keys-swallowed"), games.Game{}, 1)
	if text := body(t, get(t, h, "/game/", "document")); !strings.Contains(text, "stopImmediatePropagation") {
		t.Error("the fault is not in the page")
	}
	if text := body(t, get(t, h, "/game/lib.js", "script")); text != "healthy()" {
		t.Errorf("the script is %q", text)
	}
	game.Close()
	if got := get(t, h, "/game/lib.js", "script").StatusCode; got != http.StatusBadGateway {
		t.Errorf("status %d after the game's server died, want 502", got)
	}
}

func TestApplies(t *testing.T) {
	keys := games.Game{Kind: "canvas2d", Controls: []games.Control{{Type: "key", Keys: []string{"ArrowLeft", "ArrowRight"}}}, Start: games.Start{Type: "auto"}}
	mouse := games.Game{Kind: "dom", Controls: []games.Control{{Type: "click", Target: "a card"}}, Start: games.Start{Type: "dom-button", Target: "Deal"}}
	for _, tt := range []struct {
		fault string
		game  games.Game
		want  bool
	}{
		{"keys-swallowed", keys, true},
		{"keys-swallowed", mouse, false},
		{"pointer-swallowed", mouse, true},
		{"pointer-swallowed", keys, false},
		{"canvas-hidden", mouse, false},
		{"animation-stops", games.Game{Kind: "canvas2d", Files: fstest.MapFS{"a.js": {Data: []byte("onclick = draw")}}}, false},
		{"animation-stops", games.Game{Kind: "canvas2d", Files: fstest.MapFS{"a.js": {Data: []byte("setInterval(draw, 20)")}}}, true},
		{"context-lost", keys, false},
		{"start-dead", mouse, true},
		{"start-dead", keys, false},
		{"key-dead", keys, true},
		{"key-dead", mouse, false},
		{"page-404", mouse, true},
		{"keys-ignored", games.Game{}, true},
	} {
		got, why := find(t, tt.fault).Applies(tt.game)
		if got != tt.want || got == (why != "") {
			t.Errorf("%s applies to a %s game: %v %q, want %v", tt.fault, tt.game.Kind, got, why, tt.want)
		}
	}
}
