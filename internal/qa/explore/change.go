package explore

import (
	"fmt"
	"slices"

	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
)

// change says what changed in a window beyond what changes without input.
func (e *Explorer) change(w cause.Window) string {
	if len(w.Tiles) == 0 || len(e.idle) == 0 {
		return ""
	}
	if news := w.News(e.idle, e.still() && len(e.idle) >= leastLooks); news != "" {
		return news
	}
	for _, t := range w.Texts {
		if !e.seenText(t) {
			return fmt.Sprintf("the text %q appeared", t)
		}
	}
	if w.Dialogs > 0 {
		return "a dialog opened"
	}
	return ""
}

// seenText reports whether a text is no news: it was there without input, or
// before any.
func (e *Explorer) seenText(t string) bool {
	if e.known[game.Shape(t)] {
		return true
	}
	return slices.ContainsFunc(e.idle, func(w cause.Window) bool { return slices.Contains(w.Texts, t) })
}
