package verdict

import (
	"slices"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/corpus"
	"github.com/playtest-dev/playtest/record"
)

// TestTracks counts how often each reason decides a record of the corpus rightly: the
// confidence that a report states is what was measured.
func TestTracks(t *testing.T) {
	cases, err := corpus.Read("testdata/corpus.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	right, of := make([]int, len(tracks)), make([]int, len(tracks))
	for _, c := range cases {
		checks := Checks(c.Record)
		got := Status(checks)
		if got == record.VerdictError {
			continue
		}
		why := decidedBy(checks)
		i := slices.IndexFunc(tracks, func(tr track) bool { return slices.Contains(tr.reasons, why) })
		if i < 0 {
			t.Errorf("%s is decided by %q, which no track counts", c.Name, why)
			continue
		}
		if of[i]++; got == c.Want {
			right[i]++
		}
	}
	for i, tr := range tracks {
		if tr.right != right[i] || tr.of != of[i] {
			t.Errorf("%v: %d of %d are right, the table says %d of %d", tr.reasons, right[i], of[i], tr.right, tr.of)
		}
	}
}

// decidedBy is the cause of the surest check that fails a game, or the rule that proved its
// controls.
func decidedBy(checks []record.Check) (why string) {
	most := 0.0
	for _, c := range checks {
		if c.State == record.Disproven && c.Confidence > most {
			why, most = c.Cause, c.Confidence
		}
	}
	if why != "" {
		return why
	}
	for _, c := range checks {
		if c.Name == record.ControlsResponsive && len(c.Measured) > 0 {
			return c.Measured[0].Name
		}
	}
	return ""
}
