package video_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/video"
	"github.com/playtest-dev/playtest/games"
)

// counted counts the frames in which a game has something of its own called.
const counted = `(() => {
	const ask = self.requestAnimationFrame;
	let last = -1;
	self.gameFrames = 0;
	self.requestAnimationFrame = (call) => ask.call(self, (now) => { if (now !== last) { last = now; self.gameFrames++; } return call(now); });
})()`

// BenchmarkFrames says how many of a game's frames recording costs. The frames are those
// of the game. Each round watches it four times: bare, recorded, recorded, bare; so
// what else the machine does, and what slowly gets more or less, touches both alike. Of the
// rounds the median counts, with the quarters beside it.
//
//	go test ./browser/video -run '^$' -bench Frames -benchtime 8x
func BenchmarkFrames(b *testing.B) {
	s, err := games.Serve(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	for _, game := range []string{"pond", "ridge", "starfall", "tunnel"} {
		b.Run(game, func(b *testing.B) {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
			defer cancel()
			c, err := shared.NewContext(ctx, &browser.ContextOptions{Width: 1280, Height: 720, InitScripts: []browser.InitScript{{Source: counted}}})
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
			// frames counts for two seconds, once the page has settled.
			frames := func() (n float64) {
				const count = `new Promise((done) => setTimeout(() => {
					const from = gameFrames, began = performance.now();
					setTimeout(() => done(1000 * (gameFrames - from) / (performance.now() - began)), 2000);
				}, 300))`
				if err := page.Evaluate(ctx, count, &n); err != nil {
					b.Fatal(err)
				}
				return n
			}
			recorded := func() (n float64) {
				r := video.Record(page)
				defer r.Stop()
				return frames()
			}
			var with, without, lost []float64
			for b.Loop() {
				first, one, two, last := frames(), recorded(), recorded(), frames()
				if first+last == 0 {
					b.Fatal("the game draws no frames of its own")
				}
				without, with = append(without, (first+last)/2), append(with, (one+two)/2)
				lost = append(lost, 100*(1-(one+two)/(first+last)))
			}
			b.ReportMetric(quarter(without, 2), "frames/s")
			b.ReportMetric(quarter(with, 2), "recorded-frames/s")
			b.ReportMetric(quarter(lost, 2), "%lost")
			b.ReportMetric(quarter(lost, 1), "%lost-quarter")
			b.ReportMetric(quarter(lost, 3), "%lost-three-quarters")
		})
	}
}

// quarter is the value below which so many quarters of the values lie.
func quarter(values []float64, quarters int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(quarters*len(sorted)/4, len(sorted)-1)]
}
