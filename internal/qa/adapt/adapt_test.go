package adapt_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/record"
)

// patience is for a loaded machine; nothing here measures time.
const patience = 8 * time.Minute

var chromium *browser.Browser

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		println("these tests need a Chromium (Debian: apt-get install chromium):", err.Error())
		return 1
	}
	defer b.Close()
	chromium = b
	return m.Run()
}

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// openURL loads a game as phase 1 of a run does.
func openURL(t testing.TB, url string) *game.Game {
	t.Helper()
	ctx := cdp.WithTimeout(testContext(t), time.Minute)
	c, err := chromium.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	rec := &record.Record{RunID: "test", Target: record.Target{URL: url, Mode: record.ModeAdaptive}, Environment: record.Environment{Width: 1280, Height: 720}}
	g, err := game.Open(ctx, c, rec, game.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := load.Run(ctx, g); err != nil {
		t.Fatal(err)
	}
	g.Phase = record.PhaseExplore
	return g
}
