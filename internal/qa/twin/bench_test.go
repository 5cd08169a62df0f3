package twin_test

import (
	"context"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// What the search spends its time on, in a game of the document, one on a canvas and one in WebGL.
func BenchmarkTwin(b *testing.B) {
	ctx := context.Background()
	server, err := games.Serve(ctx, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	open := func(b *testing.B, game string) *twin.Twin {
		t, err := twin.Open(ctx, twin.Options{
			Context: func(ctx context.Context) (*browser.Context, error) {
				return shared.NewContext(ctx, &browser.ContextOptions{Width: 1280, Height: 720})
			},
			URL: server.URL(game, 0), Size: record.Rect{Width: 1280, Height: 720}, Patient: true,
		})
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	for _, game := range []string{"noughts", "starfall", "prism"} {
		b.Run(game+"/open", func(b *testing.B) {
			for b.Loop() {
				_ = open(b, game).Close(ctx)
			}
		})
		t, clicks := open(b, game), 0
		for name, do := range map[string]func() error{
			"60 frames":        func() error { return t.Pass(ctx, 60) },
			"60 unseen frames": func() error { t.Blind = true; defer func() { t.Blind = false }(); return t.Pass(ctx, 60) },
			"click": func() error {
				clicks++
				return t.Take(ctx, record.Input{Kind: record.InputClick, At: record.Point{X: float64(200 + clicks%400), Y: 700}})
			},
			"key":     func() error { return t.Take(ctx, record.Input{Kind: record.InputKey, Key: "KeyQ"}) },
			"trace":   func() error { t.Trace(ctx); return nil },
			"picture": func() error { _, err := t.Picture(ctx); return err },
		} {
			b.Run(game+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if err := do(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		_ = t.Close(ctx)
	}
}
