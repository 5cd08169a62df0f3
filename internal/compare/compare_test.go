package compare_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playtest-dev/playtest/internal/compare"
	"github.com/playtest-dev/playtest/record"
)

// healthy is a run in which everything works.
func healthy() compare.Run {
	key := record.Control{ID: "key:Space", Description: "Space"}
	return compare.Run{
		Report: &record.Report{
			Status: record.Pass, Summary: "It can be played.",
			Checks: []record.Check{
				{Name: record.GameLoaded, State: record.Proven}, {Name: record.ControlsResponsive, State: record.Proven}, {Name: record.GameStable, State: record.Proven},
			},
			Metrics:     []record.Metric{{Name: "load", Score: 95}, {Name: "technical", Score: 100}},
			Issues:      []record.Issue{{Severity: record.Minor, Description: "A font could not be loaded: a.woff2 (status 404).", Evidence: "http://127.0.0.1:4001/a.woff2"}},
			Controls:    []record.ControlResult{{Control: key, Trial: record.Trial{Outcome: record.Responsive}}},
			Screenshots: []record.Screenshot{{Stage: record.StageFinalState, Path: "screenshots/a.png"}},
			Metadata:    record.ReportMetadata{SessionID: "a", GameURL: "http://x/", Environment: record.Environment{Browser: "Chromium 156"}},
		},
		Record: &record.Record{Load: record.LoadRecord{Ready: true, ReadyAfter: time.Second}},
	}
}

func TestSameBuildTwice(t *testing.T) {
	a, b := healthy(), healthy()
	// What differs from run to run by itself.
	b.Report.Metadata.SessionID = "b"
	b.Report.Metrics[0].Score = 90
	b.Report.Issues[0].Evidence = "http://127.0.0.1:5002/a.woff2"
	b.Record.Load.ReadyAfter = 2500 * time.Millisecond
	b.Report.Controls = append(b.Report.Controls, record.ControlResult{Control: record.Control{ID: "key:KeyA"}, Trial: record.Trial{Outcome: record.Undecided}})
	d := compare.Of(a, b)
	if d.Regressed || len(d.Changes) != 0 || len(d.Notes) != 0 || len(d.Pictures) != 1 {
		t.Errorf("%+v", d)
	}
	var text bytes.Buffer
	if err := compare.Text(&text, d); err != nil || text.String() != "nothing changed\n" {
		t.Errorf("%v: %q", err, text.String())
	}
}

func TestRegressionAndItsRepair(t *testing.T) {
	a, b := healthy(), healthy()
	const dead = "31 inputs were tried and none had any effect."
	b.Report.Status, b.Report.Summary = record.Fail, "Its controls do nothing."
	b.Report.Checks[1] = record.Check{Name: record.ControlsResponsive, State: record.Disproven, Cause: "dead_controls", Reason: dead}
	b.Report.Issues = []record.Issue{{Severity: record.Critical, Description: dead}}
	b.Report.Controls[0].Trial = record.Trial{Outcome: record.Unresponsive, Reason: "nothing differs"}
	b.Report.Metrics[1].Score = 60
	b.Record.Load.ReadyAfter = 9 * time.Second
	b.Report.Metadata.Environment.Browser = "Chromium 157"

	d := compare.Of(a, b)
	var text bytes.Buffer
	if err := compare.Text(&text, d); err != nil {
		t.Fatal(err)
	}
	want := `- verdict  pass → fail: Its controls do nothing.
- check    controlsResponsive: true → false: 31 inputs were tried and none had any effect.
- issue    new, critical: 31 inputs were tried and none had any effect.
+ issue    gone, minor: A font could not be loaded: a.woff2 (status 404).
- control  Space: responsive → unresponsive: nothing differs
- metric   technical: 100 → 60
- load     1.0 s → 9.0 s: from the first request until the game was ready
note: not the same browser: Chromium 156, then Chromium 157
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
	if !d.Regressed {
		t.Error("that is no regression?")
	}
	if back := compare.Of(b, a); back.Regressed {
		t.Errorf("the repair is a regression: %+v", back.Changes)
	}
}

// A run that could not be judged says nothing about the game.
func TestUndecidedIsNoRegression(t *testing.T) {
	a, b := healthy(), healthy()
	b.Report.Status = record.VerdictError
	b.Report.Checks[2].State = record.Unknown
	b.Report.Issues = nil
	d := compare.Of(a, b)
	if d.Regressed || len(d.Changes) != 2 || d.Changes[0].Direction != compare.Unclear {
		t.Errorf("%+v", d)
	}
}

func TestMarkdownOfAHostileGame(t *testing.T) {
	a, b := healthy(), healthy()
	b.Report.Issues = []record.Issue{{Severity: record.Major, Description: "a | b\n# <img src=x> [x](http://e)"}}
	var text bytes.Buffer
	if err := compare.Markdown(&text, "x", compare.Of(a, b)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<img", "[x](http", "\n# ", "a | b"} {
		if strings.Contains(text.String(), bad) {
			t.Errorf("%q is in\n%s", bad, text.String())
		}
	}
}

func TestPage(t *testing.T) {
	a, b := healthy(), healthy()
	b.Report.Issues = []record.Issue{{Severity: record.Major, Description: "<script>alert(1)</script>"}}
	var shot bytes.Buffer
	if err := png.Encode(&shot, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	err := compare.Page(&page, "main", "branch", []compare.Game{{Name: "snake", Diff: compare.Of(a, b), A: fstest.MapFS{"screenshots/a.png": {Data: shot.Bytes()}}, B: fstest.MapFS{}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>Regression: main and branch</title>", "data:image/png;base64,", "a picture is missing", "new, major: &lt;script&gt;", "final state, before"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page.String(), "<script") {
		t.Error("what a game says is markup")
	}
}
