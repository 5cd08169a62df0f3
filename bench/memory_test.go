package bench_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/playtest-dev/playtest/bench"
	"github.com/playtest-dev/playtest/games/fault"
)

func TestMemoryAsksOnceForEachGameAndFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "witness.jsonl")
	asked := 0
	ask := func(context.Context, bench.Entrant, fault.Fault, int64) (bool, string, error) {
		asked++
		return true, "deaf", nil
	}
	f, ok := fault.Get("keys-swallowed")
	if !ok {
		t.Fatal("no such fault")
	}
	game := entrant("racer", "canvas2d")
	game.Files = fstest.MapFS{"index.html": {Data: []byte("one")}}
	changed := game
	changed.Files = fstest.MapFS{"index.html": {Data: []byte("two")}}
	for _, tt := range []struct {
		name string
		game bench.Entrant
		seed int64
		want int
	}{
		{"first", game, 1, 1}, {"again", game, 1, 1}, {"another seed", game, 2, 2}, {"game changed", changed, 1, 3}, {"both again", game, 2, 3},
	} {
		// Each time from the file.
		m, err := bench.OpenMemory(file, ask)
		if err != nil {
			t.Fatal(err)
		}
		seen, how, err := m.Witness(t.Context(), tt.game, f, tt.seed)
		if err != nil || !seen || how != "deaf" {
			t.Errorf("%s: %v %q %v", tt.name, seen, how, err)
		}
		if asked != tt.want {
			t.Errorf("%s: asked %d times, want %d", tt.name, asked, tt.want)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
