package survey_test

import (
	"bytes"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/game/gametest"
	"github.com/playtest-dev/playtest/internal/qa/survey"
	"github.com/playtest-dev/playtest/record"
)

var shared *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &shared) }

// poor keeps out whoever can be kept out.
const poor = `<!doctype html><meta name=viewport content="width=device-width, user-scalable=no"><body style="margin:0;background:#fff">
	<canvas id=board width=800 height=500></canvas><img src="/x.png" width=40 height=40><button id=go style="width:30px;height:18px"></button>
	<div onclick="1" style="width:60px;height:30px">Start</div><p style="color:#ddd">You can hardly read this</p><p>This can be read.</p>
	<p style="background-image:linear-gradient(#000,#fff);color:#777">Nobody knows about this</p>`

// good keeps nobody out and fits a phone.
const good = `<!doctype html><html lang=en><title>Good</title><meta name=viewport content="width=device-width">
	<body style="margin:0"><canvas style="width:100%;display:block" aria-label="The board"></canvas>
	<button style="padding:1rem">Start</button><img alt="" src="/x.png"><p>This can be read.</p></html>`

func open(t *testing.T, handler http.Handler) *game.Game {
	t.Helper()
	ctx, g := gametest.Open(t, shared, handler, nil, game.Options{})
	if _, err := g.Navigate(ctx, g.Record.Target.URL); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestBarriers(t *testing.T) {
	g := open(t, gametest.Page(poor))
	kinds := map[string]record.Barrier{}
	for _, b := range survey.Barriers(t.Context(), g.Page) {
		kinds[b.Kind] = b
	}
	for _, kind := range []string{"language", "title", "zoom", "picture", "name", "keyboard", "contrast", "canvas"} {
		if kinds[kind].Count != 1 {
			t.Errorf("%s: %+v, want one", kind, kinds[kind])
		}
	}
	if got := strings.Join(kinds["keyboard"].Examples, ""); got != "div “Start”" {
		t.Errorf("the example is %q", got)
	}
	if found := survey.Barriers(t.Context(), open(t, gametest.Page(good)).Page); found == nil || len(found) != 0 {
		t.Errorf("a page without barriers has %+v", found)
	}
}

func TestPhone(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		fits       bool
	}{{"poor", poor, false}, {"good", good, true}} {
		phone, shot, err := survey.Phone(t.Context(), open(t, gametest.Page(tt.page)).Page)
		if err != nil {
			t.Fatal(err)
		}
		if fits := phone.Wide == 0 && phone.Small == 0; fits != tt.fits || !phone.Declares || fits && phone.Shown != 1 {
			t.Errorf("%s: %+v", tt.name, phone)
		}
		size, err := png.DecodeConfig(bytes.NewReader(shot))
		if err != nil || size.Width != 390 || size.Height != 844 {
			t.Errorf("%s: the picture is %d x %d: %v", tt.name, size.Width, size.Height, err)
		}
	}
}

// What the page draws and how soon it draws after inputs is noted, and the page itself
// does not learn of it: its own count of frames stays what it is.
func TestWatch(t *testing.T) {
	g := open(t, gametest.Page(`<!doctype html><body>still</body>`))
	ctx := t.Context()
	survey.Watch(ctx, g.Page)
	survey.Watch(ctx, g.Page) // twice is once
	for range 3 {
		if err := g.Do(ctx, game.Input{Kind: game.KeyPress, Key: "Space"}, 0); err != nil {
			t.Fatal(err)
		}
	}
	const drawn = `new Promise((done) => { let n = 0; (function frame() { n++ < 30 ? requestAnimationFrame(frame) : done(1) })() })`
	if err := g.Page.MainFrame().EvaluateIsolated(ctx, drawn, nil); err != nil {
		t.Fatal(err)
	}
	frames, latency := survey.Watched(ctx, g.Page)
	if frames == nil || len(frames.Gaps) < 10 || frames.FPS <= 0 || frames.Usual > frames.Longest {
		t.Errorf("frames %+v", frames)
	}
	if latency == nil || latency.Inputs != 3 || latency.Usual <= 0 || latency.Usual > latency.Longest {
		t.Errorf("latency %+v", latency)
	}
	reading, err := g.Read(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := reading.Frames[0].FramesRequested; n != 0 {
		t.Errorf("the page seems to ask for %d frames", n)
	}
	if frames, latency := survey.Watched(ctx, g.Page); frames != nil || latency != nil {
		t.Errorf("after the watch there is %+v, %+v", frames, latency)
	}
}

func TestRhythm(t *testing.T) {
	gaps := []float64{16, 17, 16, 17, 16, 17, 90, 16, 17, 16, 17, -5}
	r := survey.Rhythm(gaps)
	if r == nil || r.Late != 1 || r.Longest != 90 || r.Usual != 17 || len(r.Gaps) != 11 {
		t.Errorf("%+v", r)
	}
	if r := survey.Rhythm(gaps[:9]); r != nil {
		t.Errorf("nine frames are enough: %+v", r)
	}
	if l := survey.Latency(nil); l != nil {
		t.Errorf("no input took %+v", l)
	}
}

func TestTouch(t *testing.T) {
	for want, listens := range map[string][]string{
		record.TouchTouch: {"keydown", "touchstart"}, record.TouchMouse: {"click", "keydown"}, record.TouchKeys: {"keyup"}, "": {"input"},
	} {
		if got := survey.Touch(listens); got != want {
			t.Errorf("%v: %q, want %q", listens, got, want)
		}
	}
}
