package probe_test

import (
	"math"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
)

func TestFramesAndDraws(t *testing.T) {
	t.Parallel()
	w := visit(t, server(t, nil).URL+"/game.html")
	first := w.until("frames", func(s *probe.State) bool { return s.Frames > 5 })
	then := w.until("more frames", func(s *probe.State) bool { return s.Frames > first.Frames+10 })
	if then.FPS < 1 || then.Rhythm <= 0 {
		t.Errorf("frame rate %v, rhythm %v of a running game", then.FPS, then.Rhythm)
	}
	if draws, frames := then.Draws-first.Draws, then.Frames-first.Frames; draws != 2*frames {
		t.Errorf("%d draws in %d frames of two draws each", draws, frames)
	}
	if then.TextPaints != then.Frames+1 {
		t.Errorf("%d texts painted in %d frames and one turn before", then.TextPaints, then.Frames)
	}
	if then.Turns < 10 || then.LastDraw <= 0 || then.LastDraw > then.Now {
		t.Errorf("turns %d, last draw %v of %v", then.Turns, then.LastDraw, then.Now)
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	w := visit(t, server(t, nil).URL+"/game.html")
	w.until("frames", func(s *probe.State) bool { return s.Frames > 5 })
	same := func(s *probe.State) bool {
		for _, v := range s.Sigs {
			if v != s.Sigs[len(s.Sigs)-1] {
				return false
			}
		}
		return len(s.Sigs) > 3
	}
	clock := w.read().Clocks()
	sinceClock := func() *probe.State {
		r, err := w.probe.Read(w.ctx, w.page, &probe.ReadOptions{Brief: true, Since: clock})
		if err != nil {
			t.Fatal(err)
		}
		return r.Frames[0]
	}
	w.until("equal frames", func(*probe.State) bool { return len(sinceClock().Sigs) > 5 })
	if !same(sinceClock()) {
		t.Error("a still game draws differing frames")
	}
	if err := w.page.Keyboard().Press(w.ctx, "ArrowRight", 0); err != nil {
		t.Fatal(err)
	}
	w.until("another picture", func(*probe.State) bool { return !same(sinceClock()) })
}

// TestTexts paints a text where the table says and looks for it on the page.
func TestTexts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		style, size string
		scroll      bool
		paint       string
		x, y        float64 // the text's left edge and the middle of its height
	}{
		"plain":                   {paint: `x.fillText('PLAY', 40, 50)`, x: 40, y: 50 - 0.3*20},
		"stroked":                 {paint: `x.strokeText('PLAY', 40, 50)`, x: 40, y: 50 - 0.3*20},
		"centred":                 {paint: `x.textAlign = 'center'; x.textBaseline = 'middle'; x.fillText('PLAY', 100, 60)`, x: 100 - 24, y: 60},
		"right, top":              {paint: `x.textAlign = 'right'; x.textBaseline = 'top'; x.fillText('PLAY', 100, 60)`, x: 100 - 48, y: 70},
		"translated and scaled":   {paint: `x.translate(30, 20); x.scale(2, 2); x.textBaseline = 'middle'; x.fillText('PLAY', 10, 30)`, x: 50, y: 80},
		"rotated a quarter":       {paint: `x.translate(100, 40); x.rotate(Math.PI / 2); x.textBaseline = 'middle'; x.fillText('PLAY', 0, 0)`, x: 90, y: 40 + 24},
		"scaled by CSS":           {style: "width:600px;height:400px", paint: `x.textBaseline = 'middle'; x.fillText('PLAY', 40, 50)`, x: 80, y: 100},
		"CSS transform":           {style: "transform:scale(2);transform-origin:0 0", paint: `x.textBaseline = 'middle'; x.fillText('PLAY', 40, 50)`, x: 80, y: 100},
		"border and padding":      {style: "border:10px solid;padding:5px", paint: `x.textBaseline = 'middle'; x.fillText('PLAY', 40, 50)`, x: 55, y: 65},
		"object-fit":              {style: "width:900px;height:200px;object-fit:contain", paint: `x.textBaseline = 'middle'; x.fillText('PLAY', 40, 50)`, x: 340, y: 50},
		"high resolution":         {style: "width:150px;height:100px", paint: `x.textBaseline = 'middle'; x.scale(2, 2); x.fillText('PLAY', 40, 50)`, x: 40, y: 50},
		"scrolled":                {scroll: true, paint: `x.textBaseline = 'middle'; x.fillText('PLAY', 40, 150)`, x: 40, y: 50},
		"number for a text":       {paint: `x.textBaseline = 'middle'; x.fillText(2048, 40, 50)`, x: 40, y: 50},
		"off-screen canvas":       {paint: `const o = document.createElement('canvas'); o.width = 100; o.height = 50; const y = o.getContext('2d'); y.font = x.font; y.textBaseline = 'middle'; y.fillText('PLAY', 10, 20); x.drawImage(o, 50, 60)`, x: 60, y: 80},
		"OffscreenCanvas, scaled": {paint: `const o = new OffscreenCanvas(100, 50), y = o.getContext('2d'); y.font = x.font; y.textBaseline = 'middle'; y.fillText('PLAY', 10, 20); x.drawImage(o, 0, 0, 100, 50, 50, 60, 200, 100)`, x: 70, y: 100},
		"two off-screen canvases": {paint: `const o = new OffscreenCanvas(100, 50), y = o.getContext('2d'); y.font = x.font; y.textBaseline = 'middle'; y.fillText('PLAY', 10, 20); const p = new OffscreenCanvas(200, 100); p.getContext('2d').drawImage(o, 20, 20); x.drawImage(p, 10, 10)`, x: 40, y: 50},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := `<body style="margin:0;height:3000px"><canvas id=c width=300 height=200 style="display:block;` + tt.style + `"></canvas>
				<script>const x = c.getContext('2d'); x.font = '20px monospace'; ` + tt.paint + `</script>`
			w := html(t, page)
			if tt.scroll {
				w.eval("scrollTo(0, 100)", nil)
			}
			st := w.main()
			if len(st.Texts) != 1 {
				t.Fatalf("texts: %+v", st.Texts)
			}
			got := st.Texts[0]
			if got.Text != "PLAY" && got.Text != "2048" {
				t.Errorf("text %q", got.Text)
			}
			if math.Abs(got.X-tt.x) > 3 || math.Abs(got.Y+got.H/2-tt.y) > 3 {
				t.Errorf("at x %.1f, middle %.1f of %+v, want %.1f, %.1f", got.X, got.Y+got.H/2, got, tt.x, tt.y)
			}
			if got.Count != 1 || got.Age < 0 || got.Last > got.Age {
				t.Errorf("age %v, last %v, count %d", got.Age, got.Last, got.Count)
			}
		})
	}
}

