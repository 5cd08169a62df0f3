package qa_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
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
	meta, err := metadata.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	// What it promises is judged by everything that was tried, however long that takes.
	const patience = 10 * time.Minute
	qa.SearchFor(t, patience)
	rec, report, err := qa.Run(ctx, b, record.Target{URL: server.URL + "/crane.html", Metadata: meta, Play: brief, Seed: 1, MaxDuration: 2 * patience}, &qa.Options{Evidence: kept{}})
	if err != nil {
		t.Fatal(err)
	}
	if report.Status != record.Pass {
		t.Errorf("%s: %s", report.Status, report.Summary)
	}

	t.Run("declared", func(t *testing.T) {
		var names []string
		for _, d := range report.Declared {
			names = append(names, d.Name)
			want := record.Responsive
			if d.Name == "Jump" {
				want = record.Unresponsive
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
		for _, want := range []record.Issue{
			{Severity: record.Critical, Description: `The critical declared action "Jump" (J) does not respond.`},
			{Severity: record.Minor, Description: `The declared axis "Climb" (W, S) does not respond to down (S).`},
			{Severity: record.Minor, Description: "A success indicator of the metadata was missed: the medal."},
		} {
			if !slices.ContainsFunc(report.Issues, func(i record.Issue) bool {
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
		if len(rec.Actions) == 0 {
			t.Fatal("nothing was done")
		}
		wait := rec.Actions[0].Time.Sub(rec.Phases[0].Started) - rec.Load.ReadyAfter
		if wait < meta.Wait() {
			t.Errorf("the first input came %s after the game was ready, want %s", wait, meta.Wait())
		}
		if rec.Explore.Played < meta.PlayFor() {
			t.Errorf("played for %s, want %s", rec.Explore.Played, meta.PlayFor())
		}
	})
	t.Run("taps and holds", func(t *testing.T) {
		for _, key := range []string{"KeyJ", "ArrowLeft", "ArrowRight", "Space", "KeyC", "KeyW", "KeyS"} {
			var tapped, held bool
			for _, a := range rec.Actions {
				tapped = tapped || a.Target == key && a.Kind == "keypress"
				held = held || a.Target == key && a.Kind == "hold"
			}
			if !tapped || !held {
				t.Errorf("%s: tapped %v, held %v", key, tapped, held)
			}
		}
	})
	t.Run("pictures", func(t *testing.T) {
		if len(rec.Screenshots) < 5 {
			t.Errorf("%d pictures", len(rec.Screenshots))
		}
		for _, stage := range []string{record.StageInitialLoad, record.StageAfterInteraction, record.StageFinalState} {
			if !slices.ContainsFunc(rec.Screenshots, func(s record.Screenshot) bool { return s.Stage == stage }) {
				t.Errorf("no picture of the stage %s", stage)
			}
		}
	})
}
