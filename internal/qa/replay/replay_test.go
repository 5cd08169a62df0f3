package replay_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"image"
	"image/color"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/record"
)

// patience is for a loaded machine; nothing here measures how fast it is.
const patience = 3 * time.Minute

var (
	shared *browser.Browser
	// witness is a page that stays open, to ask what else is.
	witness *browser.Page
)

func TestMain(m *testing.M) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	var err error
	shared, err = browser.Launch(ctx, nil)
	if err != nil {
		println("these tests need a Chromium (Debian: apt-get install chromium):", err.Error())
		os.Exit(1)
	}
	if witness, err = page(ctx); err != nil {
		println(err.Error())
		os.Exit(1)
	}
	cancel()
	code := m.Run()
	_ = shared.Close() // whatever it says, the tests have their result
	os.Exit(code)
}

func open(ctx context.Context) (*browser.Context, error) { return shared.NewContext(ctx, nil) }

func page(ctx context.Context) (*browser.Page, error) {
	c, err := open(ctx)
	if err != nil {
		return nil, err
	}
	return c.NewPage(ctx, nil)
}

// serve makes a page of the body; /worker.js is the script of its worker.
func serve(t *testing.T, body, worker string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, `<!doctype html><body style="margin:0">`+body) // to the browser under test
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, worker)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// targets counts the pages, frames and workers of the browser, of all contexts.
func targets(ctx context.Context, t *testing.T) int {
	t.Helper()
	res, err := cdp.Call(ctx, witness.Sessions()[0], target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	return len(res.TargetInfos)
}

// compare runs a plan and makes sure that nothing of it stays open.
func compare(ctx context.Context, t *testing.T, plan replay.Plan) (replay.Answer, error) {
	t.Helper()
	before := targets(ctx, t)
	answer, err := replay.Compare(ctx, open, plan)
	if after := targets(ctx, t); after != before {
		t.Errorf("%d targets were open before the comparison, %d after it", before, after)
	}
	return answer, err
}

// game parts that several pages share.
const (
	// runner is never still: a bar sweeps over the picture, dots come by chance
	// and the time is painted; x is the figure's place.
	runner = `<canvas id=c width=600 height=400></canvas><script>
		const ctx = c.getContext('2d');
		let x = 300, y = 200, n = 0, dots = [];
		const began = Date.now();
		setInterval(() => { dots.push([Math.random() * 600, Math.random() * 100]); }, 50);
		(function loop() {
			ctx.clearRect(0, 0, 600, 400);
			ctx.fillStyle = 'teal'; ctx.fillRect(n++ * 3 % 600, 350, 60, 40);
			for (const [a, b] of dots) ctx.fillRect(a, b, 8, 8);
			ctx.fillText((Date.now() - began) + ' ' + performance.now().toFixed(1), 10, 140);
			ctx.fillStyle = 'red'; ctx.fillRect(x, y, 30, 30);
			requestAnimationFrame(loop);
		})();
	</script>`
	// painted shows a texture that one of its first frames painted, wherever x is.
	painted = `<canvas id=c width=600 height=400></canvas><script>
		const gl = c.getContext('webgl');
		const program = (fragment) => {
			const p = gl.createProgram();
			for (const [type, text] of [[gl.VERTEX_SHADER, 'attribute vec2 at; uniform vec2 place; void main() { gl_Position = vec4(at * place.y + vec2(place.x, 0), 0, 1); }'], [gl.FRAGMENT_SHADER, 'precision mediump float; uniform sampler2D picture; void main() { ' + fragment + ' }']]) {
				const s = gl.createShader(type);
				gl.shaderSource(s, text), gl.compileShader(s), gl.attachShader(p, s);
			}
			gl.bindAttribLocation(p, 0, 'at');
			gl.linkProgram(p);
			return p;
		};
		const plain = program('gl_FragColor = vec4(1.0, 1.0, 0.0, 1.0);'), textured = program('gl_FragColor = texture2D(picture, vec2(0.5));');
		gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
		gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
		gl.enableVertexAttribArray(0), gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
		const texture = gl.createTexture(), buffer = gl.createFramebuffer();
		gl.bindTexture(gl.TEXTURE_2D, texture);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 4, 4, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
		gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
		gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
		gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
		gl.bindFramebuffer(gl.FRAMEBUFFER, null);
		let n = 0, x = -0.5;
		onkeydown = (e) => { if (e.code === 'ArrowRight') x = 0.5; };
		(function loop() {
			if (n++ === 3) {
				gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
				gl.viewport(0, 0, 4, 4), gl.useProgram(plain);
				gl.uniform2f(gl.getUniformLocation(plain, 'place'), 0, 1);
				gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
				gl.bindFramebuffer(gl.FRAMEBUFFER, null);
			}
			gl.viewport(0, 0, 600, 400), gl.clear(gl.COLOR_BUFFER_BIT), gl.useProgram(textured);
			gl.uniform2f(gl.getUniformLocation(textured, 'place'), x, 0.2);
			gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
			requestAnimationFrame(loop);
		})();
	</script>`
	// corner is a runner with a spot that is never twice the same.
	corner = runner + `<canvas id=k width=40 height=40 style="position:absolute;left:540px;top:20px"></canvas><script>
		setInterval(() => {
			const spot = k.getContext('2d');
			spot.fillStyle = 'rgb(' + crypto.getRandomValues(new Uint8Array(3)).join() + ')';
			spot.fillRect(0, 0, 40, 40);
		}, 50);
	</script>`
	steered = `<script>addEventListener('keydown', (e) => { if (e.code === 'ArrowRight') x += 20; });</script>`
)

var view = record.Rect{Width: 600, Height: 400}

func key(code string) replay.Try {
	return replay.Try{Input: game.Input{Kind: game.KeyPress, Key: code}}
}

// framed is a page that shows another one in a frame.
func framed(attributes, page string) string {
	return `<iframe ` + attributes + ` srcdoc="` + html.EscapeString(page) + `"></iframe>`
}

func click(x, y float64) replay.Try {
	return replay.Try{Input: game.Input{Kind: game.Click, At: record.Point{X: x, Y: y}}}
}

func TestCompare(t *testing.T) {
	drag := replay.Try{Input: game.Input{Kind: game.Drag, Path: []record.Point{{X: 315, Y: 215}, {X: 360, Y: 220}, {X: 420, Y: 260}}}}
	const goesBack = `<script>
		let from = null;
		c.onmousedown = () => { from = [x, y]; };
		onmousemove = (e) => { if (from) { x = e.offsetX; y = e.offsetY; } };
		onmouseup = () => { if (from) [x, y] = from; from = null; };
	</script>`
	for _, tt := range []struct {
		name, page, worker string
		focus              int
		start, tries       []replay.Try
		cause              int
		unrepeatable       bool
		nearly             bool // Chromium does not draw it the same every time; it may take another go, but nothing else may be named
	}{
		{name: "a key moves a thing in a game that is never still", page: runner + steered, tries: []replay.Try{key("ArrowRight")}, cause: 0},
		{name: "the key is dead", page: runner, tries: []replay.Try{key("ArrowRight"), key("Space")}, cause: -1},
		{name: "a key that the game does not know", page: runner + steered, tries: []replay.Try{key("F8")}, cause: -1},
		{name: "the second of three", page: runner + steered, tries: []replay.Try{key("F8"), key("ArrowRight"), key("ArrowRight")}, cause: 1},
		{name: "a ring around a button that was clicked", page: `<button style="position:absolute;left:200px;top:100px;width:200px;height:80px">Nothing</button>`, tries: []replay.Try{click(300, 140), key("ArrowRight")}, cause: -1},
		{name: "a ring around a button that was clicked, when letters are typed", page: `<button style="position:absolute;left:200px;top:100px;width:200px;height:80px">Nothing</button>`, tries: []replay.Try{click(300, 140), {Input: game.Input{Kind: game.Typing, Text: "on"}}}, cause: -1},
		{name: "only while it is held", page: runner + `<script>
			let held = false;
			onkeydown = () => { held = true; };
			onkeyup = () => { held = false; };
			setInterval(() => { if (held) x += 2; }, 16);
		</script>`, tries: []replay.Try{{Input: game.Input{Kind: game.KeyHold, Key: "KeyD"}}}, cause: 0},
		{name: "a click", page: runner + `<script>c.onclick = (e) => { x = e.offsetX; y = e.offsetY; };</script>`, tries: []replay.Try{click(100, 250)}, cause: 0},
		{name: "a click where nothing is", page: runner + `<script>c.onclick = (e) => { if (e.offsetX > 500) x = e.offsetX; };</script>`, tries: []replay.Try{click(100, 250)}, cause: -1},
		{name: "a double click", page: runner + `<script>c.ondblclick = () => { x += 50; };</script>`, tries: []replay.Try{
			click(100, 250), {Input: game.Input{Kind: game.DoubleClick, At: record.Point{X: 200, Y: 260}}},
		}, cause: 1},
		{name: "a drag", page: runner + `<script>
			let grabbed = false;
			c.onmousedown = (e) => { grabbed = Math.abs(e.offsetX - x - 15) < 20 && Math.abs(e.offsetY - y - 15) < 20; };
			onmousemove = (e) => { if (grabbed) { x = e.offsetX - 15; y = e.offsetY - 15; } };
			onmouseup = () => { grabbed = false; };
		</script>`, tries: []replay.Try{click(315, 215), drag}, cause: 1},
		{name: "a drag that goes back to where it began", page: runner + goesBack, tries: []replay.Try{drag}, cause: 0},
		{name: "a drag over a game that does not care", page: runner, tries: []replay.Try{drag}, cause: -1},
		{name: "a drag on a button, which shows that it is pressed", page: `<style>button:active { background: gold }</style><button style="position:absolute;left:200px;top:100px;width:200px;height:180px">Nothing</button>`, tries: []replay.Try{drag}, cause: -1},
		{name: "typing", page: runner + `<script>
			let typed = '';
			onkeypress = (e) => { typed += e.key; if (typed.endsWith('abc')) y = 300; };
		</script>`, tries: []replay.Try{{Input: game.Input{Kind: game.Typing, Text: "abc"}}}, cause: 0},
		{name: "hovering", page: runner + `<script>c.onmousemove = (e) => { x = e.offsetX; };</script>`, tries: []replay.Try{
			{Input: game.Input{Kind: game.Hover, At: record.Point{X: 480, Y: 300}}},
		}, cause: 0},
		{name: "a click further down the page", page: `<div style="height:1500px"></div><div id=d style="width:200px;height:200px;background:navy" onclick="d.style.background = 'gold'"></div><div style="height:2000px"></div>`,
			tries: []replay.Try{{Input: game.Input{Kind: game.Click, At: record.Point{X: 100, Y: 100}}, Scroll: record.Point{Y: 1500}}}, cause: 0},
		{name: "a game in a worker", page: `<canvas id=c width=600 height=400></canvas><script>
			const worker = new Worker('/worker.js'), off = c.transferControlToOffscreen();
			worker.postMessage(off, [off]);
			onkeydown = (e) => { if (e.code === 'ArrowRight') worker.postMessage('right'); };
		</script>`, worker: `
			let x = 100, ctx;
			onmessage = (e) => {
				if (e.data === 'right') { x += 60; return; }
				ctx = e.data.getContext('2d');
				(function loop() {
					ctx.clearRect(0, 0, 600, 400);
					ctx.fillRect(x, 100, 40, 40);
					ctx.fillRect(performance.now() / 10 % 600, 300, 40, 40);
					requestAnimationFrame(loop);
				})();
			};`, tries: []replay.Try{key("F8"), key("ArrowRight")}, cause: 1},
		{name: "a game in a frame", page: framed(`width=620 height=420`, runner+steered), focus: 1, tries: []replay.Try{key("F8"), key("ArrowRight")}, cause: 1},
		{name: "a game in a sandboxed frame", page: framed(`width=620 height=420 sandbox=allow-scripts`, runner+steered), focus: 1, tries: []replay.Try{key("F8"), key("ArrowRight")}, cause: 1},
		{name: "a drag that only selects text in a frame", page: framed(`width=620 height=420`, `<p style="font-size:60px">Nothing but text stands here, in lines of which some are dragged over.</p>`), tries: []replay.Try{drag}, cause: -1},
		{name: "style sheets animate", page: `<style>
			@keyframes pulse { from { transform: scale(1); background: teal; } to { transform: scale(3); background: gold; } }
			#a { position: absolute; left: 250px; top: 150px; width: 100px; height: 100px; animation: pulse 0.7s infinite alternate; }
			#b { position: absolute; left: 10px; top: 300px; width: 60px; height: 60px; background: red; transition: left 2s; }
		</style><div id=a></div><div id=b></div><script>onkeydown = (e) => { if (e.code === 'ArrowRight') b.style.left = '400px'; };</script>`,
			tries: []replay.Try{key("F8"), key("ArrowRight")}, cause: 1, nearly: true},
		{name: "WebGL, with what was painted into a texture long ago", page: painted, tries: []replay.Try{key("F8"), key("ArrowRight")}, cause: 1},
		{name: "chance from outside", page: `<canvas id=c width=600 height=400></canvas><script>
			const ctx = c.getContext('2d'), noise = new Uint8Array(600);
			(function loop() {
				crypto.getRandomValues(noise);
				noise.forEach((v, i) => { ctx.fillStyle = 'rgb(' + v + ',0,0)'; ctx.fillRect(i % 30 * 20, Math.floor(i / 30) * 20, 20, 20); });
				requestAnimationFrame(loop);
			})();
			onkeydown = () => { document.body.style.background = 'red'; };
		</script>`, tries: []replay.Try{key("ArrowRight")}, cause: -1, unrepeatable: true},
		{name: "chance from outside in a corner", page: corner + steered, tries: []replay.Try{key("F8"), key("ArrowRight")}, cause: 1, nearly: true},
		{name: "a dead key beside such a corner", page: corner, tries: []replay.Try{key("F8"), key("ArrowRight")}, cause: -1, nearly: true},
		{name: "a start before the tries", page: runner + `<button id=go style="position:absolute;left:250px;top:50px;width:100px;height:40px">Start</button><script>
			let on = false;
			go.onclick = () => { on = true; go.remove(); };
			addEventListener('keydown', (e) => { if (on && e.code === 'ArrowRight') x += 20; });
		</script>`, start: []replay.Try{click(300, 70)}, tries: []replay.Try{key("ArrowRight")}, cause: 0},
		{name: "the same without its start", page: runner + `<script>
			let on = false;
			addEventListener('click', () => { on = true; });
			addEventListener('keydown', (e) => { if (on && e.code === 'ArrowRight') x += 20; });
		</script>`, tries: []replay.Try{key("ArrowRight")}, cause: -1},
		{name: "timers that never end", page: runner + steered + `<script>(function again() { setTimeout(again, 0); setTimeout(() => {}, 0); })();</script>`, tries: []replay.Try{key("ArrowRight")}, cause: 0},
		{name: "a handler that throws", page: runner + `<script>onkeydown = () => { x += 30; throw new Error('gotcha'); };</script>`, tries: []replay.Try{key("ArrowRight")}, cause: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			plan := replay.Plan{URL: serve(t, tt.page, tt.worker), View: view, Focus: tt.focus, Start: tt.start, Tries: tt.tries}
			answer, err := compare(ctx, t, plan)
			for again := 0; err == nil && tt.nearly && answer.Cause != tt.cause && again < 4; again++ {
				answer, err = compare(ctx, t, plan)
			}
			if err != nil {
				t.Fatal(err)
			}
			if answer.Repeatable == tt.unrepeatable || answer.Cause != tt.cause {
				t.Errorf("repeatable %v, cause %d (%d pixels, %d by chance); want %v, %d", answer.Repeatable, answer.Cause, answer.Pixels, answer.Chance, !tt.unrepeatable, tt.cause)
			}
			if !tt.unrepeatable && !tt.nearly && answer.Chance != 0 {
				t.Errorf("%d pixels differed by chance", answer.Chance)
			}
			if tt.unrepeatable && answer.Chance == 0 {
				t.Error("nothing differed by chance")
			}
			if shown := answer.With != nil && answer.Without != nil; shown != (tt.cause >= 0) {
				t.Errorf("pictures of the difference: %v", shown)
			}
		})
	}
}

