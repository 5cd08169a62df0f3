package adapt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/record"
)

// What a run teaches is what the next run of the game is offered.
func TestWhatARunTeaches(t *testing.T) {
	attempt := func(tier, gesture string, effect bool) record.StartAttempt {
		return record.StartAttempt{Tier: tier, Gesture: gesture, Effect: effect}
	}
	trial := func(id string, outcome record.Outcome) record.Trial {
		return record.Trial{ControlID: id, Outcome: outcome}
	}
	for _, tt := range []struct {
		name     string
		attempts []record.StartAttempt
		trials   []record.Trial
		vain     string
		starts   string
		controls []string
	}{
		{name: "nothing"},
		{name: "a key", attempts: []record.StartAttempt{attempt("gesture", `click "the middle" at 640,360`, false), attempt("gesture", "Space", true)}, starts: "Space"},
		{name: "a place", attempts: []record.StartAttempt{attempt("control", `doubleclick "canvas" at 640,360`, true)}, starts: `doubleclick "canvas" at 640,360`},
		{name: "in vain at first", attempts: []record.StartAttempt{attempt("gesture", "Enter", false), attempt("replay", "Enter", true)}, starts: "Enter"},
		{name: "known, and in vain at first", attempts: []record.StartAttempt{attempt(adapt.TierKnown, "Enter", false), attempt("replay", "Enter", true)}},
		{name: "a name that is not on the screen", attempts: []record.StartAttempt{attempt("text", `click "Deal" at 316,612`, true)}},
		{name: "another round", attempts: []record.StartAttempt{attempt(record.TierAgain, "Enter", true), attempt("painted", `click "CLICK TO PLAY AGAIN" at 5,5`, true)}},
		{name: "a key in a game that was begun", attempts: []record.StartAttempt{attempt("gesture", "Space", true), attempt("control", "KeyB", true)}, starts: "Space"},
		{name: "gestures that cannot be made again", attempts: []record.StartAttempt{attempt(adapt.TierWords, "press the control that starts the game", true), attempt("gesture", "drag from 1,1 to 9,9", true)}},
		{name: "controls", trials: []record.Trial{trial("key:KeyA", record.Responsive), trial("key:KeyB", record.Unresponsive), trial("key:KeyC", record.Undecided), trial("key:KeyM", record.Responsive), trial("key:KeyX", record.Responsive)},
			controls: []string{"key:KeyA", "key:KeyX"}},
		{name: "a control that was tried first in vain", vain: "key:KeyV", trials: []record.Trial{trial("key:KeyA", record.Responsive)}, controls: []string{"key:KeyA"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			book := knowledge.Open(&knowledge.Ram{}, nil)
			g := serve(t, "stairs")
			g.Record.Discover.Controls = []record.Control{{ID: "key:KeyM", Type: record.ControlKey, Keys: []string{"KeyM"}, Aside: true}}
			g.Record.Explore.Start.Attempts, g.Record.Explore.Trials = tt.attempts, tt.trials
			first, err := adapt.Recollect(testContext(t), g, book)
			if err != nil {
				t.Fatal(err)
			}
			if tt.vain != "" {
				first.InVain(tt.vain)
			}
			if err := first.Learn(t.Context()); err != nil {
				t.Fatal(err)
			}
			again, err := adapt.Recollect(testContext(t), g, book)
			if err != nil {
				t.Fatal(err)
			}
			starts, err := again.Starts(testContext(t))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, in := range starts {
				got = append(got, in.String())
			}
			if strings.Join(got, ", ") != tt.starts {
				t.Errorf("the known starts are %v, want %q", got, tt.starts)
			}
			controls, err := again.Controls(t.Context())
			if err != nil || !slices.Equal(controls, tt.controls) {
				t.Errorf("the known controls are %+v (%v), want %+v", controls, err, tt.controls)
			}
		})
	}
}
