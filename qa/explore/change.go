package explore

import (
	"fmt"
	"slices"

	"playtest/qa/cause"
	"playtest/qa/game"
)

// change says what changed in a window beyond what changes without input.
func (e *Explorer) change(w cause.Window) string {
	if len(w.Tiles) == 0 || len(e.idle) == 0 {
		return ""
	}
	// What changes by itself, and how much of that is new from one window to the next.
	usual := 0.0
	for i := range e.idle {
		usual = max(usual, novelty(e.idle[i], e.idle[:i], e.idle[i+1:]))
	}
	share := novelty(w, e.idle, nil)
	if share > 0.02+3*usual || share > 0.002 && e.still() && len(e.idle) >= leastLooks {
		return fmt.Sprintf("%.1f %% of the picture changed that had stood still", 100*share)
	}
	if len(w.Texts) > 0 {
		for _, t := range w.Texts {
			if !e.seenText(t) {
				return fmt.Sprintf("the text %q appeared", t)
			}
		}
	}
	if w.Dialogs > 0 {
		return "a dialog opened"
	}
	return ""
}

// novelty is the share of tiles that changed in a window and in none of the others.
func novelty(w cause.Window, lists ...[]cause.Window) float64 {
	if len(w.Tiles) == 0 {
		return 0
	}
	n := 0
	for t, v := range w.Tiles {
		if v <= 2 || slices.Contains(w.Field, t) {
			continue
		}
		known := false
		for _, list := range lists {
			for _, o := range list {
				known = known || t < len(o.Tiles) && o.Tiles[t] > 0.6
			}
		}
		if !known {
			n++
		}
	}
	return float64(n) / float64(len(w.Tiles))
}

// seenText reports whether a text is no news: it was there without input, or
// before any.
func (e *Explorer) seenText(t string) bool {
	if e.known[game.Shape(t)] {
		return true
	}
	for _, w := range e.idle {
		for _, s := range w.Texts {
			if s == t {
				return true
			}
		}
	}
	return false
}
