package site_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/internal/site"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "game.zip")
	f, err := os.Create(at)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return at
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func serve(t *testing.T, path string, opts *site.Options) *site.Server {
	t.Helper()
	s, err := site.Serve(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// client asks as it is told to: it neither unpacks nor follows.
func client(t *testing.T) *http.Client {
	tr := &http.Transport{DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

type answer struct {
	status int
	header http.Header
	body   string
}

func get(t *testing.T, address string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	res, err := client(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(body)}
}

func TestTypes(t *testing.T) {
	files := map[string]string{
		"index.html": "<p>game", "a.js": "1", "b.mjs": "1", "c.wasm": "\x00asm", "d.pck": "GDPC", "e.data": "x",
		"f.json": "{}", "g.ogg": "OggS", "h.webp": "x", "i.woff2": "x", "noext": "<html>",
	}
	want := map[string]string{
		"": "text/html; charset=utf-8", "a.js": "text/javascript; charset=utf-8", "b.mjs": "text/javascript; charset=utf-8", "c.wasm": "application/wasm",
		"d.pck": "application/octet-stream", "e.data": "application/octet-stream", "f.json": "application/json",
		"g.ogg": "audio/ogg", "h.webp": "image/webp", "i.woff2": "font/woff2", "noext": "text/html; charset=utf-8",
	}
	for kind, path := range map[string]string{"folder": folder(t, files), "zip": zipped(t, files)} {
		t.Run(kind, func(t *testing.T) {
			s := serve(t, path, nil)
			for name, kind := range want {
				if a := get(t, s.URL()+name); a.status != 200 || a.header.Get("Content-Type") != kind {
					t.Errorf("/%s: status %d, type %q, want %q", name, a.status, a.header.Get("Content-Type"), kind)
				}
			}
		})
	}
}

func TestCompressedExports(t *testing.T) {
	const script = "var unity = 1"
	files := map[string]string{
		"index.html": "x", "Build/game.framework.js.gz": packed(t, script), "Build/game.wasm.br": "brotli", "Build/game.data.gz": packed(t, "data"),
		"only.js.gz": packed(t, script), "levels.json.gz": packed(t, "{}"), "false.js.gz": script, "Build/game.data.unityweb": "UnityWeb",
	}
	const both = "gzip, deflate, br, zstd"
	tests := []struct {
		name, path, accept         string
		status                     int
		contentType, coding, whole string
	}{
		{"a script that Unity asks for by its packed name", "Build/game.framework.js.gz", both, 200, "text/javascript; charset=utf-8", "gzip", packed(t, script)},
		{"brotli", "Build/game.wasm.br", both, 200, "application/wasm", "br", "brotli"},
		{"data", "Build/game.data.gz", both, 200, "application/octet-stream", "gzip", packed(t, "data")},
		{"a file of which only a packed copy was uploaded", "only.js", both, 200, "text/javascript; charset=utf-8", "gzip", packed(t, script)},
		{"the same for a client that cannot unpack", "only.js", "", 200, "text/javascript; charset=utf-8", "", script},
		{"brotli for a client that refuses it", "Build/game.wasm.br", "gzip, br;q=0", 406, "text/plain; charset=utf-8", "", ""},
		{"data that the game unpacks itself", "levels.json.gz", both, 200, "application/gzip", "", packed(t, "{}")},
		{"a name that says packed and a file that is not", "false.js.gz", both, 200, "text/javascript; charset=utf-8", "", script},
		{"Unity's own fallback, unpacked by its loader", "Build/game.data.unityweb", both, 200, "application/octet-stream", "", "UnityWeb"},
	}
	for kind, path := range map[string]string{"folder": folder(t, files), "zip": zipped(t, files)} {
		s := serve(t, path, nil)
		for _, tt := range tests {
			t.Run(kind+"/"+tt.name, func(t *testing.T) {
				a := get(t, s.URL()+tt.path, "Accept-Encoding", tt.accept)
				if a.status != tt.status || a.header.Get("Content-Type") != tt.contentType || a.header.Get("Content-Encoding") != tt.coding {
					t.Errorf("status %d, type %q, coding %q", a.status, a.header.Get("Content-Type"), a.header.Get("Content-Encoding"))
				}
				if tt.whole != "" && a.body != tt.whole {
					t.Errorf("body %q, want %q", a.body, tt.whole)
				}
			})
		}
	}
}

func TestIsolation(t *testing.T) {
	tests := []struct {
		name   string
		script string
		file   string
		choice site.Isolation
		want   bool
	}{
		{"a game without threads", "draw()", "game.js", "", false},
		{"a Godot export with threads", "new SharedArrayBuffer(8)", "game.js", "", true},
		{"the same, packed", packed(t, "new SharedArrayBuffer(8)"), "game.js.gz", "", true},
		{"packed so that nobody can tell", "?", "game.js.br", "", true},
		{"threads, but switched off", "new SharedArrayBuffer(8)", "game.js", site.IsolationOff, false},
		{"no threads, but switched on", "draw()", "game.js", site.IsolationOn, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, folder(t, map[string]string{"index.html": "x", tt.file: tt.script}), &site.Options{Isolation: tt.choice})
			a := get(t, s.URL())
			got := a.header.Get("Cross-Origin-Opener-Policy") == "same-origin" && a.header.Get("Cross-Origin-Embedder-Policy") == "credentialless"
			if got != tt.want {
				t.Errorf("isolated %v, want %v: %v", got, tt.want, a.header)
			}
		})
	}
}

func TestEntry(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  string
		fails string
	}{
		{"index.html at the root", []string{"about.html", "index.html", "sub/index.html"}, "index.html", ""},
		{"one page of another name", []string{"game.html", "game.js"}, "game.html", ""},
		{"a folder inside a zip", []string{"MyGame/index.html", "MyGame/extra/index.html", "__MACOSX/._index.html"}, "MyGame/index.html", ""},
		{"the build beside its sources", []string{"src/main.js", "dist/index.html", "node_modules/x/index.html"}, "dist/index.html", ""},
		{"two builds", []string{"web/index.html", "mobile/index.html"}, "", "holds no index.html but 2 other pages"},
		{"no page at all", []string{"readme.txt"}, "", "holds no HTML page"},
		{"a page in the history only", []string{".git/index.html"}, "", "holds no HTML page"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{}
			for _, f := range tt.files {
				files[f] = "x"
			}
			for _, path := range []string{folder(t, files), zipped(t, files)} {
				b, err := site.Open(path)
				if tt.fails != "" {
					var none *site.NoPageError
					if !errors.As(err, &none) || !strings.Contains(err.Error(), tt.fails) {
						t.Errorf("opened, or failed with %v", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if b.Entry() != tt.want {
					t.Errorf("plays %q, want %q", b.Entry(), tt.want)
				}
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestOnePage(t *testing.T) {
	dir := folder(t, map[string]string{"a b.html": "second", "index.html": "first", "pic.png": "x"})
	s := serve(t, filepath.Join(dir, "a b.html"), nil)
	if a := get(t, s.URL()); a.body != "second" {
		t.Errorf("%s answers %q", s.URL(), a.body)
	}
}

func TestNotServed(t *testing.T) {
	dir := folder(t, map[string]string{"game/index.html": "x", "secret.txt": "secret", "game/.env": "secret", "game/.git/config": "secret", "game/sub/a.js": "1"})
	if err := os.Symlink(filepath.Join(dir, "secret.txt"), filepath.Join(dir, "game", "link.txt")); err != nil {
		t.Skip("no links here:", err)
	}
	s := serve(t, filepath.Join(dir, "game"), nil)
	for _, path := range []string{"link.txt", "../secret.txt", "..%2fsecret.txt", ".env", ".git/config", "sub/", "missing.js", "index.html/"} {
		if a := get(t, s.URL()+path); a.status != http.StatusNotFound || strings.Contains(a.body, "secret") {
			t.Errorf("/%s: status %d, %q", path, a.status, a.body)
		}
	}
	if a := get(t, s.URL(), "Host", "evil.example:80"); a.status != http.StatusMisdirectedRequest {
		t.Errorf("asked by another name: status %d", a.status)
	}
	if a := get(t, s.URL()+"sub"); a.status != http.StatusMovedPermanently || a.header.Get("Location") != "/sub/" {
		t.Errorf("a folder: status %d to %q", a.status, a.header.Get("Location"))
	}
}

func TestParts(t *testing.T) {
	files := map[string]string{"index.html": "x", "music.ogg": "0123456789"}
	for _, path := range []string{folder(t, files), zipped(t, files)} {
		a := get(t, serve(t, path, nil).URL()+"music.ogg", "Range", "bytes=2-4")
		if a.status != http.StatusPartialContent || a.body != "234" {
			t.Errorf("%s: status %d, %q", filepath.Base(path), a.status, a.body)
		}
	}
}

func TestSameAddressAgain(t *testing.T) {
	dir := folder(t, map[string]string{"index.html": "x"})
	first := serve(t, dir, nil)
	second := serve(t, dir, nil) // at the same time: it gets another port
	if first.URL() == second.URL() {
		t.Fatalf("two servers at %s", first.URL())
	}
	was := first.URL()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if again := serve(t, dir, nil); again.URL() != was {
		t.Errorf("%s at first, %s again", was, again.URL())
	}
}

func TestNoZip(t *testing.T) {
	dir := folder(t, map[string]string{"game.zip": "no zip", "cut.zip": "PK\x03\x04"})
	for _, name := range []string{"game.zip", "cut.zip", "none.zip"} {
		if b, err := site.Open(filepath.Join(dir, name)); err == nil {
			b.Close()
			t.Errorf("%s was opened", name)
		}
	}
}

func TestChanged(t *testing.T) {
	dir := folder(t, map[string]string{"index.html": "x"})
	synctest.Test(t, func(t *testing.T) {
		done := make(chan error, 1)
		begin := time.Now()
		go func() { done <- site.Changed(t.Context(), dir, time.Second) }()
		time.Sleep(2500 * time.Millisecond)
		for range 3 { // a compiler at work
			f, err := os.OpenFile(filepath.Join(dir, "a.js"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString("more"); err != nil {
				t.Fatal(err)
			}
			f.Close()
			time.Sleep(time.Second)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 6*time.Second {
			t.Errorf("noticed after %s, want 6s: not while it is being written", took)
		}
	})
}
