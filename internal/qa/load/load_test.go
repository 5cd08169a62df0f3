package load_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/game/gametest"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

var shared *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &shared) }

// later is how long the pages here keep something back.
const later = 1500 * time.Millisecond

// loaded opens a page and returns what phase 1 wrote down, and the page.
func loaded(t *testing.T, page string, m *metadata.Metadata) (record.LoadRecord, *game.Game) {
	t.Helper()
	ctx, g := gametest.Open(t, shared, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			for i, part := range strings.Split(page, "<!--later-->") {
				if i > 0 {
					w.(http.Flusher).Flush()
					wait(r.Context(), later)
				}
				fmt.Fprint(w, part)
			}
		case "/slow":
			wait(r.Context(), later)
			fmt.Fprint(w, "{}")
		case "/frame":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html>", canvas)
		default:
			http.NotFound(w, r)
		}
	}), m, game.Options{})
	if err := load.Run(ctx, g); err != nil {
		t.Fatal(err)
	}
	return g.Record.Load, g
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func held(rec record.LoadRecord, name string) (record.ReadySignal, bool) {
	for _, s := range rec.Signals {
		if s.Name == name {
			return s, s.Held
		}
	}
	return record.ReadySignal{}, false
}

const canvas = `<body style="margin:0"><canvas id=c width=800 height=500 style="display:block"></canvas><script>
	const x = c.getContext('2d'); let n = 0;
	(function loop() { x.fillStyle = '#247'; x.fillRect(0, 0, 800, 500); x.fillStyle = '#fff'; x.fillRect(n++ % 700, 200, 60, 60); requestAnimationFrame(loop); })();
	addEventListener('keydown', () => {});</script>`

// TestSignals: each page keeps one thing back for a while; it is not ready before.
func TestSignals(t *testing.T) {
	tests := map[string]struct {
		page   string
		signal string
		meta   *metadata.Metadata
	}{
		"loading text in the document": {canvas + `<p id=l style="position:absolute;top:20px;color:#fff">Loading...</p><script>setTimeout(() => l.remove(), 1500)</script>`, "no loading text", nil},
		"loading text painted": {`<body style="margin:0"><canvas id=c width=800 height=500></canvas><script>
			const x = c.getContext('2d'), began = performance.now(); x.font = '30px sans-serif';
			(function loop() { x.fillStyle = '#247'; x.fillRect(0, 0, 800, 500); x.fillStyle = '#fff'; x.fillRect(10, 10, 50, 50); if (performance.now() - began < 1500) x.fillText('Loading 40%', 100, 100); requestAnimationFrame(loop); })();</script>`, "no loading text", nil},
		"a request under way":       {canvas + `<script>fetch('/slow')</script>`, "network idle", nil},
		"nothing painted yet":       {`<body style="margin:0;background:#123"><script>setTimeout(() => { document.body.innerHTML = '<h1 style="color:#fff">Chess</h1><button>New</button>'; }, 1500)</script>`, "painting", nil},
		"the document still coming": {`<body>` + strings.Repeat("<p>A page of text.</p>", 20) + `<!--later--><p>The end</p>`, "document interactive", nil},
		"scripts that do not rest":  {canvas + `<script>const began = performance.now(); (function work() { const t = performance.now(); while (performance.now() - t < 110); if (performance.now() - began < 1500) setTimeout(work, 5); })()</script>`, "scripts settled", nil},
		"the author's sign":         {canvas + `<script>setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p id=ready style="position:absolute;top:0">set</p>'); }, 1500)</script>`, "custom indicators", &metadata.Metadata{LoadingIndicators: []metadata.LoadingIndicator{{Type: "element", Selector: "#ready"}}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rec, _ := loaded(t, "<!doctype html>"+tt.page, tt.meta)
			if !rec.Ready || !rec.Success {
				t.Fatalf("not ready: %+v", rec)
			}
			if rec.ReadyAfter < later {
				t.Errorf("ready after %v, before %s could hold: %+v", rec.ReadyAfter, tt.signal, rec.Signals)
			}
			s, ok := held(rec, tt.signal)
			if !ok {
				t.Errorf("%s does not hold: %+v", tt.signal, rec.Signals)
			}
			if s.After > rec.ReadyAfter {
				t.Errorf("%s held after %v, ready after %v", tt.signal, s.After, rec.ReadyAfter)
			}
			if len(rec.Signals) != 7 {
				t.Errorf("%d signals", len(rec.Signals))
			}
		})
	}
}

