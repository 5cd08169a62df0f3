package explore

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
)

var shared *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &shared) }

func TestBlankCanvases(t *testing.T) {
	for _, tt := range []struct {
		name, page  string
		read, blank int
	}{
		{"no canvas", `<p>a game of words</p>`, 0, 0},
		{"a small one is not the game", `<canvas width=60 height=60></canvas>`, 0, 0},
		{"empty inside a border", `<canvas id=c width=800 height=500 style="border: 4px solid red"></canvas>`, 1, 1},
		{"empty below a button", `<canvas id=c width=800 height=500></canvas><button style="position:absolute;left:200px;top:200px">Play</button>`, 1, 1},
		{"empty behind a menu", `<canvas id=c width=800 height=500></canvas><div style="position:fixed;inset:0;background:linear-gradient(red, teal)"><button>Hans</button><button>Grete</button></div>`, 0, 0},
		{"empty before buttons that can be pressed through it", `<canvas id=c width=800 height=500 style="position:fixed;pointer-events:none"></canvas><button>3</button><button>4</button>`, 0, 0},
		{"empty, whatever it lets through", `<canvas id=c width=800 height=500 style="pointer-events:none"></canvas>`, 1, 1},
		{"empty behind glass", `<canvas id=c width=800 height=500></canvas><div style="position:fixed;inset:0"><button>Pause</button></div>`, 1, 1},
		{"empty behind dark glass", `<canvas id=c width=800 height=500></canvas><div style="position:fixed;inset:0;background:rgba(0, 0, 0, .8)"><button>Again</button></div>`, 1, 1},
		{"empty behind a curtain", `<canvas id=c width=800 height=500></canvas><div style="position:fixed;inset:0;background:teal"></div>`, 1, 1},
		{"one flat colour", `<canvas id=c width=800 height=500></canvas><script>const x = c.getContext('2d'); x.fillStyle = 'teal'; x.fillRect(0, 0, 800, 500)</script>`, 1, 1},
		{"one small thing", `<canvas id=c width=800 height=500></canvas><script>c.getContext('2d').fillRect(700, 400, 6, 6)</script>`, 1, 0},
		{"a page that lies about drawing", `<canvas id=c width=800 height=500></canvas><script>
			const x = c.getContext('2d');
			CanvasRenderingContext2D.prototype.fillRect = CanvasRenderingContext2D.prototype.drawImage = () => {};
			CanvasRenderingContext2D.prototype.getImageData = () => ({ data: new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]) });
			x.fillRect(0, 0, 100, 100)</script>`, 1, 1},
		{"one of two is enough", `<canvas id=c width=600 height=300></canvas><canvas id=d width=600 height=300></canvas><script>d.getContext('2d').fillRect(0, 0, 50, 50)</script>`, 2, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			c, err := shared.NewContext(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close(ctx)
			page, err := c.NewPage(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, "<!doctype html>"+tt.page) // to the browser under test
			}))
			defer server.Close()
			if _, err := page.Navigate(ctx, server.URL, nil); err != nil {
				t.Fatal(err)
			}
			var got struct{ Read, Blank int }
			if err := page.MainFrame().EvaluateIsolated(ctx, blankCanvases, &got); err != nil {
				t.Fatal(err)
			}
			if got.Read != tt.read || got.Blank != tt.blank {
				t.Errorf("read %d, blank %d; want %d, %d", got.Read, got.Blank, tt.read, tt.blank)
			}
		})
	}
}
