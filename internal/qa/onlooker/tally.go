package onlooker

import (
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

const (
	// enoughIdle is how often a game must have been left alone before a change can
	// be called the effect of an input.
	enoughIdle = 4
	// maxScreens bounds how many screens are told apart, maxExamples how many
	// effects are named.
	maxScreens, maxExamples = 40, 3
)

// Screens tells different pictures of a game apart.
type Screens struct{ seen []*game.Picture }

// Add notes a picture and reports whether nothing like it was seen before. After
// maxScreens of them nothing is new.
func (s *Screens) Add(p *game.Picture) bool {
	if p == nil || len(s.seen) >= maxScreens {
		return false
	}
	for _, had := range s.seen {
		if game.Same(had, p) == 1 {
			return false
		}
	}
	s.seen = append(s.seen, p)
	return true
}

// Count is how many different pictures were seen.
func (s *Screens) Count() int { return len(s.seen) }

// Tally counts what the turns of a player brought about.
type Tally struct {
	got     record.Achieved
	screens Screens
	// first is the game before the first turn, pending a change that may have been
	// what a pointer lights up.
	first   *game.Picture
	pending *change
}

// change is what a turn changed in the picture.
type change struct {
	what          string
	before, after *game.Picture
}

// NewTally begins to count for a mode.
func NewTally(by record.Mode) *Tally { return &Tally{got: record.Achieved{By: by}} }

// Idle notes that the game was left alone, and whether its picture changed then.
func (t *Tally) Idle(windows ...cause.Window) {
	for _, w := range windows {
		t.got.Idle++
		t.got.Moves = t.got.Moves || w.Changed() > 0
	}
}

// Turn notes a turn: what its window shows beside those without an input, and
// the pictures before and after it. Keyed says that the pointer had no part in it.
//
// In a game whose picture rests a change that no idling showed is an effect, if
// the page itself did something. What a pointer changed must be new and outlive
// the next change: what lights up under it goes out again. In a game that moves by
// itself no single change proves anything.
func (t *Tally) Turn(what string, keyed bool, w cause.Window, idle []cause.Window, before, after *game.Picture) {
	t.got.Turns++
	if t.first == nil {
		t.first = before
	}
	for _, w := range idle {
		t.got.Moves = t.got.Moves || w.Changed() > 0
	}
	stirred := w.Mutations > 0 || w.Draws > 0 || w.Redrawn
	if t.got.Moves || len(idle) < enoughIdle || !stirred || w.Changed() == 0 || !cause.Compare([]cause.Window{w}, idle).Visible {
		return
	}
	c := &change{what, before, after}
	if p := t.pending; p != nil && p.lasts(t.first, after) {
		t.count(p)
	}
	t.pending = nil
	if keyed {
		t.count(c)
	} else {
		t.pending = c
	}
}

func (t *Tally) count(c *change) {
	t.got.Effects++
	t.screens.Add(c.before)
	t.screens.Add(c.after)
	if len(t.got.Examples) < maxExamples {
		t.got.Examples = append(t.got.Examples, c.what)
	}
}

// lasts reports whether something changed to what the first picture did not show
// and has not gone back to it in a later one.
func (c *change) lasts(first, later *game.Picture) bool {
	changed, fresh, still := game.Tiles(c.before, c.after), game.Tiles(first, c.after), game.Tiles(first, later)
	for i := range min(len(changed), len(fresh), len(still)) {
		if changed[i] >= clearTile && fresh[i] >= clearTile && still[i] >= clearTile {
			return true
		}
	}
	return false
}

// clearTile is the mean difference of a tile that nobody takes for noise.
const clearTile = 4

// Result is what was counted. Once the picture was seen to change by itself, the
// changes before that prove nothing either.
func (t *Tally) Result(seconds float64, met int) *record.Achieved {
	got := t.got
	got.Seconds, got.Indicators, got.States = seconds, met, t.screens.Count()
	if got.Moves {
		got.Effects, got.States, got.Examples = 0, 0, nil
	}
	return &got
}
