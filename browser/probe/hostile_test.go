package probe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
)

// busy is a game that can be asked whether it still works: the square moves
// with the arrow, its score is painted.
const busy = `<canvas id=c width=400 height=300></canvas><button id=go>Start game</button><script>
	const ctx = c.getContext('2d');
	let x = 10, frames = 0, clicks = 0;
	addEventListener('keydown', (e) => { if (e.key === 'ArrowRight') x += 10; });
	go.addEventListener('click', () => { clicks++; });
	(function loop() { frames++; ctx.fillRect(x, 100, 20, 20); ctx.fillText('score ' + x, 10, 20); requestAnimationFrame(loop); })();
</script>`

// TestPagesThatFightBack does something nasty first and plays then.
func TestPagesThatFightBack(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"toJSON":              `Object.prototype.toJSON = () => 'gotcha';`,
		"then":                `Object.prototype.then = (f) => { throw 1; };`,
		"enumerable property": `Object.prototype.extra = {}; Array.prototype.more = () => {};`,
		"setter on Object":    `for (const k of ['now', 'texts', 'text', 'x', 'last', 'frames', 'get', 'value']) Object.defineProperty(Object.prototype, k, {set() { throw 1; }, get() { return undefined; }, configurable: true});`,
		"Array methods":       `for (const k of ['push', 'slice', 'splice', 'map', 'filter', 'find', 'some', 'join', 'unshift', 'forEach', 'indexOf']) Array.prototype[k] = () => { throw new Error(k); };`,
		"array iterator":      `Array.prototype[Symbol.iterator] = function* () { yield 'gotcha'; };`,
		"Map and WeakMap":     `for (const C of [Map, WeakMap, Set, WeakSet]) for (const k of ['get', 'set', 'has', 'add', 'delete', 'forEach', 'values', 'entries']) if (C.prototype[k]) C.prototype[k] = () => { throw new Error(k); };`,
		"WeakRef":             `WeakRef.prototype.deref = () => { throw 1; }; window.WeakRef = null;`,
		"Symbol":              `Symbol.for = () => { throw 1; };`,
		"String and RegExp":   `for (const k of ['trim', 'slice', 'split', 'indexOf', 'charCodeAt', 'replace', 'startsWith']) String.prototype[k] = () => { throw new Error(k); }; RegExp.prototype.exec = RegExp.prototype.test = () => { throw 1; };`,
		"Reflect and Object":  `for (const k of Object.getOwnPropertyNames(Reflect)) Reflect[k] = () => { throw new Error(k); }; Object.defineProperty = Object.freeze = Object.keys = Object.setPrototypeOf = () => { throw 1; };`,
		"Function":            `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1; }; Function.prototype.toString = () => { throw 1; };`,
		"Math and numbers":    `for (const k of ['round', 'min', 'max', 'abs', 'hypot', 'imul', 'floor']) Math[k] = () => { throw new Error(k); }; window.parseFloat = () => { throw 1; };`,
		"performance":         `performance.now = () => { throw 1; }; window.PerformanceObserver = null;`,
		"Error":               `Error.prepareStackTrace = () => { throw new Error('seen'); }; Error.stackTraceLimit = 0; window.Error = null;`,
		"classes":             `window.HTMLCanvasElement = window.EventTarget = window.MutationObserver = window.Map = window.Event = window.Proxy = null;`,
		"document":            `document.createTreeWalker = document.querySelectorAll = document.elementFromPoint = () => { throw 1; };`,
		"measureText":         `CanvasRenderingContext2D.prototype.measureText = CanvasRenderingContext2D.prototype.getTransform = () => { throw 1; };`,
		"Promise":             `Promise.prototype.then = () => { throw 1; }; window.Promise = null;`,
		"getter on Event":     `Object.defineProperty(Event.prototype, 'type', {get() { throw 1; }}); Object.defineProperty(Event.prototype, 'isTrusted', {get() { throw 1; }});`,
		"frozen prototypes":   `for (const o of [Object, Array, Function, Map, WeakMap, String]) Object.freeze(o.prototype);`,
		"console":             `for (let i = 0; i < 200; i++) console.log('x'.repeat(50000));`,
		"debugger":            `setInterval(() => { debugger; }, 20);`,
		"probe hunting":       `for (const k of Reflect.ownKeys(window)) { try { const v = window[k]; if (v && v.off) { v.off(); window.found = true; } } catch {} }`,
	}
	for name, attack := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := html(t, `<body style="margin:0"><script>`+attack+`</script>`+busy)
			st := w.until("frames", func(s *probe.State) bool { return s.Frames > 3 })
			if len(st.Texts) != 1 || st.Texts[0].Text != "score 10" {
				t.Errorf("texts %+v", st.Texts)
			}
			if len(st.Canvases) != 1 || st.Canvases[0].Kind != "2d" {
				t.Errorf("canvases %+v", st.Canvases)
			}
			if err := w.page.Keyboard().Press(w.ctx, "ArrowRight", 0); err != nil {
				t.Fatal(err)
			}
			st = w.until("the next score", func(s *probe.State) bool {
				for _, text := range s.Texts {
					if text.Text == "score 20" {
						return true
					}
				}
				return false
			})
			if st.Delivered["keydown"] != 1 || st.Reads["keydown"] != 1 {
				t.Errorf("delivered %v, read %v", st.Delivered, st.Reads)
			}
			listens := map[string]bool{}
			for _, l := range st.Listeners {
				listens[l.Type+" "+l.Target] = true
			}
			if !listens["keydown window"] || !listens["click button#go"] {
				t.Errorf("listeners %v", st.Listeners)
			}
			els, err := w.probe.Elements(w.ctx, w.page, browser.Point{X: 50, Y: 50})
			if err != nil {
				t.Fatal(err)
			}
			if len(els.Elements) == 0 || els.Elements[0].Text != "Start game" {
				t.Errorf("elements %+v", els.Elements)
			}
			if _, err := w.probe.Engine(w.ctx, w.page); err != nil {
				t.Errorf("engine: %v", err)
			}
			var found any
			w.eval("window.found", &found)
			if found != nil {
				t.Error("the page found the probe")
			}
			w.clean()
		})
	}
}