// TestUnseenFrames: frames that nobody sees need not be painted, but what is seen
// in the end is what all of them left.
func TestUnseenFrames(t *testing.T) {
	const loop = `onkeydown = () => { key = 1; }; let n = 0, key = 0; (function loop() { n++; paint(); requestAnimationFrame(loop); })();</script>`
	canvas := `<canvas id=c width=600 height=400></canvas><script>const g = c.getContext('2d');
		const box = (g, color, x, y) => { g.fillStyle = color; g.fillRect(x, y, 40, 40); };`
	blue, red, none := color.RGBA{0, 0, 255, 255}, color.RGBA{255, 0, 0, 255}, color.RGBA{255, 255, 255, 255}
	for _, tt := range []struct {
		name, page string
		shows      map[image.Point]color.RGBA // in the whole picture's pixels
	}{
		{name: "painted anew each time", page: canvas + `function paint() {
			g.clearRect(0, 0, 600, 400); box(g, 'blue', 100, 100); box(g, n < 70 ? 'red' : 'blue', 200, 100); if (key) box(g, 'red', 300, 100); }`,
			shows: map[image.Point]color.RGBA{{120, 120}: blue, {220, 120}: blue, {320, 120}: red}},
		{name: "wiped by a colour", page: canvas + `function paint() {
			g.fillStyle = '#fff'; g.fillRect(0, 0, 600, 400); if (n < 70) box(g, 'blue', 100, 100); box(g, 'blue', 200, 100); if (key) box(g, 'red', 300, 100); }`,
			shows: map[image.Point]color.RGBA{{120, 120}: none, {220, 120}: blue, {320, 120}: red}},
		{name: "never wiped", page: canvas + `function paint() { if (n % 10 === 0) box(g, 'blue', n * 4 % 600, 100); if (key) box(g, 'red', 300, 300); }`,
			shows: map[image.Point]color.RGBA{{60, 120}: blue, {140, 120}: blue, {220, 120}: blue, {320, 320}: red}},
		{name: "wiped at first and then no more", page: canvas + `function paint() {
			if (n < 40) g.clearRect(0, 0, 600, 400); box(g, 'blue', n < 62 ? 100 : 200, 100); if (key) box(g, 'red', 300, 100); }`,
			shows: map[image.Point]color.RGBA{{120, 120}: blue, {220, 120}: blue, {320, 120}: red}},
		{name: "wiped in part", page: canvas + `function paint() {
			g.clearRect(0, 0, 600, 90); if (n === 63) box(g, 'blue', 100, 100); if (key) box(g, 'red', 300, 100); }`,
			shows: map[image.Point]color.RGBA{{120, 120}: blue, {320, 120}: red}},
		{name: "through a canvas behind", page: canvas + `const b = document.createElement('canvas'); b.width = 600; b.height = 400; const h = b.getContext('2d');
			function paint() { h.clearRect(0, 0, 600, 400); box(h, 'blue', n < 70 ? 100 : 200, 100); if (key) box(h, 'red', 300, 100);
				g.clearRect(0, 0, 600, 400); g.drawImage(b, 0, 0); }`,
			shows: map[image.Point]color.RGBA{{120, 120}: none, {220, 120}: blue, {320, 120}: red}},
		{name: "gathered from a canvas behind", page: canvas + `const b = document.createElement('canvas'); b.width = 600; b.height = 400; const h = b.getContext('2d');
			function paint() { h.clearRect(0, 0, 600, 400); if (n === 63) box(h, 'blue', 100, 100); if (key) box(h, 'red', 300, 100); g.drawImage(b, 0, 0, 599, 300, 0, 0, 599, 300); }`,
			shows: map[image.Point]color.RGBA{{120, 120}: blue, {320, 120}: red}},
		{name: "read back", page: canvas + `let seen = 0;
			function paint() { g.clearRect(0, 0, 600, 400); if (n === 63) box(g, 'blue', 100, 100); seen = Math.max(seen, g.getImageData(110, 110, 1, 1).data[2]);
				if (seen) box(g, 'blue', 200, 100); if (key) box(g, 'red', 300, 100); }`,
			shows: map[image.Point]color.RGBA{{120, 120}: none, {220, 120}: blue, {320, 120}: red}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			answer, err := compare(ctx, t, replay.Plan{URL: serve(t, tt.page+loop, ""), View: view, Tries: []replay.Try{key("F8")}})
			if err != nil || answer.Cause != 0 || answer.Chance != 0 {
				t.Fatalf("cause %d, %d pixels, %d by chance, error %v", answer.Cause, answer.Pixels, answer.Chance, err)
			}
			for at, want := range tt.shows {
				if got := answer.With.RGBAAt(at.X/2, at.Y/2); got != want {
					t.Errorf("at %v: %v, want %v", at, got, want)
				}
			}
		})
	}
}

