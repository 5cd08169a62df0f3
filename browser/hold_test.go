package browser_test

import (
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// stood is how long the tests hold a page; a clock that leaps by most of it
// has noticed.
const (
	stood = 3 * time.Second
	leap  = 2000
)

// running counts frames, ticks and the longest step that each clock made.
const running = `
let frames = 0, ticks = 0, keys = 0, step = {frame: 0, now: 0, date: 0, made: 0}, last = {};
const note = (name, v) => { if (last[name]) step[name] = Math.max(step[name], v - last[name]); last[name] = v };
const look = () => { note('now', performance.now()); note('date', Date.now()); note('made', +new Date()) };
setInterval(() => { ticks++; look() }, 20);
self.requestAnimationFrame && requestAnimationFrame(function loop(t) { frames++; note('frame', t); look(); requestAnimationFrame(loop) });
self.document && addEventListener('keydown', () => keys++);
`

func hold(t *testing.T, p *browser.Page) {
	t.Helper()
	ctx := testContext(t)
	held, err := p.Hold(ctx)
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(stood) // the time that must not pass for the page
	d, err := held.Release(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if d < stood {
		t.Errorf("held for %v, want at least %v", d, stood)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{
		"/":          `<!doctype html><canvas></canvas><script>` + running + `</script>`,
		"/frames":    `<!doctype html><iframe src="/"></iframe><script>` + running + `</script>`,
		"/worker":    `<!doctype html><script>` + running + `const w = new Worker("/worker.js"); let told; w.onmessage = e => told = e.data</script>`,
		"/worker.js": running + `setInterval(() => postMessage({ticks, step}), 20)`,
	})
	tests := []struct {
		name, path string
		// ticks and step are expressions for how far it got and its longest step.
		ticks, step string
	}{
		{"animation frames", "/", "frames", "Math.max(step.frame, step.now, step.date, step.made)"},
		{"timers", "/", "ticks", "Math.max(step.now, step.date)"},
		{"a frame of the same site", "/frames", "window[0].eval('frames')", "window[0].eval('step.frame')"},
		{"a worker", "/worker", "told.ticks", "Math.max(told.step.now, told.step.date)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPage(t, chromium, nil, nil)
			open(t, p, srv.URL+tt.path)
			ticks := func() int { return eval[int](t, p, "(() => { try { return "+tt.ticks+" } catch { return 0 } })()") }
			eventually(t, "it runs", func() bool { return ticks() > 5 })
			for range 2 { // the second hold finds the map in place
				before := ticks()
				hold(t, p)
				if ran := ticks() - before; ran > 100 {
					t.Errorf("%d turns around a hold of %v: it was not held, or caught up", ran, stood)
				}
				after := ticks()
				eventually(t, "it goes on", func() bool { return ticks() > after+5 })
			}
			if ms := eval[float64](t, p, tt.step); ms > leap {
				t.Errorf("a clock of the page leapt by %.0f ms", ms)
			}
			if err := p.Keyboard().Press(testContext(t), "Space", 0); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the key arrives", func() bool { return eval[int](t, p, "keys") == 1 })
		})
	}
}

// A page on which no code runs has nothing to stop; it must answer afterwards
// all the same, and not stop at its first click.
func TestHoldQuietPage(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": `<!doctype html><body style="margin:0"><button style="width:200px;height:100px" onclick="this.textContent='clicked'">go</button>`})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	hold(t, p)
	if err := p.Mouse().Click(testContext(t), 50, 50, nil); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, p, "document.querySelector('button').textContent"); got != "clicked" {
		t.Errorf("the button says %q after the hold, want clicked", got)
	}
	if _, err := p.Screenshot(testContext(t), nil); err != nil {
		t.Errorf("picture after a hold: %v", err)
	}
}

func TestHoldGonePage(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": `<!doctype html><script>` + running + `</script>`})
	own := launch(t, nil) // a page that breaks down may take others with it
	p := newPage(t, own, nil, nil)
	open(t, p, srv.URL)
	held, err := p.Hold(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := held.Release(testContext(t)); err != nil {
		t.Errorf("releasing a page that is gone: %v", err)
	}
	if _, err := p.Hold(testContext(t)); err == nil {
		t.Error("a page that is gone was held")
	}
}
