package screen

import (
	"slices"
	"testing"
)

// TestSpread: of alike things those of the lowest ranks lie far apart.
func TestSpread(t *testing.T) {
	for n, want := range map[int][]int{0: {}, 1: {0}, 2: {0, 1}, 3: {0, 2, 1}, 5: {0, 3, 2, 4, 1}} {
		if got := spread(n); !slices.Equal(got, want) {
			t.Errorf("ranks of %d things: %v, want %v", n, got, want)
		}
	}
}
