package cause_test

import (
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/cause"
)

// tiled is a window in which the tiles at the given places changed, of a hundred.
func tiled(places ...int) cause.Window {
	w := cause.Window{Tiles: make([]float32, 100)}
	for _, p := range places {
		w.Tiles[p] = 5
	}
	return w
}

func TestNews(t *testing.T) {
	still, clock := []cause.Window{tiled(), tiled()}, []cause.Window{tiled(0, 1), tiled(0, 1), tiled(0, 1)}
	sparks := []cause.Window{tiled(1, 2), tiled(3, 4), tiled(5, 6)}
	typed := tiled(7)
	typed.Field = []int{7}
	for _, tt := range []struct {
		name  string
		with  cause.Window
		idle  []cause.Window
		still bool
		want  string
	}{
		{"one tile of a still game", tiled(7), still, true, "1.0 % of the picture changed that had stood still"},
		{"one tile, and it is not known whether it is still", tiled(7), still, false, ""},
		{"only the clock", tiled(0, 1), clock, false, ""},
		{"more than the clock", tiled(0, 1, 7, 8, 9), clock, false, "3.0 % of the picture changed that had stood still"},
		{"what moves by itself is new each time", tiled(7, 8, 9), sparks, false, ""},
		{"the field that is typed into", typed, still, true, ""},
		{"no picture", cause.Window{}, still, true, ""},
	} {
		if got := tt.with.News(tt.idle, tt.still); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