func TestTextsComeAndGo(t *testing.T) {
	t.Parallel()
	w := html(t, `<canvas id=c width=300 height=200></canvas><script>
		const x = c.getContext('2d'); let text = 'PRESS SPACE';
		(function loop() { x.clearRect(0, 0, 300, 200); x.fillText(text, 20, 30); requestAnimationFrame(loop); })();
		onkeydown = () => { text = 'LEVEL 1'; };</script>`)
	shows := func(want string) func(*probe.State) bool {
		return func(s *probe.State) bool { return len(s.Texts) == 1 && s.Texts[0].Text == want && s.Texts[0].Count > 3 }
	}
	w.until("the prompt", shows("PRESS SPACE"))
	if err := w.page.Keyboard().Press(w.ctx, "Space", 0); err != nil {
		t.Fatal(err)
	}
	w.until("only the level", shows("LEVEL 1"))
}

// TestTextsGoWithoutOthers: a canvas that goes on without any text shows none;
// one that stands still keeps its text, also while another canvas moves.
func TestTextsGoWithoutOthers(t *testing.T) {
	t.Parallel()
	w := html(t, `<canvas id=c width=300 height=200></canvas><canvas id=d width=300 height=200></canvas><script>
		const x = c.getContext('2d'), y = d.getContext('2d'); let n = 0;
		y.fillText('STILL', 20, 30);
		(function loop() { x.clearRect(0, 0, 300, 200); x.fillRect(n++ % 300, 9, 9, 9); if (n < 5) x.fillText('LOADING', 20, 30); requestAnimationFrame(loop); })();</script>`)
	w.until("only the still text", func(s *probe.State) bool { return s.Frames > 30 && len(s.Texts) == 1 && s.Texts[0].Text == "STILL" })
}

