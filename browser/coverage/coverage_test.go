package coverage_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

// patience is for a loaded machine, also for a single call to the browser; nothing here measures time.
const patience = 90 * time.Second

var shared *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &shared) }

// recorded is a page whose code is recorded.
type recorded struct {
	t    *testing.T
	ctx  context.Context
	page *browser.Page
	code *coverage.Recorder
}

// open serves the files, records and opens the first page.
func open(t *testing.T, files map[string]string) *recorded {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		kind := "text/html; charset=utf-8"
		if strings.HasSuffix(r.URL.Path, ".js") {
			kind = "text/javascript"
		}
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, text)
	}))
	t.Cleanup(s.Close)
	ctx, cancel := context.WithTimeout(cdp.WithTimeout(context.Background(), patience), patience)
	t.Cleanup(cancel)
	c, err := shared.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(ctx) }) // the browser's end closes it at the latest
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorded{t: t, ctx: ctx, page: page}
	if r.code, err = coverage.Start(ctx, page); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Navigate(ctx, s.URL+"/", nil); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *recorded) take() coverage.Sample {
	r.t.Helper()
	s, err := r.code.Take(r.ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *recorded) eval(expr string) {
	r.t.Helper()
	if err := r.page.Evaluate(r.ctx, expr, nil); err != nil {
		r.t.Fatal(err)
	}
}

// press takes the code that runs for a key.
func (r *recorded) press(key string) coverage.Sample {
	r.t.Helper()
	r.take()
	if err := r.page.Keyboard().Press(r.ctx, key, 0); err != nil {
		r.t.Fatal(err)
	}
	return r.take()
}

// functions are the names of what ran.
func functions(s coverage.Sample) []string {
	var out []string
	for _, sc := range s {
		for _, f := range sc.Functions {
			if f.Name != "" {
				out = append(out, f.Name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestKeys: differences between keys name the keys that a page really knows.
func TestKeys(t *testing.T) {
	r := open(t, map[string]string{
		"/": `<!doctype html><script src="game.js"></script>`,
		"/game.js": `let x = 0, fired = 0;
function left() { x--; }
function right() { x++; }
function fire() { fired++; }
const held = {};
addEventListener('keydown', (e) => {
	held[e.code] = true;
	switch (e.key) {
	case 'ArrowLeft': left(); break;
	case 'ArrowRight': right(); break;
	}
	if (e.keyCode === 32) fire();
});
addEventListener('keyup', (e) => { held[e.code] = false; });
`})
	unbound := r.press("F8")
	unbound.Union(r.press("F9"))
	var known []string
	for _, key := range []string{"ArrowLeft", "ArrowUp", "ArrowRight", "KeyA", "Space", "Enter"} {
		if own := r.press(key).Subtract(unbound); !own.Empty() {
			known = append(known, key)
		}
	}
	if want := []string{"ArrowLeft", "ArrowRight", "Space"}; !slices.Equal(known, want) {
		t.Errorf("keys %v, want %v", known, want)
	}
	own := r.press("Space").Subtract(unbound)
	places := own.Places()
	if len(places) == 0 || places[0].Function != "fire" || !strings.HasSuffix(places[0].URL, "/game.js") || places[0].Library {
		t.Fatalf("places %+v", places)
	}
	for _, src := range r.code.Sources(r.ctx, 1<<20) {
		if src.Script != places[0].Script {
			continue
		}
		if line, _ := src.Position(places[0].Start); line != 4 {
			t.Errorf("fire is in line %d", line)
		}
		return
	}
	t.Error("the script's source was not found")
}

// TestKinds: every way to bring code into a page is recorded.
func TestKinds(t *testing.T) {
	tests := map[string]map[string]string{
		"inline":       {"/": `<!doctype html><script>function target() {} function go() { target(); }</script>`},
		"attribute":    {"/": `<!doctype html><button id=b onclick="(function target() {})()"></button><script>function go() { b.click(); }</script>`},
		"dynamic":      {"/": `<!doctype html><script>const s = document.createElement('script'); s.textContent = 'function target() {}'; document.head.append(s); function go() { target(); }</script>`},
		"eval":         {"/": `<!doctype html><script>(0, eval)('function target() {}'); function go() { target(); }</script>`},
		"new Function": {"/": `<!doctype html><script>const make = new Function('return function target() {}'); const f = make(); function go() { f(); }</script>`},
		"module":       {"/": `<!doctype html><script type=module>import {target} from '/lib.js'; window.go = target;</script>`, "/lib.js": `export function target() {}`},
		"data module":  {"/": `<!doctype html><script type=module>const m = await import('data:text/javascript,export function target() {}'); window.go = m.target;</script>`},
		"blob script":  {"/": `<!doctype html><script>const s = document.createElement('script'); s.src = URL.createObjectURL(new Blob(['function target() {}'])); document.head.append(s); function go() { target(); }</script>`},
		"frame":        {"/": `<!doctype html><iframe src="/frame"></iframe><script>function go() { frames[0].target(); }</script>`, "/frame": `<script>function target() {}</script>`},
		"sandboxed":    {"/": `<!doctype html><iframe sandbox="allow-scripts" src="/frame"></iframe><script>function go() { frames[0].postMessage(1, '*'); }</script>`, "/frame": `<script>onmessage = function target() {};</script>`},
		"worker":       {"/": `<!doctype html><script>const w = new Worker('/w.js'); function go() { w.postMessage(1); }</script>`, "/w.js": `onmessage = function target() {};`},
		"blob worker":  {"/": `<!doctype html><script>const w = new Worker(URL.createObjectURL(new Blob(['onmessage = function target() {}']))); function go() { w.postMessage(1); }</script>`},
	}
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			r := open(t, files)
			limit := time.After(30 * time.Second)
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			r.take()
			for {
				r.eval("window.go && go()")
				if slices.Contains(functions(r.take()), "target") {
					return
				}
				select {
				case <-tick.C:
				case <-limit:
					t.Fatal("the function's run was never seen")
				}
			}
		})
	}
}

// TestBlocks: of a function that ran, the branch that did not is left out.
func TestBlocks(t *testing.T) {
	const script = `function play(n) { if (n > 5) { return 'high'; } return 'low'; }`
	r := open(t, map[string]string{"/": `<!doctype html><script src="/game.js"></script>`, "/game.js": script})
	r.take()
	r.eval("play(1)")
	low := r.take()
	r.eval("play(9)")
	high := r.take()
	text := func(s coverage.Sample) string {
		var b strings.Builder
		for _, sc := range s {
			for _, span := range sc.Ran {
				b.WriteString(script[span.Start:span.End])
			}
		}
		return b.String()
	}
	if got := text(high.Subtract(low)); got != "{ return 'high'; }" {
		t.Errorf("only high ran %q", got)
	}
	if got := text(low.Subtract(high)); !strings.Contains(got, "return 'low'") || strings.Contains(got, "high") {
		t.Errorf("only low ran %q", got)
	}
	if both := low.Intersect(high); both.Empty() || both.Size() >= low.Size() {
		t.Errorf("both ran %q", text(both))
	}
}

// TestTurns: a function that goes another way than ever before takes a turn; one that runs
// for the first time does not.
func TestTurns(t *testing.T) {
	r := open(t, map[string]string{"/": `<!doctype html><script src="/game.js"></script>`, "/game.js": `
let n = 0;
function end() { n = -100; }
function loop() { if (n++ < 3) return draw(); end(); }
function draw() { return 1; }
function timer() { n = 3; }`})
	r.eval("loop()")
	before := r.take()
	for _, tt := range []struct {
		run  string
		want bool
	}{{"loop()", false}, {"timer()", false}, {"loop()", true}} {
		r.eval(tt.run)
		if got := r.take().Turns(before); got != tt.want {
			t.Errorf("%s takes a turn: %v, want %v", tt.run, got, tt.want)
		}
	}
}

func TestOwnScriptsAndLibraries(t *testing.T) {
	r := open(t, map[string]string{
		"/": `<!doctype html><script src="/jquery.min.js"></script><script src="/main.js"></script>`, "/jquery.min.js": `function lib() {}`, "/main.js": `function mine() { lib(); }`,
	})
	r.take()
	r.eval("(function ours() { mine(); })()")
	s := r.take()
	if got := functions(s); !slices.Equal(got, []string{"lib", "mine"}) {
		t.Errorf("ran %v; our own script is to be left out", got)
	}
	if got := functions(s.Own()); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("of its own %v", got)
	}
	if err := r.page.MainFrame().EvaluateIsolated(r.ctx, "document.title", nil); err != nil || !r.page.Responsive(r.ctx, time.Minute) {
		t.Fatal("the page does not answer: ", err)
	}
	if own := r.take(); !own.Empty() {
		t.Errorf("asking the page ran %v", functions(own))
	}
	places := s.Places()
	if len(places) != 2 || places[0].Function != "mine" || !places[1].Library {
		t.Errorf("places %+v", places)
	}
}

// TestOffsetsBeyondASCII: V8 counts UTF-16 units, Go bytes.
func TestOffsetsBeyondASCII(t *testing.T) {
	r := open(t, map[string]string{"/": "<!doctype html><meta charset=utf-8>\n<p>é</p><script>/* 🐉 größe */ function target() { return 1; }\nfunction other() {}</script>"})
	r.take()
	r.eval("target()")
	for id, sc := range r.take() {
		f := sc.Functions[0]
		for _, src := range r.code.Sources(r.ctx, 1<<20) {
			if src.Script != id {
				continue
			}
			if at := strings.Index(src.Text, "function target"); src.Offset(at) != f.Start {
				t.Errorf("target begins at unit %d, V8 says %d", src.Offset(at), f.Start)
			}
			if line, column := src.Position(f.Start); line != 2 || column != 32 {
				t.Errorf("target is at %d:%d", line, column)
			}
			return
		}
	}
	t.Error("nothing ran")
}

// TestReadingRunsNothing: what a page is read and asked with is not code of the page.
func TestReadingRunsNothing(t *testing.T) {
	r := open(t, map[string]string{"/": `<!doctype html><button>Go</button><script>addEventListener('keydown', (e) => { if (e.code === 'Space') { document.title += 'x'; } });</script>`})
	reader, button := snapshot.New(r.page, nil), r.page.Locator("button")
	r.take()
	for name, read := range map[string]func() error{
		"capture": func() error { _, err := reader.Capture(r.ctx); return err },
		"view":    func() error { _, err := reader.CaptureView(r.ctx); return err },
		"count":   func() error { _, err := button.Count(r.ctx); return err },
		"text":    func() error { _, err := button.Text(r.ctx); return err },
		"hover":   func() error { return button.Hover(r.ctx) },
	} {
		if err := read(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if ran := r.take(); !ran.Empty() {
			t.Errorf("%s counts as code of the page: %v", name, ran.Places())
		}
	}
}

// TestSourcesKeepBlocks: which branches of a function ran can be told after its
// text was read, and scripts that came meanwhile are read the next time.
func TestSourcesKeepBlocks(t *testing.T) {
	r := open(t, map[string]string{"/": `<!doctype html><script>addEventListener('keydown', (e) => { if (e.code === 'Space') { document.title += 'x'; } });</script>`})
	for i, want := range []int{1, 2} {
		if got := len(r.code.Sources(r.ctx, 1<<20)); got != want {
			t.Errorf("%d sources, want %d", got, want)
		}
		unbound := r.press("F8")
		if own := r.press("KeyA").Subtract(unbound); !own.Empty() {
			t.Errorf("reading %d: the key A counts as known: %v", i+1, own.Places())
		}
		if r.press("Space").Subtract(unbound).Empty() {
			t.Errorf("reading %d: the space bar is not known", i+1)
		}
		if err := r.page.Evaluate(r.ctx, "document.head.append(Object.assign(document.createElement('script'), {text: 'let more = 1'}))\n//# sourceURL=playtest:test", nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSourcesDoNotPause: a page full of debugger statements goes on while its
// scripts are read.
func TestSourcesDoNotPause(t *testing.T) {
	r := open(t, map[string]string{"/": `<!doctype html><script>let n = 0; (function loop() { for (let i = 0; i < 5; i++) { debugger; n++; } setTimeout(loop); })();</script>`})
	for range 3 {
		sources := r.code.Sources(r.ctx, 1<<20)
		if len(sources) != 1 || !strings.Contains(sources[0].Text, "debugger") || sources[0].Column == 0 {
			t.Fatalf("sources %+v", sources)
		}
		var a, b int
		if err := r.page.Evaluate(r.ctx, "n\n//# sourceURL=playtest:test", &a); err != nil {
			t.Fatal(err)
		}
		if err := r.page.Evaluate(r.ctx, "new Promise((done) => setTimeout(() => done(n), 50))\n//# sourceURL=playtest:test", &b); err != nil {
			t.Fatal(err)
		}
		if b <= a {
			t.Errorf("the page stands still: %d, %d", a, b)
		}
	}
}

func TestSourcesAreLimited(t *testing.T) {
	files := map[string]string{"/": `<!doctype html><script src="/jquery.js"></script><script src="/a.js"></script>`, "/a.js": "let a = '" + strings.Repeat("x", 5000) + "'", "/jquery.js": "let j = '" + strings.Repeat("x", 5000) + "'"}
	r := open(t, files)
	sources := r.code.Sources(r.ctx, 100)
	if len(sources) != 1 || !strings.HasSuffix(sources[0].URL, "/a.js") {
		t.Errorf("%d sources, want the game's own", len(sources))
	}
}

func TestStop(t *testing.T) {
	r := open(t, map[string]string{"/": `<!doctype html><script>function target() {}</script>`})
	r.code.Stop(r.ctx)
	r.eval("target()")
	s, err := r.code.Take(r.ctx)
	if err != nil || !s.Empty() {
		t.Errorf("after the end: %v, %v", functions(s), err)
	}
	r.code.Stop(r.ctx) // again does nothing
	// Frames that come later are not recorded either.
	r.eval("document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: '<script>function late() {} late()<' + '/script>'}))")
	if s, err := r.code.Take(r.ctx); err != nil || !s.Empty() {
		t.Errorf("a late frame: %v, %v", functions(s), err)
	}
}

// TestTakeAfterNavigation: what is gone is no error.
func TestTakeAfterNavigation(t *testing.T) {
	r := open(t, map[string]string{"/": `<!doctype html><iframe src="/f"></iframe><script>function target() {} target()</script>`, "/f": "x", "/next": `<!doctype html><script>function next() {} next()</script>`})
	if !slices.Contains(functions(r.take()), "target") {
		t.Error("the first page's code was not seen")
	}
	if _, err := r.page.Navigate(r.ctx, strings.TrimSuffix(r.page.URL(), "/")+"/next", nil); err != nil {
		t.Fatal(err)
	}
	if err := r.page.WaitLoad(r.ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	if got := functions(r.take()); !slices.Contains(got, "next") {
		t.Errorf("ran %v", got)
	}
}

// TestReload: blocks are told apart in a page that was loaded again, too. V8
// keeps compiled scripts and would hand them to the new document.
func TestReload(t *testing.T) {
	r := open(t, map[string]string{
		"/":        `<!doctype html><script src="game.js"></script><script>let y = 0; addEventListener('keydown', (e) => { if (e.code === 'KeyB') { y++ } })</script>`,
		"/game.js": `let x = 0; addEventListener('keydown', (e) => { if (e.code === 'KeyA') { x++ } });`,
	})
	before := coverage.Sample{}
	for load := range 3 {
		ran := r.take()
		if n := ran.Subtract(before).Size(); load > 0 && n > 0 {
			t.Errorf("load %d: %d characters look new", load, n)
		}
		before.Union(ran)
		unbound := r.press("F8")
		for _, key := range []string{"KeyA", "KeyB"} {
			own := r.press(key).Subtract(unbound)
			if own.Size() == 0 || own.Size() > 20 {
				t.Errorf("load %d: %d characters ran for %s alone", load, own.Size(), key)
			}
			if load > 0 && !own.Subtract(before).Empty() {
				t.Errorf("load %d: the code of %s looks new", load, key)
			}
			before.Union(own)
		}
		before.Union(unbound)
		r.code.Forget(r.ctx)
		if _, err := r.page.Navigate(r.ctx, r.page.URL(), nil); err != nil {
			t.Fatal(err)
		}
		if err := r.page.WaitLoad(r.ctx, browser.Complete); err != nil {
			t.Fatal(err)
		}
	}
}
