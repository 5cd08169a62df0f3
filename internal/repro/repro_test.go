package repro_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/repro"
	"github.com/playtest-dev/playtest/record"
)

func click(label string) record.Input {
	return record.Input{Kind: record.InputClick, At: record.Point{X: 10, Y: 20}, Label: label}
}

func steps(labels ...string) []record.Step {
	out := []record.Step{}
	for i, l := range labels {
		out = append(out, record.Step{Frame: 100 * (i + 1), Input: click(l)})
	}
	return out
}

func twins(observations []record.Observation, screens ...record.Screen) *record.Record {
	return &record.Record{Twins: &record.TwinRecord{Opened: true, Repeatable: true, Observations: observations, Screens: screens}}
}

func TestWhatIsClaimed(t *testing.T) {
	first := record.Screen{ID: 0}
	second := record.Screen{ID: 1, Prefix: steps("Play")}
	dead := record.Observation{Stage: "search", Input: click("Play"), Seconds: 2}
	works := record.Observation{Stage: "search", Input: click("square"), Seconds: 4.5, From: 1, To: 1, Pixels: 900}
	throws := record.Observation{Stage: "search", Input: click("Play"), Seconds: 2, Threw: "Uncaught TypeError: x\n at y"}
	hung := twins(nil, first)
	hung.Twins.Reason = `click "Play \"now\"" at 250,474: the page does not return from a step: no answer`
	hung.Twins.GameSeconds = 2.5
	hungKey := twins(nil, second)
	hungKey.Twins.Reason = "left arrow: the page does not return from a step: no answer"
	shaky := twins([]record.Observation{works}, second)
	shaky.Twins.Repeatable = false
	tests := []struct {
		name  string
		rec   *record.Record
		want  string
		fails bool
	}{
		{"the last control that was proven", twins([]record.Observation{dead, works}, first, second), `click "square" at 10,20 after 1 other inputs changes the game`, false},
		{"an error comes before a control that works", twins([]record.Observation{works, throws}, first, second), `click "Play" at 10,20 throws TypeError: x`, false},
		{"the most promising input when none does anything", twins([]record.Observation{dead, {Stage: "search", Input: click("other")}}, first), `click "Play" at 10,20 does nothing`, false},
		{"an input that hangs", hung, `click "Play \"now\"" at 250,474 makes the page hang`, false},
		{"a key that hangs", hungKey, `left arrow after 1 other inputs makes the page hang`, false},
		{"a run without twins", &record.Record{}, "", true},
		{"a game that differs by itself", shaky, "", true},
		{"a run that tried nothing", twins(nil, first), "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := repro.Of(tt.rec)
			if tt.fails {
				var nothing *repro.NothingError
				if !errors.As(err, &nothing) {
					t.Errorf("%v, %v", c, err)
				}
				return
			}
			if err != nil || c.String() != tt.want {
				t.Errorf("%v: %v, want %s", err, c, tt.want)
			}
		})
	}
}

func TestSame(t *testing.T) {
	tests := []struct {
		claim   repro.Claim
		outcome repro.Outcome
		want    bool
	}{
		{repro.Claim{Kind: repro.Works}, repro.Outcome{Pixels: 50}, true},
		{repro.Claim{Kind: repro.Works}, repro.Outcome{Pixels: 3}, false},
		{repro.Claim{Kind: repro.Works}, repro.Outcome{Pixels: 50, Hung: "x"}, false},
		{repro.Claim{Kind: repro.Dead}, repro.Outcome{}, true},
		{repro.Claim{Kind: repro.Dead}, repro.Outcome{Loaded: true}, false},
		{repro.Claim{Kind: repro.Dead}, repro.Outcome{Error: "E"}, false},
		{repro.Claim{Kind: repro.Throws, Error: "E"}, repro.Outcome{Error: "E", Pixels: 9}, true},
		{repro.Claim{Kind: repro.Throws, Error: "E"}, repro.Outcome{Error: "F"}, false},
		{repro.Claim{Kind: repro.Hangs}, repro.Outcome{Hung: "x"}, true},
		{repro.Claim{Kind: repro.Hangs}, repro.Outcome{Pixels: 9}, false},
	}
	for _, tt := range tests {
		if got := tt.outcome.Same(&tt.claim); got != tt.want {
			t.Errorf("%s: %+v is the same: %v", tt.claim.Kind, tt.outcome, got)
		}
	}
}

func TestShrink(t *testing.T) {
	labels := func(c *repro.Claim) string {
		var out []string
		for _, s := range c.Prefix {
			out = append(out, s.Input.Label)
		}
		return strings.Join(out, "")
	}
	tests := []struct {
		needs string
		tries int // at most
	}{
		{"", 1}, {"a", 20}, {"l", 20}, {"cg", 40}, {"abcdefghijkl", 40},
	}
	for _, tt := range tests {
		t.Run("needs "+tt.needs, func(t *testing.T) {
			c := &repro.Claim{Prefix: steps(strings.Split("abcdefghijkl", "")...)}
			n := 0
			got, err := repro.Shrink(t.Context(), c, func(_ context.Context, c *repro.Claim) (bool, error) {
				n++
				have := labels(c)
				for _, need := range tt.needs {
					if !strings.ContainsRune(have, need) {
						return false, nil
					}
				}
				return true, nil
			})
			if err != nil || labels(got) != tt.needs || n > tt.tries {
				t.Errorf("%v: %q of %q after %d tries", err, labels(got), tt.needs, n)
			}
			if len(c.Prefix) != 12 {
				t.Error("the claim itself was changed")
			}
			for _, s := range got.Prefix {
				if want := c.Prefix[slices.IndexFunc(c.Prefix, func(o record.Step) bool { return o.Input.Label == s.Input.Label })]; want.Frame != s.Frame {
					t.Errorf("%s moved to frame %d", s.Input.Label, s.Frame)
				}
			}
		})
	}
	broken := errors.New("no browser")
	if got, err := repro.Shrink(t.Context(), &repro.Claim{Prefix: steps("a")}, func(context.Context, *repro.Claim) (bool, error) { return false, broken }); !errors.Is(err, broken) || len(got.Prefix) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func ExampleOf() {
	rec := &record.Record{Twins: &record.TwinRecord{Repeatable: true, Observations: []record.Observation{{
		Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "Space"}, Seconds: 2, Threw: "Uncaught Error: no ship",
	}}}}
	claim, _ := repro.Of(rec)
	fmt.Println(claim)
	// Output: Space throws Error: no ship
}
