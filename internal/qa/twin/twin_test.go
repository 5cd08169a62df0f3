package twin_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

const (
	width, height = 640, 480
	title         = `<!doctype html><a href="game.html" style="position:fixed;inset:0">Play</a>`
	page          = `<!doctype html><canvas id="c"></canvas><script src="first.js"></script>`
	next          = `document.write('<script src="%s.js"></' + 'script>')`
	script        = `
const g = document.getElementById('c').getContext('2d');
(function loop() { g.fillRect(Math.random() * 300, 0, 5, 5); requestAnimationFrame(loop); })();`
)

var shared *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &shared) }

// TestFramesOfASecondPage: a game behind a title page gets the same frames in every twin,
// however many scripts come before its own, one after the other.
func TestFramesOfASecondPage(t *testing.T) {
	ctx := context.Background()
	var before atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cache-Control", "no-store")
		switch r.URL.Path {
		case "/first.js", "/another.js":
			w.Header().Set("Content-Type", "text/javascript")
			if before.Add(-1) >= 0 {
				fmt.Fprintf(w, next, "another")
			} else {
				fmt.Fprint(w, script)
			}
		case "/game.html":
			fmt.Fprint(w, page)
		default:
			fmt.Fprint(w, title)
		}
	}))
	defer server.Close()
	steps := []record.Step{{Frame: 60, Input: record.Input{Kind: record.InputClick, At: record.Point{X: width / 2, Y: height / 2}}}}
	var first twin.Trace
	for i, scripts := range []int32{0, 20, 60} {
		before.Store(scripts)
		one, err := twin.Open(ctx, twin.Options{
			Context: func(ctx context.Context) (*browser.Context, error) {
				return shared.NewContext(ctx, &browser.ContextOptions{Width: width, Height: height})
			},
			URL: server.URL + "/", Size: record.Rect{Width: width, Height: height},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := one.Replay(ctx, steps, 120); err != nil {
			t.Fatal(err)
		}
		trace := one.Trace(ctx)
		if err := one.Close(ctx); err != nil {
			t.Error(err)
		}
		if i == 0 {
			first = trace
		}
		if trace.Drawn == 0 || trace.Drawn != first.Drawn {
			t.Errorf("with %d scripts before its own, %d things were drawn; %d with none", scripts, trace.Drawn, first.Drawn)
		}
	}
}

// TestPressesOfAGameThatPolls: a game that asks in each frame whether the pointer is over a
// thing, and in the next whether the button is down, is pressed.
func TestPressesOfAGameThatPolls(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><canvas id="c"></canvas><script>
const g = document.getElementById('c').getContext('2d');
let at = { x: 0, y: 0 }, down = false, over = false;
onmousemove = (e) => { at = { x: e.x, y: e.y }; };
onmousedown = () => { down = true; };
(function loop() {
  if (over && down) g.fillRect(0, 0, 50, 50);
  down = false;
  over = at.x > 100 && at.x < 200;
  requestAnimationFrame(loop);
})();
</script>`)
	}))
	defer server.Close()
	for _, kind := range []record.InputKind{record.InputClick, record.InputDoubleClick} {
		one := open(t, server.URL, false)
		if err := one.Take(t.Context(), record.Input{Kind: kind, At: record.Point{X: 150, Y: 50}}); err != nil {
			t.Fatal(err)
		}
		pass(t, 4, one)
		if one.Trace(t.Context()).Drawn == 0 {
			t.Errorf("a %s does nothing", kind)
		}
	}
}

// TestStrayPointer: that the browser has a pointer of its own, which lies in the corner of the
// screen, is told to pages when windows come and go. Games do not hear of it, so that twins stay
// the same; they hear of every other move.
func TestStrayPointer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><body style="margin:0;height:100vh"><script>
const heard = [];
for (const type of ['mousemove', 'mouseover', 'pointermove', 'pointerover']) document.body.addEventListener(type, (e) => heard.push(type + ' ' + e.x + ',' + e.y));
</script>`)
	}))
	defer server.Close()
	one := open(t, server.URL, false)
	for _, at := range []record.Point{{}, {X: 50, Y: 40}, {}} {
		if err := one.Take(t.Context(), record.Input{Kind: record.InputHover, At: at}); err != nil {
			t.Fatal(err)
		}
	}
	var heard []string
	if err := one.Page.MainFrame().Evaluate(t.Context(), "heard", &heard); err != nil {
		t.Fatal(err)
	}
	want := []string{"pointermove 50,40", "mousemove 50,40"}
	if !slices.Equal(heard, want) {
		t.Errorf("the game heard of %q, want %q", heard, want)
	}
}
