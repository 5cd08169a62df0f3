package probe_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
)

func TestListeners(t *testing.T) {
	t.Parallel()
	w := visit(t, server(t, map[string]string{
		"/": `<!doctype html><button id=go>Go</button><div class="board big">x</div><script src="/keys.js"></script><script>
document.addEventListener('click', () => {});
go.addEventListener('pointerdown', {handleEvent() {}});
for (let i = 0; i < 3; i++) document.querySelector('.board').addEventListener('touchstart', () => {});
addEventListener('resize', () => {});
addEventListener('devicemotion', () => {});
new EventTarget().addEventListener('click', () => {});
addEventListener('click', null);</script>`,
		"/keys.js": "function bind() {\n  addEventListener('keydown', () => {});\n}\nbind();\n",
	}).URL)
	got := map[string]probe.Listener{}
	for _, l := range w.main().Listeners {
		got[l.Type+" "+l.Target] = l
	}
	for key, count := range map[string]int{
		"keydown window": 1, "click document": 1, "pointerdown button#go": 1, "touchstart div.board": 3, "devicemotion window": 1, "click other": 1,
	} {
		if got[key].Count != count {
			t.Errorf("%s: count %d, want %d", key, got[key].Count, count)
		}
		delete(got, key)
	}
	if len(got) > 0 {
		t.Errorf("more listeners: %v", got)
	}
	if !w.read().Listens("keydown") || w.read().Listens("wheel") {
		t.Error("Listens is wrong")
	}
	for _, l := range w.main().Listeners {
		if l.Type == "keydown" && !strings.HasSuffix(l.At, "/keys.js:2:3") {
			t.Errorf("keydown was added at %q", l.At)
		}
	}
	if n := w.main().Motion; n != 1 {
		t.Errorf("motion %d", n)
	}
}

// TestHandlers: handlers that are properties are no listeners, but count like them.
func TestHandlers(t *testing.T) {
	t.Parallel()
	w := html(t, `<canvas id=c></canvas><button onclick="void 0">Go</button><p id=p>x</p><script>
		function Map() {} function Set() {} // of the game's own
		onkeydown = () => {}; document.onwheel = () => {}; c.onmousemove = () => {}; c.ondblclick = () => {}; p.onkeyup = 'no function';</script>`)
	els, err := w.probe.Elements(w.ctx, w.page, browser.Point{X: 10, Y: 10})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(els.Handlers)
	if want := []string{"click|button", "dblclick|canvas", "keydown|window", "mousemove|canvas", "wheel|document"}; !slices.Equal(els.Handlers, want) {
		t.Errorf("handlers %v, want %v", els.Handlers, want)
	}
}

func TestListenersThatLeave(t *testing.T) {
	t.Parallel()
	w := html(t, `<body><i class=tile></i><i class=tile></i><script>
		const f = () => {}, [one, two] = document.querySelectorAll('i');
		addEventListener('keydown', f); addEventListener('keydown', f); addEventListener('keydown', f, true);
		removeEventListener('keydown', f); removeEventListener('keydown', f); removeEventListener('keydown', () => {}, true);
		addEventListener('click', f, {capture: true}); removeEventListener('click', f, true);
		one.addEventListener('mousedown', f); two.addEventListener('mousedown', f); one.removeEventListener('mousedown', f);
		addEventListener('wheel', f, {get capture() { window.asked = true; return true }});</script>`)
	got := map[string]int{}
	for _, l := range w.main().Listeners {
		got[l.Type+" "+l.Target] = l.Count
	}
	if diff := cmp.Diff(map[string]int{"keydown window": 1, "mousedown i.tile": 1, "wheel window": 1}, got); diff != "" {
		t.Error(diff)
	}
	w.clean()
}

