package qa

import (
	"slices"
	"testing"

	"github.com/playtest-dev/playtest/record"
)

// What started a game is what lies on the way to where it is played, not every input
// that led to another screen.
func TestStartIsOnTheWay(t *testing.T) {
	click := func(label string) record.Input { return record.Input{Kind: record.InputClick, Label: label} }
	led := func(in record.Input, from, to int) record.Observation {
		return record.Observation{Stage: "search", Input: in, From: from, To: to, Pixels: 900, Trace: true}
	}
	options, play, level, lose, again := click("Options"), click("PLAY"), click("Level 1"), click("a bomb"), click("PLAY AGAIN")
	space := record.Input{Kind: record.InputKey, Key: "Space"}
	seen := []record.Observation{led(options, 0, 1), led(play, 0, 2), led(level, 2, 3), led(space, 3, 3), led(lose, 3, 4), led(again, 4, 3)}
	for _, o := range seen {
		if !o.Effect() {
			t.Fatalf("%s has no effect", o.Input)
		}
	}
	// A board whose moves lead on only where they end a round, and are made again in the
	// next one.
	begin, one, two, win, next := click("Play"), click("square 5"), click("square 4"), click("square 1"), click("Next night")
	board := []record.Observation{led(begin, 0, 1), led(one, 1, 1), led(two, 2, 2), led(win, 3, 4), led(next, 4, 1), led(two, 1, 1), led(win, 5, 6), led(next, 6, 1), led(win, 1, 1)}
	steps := func(inputs ...record.Input) (out []record.Step) {
		for _, in := range inputs {
			out = append(out, record.Step{Input: in})
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		seen   []record.Observation
		prefix []record.Step
		want   []string
		auto   bool
	}{
		{"two screens lead to the game", seen, steps(play, level, space), []string{play.String(), level.String()}, false},
		{"a round was lost on the way", seen, steps(play, level, lose, again, space), []string{play.String(), level.String()}, false},
		{"rounds were won on the way", board, steps(begin, one, two, win, next, two, win, next, win), []string{begin.String()}, false},
		{"it begins by itself", seen, steps(space), nil, true},
		{"it is played on the first screen", seen, steps(play, options), nil, true},
		{"nothing is proven", seen, nil, []string{options.String(), play.String(), level.String(), lose.String(), again.String()}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &run{rec: &record.Record{Twins: &record.TwinRecord{Observations: tt.seen}}}
			r.derive(nil, tt.prefix)
			s := r.rec.Explore.Start
			if got := s.Gestures(); !slices.Equal(got, tt.want) || s.Auto != tt.auto || s.Needed == tt.auto {
				t.Errorf("started by %q: %+v", got, s)
			}
			inputs := map[string]bool{}
			for _, o := range tt.seen {
				inputs[o.Input.String()] = true
			}
			if len(r.rec.Discover.Controls) != len(inputs) {
				t.Errorf("%d controls of %d inputs", len(r.rec.Discover.Controls), len(inputs))
			}
		})
	}
}

// Answers that a game told from each other are controls, though nothing else can be seen.
func TestAnswersAreControls(t *testing.T) {
	answer := func(text string, reply int) record.Observation {
		return record.Observation{Stage: "search", Offer: "element", Dialog: true, Reply: reply, Input: record.Input{Kind: record.InputClick, Label: "Guess", Text: text}}
	}
	r := &run{rec: &record.Record{Twins: &record.TwinRecord{Observations: []record.Observation{answer("r", 1), answer("s", 1), answer("n", 2)}}}}
	r.derive(nil, nil)
	for _, trial := range r.rec.Explore.Trials {
		if trial.Outcome != record.Responsive || !trial.Reacted || trial.Reason != "it is answered in dialogs, some answers alike and others otherwise" {
			t.Errorf("%+v", trial)
		}
	}
	if n := len(r.rec.Explore.Trials); n != 3 {
		t.Errorf("%d controls of 3 answers", n)
	}
}