// TestCannotBeCompared: what goes wrong in an arm is an error that says so, it
// comes within the limits of the package, and nothing is left behind.
func TestCannotBeCompared(t *testing.T) {
	for _, tt := range []struct {
		name, page, says string
		start, tries     []replay.Try
	}{
		{name: "hangs in a timer", page: runner + `<script>setTimeout(() => { for (;;); }, 300);</script>`, tries: []replay.Try{key("ArrowRight")}, says: "let time pass"},
		{name: "hangs when it starts", page: runner + `<script>onclick = () => { setTimeout(() => { for (;;); }, 30); };</script>`, start: []replay.Try{click(100, 100)}, tries: []replay.Try{key("ArrowRight")}, says: "start the game"},
		{name: "hangs at a try", page: runner + `<script>addEventListener('keydown', () => { setTimeout(() => { for (;;); }, 30); });</script>`, tries: []replay.Try{key("ArrowRight")}, says: "let time pass"},
		{name: "an input that leads away", page: runner + `<script>onkeydown = () => { location.href = '/elsewhere'; };</script>`, tries: []replay.Try{key("F8")}, says: "leaves the game"},
		{name: "an input that loads the page again", page: runner + `<script>onkeydown = () => { setTimeout(() => location.reload(), 60); };</script>`, tries: []replay.Try{key("F8")}, says: "leaves the game"},
		{name: "a start that loads the page again", page: runner + `<script>onclick = () => { setTimeout(() => location.reload(), 1200); };</script>`, start: []replay.Try{click(100, 100)}, tries: []replay.Try{key("F8"), key("F9")}, says: "loaded again"},
		{name: "an input that cannot be repeated", page: runner, tries: []replay.Try{{Input: game.Input{Kind: game.Wheel}}}, says: "cannot be replayed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			answer, err := compare(ctx, t, replay.Plan{URL: serve(t, tt.page, ""), View: view, Start: tt.start, Tries: tt.tries})
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one with %q", err, tt.says)
			}
			if ctx.Err() != nil {
				t.Error("only the caller's deadline ended the comparison")
			}
			if answer.Cause != -1 {
				t.Errorf("cause %d", answer.Cause)
			}
		})
	}
}

