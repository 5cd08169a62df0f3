package bench_test

import (
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/bench"
)

// TestRounds: every round adds up, what was not right has its cause, and the table in
// the docs is that of the data.
func TestRounds(t *testing.T) {
	rounds, err := bench.ReadRounds("../docs/benchmarks/rounds.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rounds {
		if len(r.Results) == 0 && len(r.Causes) == 0 {
			t.Errorf("round %d: nothing says what was not right", r.Round)
		}
		if r.Of != "" {
			if r.Note == "" || r.Playable+r.Broken > 0 {
				t.Errorf("round %d is of %s: its numbers belong into a note", r.Round, r.Of)
			}
			continue
		}
		if r.Passed+r.Failed+r.Undecided != r.Playable {
			t.Errorf("round %d: %d, %d and %d do not make %d playable games", r.Round, r.Passed, r.Failed, r.Undecided, r.Playable)
		}
		if r.BrokenFailed+r.BrokenPassed+r.BrokenUndecided != r.Broken {
			t.Errorf("round %d: %d, %d and %d do not make %d broken games", r.Round, r.BrokenFailed, r.BrokenPassed, r.BrokenUndecided, r.Broken)
		}
		if r.Playable+r.Broken != r.Games {
			t.Errorf("round %d: %d playable and %d broken do not make %d games", r.Round, r.Playable, r.Broken, r.Games)
		}
		if len(r.Results) > 0 && len(r.Results) != r.Games {
			t.Errorf("round %d has %d results of %d games", r.Round, len(r.Results), r.Games)
		}
		for _, g := range r.Results {
			if g.Got != g.Want && g.Cause == "" {
				t.Errorf("round %d: %s is %s instead of %s, and nothing says why", r.Round, g.Game, g.Got, g.Want)
			}
		}
	}
	if page := page(t); !strings.Contains(page, bench.RoundsTable(rounds)) {
		t.Errorf("docs/benchmarks.md does not hold the table of the rounds:\n%s", bench.RoundsTable(rounds))
	}
}
