package qa_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"playtest"
	"playtest/qa"
)

// TestMetadataIsPlayed plays a page whose metadata promises more than it keeps:
// one run, and everything that its report says of the promises.
func TestMetadataIsPlayed(t *testing.T) {
	ctx := context.Background()
	b := launch(ctx, t)
	server := httptest.NewServer(http.FileServer(http.Dir("testdata/declared")))
	defer server.Close()
	text, err := os.ReadFile("testdata/declared/crane.yaml")
	if err != nil {
		t.Fatal(err)
	}
	metadata, err := playtest.ParseMetadata(text)
	if err != nil {
		t.Fatal(err)
	}
	record, report, err := qa.Run(ctx, b, playtest.Target{URL: server.URL + "/crane.html", Metadata: metadata, Seed: 1}, &qa.Options{Evidence: kept{}})
	if err != nil {
		t.Fatal(err)
	}
	if report.Status != playtest.Pass {
		t.Errorf("%s: %s", report.Status, report.Summary)
	}

	t.Run("declared", func(t *testing.T) {
		var names []string
		for _, d := range report.Declared {
			names = append(names, d.Name)
			want := playtest.Responsive
			if d.Name == "Jump" {
				want = playtest.Unresponsive
			}
			if d.Outcome != want {
				t.Errorf("%s is %s (%s), want %s", d.Name, d.Outcome, d.Reason, want)
			}
			if got := strings.Join(d.Dead, " "); got != map[string]string{"Climb": "down (S)"}[d.Name] {
				t.Errorf("%s is dead in %q", d.Name, got)
			}
		}
		if want := []string{"Jump", "Swing", "Drop", "Charge", "Mark", "Pause", "Climb"}; !slices.Equal(names, want) {
			t.Errorf("declared are %v, want %v", names, want)
		}
	})
	t.Run("issues", func(t *testing.T) {
		for _, want := range []playtest.Issue{
			{Severity: playtest.Critical, Description: `The critical declared action "Jump" (J) does not respond.`},
			{Severity: playtest.Minor, Description: `The declared axis "Climb" (W, S) does not respond to down (S).`},
			{Severity: playtest.Minor, Description: "A success indicator of the metadata was missed: the medal."},
		} {
			if !slices.ContainsFunc(report.Issues, func(i playtest.Issue) bool {
				return i.Severity == want.Severity && i.Description == want.Description && i.Evidence != ""
			}) {
				t.Errorf("no %s issue %q in %+v", want.Severity, want.Description, report.Issues)
			}
		}
	})
	t.Run("indicators", func(t *testing.T) {
		if len(report.Indicators) != 7 {
			t.Fatalf("%d indicators: %+v", len(report.Indicators), report.Indicators)
		}
		for _, in := range report.Indicators {
			if in.Met != (in.Text != "the medal") || in.Detail == "" {
				t.Errorf("%+v", in)
			}
		}
	})
	t.Run("time", func(t *testing.T) {
		if len(record.Actions) == 0 {
			t.Fatal("nothing was done")
		}
		wait := record.Actions[0].Time.Sub(record.Phases[0].Started) - record.Load.ReadyAfter
		if wait < metadata.Wait() {
			t.Errorf("the first input came %s after the game was ready, want %s", wait, metadata.Wait())
		}
		if record.Explore.Played < metadata.PlayFor() {
			t.Errorf("played for %s, want %s", record.Explore.Played, metadata.PlayFor())
		}
	})
	t.Run("taps and holds", func(t *testing.T) {
		for _, key := range []string{"KeyJ", "ArrowLeft", "ArrowRight", "Space", "KeyC", "KeyW", "KeyS"} {
			var tapped, held bool
			for _, a := range record.Actions {
				tapped = tapped || a.Target == key && a.Kind == "keypress"
				held = held || a.Target == key && a.Kind == "hold"
			}
			if !tapped || !held {
				t.Errorf("%s: tapped %v, held %v", key, tapped, held)
			}
		}
	})
	t.Run("pictures", func(t *testing.T) {
		if len(record.Screenshots) < 5 {
			t.Errorf("%d pictures", len(record.Screenshots))
		}
		for _, stage := range []string{playtest.StageInitialLoad, playtest.StageAfterInteraction, playtest.StageFinalState} {
			if !slices.ContainsFunc(record.Screenshots, func(s playtest.Screenshot) bool { return s.Stage == stage }) {
				t.Errorf("no picture of the stage %s", stage)
			}
		}
	})
}
