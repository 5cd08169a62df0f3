package adapt_test

import (
	"flag"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

var wholeRuns = flag.Bool("whole", false, "also finish games in whole runs")

// TestWholeRuns finishes the three games in runs from the address to the
// verdict: they are loaded, started and measured first, so the model gets them
// in whatever state that left them.
func TestWholeRuns(t *testing.T) {
	if !*wholeRuns {
		t.Skip("whole runs take minutes: make test-adaptive")
	}
	whole(t)
	for _, tt := range []struct {
		course
		model func(*testing.T) *modeltest.Fake
	}{
		{lanterns, lamplighter},
		{golf, golfer},
		{skyhook, func(t *testing.T) *modeltest.Fake { return new(pilot).model(t) }},
	} {
		t.Run(tt.game, func(t *testing.T) {
			t.Parallel()
			if got := wholeRun(t, tt.serve(t), tt.model(t)); got < tt.goal {
				t.Errorf("%d %s, want %d", got, tt.what, tt.goal)
			}
		})
	}
}

// wholeRun is one run, within its limits. It returns how far the game says that
// it was played.
func wholeRun(t *testing.T, url string, m *modeltest.Fake) int {
	t.Helper()
	var left kept
	rec, rep, err := qa.Run(testContext(t), chromium, record.Target{URL: url, Mode: record.ModeAdaptive, MaxDuration: patience}, &qa.Options{Model: m, Evidence: &left})
	if err != nil {
		t.Fatal(err)
	}
	looks := 0
	for _, d := range rec.Decisions {
		if d.Layer == "2 vision" {
			looks++
		}
	}
	t.Logf("%s after %v and %d looks: %s", rep.Status, rec.Finished.Sub(rec.Started).Round(time.Second), looks, rec.Explore.Ended)
	if rep.Status != record.Pass {
		t.Errorf("the verdict is %s: %s", rep.Status, rep.Summary)
	}
	if looks == 0 || looks > adapt.DefaultActions {
		t.Errorf("%d looks, want at least one and at most %d", looks, adapt.DefaultActions)
	}
	if spent := model.Dollars(rep.Metadata.EstimatedCost); spent == 0 || spent > adapt.DefaultBudget || rep.Metadata.UnpricedCalls > 0 {
		t.Errorf("it cost %v (%d calls without a price), want something within %v", spent, rep.Metadata.UnpricedCalls, adapt.DefaultBudget)
	}
	return reached(left.files["console.log"])
}
