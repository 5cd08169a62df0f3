package video_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image/gif"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/browser/video"
)

// patience is for a loaded machine, also for a single call to the browser; nothing here measures time.
const patience = 90 * time.Second

var shared *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &shared) }

// game is red until a key is pressed, then green, and paints all the time.
const game = `<!doctype html><body style="margin:0;overflow:hidden"><canvas id=c width=1280 height=720></canvas><script>
	const pen = c.getContext('2d');
	let color = '#c00', n = 0, greens = 0;
	addEventListener('keydown', () => { color = '#0a0' });
	(function paint() {
		pen.fillStyle = color; pen.fillRect(0, 0, 1280, 720);
		pen.fillStyle = '#fff'; pen.fillRect(n++ * 9 % 1280, 300, 40, 40);
		if (color === '#0a0') greens++;
		requestAnimationFrame(paint);
	})();
</script>`

// record opens a page of its own with that text and records it from the beginning.
func record(t *testing.T, text string) (context.Context, *browser.Context, *browser.Page, *video.Recorder) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
	}))
	t.Cleanup(s.Close)
	ctx, cancel := context.WithTimeout(cdp.WithTimeout(context.Background(), patience), patience)
	t.Cleanup(cancel)
	c, err := shared.NewContext(ctx, &browser.ContextOptions{Width: 1280, Height: 720})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(ctx) }) // the browser's end closes it at the latest
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := video.Record(page)
	if _, err := page.Navigate(ctx, s.URL, nil); err != nil {
		t.Fatal(err)
	}
	return ctx, c, page, r
}

// until waits for an expression of the page to hold.
func until(t *testing.T, ctx context.Context, page *browser.Page, condition string) {
	t.Helper()
	for holds := false; !holds; {
		if err := page.Evaluate(ctx, "new Promise((r) => requestAnimationFrame(() => r("+condition+")))", &holds); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFilm records a game and plays the film in the browser that made it.
func TestFilm(t *testing.T) {
	ctx, c, page, r := record(t, game)
	// A busy machine takes a picture a second only.
	until(t, ctx, page, "performance.now() > 4000")
	if err := page.Keyboard().Press(ctx, "ArrowUp", 0); err != nil {
		t.Fatal(err)
	}
	if err := page.Mouse().Click(ctx, 640, 360, nil); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, page, "greens > 60 && performance.now() > 9000")
	film, err := r.Stop().Make(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if film.Width != 640 || film.Height != 388 || film.Seconds < 1 {
		t.Errorf("the film is %dx%d and %.1f s long", film.Width, film.Height, film.Seconds)
	}
	var seen struct {
		Width, Height int
		Duration      float64
		Begin, End    [3]int
	}
	const watch = `(async (src) => {
		const v = document.createElement('video');
		v.muted = true;
		v.src = src;
		const event = (name) => new Promise((yes, no) => { v.addEventListener(name, yes, {once: true}); v.addEventListener('error', () => no(new Error(v.error.message)), {once: true}); });
		await event('loadeddata');
		const pen = new OffscreenCanvas(v.videoWidth, v.videoHeight).getContext('2d');
		const look = async (at) => {
			const there = event('seeked');
			v.currentTime = at;
			await there;
			pen.drawImage(v, 0, 0);
			return [...pen.getImageData(20, 20, 1, 1).data.slice(0, 3)];
		};
		const first = async () => { // that is not a blank page
			let seen = [255, 255, 255];
			for (let at = 0; at < v.duration && seen.every((part) => part > 240); at += 0.2) seen = await look(at);
			return seen;
		};
		return {width: v.videoWidth, height: v.videoHeight, duration: v.duration, begin: await first(), end: await look(v.duration - 0.1)};
	})`
	src := "data:video/webm;base64," + base64.StdEncoding.EncodeToString(film.WebM)
	if err := page.Evaluate(ctx, fmt.Sprintf("%s(%q)", watch, src), &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Width != film.Width || seen.Height != film.Height || seen.Duration < film.Seconds-0.2 || seen.Duration > film.Seconds+0.2 {
		t.Errorf("it plays as %dx%d for %.2f s, want %dx%d for %.2f s", seen.Width, seen.Height, seen.Duration, film.Width, film.Height, film.Seconds)
	}
	if seen.Begin[0] < 2*seen.Begin[1] || seen.End[1] < 2*seen.End[0] {
		t.Errorf("it begins with the color %v and ends with %v, want red and green", seen.Begin, seen.End)
	}
	moves, err := gif.DecodeAll(bytes.NewReader(film.GIF))
	if err != nil {
		t.Fatal(err)
	}
	if len(moves.Image) < 3 || moves.Config.Width != 320 {
		t.Errorf("the GIF has %d pictures, %d points wide", len(moves.Image), moves.Config.Width)
	}
}

// TestClosedPage says that what was recorded of a page stays when it is gone.
func TestClosedPage(t *testing.T) {
	ctx, c, page, r := record(t, game)
	until(t, ctx, page, "n > 30")
	if err := page.Close(ctx); err != nil {
		t.Fatal(err)
	}
	film, err := r.Stop().Make(ctx, c)
	if err != nil || len(film.WebM) == 0 {
		t.Fatalf("no film of a page that was closed: %v", err)
	}
}

func TestNothingPainted(t *testing.T) {
	if _, err := new(video.Recording).Make(t.Context(), nil); !errors.Is(err, video.ErrEmpty) {
		t.Errorf("error %v, want %v", err, video.ErrEmpty)
	}
}
