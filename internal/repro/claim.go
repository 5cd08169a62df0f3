// Package repro makes what a run observed happen again: the same inputs at the
// same frames in fresh pages under a stepped clock, beside a page that is left
// alone. It finds the shortest list of inputs that still shows it, and writes that
// down as tests that need nothing of playtest.
package repro

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// Kind is what a run says about an input.
type Kind string

// The kinds of claims.
const (
	// Works: the game looks different because of the input.
	Works Kind = "works"
	// Dead: nothing differs because of the input.
	Dead Kind = "dead"
	// Throws: the input ends in an error that nobody catches.
	Throws Kind = "throws"
	// Hangs: the page does not return from the input.
	Hangs Kind = "hangs"
)

// Claim is something that a run observed, with everything that is needed to
// observe it again.
type Claim struct {
	Kind Kind `json:"kind"`
	// Error is the first line of what was thrown.
	Error string `json:"error,omitempty"`
	// Window is what the game was played in.
	Window record.Rect `json:"window"`
	// Prefix are the inputs before, Frame is when Input is made, in frames of game
	// time since the game was opened, sixty a second.
	Prefix []record.Step `json:"prefix"`
	Frame  int           `json:"frame"`
	Input  record.Input  `json:"input"`
	// Passes: what the input changes may be seen only while it is held.
	Passes bool `json:"passes,omitempty"`
}

// Inputs counts what a person has to do to see it.
func (c *Claim) Inputs() int { return len(c.Prefix) + 1 }

// String says what is claimed.
func (c *Claim) String() string {
	what := map[Kind]string{Works: "changes the game", Dead: "does nothing", Hangs: "makes the page hang"}[c.Kind]
	if c.Kind == Throws {
		what = "throws " + c.Error
	}
	if len(c.Prefix) == 0 {
		return fmt.Sprintf("%s %s", c.Input, what)
	}
	return fmt.Sprintf("%s after %d other inputs %s", c.Input, len(c.Prefix), what)
}

// NothingError says that a record holds nothing that could be made to happen again.
type NothingError struct{ Why string }

func (e *NothingError) Error() string { return "there is nothing to make happen again: " + e.Why }

// Of is the most serious claim of a run: an input that hangs the page, one that
// throws, one that does nothing although none does anything, or else what had an effect
// first on the last screen.
func Of(rec *record.Record) (*Claim, error) {
	t := rec.Twins
	switch {
	case t == nil:
		return nil, &NothingError{"the run observed nothing of its inputs"}
	case !t.Repeatable:
		return nil, &NothingError{"the game differs from time to time by itself, so that nothing can be told"}
	}
	if c := hanging(t); c != nil {
		return c, nil
	}
	var dead, works *record.Observation
	answered := map[int]bool{} // screens on which something had an effect
	for i := range t.Observations {
		switch o := &t.Observations[i]; {
		case o.Threw != "":
			c := claim(t, o, Throws)
			c.Error = firstLine(o.Threw)
			return c, nil
		case o.Stage != "search" || o.Left != "" || o.Loaded:
		case o.Effect():
			// What came later on a screen came after the effects before it, too, which are
			// not among the inputs that led there.
			if !answered[o.From] {
				works = o
			}
			answered[o.From] = true
		case dead == nil && !o.Trace && !o.Dialog:
			dead = o // the most promising one is tried first
		}
	}
	switch {
	case works != nil:
		return claim(t, works, Works), nil
	case slices.ContainsFunc(t.Observations, func(o record.Observation) bool { return o.Reply > 0 }):
		return nil, &NothingError{"the game is played in dialogs, which are not compared again"}
	case dead != nil:
		return claim(t, dead, Dead), nil
	}
	return nil, &NothingError{"no input was tried: " + t.Reason}
}

func claim(t *record.TwinRecord, o *record.Observation, kind Kind) *Claim {
	return &Claim{Kind: kind, Window: t.Window, Prefix: prefix(t, o.From), Frame: frames(o.Seconds), Input: o.Input,
		// The browser shows that a button is pressed, too.
		Passes: kind == Works && o.Later == 0 && o.Offer != "element"}
}

func frames(seconds float64) int { return int(seconds*twin.FramesPerSecond + 0.5) }

// prefix are the inputs that lead to a screen.
func prefix(t *record.TwinRecord, screen int) []record.Step {
	i := slices.IndexFunc(t.Screens, func(s record.Screen) bool { return s.ID == screen })
	if i < 0 {
		return []record.Step{}
	}
	return slices.Clone(t.Screens[i].Prefix)
}

// hangs is how a search says that an input did not return.
var hangs = regexp.MustCompile(`^(click|doubleclick|tap) (?:(".*") )?at (-?\d+),(-?\d+): ` + regexp.QuoteMeta(twin.ErrHung.Error()))

// hanging is the input that ended a search: it is told in words only.
func hanging(t *record.TwinRecord) *Claim {
	c := &Claim{Kind: Hangs, Window: t.Window, Frame: frames(t.GameSeconds), Prefix: []record.Step{}}
	if n := len(t.Screens); n > 0 {
		c.Prefix = slices.Clone(t.Screens[n-1].Prefix)
	}
	if m := hangs.FindStringSubmatch(t.Reason); m != nil {
		x, _ := strconv.ParseFloat(m[3], 64) // digits by the expression
		y, _ := strconv.ParseFloat(m[4], 64)
		label, _ := strconv.Unquote(m[2])
		c.Input = record.Input{Kind: record.InputKind(m[1]), At: record.Point{X: x, Y: y}, Label: label}
		return c
	}
	name, rest, _ := strings.Cut(t.Reason, ": ")
	if !strings.HasPrefix(rest, twin.ErrHung.Error()) {
		return nil
	}
	for _, code := range keyCodes() {
		if record.KeyLabel(code) == name {
			c.Input = record.Input{Kind: record.InputKey, Key: code}
			return c
		}
	}
	return nil
}

// keyCodes are the keys that a search presses.
func keyCodes() []string {
	codes := []string{"Space", "Enter", "Escape", "Tab", "Backspace", "ShiftLeft", "ControlLeft", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"}
	for c := 'A'; c <= 'Z'; c++ {
		codes = append(codes, "Key"+string(c))
	}
	for c := '0'; c <= '9'; c++ {
		codes = append(codes, "Digit"+string(c))
	}
	return codes
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimPrefix(line, "Uncaught ")
}