func TestListenersByTheThousand(t *testing.T) {
	t.Parallel()
	w := html(t, `<body><script>
		for (let i = 0; i < 10000; i++) {
			const d = document.createElement('div'); d.id = 'd' + i; d.textContent = 'x'; document.body.append(d);
			for (const type of ['click', 'mousedown', 'keydown']) d.addEventListener(type, () => {});
		}</script>`)
	if n := len(w.main().Listeners); n > 400 {
		t.Errorf("%d listeners listed", n)
	}
	if _, err := w.probe.Elements(w.ctx, w.page, browser.Point{}); err != nil {
		t.Error(err)
	}
	w.clean()
}

func TestInput(t *testing.T) {
	t.Parallel()
	w := html(t, `<body style="margin:0"><div id=pad style="width:200px;height:200px"></div><script>
		addEventListener('keydown', (e) => { if (e.code === 'Space') e.preventDefault(); });
		addEventListener('keyup', () => {});
		pad.addEventListener('mousedown', (e) => { window.at = e.clientX; });
		pad.onclick = () => {};
		pad.addEventListener('wheel', (e) => { e.deltaY; }, {passive: true});
		window.addEventListener('keydown', (e) => e.stopImmediatePropagation(), true);
		dispatchEvent(new KeyboardEvent('keydown', {key: 'x'}));
		dispatchEvent(new MouseEvent('click'));</script>`)
	// The headless shell tells some pages where the pointer of a new window is.
	moved := func(event string, _ int) bool {
		return strings.HasSuffix(event, "move") || strings.HasSuffix(event, "over") || strings.HasSuffix(event, "enter")
	}
	st := w.main()
	if maps.DeleteFunc(st.Delivered, moved); len(st.Delivered) != 0 || len(st.Reads) != 0 {
		t.Fatalf("events that the page made itself were counted: %v %v", st.Delivered, st.Reads)
	}
	w.eval("removeEventListener('keydown', null)", nil)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(w.page.Keyboard().Press(w.ctx, "Space", 0))
	st = w.main()
	if st.Delivered["keydown"] != 1 || st.Delivered["keyup"] != 1 {
		t.Errorf("delivered %v although the page stops its propagation", st.Delivered)
	}
	if st.Reads["keydown"] != 0 || st.Prevented["keydown"] != 0 {
		t.Errorf("a handler that never ran read %v, prevented %v", st.Reads, st.Prevented)
	}
	do(w.page.Mouse().Click(w.ctx, 50, 60, nil))
	do(w.page.Mouse().Wheel(w.ctx, 50, 60, 0, 100))
	st = w.until("the wheel", func(s *probe.State) bool { return s.Reads["wheel"] > 0 })
	if st.Delivered["mousedown"] != 1 || st.Delivered["click"] != 1 || st.Delivered["pointerdown"] != 1 || st.Reads["mousedown"] != 1 || st.Reads["click"] != 0 {
		t.Errorf("delivered %v, read %v", st.Delivered, st.Reads)
	}
	if w.str("at") != "50" {
		t.Error("the handler read something else")
	}
}

