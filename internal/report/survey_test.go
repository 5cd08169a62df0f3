package report_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

func pageOf(t *testing.T, rep *record.Report, rec *record.Record, opts *report.PageOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Page(&b, rep, rec, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func holds(t *testing.T, page string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// surveyed is what a page is like that is poor in every way.
func surveyed() *record.Survey {
	gaps := make([]float64, 60)
	for i := range gaps {
		gaps[i] = 16.7
	}
	gaps[20] = 120
	return &record.Survey{
		Frames:  &record.Rhythm{FPS: 54.2, Usual: 16.7, Longest: 120, Late: 1, Gaps: gaps},
		Latency: &record.Latency{Inputs: 4, Usual: 21.5, Longest: 48},
		HeapMB:  12.3,
		Barriers: []record.Barrier{
			{Kind: "contrast", Count: 3, Examples: []string{"p “Hello <b>\u202e”"}}, {Kind: "language", Count: 1}, {Kind: "<new>", Count: 2},
		},
		Phone: &record.Phone{Width: 390, Height: 844, Wide: 410, Shown: 0.48, Small: 2, Touch: record.TouchKeys, Picture: "screenshots/a.png"},
	}
}

func TestPageSaysHowItRuns(t *testing.T) {
	rep, rec := twinned()
	rec.Survey = surveyed()
	rec.Survey.Frames.Began = at(11)
	rec.Health.LongTasks = record.LongTasks{Count: 3, Longest: 180 * time.Millisecond}
	page := pageOf(t, rep, rec, &report.PageOptions{Files: files(t)})
	holds(t, page, "54.2 a second", "no frame for 120 ms", "39 frames, usually 16.7 ms apart", "longest wait was 120 ms", "1 of 60 frames", "21.5 ms from an input to the next picture", "12.3 MB of scripts",
		"3 times, the longest 180 ms", `class="rhythm"`, `class="late"`, "410 pixels wider", "Only 48 %", "keys only", "meta viewport", "2 buttons or links are smaller",
		"3 texts are hard to read", "in what language it is", "&lt;new&gt;", "p “Hello &lt;b&gt;”", `alt="The page in the window of a phone"`)
	// Nobody looked is not the same as nothing was found.
	rec.Survey.Barriers = nil
	if strings.Contains(pageOf(t, rep, rec, nil), "For everybody") {
		t.Error("a page that nobody looked at is said to have no barriers")
	}
	rec.Survey.Barriers = []record.Barrier{}
	holds(t, pageOf(t, rep, rec, nil), "No barrier was found")
	rec.Survey, rec.Health.LongTasks = nil, record.LongTasks{}
	if strings.Contains(pageOf(t, rep, rec, nil), "How it runs") {
		t.Error("a run without a survey has one")
	}
}

// A picture of the survey that leads elsewhere is none.
func TestSurveyPictureElsewhere(t *testing.T) {
	rep, rec := twinned()
	rec.Survey = surveyed()
	rec.Survey.Phone.Picture = "../../secret.png"
	if strings.Contains(pageOf(t, rep, rec, nil), "secret") {
		t.Error("the page leads out of its folder")
	}
}

func TestPageSaysWhatTheMachineLacked(t *testing.T) {
	rep, rec := twinned()
	rep.Metadata.Environment = record.Environment{Browser: "Chromium", WebGL: "ANGLE (SwiftShader)", Cores: 2}
	holds(t, pageOf(t, rep, rec, nil), "The machine lacked", "a graphics card", "WebGPU", "<dt>Cores</dt><dd>2</dd>")
}

// The inputs of a search lie on the axis of the game's time.
func TestPageTellsTheSearch(t *testing.T) {
	rep, rec := twinned()
	rec.Twins.Observations = append(rec.Twins.Observations, record.Observation{Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "KeyX"}, Seconds: 6, Threw: "Uncaught TypeError: x\n at y"},
		record.Observation{Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "KeyY"}, Seconds: 8})
	rec.Twins.Alive.Looks = []record.AliveLook{{Seconds: 9, Moved: true}, {Seconds: 10}}
	holds(t, pageOf(t, rep, rec, &report.PageOptions{Files: files(t)}),
		"In the game's own time", "6.0 s: X: TypeError: x", "8.0 s: Y does nothing", "changes the game", "10.0 s: the picture stands still")
}

// How to make a hang happen again is told by the input that did not return.
func TestPageTellsHowToHang(t *testing.T) {
	const why = "The game does not come back from one of its frames: it hangs."
	rep, rec := twinned()
	rep.Status, rep.Checks = record.Fail, []record.Check{{Name: record.GameStable, State: record.Disproven, Cause: "hung", Reason: why}}
	rep.Issues = []record.Issue{{Severity: record.Critical, Description: why}}
	rec.Twins.Reason, rec.Twins.GameSeconds = `click "Go <b>" at 250,474: the page does not return from a step: no answer`, 2.5
	holds(t, pageOf(t, rep, rec, nil), "how to make it happen again", "after 2.5 s: click &#34;Go &lt;b&gt;&#34; at 250,474", "the page hangs")
}

// Pictures that show the same again are told once.
func TestPageLeavesOutRepetition(t *testing.T) {
	rep, rec := twinned()
	rep.Controls = nil
	same := picture(t, 32, 18)
	fs := files(t)
	for i, name := range []string{"one", "two", "three"} {
		fs["screenshots/"+name+".png"] = &fstest.MapFile{Data: same}
		rep.Screenshots = append(rep.Screenshots, record.Screenshot{Stage: "playing", Path: "screenshots/" + name + ".png", Time: at(float64(30 + i)), Note: "while playing, at 9 seconds of game time"})
	}
	page := pageOf(t, rep, rec, &report.PageOptions{Files: fs})
	if _, story, _ := strings.Cut(page, `id="story"`); strings.Contains(story, "two.png") || strings.Contains(story, "three.png") {
		t.Error("the same picture is told again")
	}
}

// What cannot be had from one host is one thing to mend.
func TestRootsOfAHost(t *testing.T) {
	var issues []record.Issue
	for _, font := range []string{"Caveat", "Mukta", "Orbitron"} {
		issues = append(issues, record.Issue{Severity: record.Minor, Description: "A resource of type stylesheet could not be loaded: css (its host was not found).", Evidence: "https://fonts.example/css?family=" + font})
	}
	issues = append(issues, record.Issue{Severity: record.Minor, Description: "A resource of type script could not be loaded: x.js (its host was not found).", Evidence: "https://other.example/x.js"})
	roots := report.Roots(&record.Report{Status: record.Pass, Issues: issues}, nil)
	if len(roots) != 2 || !strings.HasPrefix(roots[0].Description, "3 files could not be loaded: fonts.example") || len(roots[0].Also) != 2 || roots[0].Kind != "failed_load" {
		t.Errorf("%+v", roots)
	}
}