// TestSplash: a game that paints under a splash screen is not ready before that has gone.
func TestSplash(t *testing.T) {
	rec, _ := loaded(t, "<!doctype html>"+canvas+`<div id=splash style="position:fixed;inset:0;background:#204060;color:#fff"><h1>A Studio</h1></div><script>setTimeout(() => splash.remove(), 1500)</script>`, nil)
	if !rec.Ready || rec.ReadyAfter < later {
		t.Errorf("ready %v after %v, the splash screen stays for %v", rec.Ready, rec.ReadyAfter, later)
	}
}

// TestLanding: a page that only leads to the game is not left by it.
func TestLanding(t *testing.T) {
	rec, g := loaded(t, `<!doctype html><script>const to = new URL('/frame', location); to.hostname = 'localhost'; location.replace(to)</script>`, nil)
	if !strings.HasSuffix(rec.URL, "/frame") || rec.URL != g.Page.URL() {
		t.Errorf("the game is at %s, the page at %s", rec.URL, g.Page.URL())
	}
}

// TestWindow: a scene that is drawn too slowly in its window, and does not fit into it.
func TestWindow(t *testing.T) {
	_, g := loaded(t, `<!doctype html><body style="margin:0"><canvas id=c width=1600 height=900 style="display:block"></canvas><script>
		const gl = c.getContext('webgl'); let n = 0;
		(function loop() {
			const until = performance.now() + 300; while (performance.now() < until);
			gl.disable(gl.SCISSOR_TEST); gl.clearColor(0.1, 0.2, 0.4, 1); gl.clear(gl.COLOR_BUFFER_BIT);
			gl.enable(gl.SCISSOR_TEST); gl.scissor(n++ % 900, 300, 90, 90); gl.clearColor(1, 1, 1, 1); gl.clear(gl.COLOR_BUFFER_BIT);
			requestAnimationFrame(loop); })();</script>`, nil)
	if !load.Crawls(t.Context(), g) {
		t.Error("three frames a second are fast enough")
	}
	if !load.Overflows(t.Context(), g) {
		t.Error("1600x900 fit into the window")
	}
	_, g = loaded(t, "<!doctype html>"+canvas, nil)
	if load.Crawls(t.Context(), g) || load.Overflows(t.Context(), g) {
		t.Error("a small quick game does not suit its window")
	}
}

func TestCanvasSignal(t *testing.T) {
	rec, _ := loaded(t, "<!doctype html>"+canvas, nil)
	if s, ok := held(rec, "canvas exists"); !ok || s.Detail != "1" {
		t.Errorf("canvas: %+v", s)
	}
	rec, _ = loaded(t, `<!doctype html><h1>Words</h1><button>Go</button>`, nil)
	if s, ok := held(rec, "canvas exists"); !ok || s.Detail != "none needed" {
		t.Errorf("document: %+v", s)
	}
}

// TestLoadingForEver: a word that stays is believed for a while only.
func TestLoadingForEver(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a patience to end")
	}
	rec, _ := loaded(t, "<!doctype html>"+canvas+`<p style="position:absolute;top:20px">Loading...</p>`, nil)
	if rec.LoadingText == "" {
		t.Errorf("the text is forgotten: %+v", rec)
	}
}

func TestKinds(t *testing.T) {
	tests := map[string]struct{ page, kind, inside string }{
		"canvas":   {canvas, "canvas2d", ""},
		"WebGL":    {`<canvas id=c width=600 height=400></canvas><script>const gl = c.getContext('webgl'); gl.clearColor(1, 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT);</script>`, "webgl", ""},
		"document": {`<h1>Words</h1><button>Go</button>`, "dom", ""},
		"frame":    {`<iframe src="/frame" width=900 height=600></iframe>`, "iframe", "canvas2d"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rec, _ := loaded(t, "<!doctype html>"+tt.page, nil)
			if rec.Kind != tt.kind || rec.Inside != tt.inside {
				t.Errorf("kind %q, inside %q", rec.Kind, rec.Inside)
			}
			if rec.Blank || rec.Covered != "" {
				t.Errorf("blank %v, covered %q", rec.Blank, rec.Covered)
			}
		})
	}
}

