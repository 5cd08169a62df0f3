package decide

import (
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// State is everything that is known when the next action is chosen.
type State struct {
	// Turn counts from 1.
	Turn  int
	Genre Genre
	// Metadata is what the author says, nil when nothing.
	Metadata *metadata.Metadata
	// Goals are what to try to achieve, from the metadata and the screen.
	Goals []string
	// Controls are those that were discovered; Proven names the ids of those
	// that the game was seen to answer to.
	Controls []record.Control
	Proven   map[string]bool
	// Items are the things on the screen, Game where the game lies on it.
	Items    []Item
	Game     record.Rect
	Viewport record.Rect
	// Tree is the page as text with ids; Changes what is new in it since the
	// last turn.
	Tree    string
	Changes string
	// Picture is the screen, Width and Height in pixels of the picture.
	Picture *model.Image
	// History are the turns so far, oldest first.
	History []Turn
	// Futile are keys of actions that had no effect on this very screen.
	Futile map[string]bool
	// Stuck counts the turns since something last came of an action.
	Stuck int
	// Skip names layers that are not to be asked now.
	Skip map[string]bool
	// Progress lists what was achieved.
	Progress []record.Progress
	// Print is the game's fingerprint, Situation what marks this screen.
	Print     knowledge.Fingerprint
	Situation knowledge.Situation
	// Screen is the situation's short name.
	Screen string
}

// Item is a thing on the screen that can be named.
type Item struct {
	// ID is the item's id in the tree.
	ID   string
	Role string
	Text string
	Box  record.Rect
	// Interactive: a pointer can act on it. Painted: it is drawn on a canvas.
	Interactive bool
	Painted     bool
	Disabled    bool
}

// Turn is one past action with what came of it.
type Turn struct {
	Action Action
	Layer  string
	// Screen is the short name of the screen on which it was done.
	Screen string
	// Effect says what changed because of it, "" when nothing did; Note what
	// else there is to say about it.
	Effect string
	Note   string
	// Progress: the game got further. That a round ended is no progress.
	Progress bool
}

// Find returns the item with the id.
func (s *State) Find(id string) (Item, bool) {
	for _, it := range s.Items {
		if it.ID == id && id != "" {
			return it, true
		}
	}
	return Item{}, false
}

// Labelled returns a visible item whose text is the label, whatever its case.
func (s *State) Labelled(label string) (Item, bool) {
	want := strings.ToLower(strings.TrimSpace(label))
	if want == "" {
		return Item{}, false
	}
	for _, it := range s.Items {
		if strings.ToLower(strings.TrimSpace(it.Text)) == want && !it.Disabled && !it.Box.Empty() {
			return it, true
		}
	}
	return Item{}, false
}

// saying returns the pressable items whose text means one of the meanings.
// Text that is merely written counts only when it is painted, since that is
// all a canvas has for a button.
func (s *State) saying(match func(string) bool) []Item {
	var out []Item
	for _, it := range s.Items {
		if it.Disabled || it.Box.Empty() || !(it.Interactive || it.Painted) || !s.Viewport.Contains(it.Box.Center()) {
			continue
		}
		if match(it.Text) {
			out = append(out, it)
		}
	}
	return out
}

// says reports whether a text anywhere on the screen means it.
func (s *State) says(match func(string) bool) (string, bool) {
	for _, it := range s.Items {
		if match(it.Text) {
			return it.Text, true
		}
	}
	return "", false
}

// Over is the text that says the round has ended, if one does.
func (s *State) Over() (string, bool) { return s.says(words.SaysOver) }

// click makes an action of an item.
func (it Item) click() Action {
	at := it.Box.Center()
	return Action{Kind: Click, At: &at, Label: it.Text}
}

// key returns the first of the codes that the game knows. Without any
// discovered key, none is known.
func (s *State) key(codes ...string) (string, bool) {
	for _, code := range codes {
		for _, c := range s.Controls {
			for _, k := range c.Keys {
				if k == code {
					return code, true
				}
			}
		}
	}
	return "", false
}

// proven reports whether the game was seen to answer to the key.
func (s *State) proven(code string) bool {
	for _, c := range s.Controls {
		for _, k := range c.Keys {
			if k == code && s.Proven[c.ID] {
				return true
			}
		}
	}
	return false
}

// done reports whether the same was done on this screen before.
func (s *State) done(a Action) bool {
	key := a.Key()
	return slices.ContainsFunc(s.History, func(t Turn) bool { return t.Screen == s.Screen && t.Action.Key() == key })
}

// fruits counts past turns that did the same and how many of them had an effect.
func (s *State) fruits(a Action) (tries, hits int) {
	key := a.Key()
	for _, t := range s.History {
		if t.Action.Key() == key {
			tries++
			if t.Effect != "" {
				hits++
			}
		}
	}
	return tries, hits
}

// fruitless counts the last turns that a layer decided and that got the game no
// further.
func (s *State) fruitless(layer string) int {
	n := 0
	for _, t := range slices.Backward(s.History) {
		if t.Layer != layer {
			continue
		}
		if t.Progress {
			break
		}
		n++
	}
	return n
}
