package adapt_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"playtest"
	"playtest/model"
	"playtest/model/modeltest"
	"playtest/qa"
	"playtest/qa/adapt"
)

// TestWholeRuns finishes the three games in runs from the address to the
// verdict: they are loaded, started and measured first, so the model gets them
// in whatever state that left them.
func TestWholeRuns(t *testing.T) {
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
			var left kept
			rec, rep, err := qa.Run(testContext(t), chromium, playtest.Target{URL: tt.serve(t), Mode: playtest.ModeAdaptive, MaxDuration: patience},
				&qa.Options{Model: tt.model(t), Evidence: &left})
			if err != nil {
				t.Fatal(err)
			}
			turns := 0
			for _, d := range rec.Decisions {
				if strings.Contains(d.Layer, "vision") && d.Threshold == 0.7 {
					turns++
				}
			}
			t.Logf("%s after %v: %s; %d %s, %d looks", rep.Status, rec.Finished.Sub(rec.Started).Round(time.Second), rec.Explore.Ended, reached(left.files["console.log"]), tt.what, turns)
			if got := reached(left.files["console.log"]); got < tt.goal {
				t.Errorf("%d %s, want %d; ended with %q", got, tt.what, tt.goal, rec.Explore.Ended)
			}
			if rep.Status != playtest.Pass {
				t.Errorf("the verdict is %s: %s", rep.Status, rep.Summary)
			}
			if turns == 0 || turns > adapt.DefaultActions {
				t.Errorf("%d looks, want at least one and at most %d", turns, adapt.DefaultActions)
			}
			if spent := model.Dollars(rep.Metadata.EstimatedCost); spent == 0 || spent > adapt.DefaultBudget || rep.Metadata.UnpricedCalls > 0 {
				t.Errorf("it cost %v (%d calls without a price), want something within %v", spent, rep.Metadata.UnpricedCalls, adapt.DefaultBudget)
			}
			if !slices.ContainsFunc(rec.Explore.Progress, func(p playtest.Progress) bool { return p.What != "game over" }) {
				t.Errorf("no progress was noticed: %+v", rec.Explore.Progress)
			}
		})
	}
}