func TestPrevented(t *testing.T) {
	t.Parallel()
	w := visit(t, server(t, nil).URL+"/game.html")
	for _, key := range []string{"F8", "ArrowRight"} {
		if err := w.page.Keyboard().Press(w.ctx, key, 20*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	r := w.read()
	if r.Delivered("keydown") != 2 || r.Reads("keydown") != 2 || r.Prevented("keydown") != 1 || r.Frames[0].DefaultPrevented != 1 {
		t.Errorf("delivered %d, read %d, prevented %d and %d", r.Delivered("keydown"), r.Reads("keydown"), r.Prevented("keydown"), r.Frames[0].DefaultPrevented)
	}
}

func TestPointerAndTouchReads(t *testing.T) {
	t.Parallel()
	w := blank(t, &browser.ContextOptions{Touch: true})
	w.open(server(t, map[string]string{"/": `<!doctype html><meta name=viewport content="width=device-width"><body style="margin:0;height:600px"><script>
		addEventListener('pointerdown', (e) => { e.clientX; });
		addEventListener('touchstart', (e) => { e.touches[0]; e.preventDefault(); }, {passive: false});</script>`}).URL)
	if err := w.page.Touch().Tap(w.ctx, 100, 100, 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	st := w.until("the touch", func(s *probe.State) bool { return s.Delivered["touchstart"] == 1 && s.Delivered["touchend"] == 1 })
	if st.Reads["pointerdown"] != 1 || st.Reads["touchstart"] != 1 || st.Prevented["touchstart"] != 1 {
		t.Errorf("read %v, prevented %v", st.Reads, st.Prevented)
	}
}

// TestDocumentOpen: a page that writes itself anew loses all listeners of its
// window; ours come back.
func TestDocumentOpen(t *testing.T) {
	t.Parallel()
	w := html(t, `<script>addEventListener('load', () => { document.open(); document.write('<p>new</p>'); document.close(); });</script>`)
	w.until("the new document", func(*probe.State) bool { return w.str("document.body && document.body.innerText") == "new" })
	w.read()
	if err := w.page.Keyboard().Press(w.ctx, "KeyA", 0); err != nil {
		t.Fatal(err)
	}
	if st := w.main(); st.Delivered["keydown"] != 1 {
		t.Errorf("delivered %v", st.Delivered)
	}
}

func TestTextBesideElements(t *testing.T) {
	t.Parallel()
	w := html(t, `<div id=title style="position:absolute;left:0;top:0;width:600px"><h1 style="font-size:200px;margin:0">Q</h1>click to start</div>
		<p style="position:absolute;top:400px">arrows to move<br><b>space</b> to begin</p>`)
	els, err := w.probe.Elements(w.ctx, w.page, browser.Point{X: 10, Y: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"click to start", "arrows to move", "space to begin"} {
		i := slices.IndexFunc(els.Texts, func(text probe.PageText) bool { return text.Text == want })
		if i < 0 {
			t.Errorf("no text %q: %+v", want, els.Texts)
		} else if text := els.Texts[i]; text.H > 60 || text.Y < 150 {
			t.Errorf("%q is %.0f high at %.0f, as if it were all around it", want, text.H, text.Y)
		}
	}
}

// TestLid: what hides the whole game and cannot be pressed is told from menus, from what
// lies behind and from what holds the game.
func TestLid(t *testing.T) {
	t.Parallel()
	const game = `<body style="margin:0"><canvas id=c width=800 height=500 style="display:block"></canvas>`
	const over = `position:fixed;inset:0;`
	tests := map[string]struct{ page, lid string }{
		"a logo on a ground":       {game + `<div id=splash style="` + over + `background:#123"><img width=200 height=200 style="margin:150px 300px"></div>`, "#splash"},
		"a sheet on the game only": {game + `<div id=splash style="position:absolute;left:0;top:0;width:800px;height:500px;background:#123"></div>`, "#splash"},
		"over a game of elements":  {`<h1 style="position:fixed;inset:0">Chess</h1><div id=splash style="` + over + `background:linear-gradient(#123,#456)"></div>`, "#splash"},
		"clear glass":              {game + `<div style="` + over + `background:rgba(0,0,0,.4)"></div>`, ""},
		"fading":                   {game + `<div style="` + over + `background:#123;opacity:.6"></div>`, ""},
		"a menu with a button":     {game + `<div style="` + over + `background:#123"><button>New game</button></div>`, ""},
		"a screen to be clicked":   {game + `<div id=m style="` + over + `background:#123"></div><script>m.onclick = () => m.remove()</script>`, ""},
		"a ground below":           {`<div style="` + over + `background:#123"></div><h1 style="position:fixed;inset:0">Chess</h1>`, ""},
		"around the game":          {`<main style="` + over + `background:#123"><canvas width=800 height=500></canvas></main>`, ""},
		"a part of the game":       {game + `<div style="position:absolute;left:350px;top:200px;width:200px;height:100px;background:#123"></div>`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := html(t, tt.page)
			els, err := w.probe.Elements(w.ctx, w.page, browser.Point{X: 400, Y: 250})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if els.Lid != nil {
				got = els.Lid.Selector
			}
			if got != tt.lid {
				t.Errorf("the lid is %q, want %q", got, tt.lid)
			}
		})
	}
}
