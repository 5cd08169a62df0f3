package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

// Kind is a kind of action.
type Kind string

// The kinds of action. Hold, Chord, Drag, Repeat and Sequence are macros: they
// are played out here, at the game's pace, between two looks.
const (
	Click       Kind = "click"
	DoubleClick Kind = "doubleclick"
	Keypress    Kind = "keypress"
	Hold        Kind = "hold"     // keys or the pointer, for a while
	Chord       Kind = "chord"    // several keys at once
	Drag        Kind = "drag"     // along a path
	Type        Kind = "type"     // text
	Scroll      Kind = "scroll"   // at a place
	Repeat      Kind = "repeat"   // a key or a click again and again until something changes
	Sequence    Kind = "sequence" // several of the others
	Wait        Kind = "wait"
	Complete    Kind = "complete" // the goal is reached
)

// Bounds of an action, so that none can take over a run.
const (
	MaxHold     = 5 * time.Second
	MaxWait     = 10 * time.Second
	MaxTimes    = 40
	MaxSteps    = 40
	maxText     = 200
	maxPath     = 64
	maxTogether = 4
)

// Action is one thing to do.
type Action struct {
	Kind Kind `json:"kind"`
	// Keys are KeyboardEvent codes.
	Keys []string `json:"keys,omitempty"`
	// At is where the pointer acts, Path the way a drag takes; CSS pixels of
	// the viewport.
	At   *record.Point  `json:"at,omitempty"`
	Path []record.Point `json:"path,omitempty"`
	Text string         `json:"text,omitempty"`
	// For is how long to hold or wait.
	For time.Duration `json:"for,omitempty"`
	// Times is the most that a repeat does.
	Times int `json:"times,omitempty"`
	// Steps of a sequence.
	Steps []Action `json:"steps,omitempty"`
	// Label says what is at the place, for people and to find it again.
	Label string `json:"label,omitempty"`
}

// String names the action in logs.
func (a Action) String() string {
	switch a.Kind {
	case "":
		return "nothing"
	case Click, DoubleClick, Scroll:
		return strings.TrimSpace(string(a.Kind) + a.label() + a.place())
	case Keypress, Chord:
		return fmt.Sprintf("%s %s", a.Kind, strings.Join(a.Keys, "+"))
	case Hold:
		what := strings.Join(a.Keys, "+")
		if what == "" {
			what = strings.TrimSpace("the pointer" + a.label() + a.place())
		}
		return fmt.Sprintf("hold %s for %v", what, a.For)
	case Drag:
		if len(a.Path) > 1 {
			f, t := a.Path[0], a.Path[len(a.Path)-1]
			return fmt.Sprintf("drag%s from %.0f,%.0f to %.0f,%.0f", a.label(), f.X, f.Y, t.X, t.Y)
		}
	case Type:
		return fmt.Sprintf("type %q", a.Text)
	case Repeat:
		what := strings.Join(a.Keys, "+")
		if what == "" {
			what = strings.TrimSpace("click" + a.label() + a.place())
		}
		return fmt.Sprintf("repeat %s up to %d times until something changes", what, a.Times)
	case Sequence:
		parts := make([]string, len(a.Steps))
		for i, s := range a.Steps {
			parts[i] = s.String()
		}
		return "sequence: " + strings.Join(parts, ", ")
	case Wait:
		return fmt.Sprintf("wait %v", a.For)
	}
	return string(a.Kind)
}

func (a Action) label() string {
	if a.Label == "" {
		return ""
	}
	return fmt.Sprintf(" %q", a.Label)
}

func (a Action) place() string {
	if a.At == nil {
		return ""
	}
	return fmt.Sprintf(" at %.0f,%.0f", a.At.X, a.At.Y)
}

// Key identifies what an action does, for telling repetitions: places are
// rounded, since a model hardly ever names the same pixel twice.
func (a Action) Key() string {
	round := func(p record.Point) string { return fmt.Sprintf("%d,%d", int(p.X)/24, int(p.Y)/24) }
	parts := []string{string(a.Kind), strings.Join(a.Keys, "+"), a.Text}
	if a.At != nil {
		parts = append(parts, round(*a.At))
	}
	for _, p := range a.Path {
		parts = append(parts, round(p))
	}
	for _, s := range a.Steps {
		parts = append(parts, "("+s.Key()+")")
	}
	return strings.Join(parts, " ")
}

