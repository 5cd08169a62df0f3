package video_test

import (
	"context"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/video"
	"github.com/playtest-dev/playtest/games"
)

// BenchmarkFrames says how many of a game's frames recording costs: the same page is
// watched with and without a recorder in turns, so that whatever else the machine does
// touches both.
//
//	go test ./browser/video -run '^$' -bench Frames -benchtime 10x
func BenchmarkFrames(b *testing.B) {
	s, err := games.Serve(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	for _, game := range []string{"pond", "ridge", "noughts", "tunnel", "prism"} {
		b.Run(game, func(b *testing.B) {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
			defer cancel()
			c, err := shared.NewContext(ctx, &browser.ContextOptions{Width: 1280, Height: 720})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = c.Close(ctx) }() // the browser's end closes it at the latest
			page, err := c.NewPage(ctx, nil)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := page.Navigate(ctx, s.URL(game, 0), nil); err != nil {
				b.Fatal(err)
			}
			// frames counts for three seconds, once the page has settled.
			frames := func() (n float64) {
				const count = `new Promise((r) => setTimeout(() => {
					let n = 0; const end = performance.now() + 3000;
					(function frame(t) { if (t > end) return r(n / 3); n++; requestAnimationFrame(frame) })(0);
				}, 500))`
				if err := page.Evaluate(ctx, count, &n); err != nil {
					b.Fatal(err)
				}
				return n
			}
			var with, without float64
			for b.Loop() {
				without += frames()
				r := video.Record(page)
				with += frames()
				r.Stop()
			}
			b.ReportMetric(without/float64(b.N), "frames/s")
			b.ReportMetric(with/float64(b.N), "recorded-frames/s")
			b.ReportMetric(100*(1-with/without), "%lost")
		})
	}
}