func TestServerGone(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	if _, err := compare(ctx, t, replay.Plan{URL: s.URL, View: view, Tries: []replay.Try{key("Space")}}); err == nil || !strings.Contains(err.Error(), "open the game") {
		t.Errorf("error %v", err)
	}
}

// TestLevelsThatLoad: what a game asks for in one of its frames is there in the
// next, in every arm, however long it took.
func TestLevelsThatLoad(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var asked atomic.Int32
	for name, load := range map[string]string{
		"by fetch":   `fetch('/level').then(play)`,
		"by request": `const q = new XMLHttpRequest(); q.open('GET', '/level'); q.onload = play; q.send()`,
		"a picture":  `const i = new Image(); i.onload = i.onerror = play; i.src = '/level'`,
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
					_, _ = io.WriteString(w, `<!doctype html><body style="margin:0"><canvas id=c width=600 height=400></canvas><script>
						let n = 0, x = 0, playing = false;
						const play = () => { playing = true; };
						(function loop() {
							if (++n === 10) { `+load+` }
							if (playing) x = (x + 7) % 600;
							const ctx = c.getContext('2d');
							ctx.clearRect(0, 0, 600, 400); ctx.fillRect(x, 100, 60, 200);
							requestAnimationFrame(loop);
						})();
						onkeydown = (e) => { if (e.code === 'Space') x += 100; };
					</script>`) // to the browser under test
				case "/level":
					select { // no two arms wait equally long
					case <-time.After(time.Duration(asked.Add(1)%3) * 40 * time.Millisecond):
					case <-r.Context().Done():
					}
				}
			}))
			defer s.Close()
			answer, err := replay.Compare(ctx, open, replay.Plan{URL: s.URL, View: view, Tries: []replay.Try{key("F8"), key("Space")}})
			if err != nil || !answer.Repeatable || answer.Chance != 0 || answer.Cause != 1 {
				t.Errorf("%+v, %v", answer, err)
			}
		})
	}
}

