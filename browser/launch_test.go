package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
)

// The test binary stands in for a program that uses the package and dies.
func TestMain(m *testing.M) {
	if os.Getenv("PLAYTEST_CHILD") != "" {
		child()
		return
	}
	browsertest.OneByOne()
	browsertest.Main(m, &chromium, func() error { return goleak.Find() })
}

func child() {
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	p, err := c.NewPage(ctx, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	p.Navigate(ctx, "data:text/html,<canvas></canvas><script>setInterval(() => {}, 1)</script>", nil)
	fmt.Println(b.PID())
	select {}
}

// Whatever happens to us, Chromium ends with us, and the next launch removes
// the profile folder that we could not.
func TestParentKilled(t *testing.T) {
	tmp := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PLAYTEST_CHILD=1", "TMPDIR="+tmp)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("child: %v", err)
	}
	var pid int
	fmt.Sscan(line, &pid)
	dirs := profilesOf(pid)
	if len(dirs) != 1 || !strings.HasPrefix(dirs[0], tmp) || len(group(pid)) < 3 {
		t.Errorf("profile folders %q, want one below %s with several processes", dirs, tmp)
	}
	cmd.Process.Kill()
	cmd.Wait()
	eventually(t, "all processes of the orphaned Chromium to end", func() bool { return len(carriers(tmp)) == 0 && len(group(pid)) == 0 })
	if _, err := os.Stat(dirs[0]); err != nil {
		t.Errorf("profile folder: %v, want one left for the next launch", err)
	}
	t.Setenv("TMPDIR", tmp)
	b := launch(t, nil)
	if _, err := os.Stat(dirs[0]); !os.IsNotExist(err) {
		t.Errorf("stale profile folder is still there: %v", err)
	}
	// A second launch leaves the folder of the first alone.
	launch(t, nil)
	if dirs := profilesOf(b.PID()); len(dirs) != 1 {
		t.Fatal("first browser is gone")
	} else if _, err := os.Stat(dirs[0]); err != nil {
		t.Errorf("profile folder of a living browser: %v", err)
	}
}

func TestCloseIsQuietAndIdempotent(t *testing.T) {
	b := launch(t, nil)
	p := newPage(t, b, nil, nil)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	<-b.Done()
	<-p.Done()
	if !errors.Is(b.Err(), browser.ErrClosed) || !errors.Is(p.Err(), browser.ErrClosed) {
		t.Errorf("ended with %v and %v", b.Err(), p.Err())
	}
	if err := p.Close(testContext(t)); err != nil {
		t.Errorf("closing a page of a closed browser: %v", err)
	}
}

