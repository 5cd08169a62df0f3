package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/playtest-dev/playtest/browser"
)

func TestContextOptions(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<!doctype html><meta name=viewport content='width=device-width'>%s", r.Header.Get("X-Team"))
	}))
	t.Cleanup(srv.Close)
	opts, err := browser.Device("iPhone 15")
	if err != nil {
		t.Fatal(err)
	}
	opts.Headers = map[string]string{"X-Team": "blue"}
	opts.Geolocation = &browser.Geolocation{Latitude: 52.5, Longitude: 13.4}
	opts.Permissions = []string{"clipboard-read"}
	opts.ColorScheme = "dark"
	p := newPage(t, chromium, opts, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	got := eval[string](t, p, `navigator.permissions.query({ name: 'clipboard-read' }).then(({ state: clipboard }) => new Promise((done) => navigator.geolocation.getCurrentPosition((at) => done(JSON.stringify([
		document.body.innerText, innerWidth, devicePixelRatio, navigator.maxTouchPoints > 0, navigator.userAgent.includes('iPhone'),
		at.coords.latitude, clipboard, matchMedia('(prefers-color-scheme: dark)').matches])), (e) => done(e.message))))`)
	if want := `["blue",393,3,true,true,52.5,"granted",true]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := p.SetViewport(ctx, 500, 400); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, p, "innerWidth + 'x' + innerHeight"); got != "500x400" {
		t.Errorf("viewport %s", got)
	}
	if _, err := browser.Device("toaster"); err == nil || !strings.Contains(err.Error(), "pixel 8") {
		t.Errorf("got %v", err)
	}
}

// A login survives in a file.
func TestStorageState(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			http.SetCookie(w, &http.Cookie{Name: "user", Value: "ada", Path: "/", HttpOnly: true})
		}
		who := "nobody"
		if c, err := r.Cookie("user"); err == nil {
			who = c.Value
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><p id=who>%s</p>", who)
	}))
	t.Cleanup(srv.Close)
	ctx := testContext(t)
	first := newPage(t, chromium, nil, nil)
	open(t, first, srv.URL+"/login")
	eval[any](t, first, `void localStorage.setItem('theme', 'da"rk')`)
	state, err := first.Context().StorageState(ctx)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state.json")
	if err := state.SaveTo(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	loaded, err := browser.LoadStorageState(path)
	if err != nil {
		t.Fatal(err)
	}
	second := newPage(t, chromium, &browser.ContextOptions{Storage: loaded}, nil)
	if n := len(second.Context().Pages()); n != 1 {
		t.Errorf("%d pages", n)
	}
	open(t, second, srv.URL+"/")
	if got := eval[string](t, second, `who.innerText + ' ' + localStorage.getItem('theme')`); got != `ada da"rk` {
		t.Errorf("got %s", got)
	}
	cookies, err := second.Context().Cookies(ctx, srv.URL)
	if err != nil || len(cookies) != 1 || cookies[0].Value != "ada" || !cookies[0].HTTPOnly {
		t.Errorf("cookies %+v, %v", cookies, err)
	}
	if err := second.Context().ClearCookies(ctx); err != nil {
		t.Fatal(err)
	}
	if err := second.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	if got, err := second.Locator("#who").Text(ctx); err != nil || got != "nobody" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := chromium.NewContext(ctx, &browser.ContextOptions{Storage: &browser.StorageState{Origins: []browser.OriginStorage{{Origin: "file:///etc"}}}}); err == nil {
		t.Error("an origin that is none was taken")
	}
}

