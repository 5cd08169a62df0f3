package verdict

import (
	"slices"

	"github.com/playtest-dev/playtest/internal/qa/corpus"
	"github.com/playtest-dev/playtest/record"
)

// Ablation is what changes without one rule.
type Ablation struct {
	Rule                    string
	Changed                 int
	RightBefore, RightAfter int
}

// Ablate judges the cases with all rules and without each of them.
func Ablate(cases []corpus.Case) []Ablation {
	var out []Ablation
	for _, rule := range Names {
		a := Ablation{Rule: rule}
		without := Rules{Off: map[string]bool{rule: true}}
		for _, c := range cases {
			before, after := Rules{}.Checks(c.Record), without.Checks(c.Record)
			if Status(before) != Status(after) {
				a.Changed++
			}
			if Right(c, before) {
				a.RightBefore++
			}
			if Right(c, after) {
				a.RightAfter++
			}
		}
		out = append(out, a)
	}
	return out
}

// Right reports whether the checks give a case the right verdict, for a broken game
// on a right check.
func Right(c corpus.Case, checks []record.Check) bool {
	if Status(checks) != c.Want {
		return false
	}
	if c.Want != record.Fail || len(c.Checks) == 0 {
		return true
	}
	return slices.ContainsFunc(checks, func(k record.Check) bool {
		return k.State == record.Disproven && slices.Contains(c.Checks, k.Name)
	})
}

// Status is the verdict that follows from the checks.
func Status(checks []record.Check) record.Verdict {
	status := record.Pass
	for _, c := range checks {
		switch c.State {
		case record.Disproven:
			return record.Fail
		case record.Unknown:
			status = record.VerdictError
		}
	}
	return status
}
