package cause

import (
	"fmt"
	"slices"
)

const (
	// clearly is how much a tile changes that counts as new.
	clearly = 2
	// much is the share of the picture that must be new at least, beyond what comes
	// by itself; little is enough where nothing does.
	much, little = 0.02, 0.002
)

// Novelty is the share of tiles that changed clearly in this window and in none of
// the others. Those of a field that is typed into do not count.
func (w Window) Novelty(others ...Window) float64 {
	n := 0
	for t, v := range w.Tiles {
		if v > clearly && !slices.Contains(w.Field, t) && !slices.ContainsFunc(others, func(o Window) bool { return t < len(o.Tiles) && o.Tiles[t] > tileNoise }) {
			n++
		}
	}
	return float64(n) / float64(max(len(w.Tiles), 1))
}

// Unrest is the most that is new in one of the windows beside all the others.
func Unrest(windows []Window) float64 {
	most := 0.0
	for i, w := range windows {
		most = max(most, w.Novelty(slices.Concat(windows[:i], windows[i+1:])...))
	}
	return most
}

// News says how much of the picture changed in a window that does not change
// without input, if it is more than chance makes new. In a still game less will do.
func (w Window) News(idle []Window, still bool) string {
	share := w.Novelty(idle...)
	if share > much+3*Unrest(idle) || still && share > little {
		return fmt.Sprintf("%.1f %% of the picture changed that had stood still", 100*share)
	}
	return ""
}