// TestPolicies serves pages under rules that forbid what the probe might need.
func TestPolicies(t *testing.T) {
	t.Parallel()
	policies := map[string]map[string]string{
		"everything": {"Content-Security-Policy": "default-src 'none'; script-src 'nonce-a'"},
		"types":      {"Content-Security-Policy": "require-trusted-types-for 'script'; script-src 'nonce-a'"},
		"sandbox":    {"Content-Security-Policy": "sandbox allow-scripts"},
		"isolation":  {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"},
		"permission": {"Permissions-Policy": "gamepad=(), fullscreen=()"},
	}
	for name, header := range policies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				for k, v := range header {
					rw.Header().Set(k, v)
				}
				rw.Header().Set("Content-Type", "text/html")
				fmt.Fprint(rw, "<!doctype html>", strings.Replace(busy, "<script>", "<script nonce=a>", 1))
			}))
			defer s.Close()
			w := visit(t, s.URL)
			w.until("frames and text", func(s *probe.State) bool { return s.Frames > 3 && len(s.Texts) == 1 })
			els, err := w.probe.Elements(w.ctx, w.page, browser.Point{X: 50, Y: 50})
			if err != nil || len(els.Elements) != 1 {
				t.Errorf("elements %+v, %v", els, err)
			}
			w.clean()
		})
	}
}

func TestFrameKinds(t *testing.T) {
	t.Parallel()
	frames := map[string]string{
		"srcdoc":    `<iframe srcdoc='` + busy + `'></iframe>`,
		"sandboxed": `<iframe sandbox="allow-scripts" srcdoc='` + busy + `'></iframe>`,
		"blob":      `<script>const f = document.createElement('iframe'); f.src = URL.createObjectURL(new Blob([document.querySelector('template').innerHTML], {type: 'text/html'})); document.body.append(f);</script>`,
		"written":   `<iframe></iframe><script>const d = frames[0].document; d.open(); d.write(document.querySelector('template').innerHTML); d.close();</script>`,
		"nested":    `<iframe srcdoc="<iframe srcdoc='` + strings.NewReplacer("'", "&amp;#39;", `"`, "&quot;").Replace(busy) + `'></iframe>"></iframe>`,
	}
	for name, frame := range frames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			frame = strings.Replace(frame, "srcdoc='"+busy+"'", `srcdoc="`+strings.ReplaceAll(busy, `"`, "&quot;")+`"`, 1)
			w := html(t, `<body><template>`+busy+`</template>`+frame)
			r := w.untilAll("the frame's game", func(r *probe.Reading) bool { return r.Ticks() > 3 && len(r.Texts()) > 0 })
			if text := r.Texts()[0]; text.Text != "score 10" || text.X < 10 {
				t.Errorf("text %+v", text)
			}
		})
	}
}

