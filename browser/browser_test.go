package browser_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/browser/cdp"
)

// chromium serves the tests that do not end or measure one, each in a context of
// its own.
var chromium *browser.Browser

// patience is for a loaded machine, also for a single call to the browser; nothing here measures time.
const patience = 60 * time.Second

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return cdp.WithTimeout(ctx, patience)
}

// launch starts a Chromium and checks at the end that nothing of it is left.
func launch(t testing.TB, opts *browser.LaunchOptions) *browser.Browser {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	b, err := browser.Launch(ctx, opts)
	if err != nil {
		t.Fatalf("these tests need a Chromium (Debian: apt-get install chromium): %v", err)
	}
	pid := b.PID()
	dirs := profilesOf(pid)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		for _, dir := range dirs {
			assertGone(t, dir)
		}
		if left := group(pid); len(left) > 0 {
			t.Errorf("processes of the group left: %q", left)
		}
	})
	if len(dirs) != 1 {
		t.Fatalf("Chromium runs on profile folders %q, want one", dirs)
	}
	return b
}

func profilesOf(pid int) []string {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return nil
	}
	// Chromium rewrites its command line with spaces between the arguments.
	var dirs []string
	for arg := range strings.FieldsFuncSeq(string(raw), func(r rune) bool { return r == 0 || r == ' ' }) {
		if dir, ok := strings.CutPrefix(arg, "--user-data-dir="); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// assertGone checks that no process carries the profile folder and that the
// folder is gone.
func assertGone(t testing.TB, dir string) {
	t.Helper()
	if left := carriers(dir); len(left) > 0 {
		t.Errorf("processes left: %q", left)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("profile folder left: %v", err)
	}
}

func carriers(dir string) []string {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var left []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(raw), dir) {
			left = append(left, file+": "+strings.ReplaceAll(string(raw), "\x00", " "))
		}
	}
	return left
}

// group lists the living processes of a process group, such as the zygotes that
// do not name the profile folder.
func group(pgid int) []string {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	var left []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// pid (name) state ppid pgrp ...
		fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
		if len(fields) > 2 && fields[0] != "Z" && fields[2] == strconv.Itoa(pgid) {
			left = append(left, string(raw))
		}
	}
	return left
}

// memory is the resident memory of a process group in KB.
func memory(pgid int) int {
	pages := 0
	for _, stat := range group(pgid) {
		fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
		if n, err := strconv.Atoi(fields[21]); err == nil {
			pages += n
		}
	}
	return pages * os.Getpagesize() / 1024
}

func newPage(t testing.TB, b *browser.Browser, copts *browser.ContextOptions, popts *browser.PageOptions) *browser.Page {
	t.Helper()
	ctx := testContext(t)
	c, err := b.NewContext(ctx, copts)
	if err != nil && b == chromium && browsertest.Revive(t, &chromium) {
		c, err = chromium.NewContext(ctx, copts)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) }) // it may be gone with its browser
	p, err := c.NewPage(ctx, popts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// serve serves pages by path; everything else is 404.
func serve(t testing.TB, pages map[string]string) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		} else {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		w.Write([]byte(body))
	}))
	t.Cleanup(srv.Close)
	return srv
}

// cross is the same server under another site's name.
func cross(srv *httptest.Server) string {
	return strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
}

func open(t testing.TB, p *browser.Page, url string) *browser.Response {
	t.Helper()
	ctx := testContext(t)
	res, err := p.Navigate(ctx, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WaitLoad(ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	return res
}

// eventually waits for a condition that comes from the browser.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience / 2)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func eval[T any](t testing.TB, f interface {
	Evaluate(context.Context, string, any) error
}, expr string) T {
	t.Helper()
	var v T
	if err := f.Evaluate(testContext(t), expr, &v); err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return v
}