// TestTwice: what ends a first screen sooner makes a difference once, what plays
// makes it again.
func TestTwice(t *testing.T) {
	for name, tt := range map[string]struct {
		page string
		want int
	}{
		"skips":   {runner + `<script>let shown = false; setTimeout(() => { shown = true; }, 3000); onkeydown = () => { if (shown) document.body.style.background = 'red'; };</script>`, -1},
		"jumps":   {runner + `<script>onkeydown = () => { y -= 15; };</script>`, 0},
		"repeats": {runner + `<script>setTimeout(() => { onkeydown = () => { y -= 15; }; }, 3000);</script>`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			plan := replay.Plan{URL: serve(t, `<style>canvas { opacity: .5 }</style>`+tt.page, ""), View: view, Tries: []replay.Try{key("F8"), key("F9")}, Later: 4 * time.Second}
			answer, err := compare(ctx, t, plan)
			if err != nil || answer.Cause != 0 {
				t.Fatalf("%+v, %v", answer, err)
			}
			if answer, err = compare(ctx, t, plan.Twice(answer)); err != nil || answer.Cause != tt.want {
				t.Errorf("%+v, %v", answer, err)
			}
		})
	}
}

// TestOutOfStep: where something moves out of step in one arm, which goes on to
// show elsewhere, no input is to blame.
func TestOutOfStep(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var opened atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		late := 0
		if opened.Add(1)%3 == 0 {
			late = 90 // in one of three, whichever that is
		}
		_, _ = fmt.Fprintf(w, `<!doctype html><body style="margin:0"><canvas id=c width=600 height=400></canvas><script>
			let y = %d;
			(function loop() {
				const ctx = c.getContext('2d');
				ctx.clearRect(0, 0, 600, 400); ctx.fillRect(280, y += 1.5, 20, 20);
				requestAnimationFrame(loop);
			})();
			onkeydown = () => {};
		</script>`, late) // to the browser under test
	}))
	defer s.Close()
	for range 5 {
		answer, err := replay.Compare(ctx, open, replay.Plan{URL: s.URL, View: view, Tries: []replay.Try{key("F8"), key("Space")}})
		if err != nil || answer.Cause != -1 {
			t.Errorf("%+v, %v", answer, err)
		}
	}
}

// TestCancelled: a caller that gives up gets its pages closed, too.
func TestCancelled(t *testing.T) {
	patient, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	before := targets(patient, t)
	ctx, giveUp := context.WithCancel(patient)
	defer giveUp()
	opened := 0
	opens := make(chan struct{}, 3)
	done := make(chan error, 1)
	go func() {
		_, err := replay.Compare(ctx, func(ctx context.Context) (*browser.Context, error) {
			defer func() { opens <- struct{}{} }()
			return open(ctx)
		}, replay.Plan{URL: serve(t, runner, ""), View: view, Tries: []replay.Try{key("Space")}})
		done <- err
	}()
	for opened < 3 {
		<-opens
		opened++
	}
	giveUp()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
	if after := targets(patient, t); after != before {
		t.Errorf("%d targets before, %d after", before, after)
	}
}
