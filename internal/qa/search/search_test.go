package search_test

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/daily"
	"github.com/playtest-dev/playtest/internal/qa/search"
	"github.com/playtest-dev/playtest/internal/qa/verdict"
	"github.com/playtest-dev/playtest/record"
)

var everyGame = flag.Bool("games.all", false, "play every bundled game, not a few of them in turn")

const (
	window, height = 1280, 720
	// wordlessDays is within how many days each of the games is played once.
	wordlessDays = 16
)

// TestWordsOnlyOrder: without any list of words the controls of the bundled games are
// found all the same. Words say what is tried first, and nothing else.
func TestWordsOnlyOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("plays games")
	}
	ctx := context.Background()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		t.Fatalf("this test needs a Chromium (Debian: apt-get install chromium): %v", err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	server, err := games.Serve(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	for i, g := range games.All() {
		t.Run(g.Name, func(t *testing.T) {
			daily.Turn(t, wordlessDays, i, *everyGame)
			rec, err := search.Run(ctx, search.Options{
				Open: func(ctx context.Context) (*browser.Context, error) {
					return b.NewContext(ctx, &browser.ContextOptions{Width: window, Height: height})
				},
				URL: server.URL(g.Name, 1), Viewport: record.Rect{Width: window, Height: height},
				Lean: nil, Limit: 2 * time.Minute, PlayFor: 10 * time.Second,
				Enough:  func(found *record.TwinRecord) bool { return verdict.Enough(&record.Record{}, found) },
				Matters: func(*record.TwinRecord) bool { return true },
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("after %.1f s and %d inputs", rec.RealSeconds, len(rec.Observations))
			if !verdict.Enough(&record.Record{}, rec) {
				t.Errorf("none of %d inputs was found to play it", len(rec.Observations))
			}
		})
	}
}