// Keyed reports whether the action only presses keys, which games want pressed
// again and again.
func (a Action) Keyed() bool {
	if a.Kind == Sequence {
		for _, s := range a.Steps {
			if s.Kind != Wait && !s.Keyed() {
				return false
			}
		}
		return len(a.Steps) > 0
	}
	return len(a.Keys) > 0
}

// Check reports what makes the action impossible: no place, a place outside
// the viewport, a key that no keyboard has, a length out of bounds.
func (a Action) Check(viewport record.Rect) error {
	switch a.Kind {
	case Click, DoubleClick, Scroll:
		return a.checkPlace(viewport)
	case Keypress, Chord:
		return a.checkKeys()
	case Hold:
		if a.For <= 0 || a.For > MaxHold {
			return fmt.Errorf("%s: %v is not a time between 0 and %v", a.Kind, a.For, MaxHold)
		}
		if len(a.Keys) == 0 {
			return a.checkPlace(viewport)
		}
		return a.checkKeys()
	case Drag:
		if len(a.Path) < 2 || len(a.Path) > maxPath {
			return fmt.Errorf("%s: a path has 2 to %d points, not %d", a.Kind, maxPath, len(a.Path))
		}
		for _, p := range a.Path {
			if !viewport.Contains(p) {
				return fmt.Errorf("%s: %.0f,%.0f lies outside the picture", a.Kind, p.X, p.Y)
			}
		}
		return nil
	case Type:
		if a.Text == "" || len(a.Text) > maxText {
			return fmt.Errorf("%s: a text has 1 to %d letters, not %d", a.Kind, maxText, len(a.Text))
		}
		return nil
	case Repeat:
		if a.Times < 1 || a.Times > MaxTimes {
			return fmt.Errorf("%s: %d is not between 1 and %d times", a.Kind, a.Times, MaxTimes)
		}
		if len(a.Keys) == 0 {
			return a.checkPlace(viewport)
		}
		return a.checkKeys()
	case Sequence:
		return a.checkSteps(viewport)
	case Wait:
		if a.For <= 0 || a.For > MaxWait {
			return fmt.Errorf("%s: %v is not a time between 0 and %v", a.Kind, a.For, MaxWait)
		}
		return nil
	case Complete:
		return nil
	}
	return fmt.Errorf("%q is no kind of action", a.Kind)
}

func (a Action) checkPlace(viewport record.Rect) error {
	if a.At == nil {
		return fmt.Errorf("%s: no place is named", a.Kind)
	}
	if !viewport.Contains(*a.At) {
		return fmt.Errorf("%s: %.0f,%.0f lies outside the picture", a.Kind, a.At.X, a.At.Y)
	}
	return nil
}

func (a Action) checkKeys() error {
	if len(a.Keys) == 0 || len(a.Keys) > maxTogether {
		return fmt.Errorf("%s: 1 to %d keys can be pressed, not %d", a.Kind, maxTogether, len(a.Keys))
	}
	for _, k := range a.Keys {
		if found, ok := browser.LookupKey(k); !ok || found.Code != k {
			return fmt.Errorf("%s: no key is called %q", a.Kind, k)
		}
	}
	return nil
}

func (a Action) checkSteps(viewport record.Rect) error {
	if len(a.Steps) == 0 || len(a.Steps) > MaxSteps {
		return fmt.Errorf("%s: 1 to %d steps, not %d", a.Kind, MaxSteps, len(a.Steps))
	}
	var total time.Duration
	for i, s := range a.Steps {
		if s.Kind == Sequence || s.Kind == Complete || s.Kind == Repeat {
			return fmt.Errorf("%s: step %d cannot be a %s", a.Kind, i+1, s.Kind)
		}
		if err := s.Check(viewport); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		total += s.For
	}
	if total > MaxWait {
		return fmt.Errorf("%s: %v is longer than %v", a.Kind, total, MaxWait)
	}
	return nil
}