// TestManyFrames: a page of fifty frames is read in bounded time and size.
func TestManyFrames(t *testing.T) {
	t.Parallel()
	w := html(t, `<body>`+strings.Repeat(`<iframe srcdoc="<button>b</button>" style="width:100px;height:40px"></iframe>`, 50))
	r := w.read()
	if len(r.Frames) < 20 {
		t.Errorf("%d frames read", len(r.Frames))
	}
	els, err := w.probe.Elements(w.ctx, w.page, browser.Point{X: 10, Y: 10})
	if err != nil || len(els.Elements) < 10 {
		t.Errorf("%v, %d elements", err, len(els.Elements))
	}
}

// TestHugePages: listing elements stays bounded whatever the page holds. How long it
// takes is for the machine to say, within the patience that every test has: a canvas
// of 16k is a gigabyte that a renderer without a GPU draws on the processor.
func TestHugePages(t *testing.T) {
	pages := map[string]string{
		"100,000 elements":   `<script>document.body.innerHTML = '<i>x</i>'.repeat(100000)</script>`,
		"100,000 buttons":    `<script>document.body.innerHTML = '<button>x</button>'.repeat(100000)</script>`,
		"100,000 deep":       `<script>let d = document.body; for (let i = 0; i < 100000; i++) { const n = document.createElement('i'); if (i % 400 === 0) d = document.body; d.append(n); d = n; }</script>`,
		"5,000 canvases":     `<script>for (let i = 0; i < 5000; i++) { const c = document.createElement('canvas'); c.width = c.height = 8; c.getContext('2d').fillText('t', 0, 8); document.body.append(c); }</script>`,
		"canvas of 16k":      `<canvas id=c width=16384 height=16384></canvas><script>c.getContext('2d').fillText('big', 9, 9)</script>`,
		"10 MB of console":   `<script>for (let i = 0; i < 100; i++) console.log('x'.repeat(100000))</script>`,
		"5,000 shadow roots": `<script>for (let i = 0; i < 5000; i++) { const d = document.createElement('div'); d.attachShadow({mode: 'closed'}).innerHTML = '<button>b</button>'; document.body.append(d); }</script>`,
	}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			w := html(t, `<body>`+page)
			w.read()
			els, err := w.probe.Elements(w.ctx, w.page, browser.Point{X: 50, Y: 50})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d elements, %d texts, truncated %v", len(els.Elements), len(els.Texts), els.Truncated)
			if len(els.Elements) > 400 || len(els.Texts) > 300 {
				t.Errorf("%d elements, %d texts", len(els.Elements), len(els.Texts))
			}
			w.clean()
		})
	}
}

func TestModulesAndServiceWorkers(t *testing.T) {
	t.Parallel()
	files := map[string][2]string{
		"/":        {"text/html", `<!doctype html><canvas id=c></canvas><script type="importmap">{"imports": {"lib": "/lib.js"}}</script><script type=module>import {draw} from 'lib'; draw(); await navigator.serviceWorker.register('/sw.js'); await navigator.serviceWorker.ready; window.ready = true;</script>`},
		"/lib.js":  {"text/javascript", `export const draw = () => { c.getContext('2d').fillText('module', 9, 9); addEventListener('keydown', () => {}); };`},
		"/sw.js":   {"text/javascript", `addEventListener('fetch', () => {}); addEventListener('install', () => skipWaiting());`},
		"/favicon": {"text/plain", ""},
	}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(rw, r)
			return
		}
		rw.Header().Set("Content-Type", f[0])
		fmt.Fprint(rw, f[1])
	}))
	defer s.Close()
	w := visit(t, s.URL)
	st := w.until("the service worker", func(*probe.State) bool { return w.str("window.ready") == "true" })
	if len(st.Texts) != 1 || len(st.Listeners) != 1 || !strings.Contains(st.Listeners[0].At, "/lib.js:1:") {
		t.Errorf("texts %v, listeners %v", st.Texts, st.Listeners)
	}
	w.clean()
}