// A Chromium that is stopped answers nothing; Close ends it all the same.
func TestCloseOfAStoppedChromium(t *testing.T) {
	b := launch(t, nil)
	p := newPage(t, b, nil, nil)
	syscall.Kill(-b.PID(), syscall.SIGSTOP)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := p.Evaluate(ctx, "1", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("evaluating on a stopped Chromium: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestLaunchFailures(t *testing.T) {
	script := func(text string) string {
		path := filepath.Join(t.TempDir(), "chromium")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		name, path string
		check      func(error) bool
	}{
		{"no such file", "/no/such/chromium", func(err error) bool { return errors.Is(err, browser.ErrNotFound) }},
		{"ends at once", script("echo cannot open display >&2; exit 3"), func(err error) bool {
			var exit *browser.ExitError
			return errors.As(err, &exit) && strings.Contains(err.Error(), "cannot open display")
		}},
		{"says nothing", script("exec sleep 600"), func(err error) bool { return err != nil }},
		{"talks nonsense", script("printf 'what\\0' >&4; exec sleep 600"), func(err error) bool { return err != nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			b, err := browser.Launch(testContext(t), &browser.LaunchOptions{Path: tt.path, Timeout: time.Second})
			if err == nil {
				b.Close()
			}
			if !tt.check(err) {
				t.Errorf("got %v", err)
			}
			if left, _ := os.ReadDir(tmp); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if left := carriers(tmp); len(left) > 0 {
				t.Errorf("processes left: %q", left)
			}
		})
	}
}

func TestNoChromiumAtAll(t *testing.T) {
	if _, err := os.Stat("/usr/bin/chromium"); err == nil {
		_, err := browser.Find("no-such-chromium")
		if !errors.Is(err, browser.ErrNotFound) {
			t.Errorf("got %v", err)
		}
		return
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := browser.Launch(testContext(t), nil); !errors.Is(err, browser.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestFind(t *testing.T) {
	exe, err := browser.Find("auto")
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(exe.Path) || !strings.Contains(exe.Version, ".") {
		t.Errorf("found %+v", exe)
	}
}

func TestLaunchScrubsEnvironmentAndWarnsRoot(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret-of-ours")
	t.Setenv("LC_ALL", "C.UTF-8")
	var log bytes.Buffer
	// Chromium overwrites its environment, so something else has to look.
	dump := filepath.Join(t.TempDir(), "env")
	path := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nenv > "+dump+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := browser.Launch(testContext(t), &browser.LaunchOptions{Path: path, Log: slog.New(slog.NewTextHandler(&log, nil))}); err == nil {
		t.Fatal("a shell script is no Chromium")
	}
	env, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(env, []byte("secret-of-ours")) {
		t.Errorf("the secret is in the environment %q", env)
	}
	for _, want := range []string{"PATH=", "LC_ALL=C.UTF-8", "playtest-profile-"} {
		if !bytes.Contains(env, []byte(want)) {
			t.Errorf("%s is missing in the environment %q", want, env)
		}
	}
	if os.Geteuid() == 0 && !strings.Contains(log.String(), "sandbox") {
		t.Errorf("no warning in %q", log.String())
	}
}

func TestContextsAreIsolated(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": "x"})
	one := newPage(t, chromium, nil, nil)
	two := newPage(t, chromium, &browser.ContextOptions{Width: 640, Height: 360, UserAgent: "Other/1", Locale: "de-DE", Timezone: "Asia/Tokyo"}, nil)
	open(t, one, srv.URL)
	open(t, two, srv.URL)
	eval[any](t, one, "localStorage.k = document.cookie = 'a=1'")
	if got := eval[string](t, two, "String(localStorage.k) + document.cookie"); got != "undefined" {
		t.Errorf("the other context sees %q", got)
	}
	got := eval[[]any](t, two, "[innerWidth, innerHeight, navigator.userAgent, navigator.language, new Date().getTimezoneOffset(), document.hasFocus(), document.visibilityState]")
	if want := "[640 360 Other/1 de-DE -540 true visible]"; fmt.Sprint(got) != want {
		t.Errorf("page sees %v, want %v", got, want)
	}
	got = eval[[]any](t, one, "[innerWidth, innerHeight, devicePixelRatio, navigator.userAgent.endsWith('playtest'), document.hasFocus(), document.visibilityState]")
	if want := "[1280 720 1 true true visible]"; fmt.Sprint(got) != want {
		t.Errorf("page sees %v, want %v", got, want)
	}
	ctx := testContext(t)
	if err := two.Context().Close(ctx); err != nil {
		t.Fatal(err)
	}
	if !two.Closed() || one.Closed() {
		t.Error("closing a context closed the wrong pages")
	}
	if _, err := two.Context().NewPage(ctx, nil); err == nil {
		t.Error("a closed context opened a page")
	}
	if got := eval[bool](t, one, "!!document.createElement('canvas').getContext('webgl')"); !got {
		t.Error("no WebGL")
	}
}

// Pages of one context share what it stores and are each as large as it says.
func TestSeveralPagesOfAContext(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": "x"})
	one := newPage(t, chromium, &browser.ContextOptions{Width: 640, Height: 360}, nil)
	two, err := one.Context().NewPage(testContext(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	open(t, one, srv.URL)
	open(t, two, srv.URL)
	eval[any](t, one, "localStorage.k = 'a'")
	got := eval[[]any](t, two, "[innerWidth, innerHeight, document.visibilityState, localStorage.k]")
	if want := "[640 360 visible a]"; fmt.Sprint(got) != want {
		t.Errorf("the second page sees %v, want %v", got, want)
	}
	if got := eval[string](t, one, "document.visibilityState"); got != "visible" || len(one.Context().Pages()) != 2 {
		t.Errorf("the first page is %s, of %d", got, len(one.Context().Pages()))
	}
}

func TestPermissionsAreDenied(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": "x"})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	for _, expr := range []string{
		`new Promise(r => navigator.geolocation.getCurrentPosition(() => r('granted'), e => r(e.code === 1 ? 'denied' : e.message)))`,
		`Notification.requestPermission()`,
		`navigator.mediaDevices.getUserMedia({audio: true}).then(() => 'granted', e => e.name === 'NotAllowedError' || e.name === 'NotFoundError' ? 'denied' : e.name)`,
	} {
		if got := eval[string](t, p, expr); got != "denied" {
			t.Errorf("%s: %s", expr, got)
		}
	}
}

// TestStillImages: animated images keep to their first frame where that was asked for.
func TestStillImages(t *testing.T) {
	t.Parallel()
	var moving bytes.Buffer
	all := gif.GIF{Delay: []int{2, 2}}
	for _, c := range []color.Color{color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}} {
		all.Image = append(all.Image, image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{c}))
	}
	if err := gif.EncodeAll(&moving, &all); err != nil {
		t.Fatal(err)
	}
	srv := serve(t, map[string]string{"/": `<img style="position:fixed;left:0;top:0;width:200px" src="data:image/gif;base64,` + base64.StdEncoding.EncodeToString(moving.Bytes()) + `">`})
	blue := func(p *browser.Page) bool {
		// Frames pass, so that an image that moves does.
		if err := p.MainFrame().Evaluate(testContext(t), `new Promise((done) => { let n = 7; const frame = () => (n-- ? requestAnimationFrame(frame) : done()); frame(); })`, nil); err != nil {
			t.Fatal(err)
		}
		img, err := p.Image(testContext(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _, b, _ := img.At(50, 50).RGBA()
		return b > 0x8000
	}
	plain := newPage(t, chromium, nil, nil)
	open(t, plain, srv.URL)
	eventually(t, "the image to move", func() bool { return blue(plain) })
	still := newPage(t, launch(t, &browser.LaunchOptions{StillImages: true}), nil, nil)
	open(t, still, srv.URL)
	for range 10 {
		if blue(still) {
			t.Fatal("the image moves")
		}
	}
}