// TestPlace: the game's rectangle is its canvas, or the whole window.
func TestPlace(t *testing.T) {
	rec, _ := loaded(t, "<!doctype html>"+canvas, nil)
	if want := (record.Rect{Width: 800, Height: 500}); rec.GameRect != want {
		t.Errorf("at %+v (%s)", rec.GameRect, rec.GameNote)
	}
	rec, _ = loaded(t, `<!doctype html><h1>Words</h1>`, nil)
	if want := (record.Rect{Width: 1280, Height: 720}); rec.GameRect != want {
		t.Errorf("at %+v (%s)", rec.GameRect, rec.GameNote)
	}
	if !slices.Contains(must(loaded(t, "<!doctype html>"+canvas, nil)).Listens, "keydown") {
		t.Error("the page's listener is not listed")
	}
}

func must(rec record.LoadRecord, _ *game.Game) record.LoadRecord { return rec }

func TestBlank(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until nothing more is to be expected")
	}
	rec, _ := loaded(t, `<!doctype html><body style="background:#000"><canvas></canvas>`, nil)
	if !rec.Blank || rec.Success {
		t.Errorf("blank %v, success %v", rec.Blank, rec.Success)
	}
}

// TestCovered: something flat lies over a game that draws.
func TestCovered(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until nothing more is to be expected")
	}
	rec, _ := loaded(t, "<!doctype html>"+canvas+`<div id=veil style="position:fixed;inset:0;background:#000;z-index:9"></div>`, nil)
	if rec.Covered != "#veil" {
		t.Errorf("covered by %q: %+v", rec.Covered, rec)
	}
}

func TestConsent(t *testing.T) {
	rec, g := loaded(t, "<!doctype html>"+canvas+`<div id=consent style="position:fixed;inset:100px;background:#fff"><p>We use cookies to show you advertisements.</p><a href="/policy">Learn more</a> <button onclick="window.agreed = true; consent.remove()">Accept all</button></div>`, nil)
	if !slices.Equal(rec.Dismissed, []string{"Accept all"}) {
		t.Errorf("dismissed %q", rec.Dismissed)
	}
	var agreed bool
	if err := g.Page.Evaluate(context.Background(), "window.agreed === true && !document.getElementById('consent')", &agreed); err != nil || !agreed {
		t.Errorf("the dialog is still there: %v", err)
	}
}

// TestNoConsent: a game that mentions none of it is left alone.
func TestNoConsent(t *testing.T) {
	rec, g := loaded(t, "<!doctype html>"+canvas+`<button style="position:absolute;top:50px" onclick="window.clicked = true">OK</button>`, nil)
	var clicked bool
	if err := g.Page.Evaluate(context.Background(), "window.clicked === true", &clicked); err != nil || clicked || len(rec.Dismissed) > 0 {
		t.Errorf("clicked %v, dismissed %q, %v", clicked, rec.Dismissed, err)
	}
}

func TestStartRequirement(t *testing.T) {
	tests := map[string]struct {
		page string
		want bool
	}{
		"a button":           {canvas + `<button style="position:absolute;top:100px">Start game</button>`, true},
		"painted":            {strings.Replace(canvas, "requestAnimationFrame(loop)", "x.fillText('Press SPACE to start', 50, 50); requestAnimationFrame(loop)", 1), true},
		"written":            {canvas + `<p style="position:absolute;top:100px">Press <kbd>Enter</kbd> to begin</p>`, true},
		"covered":            {`<p style="position:absolute;top:100px">Press <kbd>Enter</kbd> to begin</p><div style="position:fixed;inset:0">` + canvas + `</div>`, false},
		"a thing of a scene": {canvas + `<script>window.PIXI = {}; window.app = {canvas: document.querySelector('canvas'), renderer: {}, screen: {width: 400, height: 300}, stage: {children: [{interactive: true, name: 'btn_play', getBounds: () => ({x: 5, y: 6, width: 80, height: 30})}]}}</script>`, true},
		"runs already":       {canvas, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rec, _ := loaded(t, "<!doctype html>"+tt.page, nil)
			if rec.RequiresInteraction != tt.want {
				t.Errorf("requires interaction: %v", rec.RequiresInteraction)
			}
		})
	}
}
