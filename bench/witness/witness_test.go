package witness_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/bench/witness"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEveryFaultCanBeSeen(t *testing.T) {
	for _, f := range fault.All() {
		for _, word := range f.Shows {
			if !witness.Knows(word) {
				t.Errorf("%s: nobody knows how to see %q", f.Name, word)
			}
		}
	}
}

// A game of each sort: a canvas that always moves and is played by keys, a still board, and a frame of another origin.
func TestObserve(t *testing.T) {
	if testing.Short() {
		t.Skip("plays games in a browser for a minute")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	t.Cleanup(cancel)
	var s fault.Switch
	server, err := games.Serve(ctx, &games.ServeOptions{Apply: s.Apply})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		t.Fatalf("these tests need a Chromium (Debian: apt-get install chromium): %v", err)
	}
	t.Cleanup(func() { _ = b.Close() })

	for _, tt := range []struct {
		game   string
		faults map[string]bool // whether it can be seen
	}{
		{"ridge", map[string]bool{"keys-swallowed": true, "draw-nothing": true, "pointer-swallowed": false}},
		{"noughts", map[string]bool{"pointer-ignored": true}},
		{"harbour", map[string]bool{"loop-input": true}},
	} {
		t.Run(tt.game, func(t *testing.T) {
			t.Parallel()
			g, err := games.Find(tt.game)
			if err != nil {
				t.Fatal(err)
			}
			healthy, err := witness.Observe(ctx, b, server.URL(g.Name, 1), g, nil)
			if err != nil {
				t.Fatal(err)
			}
			if ok, why := witness.Judge([]string{"playable"}, healthy, healthy); !ok {
				t.Fatalf("it is healthy: %s", why)
			}
			for name, want := range tt.faults {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					f, ok := fault.Get(name)
					if !ok {
						t.Fatalf("no fault %q", name)
					}
					faulty, err := witness.Observe(ctx, b, server.FaultURL(g.Name, fault.ID(name, 1), 1), g, &witness.Options{
						Late: witness.Late(f.Shows), Slow: f.Kind != fault.Broken, Area: healthy.Area,
					})
					if err != nil {
						t.Fatal(err)
					}
					if got, why := witness.Judge(f.Shows, healthy, faulty); got != want {
						t.Errorf("seen: %v, want %v: %s", got, want, why)
					}
				})
			}
		})
	}
}