func TestTextInFrames(t *testing.T) {
	t.Parallel()
	child := `<!doctype html><body style="margin:0"><canvas id=c width=200 height=100 style="display:block"></canvas><script>
		const x = c.getContext('2d'); x.textBaseline = 'top'; x.fillText('INSIDE', 10, 20);</script>`
	other := server(t, map[string]string{"/child": child})
	tests := map[string]string{"same origin": "/child", "cross origin": other.URL + "/child"}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, map[string]string{
				"/child": child,
				"/":      `<!doctype html><body style="margin:0"><iframe src="` + src + `" style="position:absolute;left:100px;top:50px;border:5px solid"></iframe>`,
			})
			w := visit(t, s.URL)
			r := w.untilAll("the frame's text", func(r *probe.Reading) bool { return len(r.Texts()) == 1 })
			got := r.Texts()[0]
			if math.Abs(got.X-115) > 2 || math.Abs(got.Y-75) > 2 {
				t.Errorf("at %.0f,%.0f, want 115,75", got.X, got.Y)
			}
			if c := r.Canvases(); len(c) != 1 || c[0].X != 105 || c[0].Y != 55 || c[0].Kind != "2d" {
				t.Errorf("canvases %+v", c)
			}
		})
	}
}

func TestTextsStayBounded(t *testing.T) {
	t.Parallel()
	w := html(t, `<canvas id=c width=3000 height=2000></canvas><script>
		const x = c.getContext('2d'); for (let i = 0; i < 20000; i++) x.fillText('n' + i + 'x'.repeat(500), i % 3000, i % 2000);</script>`)
	st := w.main()
	if len(st.Texts) > 200 || st.TextPaints != 20000 {
		t.Errorf("%d texts kept of %d painted", len(st.Texts), st.TextPaints)
	}
	for _, text := range st.Texts {
		if len(text.Text) > 200 {
			t.Fatalf("a text of %d characters", len(text.Text))
		}
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	w := html(t, `<body style="margin:0"><canvas id=c width=800 height=500 style="display:block;width:400px;height:250px"></canvas><script>
		const art = new OffscreenCanvas(120, 40); art.getContext('2d').fillRect(0, 0, 120, 40);
		const screen = new OffscreenCanvas(800, 500); screen.getContext('2d').fillRect(0, 0, 9, 9);
		const tile = new OffscreenCanvas(16, 16); tile.getContext('2d');
		const x = c.getContext('2d');
		(function loop() {
			x.drawImage(screen, 0, 0);
			x.drawImage(tile, 5, 5);
			x.drawImage(art, 200, 100);
			requestAnimationFrame(loop);
		})();</script>`)
	st := w.until("the button", func(s *probe.State) bool { return len(s.Images) > 0 && s.Images[0].Count > 1 })
	if len(st.Images) != 1 {
		t.Fatalf("images %+v, want the one that may be a button", st.Images)
	}
	if got := st.Images[0]; got.X != 100 || got.Y != 50 || got.W != 60 || got.H != 20 {
		t.Errorf("image at %+v", got)
	}
}

func TestContexts(t *testing.T) {
	t.Parallel()
	w := html(t, `<canvas id=a></canvas><canvas id=b></canvas><canvas id=d style="display:none"></canvas><div id=host></div><script>
		for (let i = 0; i < 3; i++) a.getContext('2d');
		b.getContext('webgl');
		d.getContext('bitmaprenderer');
		for (let i = 0; i < 1000; i++) document.createElement('canvas').getContext('2d');
		const late = document.createElement('canvas'); late.getContext('2d');
		host.attachShadow({mode: 'closed'}).append(late);</script>`)
	st := w.main()
	kinds := map[string]int{}
	shown := 0
	for _, c := range st.Canvases {
		kinds[c.Kind]++
		if c.Shown {
			shown++
		}
	}
	if kinds["2d"] != 2 || kinds["webgl"] != 1 || kinds["bitmaprenderer"] != 1 || shown != 3 {
		t.Errorf("canvases %v, %d of them shown", kinds, shown)
	}
	if st.Contexts["2d"] != 1002 || st.Contexts["webgl"] != 1 {
		t.Errorf("contexts %v", st.Contexts)
	}
}

func TestWebGL(t *testing.T) {
	t.Parallel()
	w := html(t, `<canvas id=c></canvas><script>
		c.addEventListener('webglcontextlost', (e) => e.preventDefault());
		const gl = c.getContext('webgl');
		const make = (type, text) => { const s = gl.createShader(type); gl.shaderSource(s, text); gl.compileShader(s); gl.getShaderParameter(s, gl.COMPILE_STATUS); return s; };
		const vs = make(gl.VERTEX_SHADER, 'attribute vec2 p; uniform vec2 at; void main() { gl_Position = vec4(p + at, 0, 1); }');
		const fs = make(gl.FRAGMENT_SHADER, 'void main() { gl_FragColor = vec4(1); }');
		make(gl.FRAGMENT_SHADER, 'this is no shader');
		const p = gl.createProgram(); gl.attachShader(p, vs); gl.attachShader(p, fs); gl.linkProgram(p); gl.useProgram(p);
		const broken = gl.createProgram(); gl.linkProgram(broken); gl.getProgramParameter(broken, gl.LINK_STATUS);
		gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
		gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1]), gl.STATIC_DRAW);
		gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
		const ext = gl.getExtension('ANGLE_instanced_arrays');
		let at = 0, moving = true;
		onkeydown = () => { moving = false; };
		(function loop() {
			if (moving) at += 0.01;
			gl.uniform2fv(gl.getUniformLocation(p, 'at'), [at, 0]);
			gl.drawArrays(gl.TRIANGLES, 0, 3);
			if (ext) ext.drawArraysInstancedANGLE(gl.TRIANGLES, 0, 3, 2);
			requestAnimationFrame(loop);
		})();
		const lose = gl.getExtension('WEBGL_lose_context');</script>`)
	st := w.until("frames", func(s *probe.State) bool { return s.Frames > 3 && len(s.Sigs) > 2 })
	if len(st.ShaderErrors) != 2 {
		t.Errorf("shader errors %q", st.ShaderErrors)
	}
	if n := len(st.Sigs); st.Sigs[n-1] == st.Sigs[n-2] {
		t.Error("a uniform that changes makes no other picture")
	}
	if w.str("!!ext") == "true" && st.Draws < 2*st.Frames {
		t.Errorf("%d draws in %d frames of two", st.Draws, st.Frames)
	}
	w.eval("lose.loseContext()", nil)
	w.until("the loss", func(s *probe.State) bool { return s.ContextsLost == 1 && s.ContextsMissing == 1 })
	w.eval("gl.canvas.remove()", nil)
	w.until("nothing missed with the canvas", func(s *probe.State) bool { return s.ContextsLost == 1 && s.ContextsMissing == 0 })
	w.eval("document.body.append(gl.canvas), lose.restoreContext()", nil)
	w.until("the restoration", func(s *probe.State) bool { return s.ContextsRestored == 1 && s.ContextsMissing == 0 })
}

func TestFailedContext(t *testing.T) {
	t.Parallel()
	w := html(t, `<canvas id=c></canvas><script>c.getContext('2d'); c.getContext('webgl');
		const other = document.createElement('canvas'); other.getContext('no such kind');</script>`)
	if got := w.main().Contexts; got["failed:no such kind"] != 1 || got["2d"] != 1 {
		t.Errorf("contexts %v", got)
	}
}

func TestHighDPI(t *testing.T) {
	t.Parallel()
	w := blank(t, &browser.ContextOptions{Width: 800, Height: 600, DeviceScale: 2})
	w.open(server(t, map[string]string{"/": `<!doctype html><body style="margin:0"><canvas id=c style="display:block;width:300px;height:200px"></canvas><script>
		c.width = 300 * devicePixelRatio; c.height = 200 * devicePixelRatio;
		const x = c.getContext('2d'); x.scale(devicePixelRatio, devicePixelRatio); x.textBaseline = 'top'; x.fillText('SHARP', 30, 40);</script>`}).URL)
	st := w.main()
	if len(st.Texts) != 1 || math.Abs(st.Texts[0].X-30) > 1 || math.Abs(st.Texts[0].Y-40) > 1 {
		t.Errorf("texts %+v", st.Texts)
	}
	if c := st.Canvases[0]; c.Width != 600 || c.W != 300 {
		t.Errorf("canvas %+v", c)
	}
}
