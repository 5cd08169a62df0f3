package browser_test

import (
	"testing"

	"github.com/playtest-dev/playtest/browser"
)

// benchPage is a page with something to paint and something to hit.
func benchPage(b *testing.B) *browser.Page {
	b.Helper()
	br := launch(b, nil)
	srv := serve(b, map[string]string{"/": `<body style="margin:0;background:linear-gradient(#123,#fed)"><h1>Bench</h1>
		<button style="position:absolute;left:100px;top:100px;width:200px;height:100px">Play</button>
		<script>addEventListener('keydown', () => {}); addEventListener('click', () => {})</script>`})
	p := newPage(b, br, nil, nil)
	open(b, p, srv.URL)
	return p
}

func BenchmarkLaunch(b *testing.B) {
	for b.Loop() {
		br, err := browser.Launch(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		br.Close()
		b.StartTimer()
	}
}

func BenchmarkLaunchAndClose(b *testing.B) {
	for b.Loop() {
		br, err := browser.Launch(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		br.Close()
	}
}

func BenchmarkNewContext(b *testing.B) {
	br := launch(b, nil)
	for b.Loop() {
		c, err := br.NewContext(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		c.Close(b.Context())
		b.StartTimer()
	}
}

// BenchmarkNewPage is a context's first page, which starts a renderer process.
func BenchmarkNewPage(b *testing.B) {
	br := launch(b, nil)
	for b.Loop() {
		b.StopTimer()
		c, err := br.NewContext(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := c.NewPage(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		c.Close(b.Context())
		b.StartTimer()
	}
}

func BenchmarkEvaluate(b *testing.B) {
	p := benchPage(b)
	for b.Loop() {
		var n int
		if err := p.Evaluate(b.Context(), "1+1", &n); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScreenshot(b *testing.B) {
	for name, opts := range map[string]*browser.ScreenshotOptions{
		"PNG": nil, "JPEG": {Format: browser.JPEG}, "PNGHalf": {Scale: 0.5},
	} {
		b.Run(name, func(b *testing.B) {
			p := benchPage(b)
			for b.Loop() {
				raw, err := p.Screenshot(b.Context(), opts)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(raw))/1024, "KB")
			}
		})
	}
}

func BenchmarkImage(b *testing.B) {
	p := benchPage(b)
	for b.Loop() {
		if _, err := p.Image(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkClick(b *testing.B) {
	p := benchPage(b)
	for b.Loop() {
		if err := p.Mouse().Click(b.Context(), 150, 150, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	p := benchPage(b)
	for b.Loop() {
		if err := p.Keyboard().Press(b.Context(), "ArrowLeft", 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemory reports what our own process holds while it drives a page
// that loads, logs and is photographed.
func BenchmarkMemory(b *testing.B) {
	p := benchPage(b)
	for b.Loop() {
		if _, err := p.Screenshot(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		if err := p.Evaluate(b.Context(), "console.log('x'.repeat(1000))", nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rssKB())/1024, "rss-MB")
	b.ReportMetric(float64(heap())/(1<<20), "heap-MB")
}