func TestTabs(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{
		"/":    `<!doctype html><a id=a target=_blank href="/two">two</a> <button id=o onclick="window.open('/two')">open</button> <button id=s onclick="for (let i = 0; i < 9; i++) window.open('/two?' + i)">storm</button>`,
		"/two": `<!doctype html><title>Two</title><p id=early></p><script>early.innerText = window.first</script>`,
	})
	p := newPage(t, chromium, &browser.ContextOptions{Tabs: 3}, &browser.PageOptions{InitScripts: []browser.InitScript{{Source: "window.first = 'yes'"}}})
	open(t, p, srv.URL)
	ctx, c := testContext(t), p.Context()
	if c.Active() != p {
		t.Error("the first page is not the active one")
	}
	for _, id := range []string{"#a", "#o"} {
		tab, err := c.WaitForPage(ctx, func(ctx context.Context) error { return p.Locator(id).Click(ctx, nil) })
		if err != nil {
			t.Fatal(err)
		}
		if err := tab.WaitLoad(ctx, browser.Complete); err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, tab, "early.innerText"); got != "yes" {
			t.Errorf("%s: the init script came late: %q", id, got)
		}
		if c.Active() != tab || len(c.Pages()) != 2 {
			t.Errorf("%s: active %s of %d", id, c.Active().URL(), len(c.Pages()))
		}
		if err := p.Activate(ctx); err != nil || c.Active() != p {
			t.Errorf("%s: the first page did not come to the front: %v", id, err)
		}
		if err := tab.Activate(ctx); err != nil || c.Active() != tab {
			t.Errorf("%s: the tab did not come to the front: %v", id, err)
		}
		if err := tab.Close(ctx); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the first page to be active again", func() bool { return c.Active() == p })
	}
	for range 5 { // Chromium lets one window through for each click
		if err := p.Locator("#s").Click(ctx, nil); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "three pages", func() bool { return len(c.Pages()) == 3 })
	eventually(t, "the storm in the log", func() bool { return p.Log().Counts().Popups >= 7 })
	if n := len(c.Pages()); n != 3 {
		t.Errorf("%d pages", n)
	}
	shut := newPage(t, chromium, nil, nil)
	if _, err := shut.Context().WaitForPage(ctx, func(context.Context) error { return nil }); !errors.Is(err, browser.ErrNoTab) {
		t.Errorf("tabs are off: %v", err)
	}
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><a id=small href="/small">small</a> <a id=big href="/big">big</a> <a id=endless href="/endless">endless</a>`)
		case "/small":
			w.Header().Set("Content-Disposition", `attachment; filename="../../re\port.txt"`)
			fmt.Fprint(w, "hello")
		case "/big":
			w.Header().Set("Content-Disposition", "attachment; filename=big.bin")
			w.Header().Set("Content-Length", "2147483648")
			send(w, r)
		default:
			w.Header().Set("Content-Disposition", "attachment; filename=endless.bin")
			send(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	p := newPage(t, chromium, &browser.ContextOptions{Downloads: &browser.DownloadOptions{Dir: dir, MaxBytes: 1 << 20}}, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	click := func(id string) (*browser.Download, error) {
		return p.WaitForDownload(ctx, func(ctx context.Context) error { return p.Locator(id).Click(ctx, nil) })
	}
	for range 2 {
		d, err := click("#small")
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(d.Path); err != nil || string(data) != "hello" || filepath.Dir(d.Path) != dir {
			t.Errorf("%s holds %q, %v", d.Path, data, err)
		}
	}
	for _, id := range []string{"#big", "#endless"} {
		d, err := click(id)
		if !errors.Is(err, browser.ErrDownload) || d == nil || d.State != browser.TooLarge {
			t.Errorf("%s: %+v, %v", id, d, err)
		}
	}
	if err := p.Context().Close(ctx); err != nil {
		t.Fatal(err)
	}
	var names []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || len(names) != 2 {
		t.Errorf("the folder holds %q, %v", names, err)
	}
	shut := newPage(t, chromium, nil, nil)
	if _, err := shut.WaitForDownload(ctx, func(context.Context) error { return nil }); !errors.Is(err, browser.ErrDownload) {
		t.Errorf("downloads are off: %v", err)
	}
}

// Files beyond those that are kept account of are not kept: nobody would notice how
// large they get.
func TestDownloadsAreBoundedHoweverMany(t *testing.T) {
	t.Parallel()
	const large = 64 << 20
	var sent atomic.Int64
	over := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/large" {
			w.Header().Set("Content-Type", "text/html")
			// Chromium lets a document have ten files at a time.
			fmt.Fprint(w, `<!doctype html><a id=large href="/large">large</a><button id=many>many</button><script>
				const frames = Array.from({length: 100}, () => document.body.appendChild(document.createElement('iframe')));
				many.onclick = () => frames.forEach((f, n) => { for (let i = 0; i < 10; i++) {
					const a = f.contentDocument.createElement('a'); a.href = 'data:text/plain,x'; a.download = n + '-' + i + '.txt'; f.contentDocument.body.append(a); a.click() } });
			</script>`)
			return
		}
		defer close(over)
		w.Header().Set("Content-Disposition", "attachment; filename=large.bin")
		for block := make([]byte, 64<<10); sent.Load() < large && r.Context().Err() == nil; sent.Add(int64(len(block))) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	p := newPage(t, chromium, &browser.ContextOptions{Downloads: &browser.DownloadOptions{Dir: t.TempDir(), MaxBytes: 1 << 20}}, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	if err := p.Locator("#many").Click(ctx, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a thousand files", func() bool {
		list := p.Context().Downloads()
		return len(list) == 1000 && !slices.ContainsFunc(list, func(d browser.Download) bool { return d.State == browser.Downloading })
	})
	if err := p.Locator("#large").Click(ctx, nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-over:
	case <-ctx.Done():
		t.Fatal("nobody asked for the file")
	}
	if n := sent.Load(); n >= large {
		t.Errorf("all %d bytes of it were taken", n)
	}
}

// send sends until nobody listens.
func send(w http.ResponseWriter, r *http.Request) {
	block := make([]byte, 64<<10)
	for range 32 << 10 {
		if _, err := w.Write(block); err != nil || r.Context().Err() != nil {
			return
		}
	}
}
