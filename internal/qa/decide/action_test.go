package decide_test

import (
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/record"
)

func at(x, y float64) *record.Point { return &record.Point{X: x, Y: y} }

func TestActions(t *testing.T) {
	steps := func(n int) []decide.Action {
		out := make([]decide.Action, n)
		for i := range out {
			out[i] = decide.Action{Kind: decide.Keypress, Keys: []string{"KeyA"}}
		}
		return out
	}
	tests := []struct {
		name   string
		action decide.Action
		says   string
		wrong  string // part of the error, "" when it can be done
		keyed  bool
	}{
		{"click", decide.Action{Kind: decide.Click, At: at(10, 20), Label: "Play"}, `click "Play" at 10,20`, "", false},
		{"click nowhere", decide.Action{Kind: decide.Click}, "click", "no place", false},
		{"click outside", decide.Action{Kind: decide.DoubleClick, At: at(10, 720)}, "doubleclick at 10,720", "outside the picture", false},
		{"scroll", decide.Action{Kind: decide.Scroll, At: at(1, 1)}, "scroll at 1,1", "", false},
		{"key", decide.Action{Kind: decide.Keypress, Keys: []string{"Space"}}, "keypress Space", "", true},
		{"no key", decide.Action{Kind: decide.Keypress}, "keypress ", "keys can be pressed", false},
		{"key that does not exist", decide.Action{Kind: decide.Keypress, Keys: []string{"Jump"}}, "keypress Jump", `"Jump"`, true},
		{"key by another name", decide.Action{Kind: decide.Keypress, Keys: []string{"left"}}, "keypress left", `"left"`, true},
		{"chord", decide.Action{Kind: decide.Chord, Keys: []string{"ShiftLeft", "KeyA"}}, "chord ShiftLeft+KeyA", "", true},
		{"too many fingers", decide.Action{Kind: decide.Chord, Keys: []string{"KeyA", "KeyB", "KeyC", "KeyD", "KeyE"}}, "chord KeyA+KeyB+KeyC+KeyD+KeyE", "1 to 4 keys", true},
		{"hold keys", decide.Action{Kind: decide.Hold, Keys: []string{"KeyD"}, For: time.Second}, "hold KeyD for 1s", "", true},
		{"hold the pointer", decide.Action{Kind: decide.Hold, At: at(5, 6), For: time.Second}, "hold the pointer at 5,6 for 1s", "", false},
		{"hold for ever", decide.Action{Kind: decide.Hold, Keys: []string{"KeyD"}, For: time.Hour}, "hold KeyD for 1h0m0s", "not a time", true},
		{"drag", decide.Action{Kind: decide.Drag, Path: []record.Point{{X: 1, Y: 2}, {X: 3, Y: 4}}}, "drag from 1,2 to 3,4", "", false},
		{"drag to nowhere", decide.Action{Kind: decide.Drag, Path: []record.Point{{X: 1, Y: 2}}}, "drag", "a path has", false},
		{"drag off the screen", decide.Action{Kind: decide.Drag, Path: []record.Point{{X: 1, Y: 2}, {X: -3, Y: 4}}}, "drag from 1,2 to -3,4", "outside", false},
		{"type", decide.Action{Kind: decide.Type, Text: "moth"}, `type "moth"`, "", false},
		{"type nothing", decide.Action{Kind: decide.Type}, `type ""`, "letters", false},
		{"repeat a key", decide.Action{Kind: decide.Repeat, Keys: []string{"Space"}, Times: 3}, "repeat Space up to 3 times until something changes", "", true},
		{"repeat a click", decide.Action{Kind: decide.Repeat, At: at(1, 2), Times: 3}, "repeat click at 1,2 up to 3 times until something changes", "", false},
		{"repeat for ever", decide.Action{Kind: decide.Repeat, At: at(1, 2), Times: 1000}, "repeat click at 1,2 up to 1000 times until something changes", "not between", false},
		{"wait", decide.Action{Kind: decide.Wait, For: time.Second}, "wait 1s", "", false},
		{"wait for ever", decide.Action{Kind: decide.Wait, For: time.Hour}, "wait 1h0m0s", "not a time", false},
		{"complete", decide.Action{Kind: decide.Complete}, "complete", "", false},
		{"nothing", decide.Action{}, "nothing", "no kind of action", false},
		{"an action nobody knows", decide.Action{Kind: "fly"}, "fly", "no kind of action", false},
		{"sequence", decide.Action{Kind: decide.Sequence, Steps: append(steps(1), decide.Action{Kind: decide.Wait, For: time.Second})}, "sequence: keypress KeyA, wait 1s", "", true},
		{"sequence with a click", decide.Action{Kind: decide.Sequence, Steps: append(steps(1), decide.Action{Kind: decide.Click, At: at(1, 1)})}, "sequence: keypress KeyA, click at 1,1", "", false},
		{"empty sequence", decide.Action{Kind: decide.Sequence}, "sequence: ", "steps", false},
		{"sequence with a mistake", decide.Action{Kind: decide.Sequence, Steps: []decide.Action{{Kind: decide.Click}}}, "sequence: click", "step 1", false},
		{"sequence in a sequence", decide.Action{Kind: decide.Sequence, Steps: []decide.Action{{Kind: decide.Sequence, Steps: steps(1)}}}, "sequence: sequence: keypress KeyA", "cannot be", true},
		{"sequence that takes too long", decide.Action{Kind: decide.Sequence, Steps: []decide.Action{{Kind: decide.Wait, For: 9 * time.Second}, {Kind: decide.Wait, For: 9 * time.Second}}}, "sequence: wait 9s, wait 9s", "longer than", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.action.String(); got != tt.says {
				t.Errorf("says %q, want %q", got, tt.says)
			}
			err := tt.action.Check(viewport)
			if tt.wrong == "" && err != nil || tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
				t.Errorf("the error is %v, want %q in it", err, tt.wrong)
			}
			if got := tt.action.Keyed(); got != tt.keyed {
				t.Errorf("keyed is %v, want %v", got, tt.keyed)
			}
		})
	}
}

// A place is the same place when it is a few pixels off; other keys are other
// actions.
func TestKey(t *testing.T) {
	click := func(x float64) decide.Action { return decide.Action{Kind: decide.Click, At: at(x, 50)} }
	if click(100).Key() != click(103).Key() {
		t.Error("three pixels apart are two places")
	}
	if click(100).Key() == click(200).Key() {
		t.Error("a hundred pixels apart are one place")
	}
	drag := decide.Action{Kind: decide.Drag, Path: []record.Point{{X: 1}, {X: 500}}}
	other := decide.Action{Kind: decide.Drag, Path: []record.Point{{X: 1}, {X: 900}}}
	if drag.Key() == other.Key() {
		t.Error("two drags with other ends are one")
	}
	a := decide.Action{Kind: decide.Sequence, Steps: []decide.Action{click(100), click(200)}}
	b := decide.Action{Kind: decide.Sequence, Steps: []decide.Action{click(200), click(100)}}
	if a.Key() == b.Key() {
		t.Error("two sequences of another order are one")
	}
}
