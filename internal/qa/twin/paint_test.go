package twin_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// bands is a scene whose background is two bands; over is what it does after 100 frames.
const bands = `<!doctype html><style>body{margin:0}canvas{display:block}</style><canvas id="c" width="640" height="480"></canvas><script>
const g = document.getElementById('c').getContext('2d');
let n = 0;
(function loop() {
  n++;
  if (n < 100) {
    g.fillStyle = '#8cf'; g.fillRect(0, 0, 640, 200);
    g.fillStyle = '#06c'; g.fillRect(0, 200, 640, 280);
    g.fillStyle = '#fff'; g.fillRect(n * 3 % 600, 180, 30, 30);
  } else over();
  requestAnimationFrame(loop);
})();
`

// depth is a scene that moves at one distance, and relies on the browser for wiping the distances.
const depth = `<!doctype html><style>body{margin:0}canvas{display:block}</style><canvas id="c" width="640" height="480"></canvas><script>
const g = document.getElementById('c').getContext('webgl'), program = g.createProgram();
for (const [kind, text] of [[g.VERTEX_SHADER, 'attribute vec2 at; uniform float x; void main() { gl_Position = vec4(at.x + x, at.y, 0, 1); }'], [g.FRAGMENT_SHADER, 'void main() { gl_FragColor = vec4(1, 1, 0, 1); }']]) {
  const shader = g.createShader(kind);
  g.shaderSource(shader, text);
  g.compileShader(shader);
  g.attachShader(program, shader);
}
g.linkProgram(program);
g.useProgram(program);
g.bindBuffer(g.ARRAY_BUFFER, g.createBuffer());
g.bufferData(g.ARRAY_BUFFER, new Float32Array([-0.2, -0.2, 0.2, -0.2, 0, 0.2]), g.STATIC_DRAW);
g.vertexAttribPointer(0, 2, g.FLOAT, false, 0, 0);
g.enableVertexAttribArray(0);
g.enable(g.DEPTH_TEST);
g.clearColor(0, 0, 0.5, 1);
let n = 0;
(function loop() {
  g.clear(g.COLOR_BUFFER_BIT);
  g.uniform1f(g.getUniformLocation(program, 'x'), Math.sin(n++ / 900));
  g.drawArrays(g.TRIANGLES, 0, 3);
  requestAnimationFrame(loop);
})();
</script>`

// TestUnseenFramesLeaveNoTrace: what is shown after frames that nobody looked at is what
// would have been shown had all of them been painted.
func TestUnseenFramesLeaveNoTrace(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		stale      bool // it is said that the picture lacks something
	}{
		{"bands", bands + `function over() { g.fillStyle = '#8cf'; g.fillRect(0, 0, 640, 200); g.fillStyle = '#06c'; g.fillRect(0, 200, 640, 280); }</script>`, false},
		{"a picture and a band", strings.NewReplacer("let n = 0;", "let n = 0, sky = document.createElement('canvas'); sky.getContext('2d').fillRect(0, 0, 150, 150);",
			"g.fillRect(0, 0, 640, 200);", "g.drawImage(sky, 0, 0, 8, 8, 0, 0, 640, 200);").Replace(bands) +
			`function over() { g.drawImage(sky, 0, 0, 8, 8, 0, 0, 640, 200); g.fillStyle = '#06c'; g.fillRect(0, 200, 640, 280); }</script>`, false},
		{"an overlay on the last scene", bands + `function over() { g.fillStyle = '#333'; g.fillRect(200, 100, 240, 160); }</script>`, true},
		{"a sea without a sky", bands + `function over() { g.fillStyle = '#8cf'; g.fillRect(0, 0, 640, 20); g.fillStyle = '#333'; g.fillRect(200, 100, 240, 160); }</script>`, true},
		{"a page of elements", `<!doctype html><style>html{transition:all 9s;background:#cde}p{animation:x 1s infinite alternate}@keyframes x{to{margin-left:200px}}</style><p>Move</p>`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte(tt.page))
			}))
			defer server.Close()
			watched, unwatched := open(t, server.URL, true), open(t, server.URL, false)
			ctx := t.Context()
			unwatched.Conceal(ctx)
			pass(t, 150, watched, unwatched)
			if img, err := unwatched.Picture(ctx); err != nil || !twin.Uniform(img) {
				t.Errorf("it can be seen while it is concealed (%v)", err)
			}
			unwatched.Reveal(ctx)
			pass(t, 4, watched, unwatched)
			unwatched.Trace(ctx)
			if unwatched.Stale != tt.stale {
				t.Errorf("stale %t, want %t", unwatched.Stale, tt.stale)
			}
			want, err := watched.Picture(ctx)
			if err != nil {
				t.Fatal(err)
			}
			got, err := unwatched.Picture(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if twin.Uniform(want) {
				t.Fatal("the page shows nothing")
			}
			if n := twin.Compare(want, got).Pixels; (n > 0) != tt.stale {
				t.Errorf("%d pixels differ", n)
			}
		})
	}
}

// TestScenesArePaintedAnew: a scene is painted as if the browser had shown each frame and wiped
// it, though several are painted before it comes to show one.
func TestScenesArePaintedAnew(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(depth))
	}))
	defer server.Close()
	for _, paint := range []bool{true, false} {
		one := open(t, server.URL, paint)
		pass(t, 60, one)
		img, err := one.Picture(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := img.RGBAAt(160, 120); got.R < 250 || got.G < 250 || got.B > 5 {
			t.Errorf("every frame painted %t: the thing in the middle has the colour %v", paint, got)
		}
	}
}

func open(t *testing.T, url string, paint bool) *twin.Twin {
	t.Helper()
	one, err := twin.Open(t.Context(), twin.Options{
		Context: func(ctx context.Context) (*browser.Context, error) {
			return shared.NewContext(ctx, &browser.ContextOptions{Width: width, Height: height})
		},
		URL: url, Size: record.Rect{Width: width, Height: height}, Paint: paint,
	})
	t.Cleanup(func() {
		if err := one.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func pass(t *testing.T, frames int, twins ...*twin.Twin) {
	t.Helper()
	for _, one := range twins {
		if err := one.Pass(t.Context(), frames); err != nil {
			t.Fatal(err)
		}
	}
}
