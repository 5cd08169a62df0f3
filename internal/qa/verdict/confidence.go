package verdict

import (
	"math"
	"slices"

	"github.com/playtest-dev/playtest/record"
)

// track is how often verdicts for one of several reasons were right.
type track struct {
	reasons   []string
	right, of int
}

// tracks is how often verdicts were right, by the rule that proved the controls or the cause
// for which a game failed: of the records of the corpus that they decide. Reasons with few
// records are taken together.
var tracks = []track{
	{[]string{RuleProgress}, 681, 690},
	{[]string{RulePlaces}, 153, 155},
	{[]string{RuleFuture, RuleAgain, RuleChoices, RuleCombined, RuleStory, RuleTransient, RuleHover}, 238, 240},
	{[]string{"script_failed", "blank"}, 282, 282},
	{[]string{"dead_controls"}, 57, 63},
	{[]string{"throws", "loading", "exceptions", "hung", "left", "reload_loop", "stopped", "withheld", "pictures_missing", "vanished"}, 31, 51},
}

const (
	// undisputed is the confidence of a check that decides nothing by being proven, and of
	// what the browser itself says: that a page cannot be opened, that its process crashed.
	undisputed = 0.99
	// untold is the confidence of a reason that no record of the corpus shows.
	untold = 0.85
)

// sure is the confidence of a verdict for a reason: how often it was right before, counting
// one more that was right and one that was not, so that few records are less sure. Nothing is
// certain, however many there are.
func sure(reason string) float64 {
	for _, t := range tracks {
		if slices.Contains(t.reasons, reason) {
			return min(undisputed, math.Round(100*float64(t.right+1)/float64(t.of+2))/100)
		}
	}
	if reason == "crashed" {
		return undisputed
	}
	return untold
}

// Confidence of the verdict that follows from the checks: that of the surest check
// which fails the game, or of the least sure one of a game that passes.
func Confidence(checks []record.Check) float64 {
	least, failed := 1.0, 0.0
	for _, c := range checks {
		switch c.State {
		case record.Disproven:
			failed = max(failed, c.Confidence)
		case record.Proven:
			least = min(least, c.Confidence)
		}
	}
	if failed > 0 {
		return failed
	}
	return least
}
