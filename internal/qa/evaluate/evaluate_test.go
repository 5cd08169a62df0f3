package evaluate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/evaluate"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// healthy is the record of a small keyboard game in which everything went well.
func healthy() *record.Record {
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	return &record.Record{
		Version: record.RecordVersion, RunID: "run", Target: record.Target{URL: "http://localhost/game/"},
		Started: start, Finished: start.Add(14 * time.Second),
		Environment: record.Environment{WebGL: "SwiftShader"},
		Load:        record.LoadRecord{Success: true, URL: "http://localhost/game/", Status: 200, Kind: "canvas2d", Ready: true, ReadyAfter: time.Second},
		Discover: record.DiscoverRecord{Coverage: true, Controls: []record.Control{
			{ID: "key:ArrowLeft", Type: record.ControlKey, Keys: []string{"ArrowLeft"}, Description: "key left arrow"},
		}},
		Explore: record.ExploreRecord{
			Start: record.StartRecord{Auto: true}, Played: 12 * time.Second,
			Trials: []record.Trial{{
				ControlID: "key:ArrowLeft", Outcome: record.Responsive, Reason: "its code ran and the picture changed because of it",
				Windows: 3, Negatives: 5, Delivered: 3, Recognised: true, Visible: true,
				Signals: []record.Signal{{Name: "picture", With: 0.1, P: 0.01, Holds: true}},
			}},
		},
		Health: record.HealthRecord{Modalities: []record.Modality{
			{Name: "keyboard", Listens: true, Delivered: 40, Ran: true}, {Name: "pointer"},
		}},
	}
}

func untouched(r *record.Record) {
	r.Explore.Trials[0] = record.Trial{ControlID: "key:ArrowLeft", Outcome: record.Unresponsive, Reason: "no code ran for it and nothing changed", Windows: 5, Negatives: 6, Delivered: 5}
	r.Explore.Exhausted = true
}

// inert makes the record that of a game which knows keys but did not get a file, and
// of which nothing ever changed.
func inert(r *record.Record) {
	untouched(r)
	r.Explore.Trials[0].Recognised = true
	r.Health.FailedLoads = []record.FailedLoad{{URL: "http://localhost/game/music.mp3", Type: "XHR", Status: 404, SameSite: true}}
	r.Health.Samples = []record.HealthSample{{At: time.Second}, {At: 2 * time.Second}}
}

func TestVerdict(t *testing.T) {
	const (
		yes     = record.Proven
		no      = record.Disproven
		unknown = record.Unknown
	)
	for _, tt := range []struct {
		name   string
		change func(*record.Record)
		want   record.Verdict
		checks [3]record.CheckState
		score  int
		says   string
	}{
		{"healthy", func(*record.Record) {}, record.Pass, [3]record.CheckState{yes, yes, yes}, 100, "can be played"},
		{"page not found", func(r *record.Record) {
			*r = record.Record{Target: r.Target, Load: record.LoadRecord{URL: r.Target.URL, Status: 404, Failure: &record.LoadFailure{Kind: "status", Message: "the server answered with status 404"}}}
		}, record.Fail, [3]record.CheckState{no, unknown, unknown}, 0, "status 404"},
		{"host not found", func(r *record.Record) {
			*r = record.Record{Target: r.Target, Load: record.LoadRecord{Failure: &record.LoadFailure{Kind: "dns", Message: "the game's host name could not be found"}}}
		}, record.VerdictError, [3]record.CheckState{unknown, unknown, unknown}, 0, "may have no network"},
		{"blank page", func(r *record.Record) { untouched(r); r.Load.Blank, r.Health.Modalities = true, nil }, record.Fail, [3]record.CheckState{no, no, yes}, 30, "blank"},
		{"missing script", func(r *record.Record) {
			untouched(r)
			r.Health.Modalities = nil
			r.Health.FailedLoads = []record.FailedLoad{{URL: "http://localhost/game/main.js", Type: "Script", Status: 404, SameSite: true}}
		}, record.Fail, [3]record.CheckState{no, no, yes}, 30, "main.js"},
		{"missing analytics", func(r *record.Record) {
			r.Health.FailedLoads = []record.FailedLoad{{URL: "https://example.com/analytics.js", Type: "Script", Status: 404}}
		}, record.Pass, [3]record.CheckState{yes, yes, yes}, 100, "can be played"},
		{"no picture came", func(r *record.Record) {
			r.Health.Pictures = record.Pictures{Asked: 7, Lost: 7}
			r.Health.FailedLoads = []record.FailedLoad{{URL: "http://localhost/game/card.png", Type: "Image", Status: 404, SameSite: true}}
		}, record.Fail, [3]record.CheckState{no, yes, yes}, 70, "card.png (status 404)"},
		{"some pictures are missing", func(r *record.Record) { r.Health.Pictures = record.Pictures{Asked: 9, Lost: 4} },
			record.Pass, [3]record.CheckState{yes, yes, yes}, 100, "can be played"},
		{"an error that comes with every key", func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "TypeError", Own: true, Count: 40, ByInput: 40, First: 2 * time.Second, Last: 10 * time.Second}}
		}, record.Pass, [3]record.CheckState{yes, yes, yes}, 100, "can be played"},
		{"an error that comes by itself", func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "TypeError", Own: true, Count: 40, ByInput: 12, First: 2 * time.Second, Last: 10 * time.Second}}
		}, record.Fail, [3]record.CheckState{yes, yes, no}, 70, "again and again"},
		{"hidden canvas", func(r *record.Record) { r.Health.Unseen = "the game's canvas is hidden" }, record.Fail, [3]record.CheckState{no, yes, yes}, 70, "hidden"},
		{"still loading", func(r *record.Record) { untouched(r); r.Load.Ready, r.Load.LoadingText = false, "Loading..." }, record.Fail, [3]record.CheckState{no, unknown, yes}, 30, "still loading"},
		{"loading for ever, though its library knows keys", func(r *record.Record) {
			inert(r)
			r.Load.LoadingText = "Loading..."
		}, record.Fail, [3]record.CheckState{no, unknown, yes}, 30, "music.mp3 could not be loaded"},
		{"its main script is made of a file that is missing", func(r *record.Record) {
			inert(r)
			r.Health.Exceptions = []record.ErrorGroup{{Text: "Uncaught SyntaxError: Unexpected token '<'", URL: "blob:http://localhost/fd08", Own: true, Count: 1}}
		}, record.Fail, [3]record.CheckState{no, unknown, yes}, 30, "music.mp3 could not be loaded"},
		{"something is missing, and something was seen to change", func(r *record.Record) {
			inert(r)
			r.Load.LoadingText = "Loading..."
			r.Health.Samples[1].Changed = 0.01
		}, record.VerdictError, [3]record.CheckState{yes, unknown, yes}, 60, "could not be judged"},
		{"handlers never run", func(r *record.Record) { untouched(r); r.Health.Modalities[0].Ran = false }, record.Fail, [3]record.CheckState{yes, no, yes}, 60, "never ran"},
		{"moves are ignored until something is pressed", func(r *record.Record) {
			untouched(r)
			r.Explore.Exhausted = false
			r.Health.Modalities = []record.Modality{{Name: "pointer", Listens: true, Delivered: 40}}
		}, record.VerdictError, [3]record.CheckState{yes, unknown, yes}, 60, "could not be judged"},
		{"presses never run a handler", func(r *record.Record) {
			untouched(r)
			r.Health.Modalities = []record.Modality{{Name: "pointer", Listens: true, Delivered: 40, Presses: 6}}
		}, record.Fail, [3]record.CheckState{yes, no, yes}, 60, "never ran"},
		{"keys stopped, clicks begin another round", func(r *record.Record) {
			r.Health.Modalities[0].Stopped = 40
			r.Discover.Controls[0].ID, r.Discover.Controls[0].Type = "click:canvas", record.ControlClick
			r.Explore.Trials[0].ControlID = "click:canvas"
			r.Explore.Start = record.StartRecord{Needed: true, Started: true, Attempts: []record.StartAttempt{{Gesture: "click \"PLAY\"", Effect: true}}}
		}, record.Fail, [3]record.CheckState{yes, no, yes}, 60, "another round"},
		{"keys stopped above the game", func(r *record.Record) { untouched(r); r.Health.Modalities[0].Stopped = 40 }, record.Fail, [3]record.CheckState{yes, no, yes}, 60, "key"},
		{"dead start button", func(r *record.Record) {
			untouched(r)
			r.Explore.Trials[0].Recognised = true
			r.Explore.Start = record.StartRecord{Needed: true, Dead: "Play"}
		}, record.Fail, [3]record.CheckState{yes, no, yes}, 60, `"Play"`},
		{"a title screen that follows the pointer", func(r *record.Record) {
			r.Discover.Controls[0].Type = record.ControlHover
			r.Explore.Start = record.StartRecord{Needed: true, Dead: "Play"}
		}, record.VerdictError, [3]record.CheckState{yes, unknown, yes}, 60, `"Play"`},
		{"moves are followed, presses are stopped", func(r *record.Record) {
			r.Discover.Controls[0].Type = record.ControlHover
			r.Health.Modalities = []record.Modality{{Name: "pointer", Listens: true, Ran: true, Delivered: 70, Stopped: 27, Presses: 30, StoppedPresses: 27}}
		}, record.Fail, [3]record.CheckState{yes, no, yes}, 60, "27 from them"},
		{"moves are followed, presses arrive", func(r *record.Record) {
			r.Discover.Controls[0].Type = record.ControlHover
			r.Health.Modalities = []record.Modality{{Name: "pointer", Listens: true, Ran: true, Delivered: 70, Presses: 30, StoppedPresses: 12}}
		}, record.Pass, [3]record.CheckState{yes, yes, yes}, 100, "can be played"},
		{"throws on input", func(r *record.Record) { untouched(r); r.Explore.Trials[0].Threw = "TypeError: x is undefined" }, record.Fail, [3]record.CheckState{yes, no, yes}, 60, "TypeError"},
		{"known but nothing seen", func(r *record.Record) {
			untouched(r)
			r.Explore.Trials[0].Outcome, r.Explore.Trials[0].Recognised = record.Undecided, true
		}, record.VerdictError, [3]record.CheckState{yes, unknown, yes}, 60, "could not be judged"},
		{"only a gamepad", func(r *record.Record) {
			untouched(r)
			r.Health.Modalities = nil
			r.Discover.Unsupported = []string{"a gamepad"}
		}, record.VerdictError, [3]record.CheckState{yes, unknown, yes}, 60, "gamepad"},
		{"no WebGL here", func(r *record.Record) {
			untouched(r)
			r.Load.Kind, r.Environment.WebGL = "webgl", ""
			r.Explore.Trials[0].Recognised = true
		}, record.VerdictError, [3]record.CheckState{unknown, unknown, yes}, 30, "WebGL"},
		{"hung", func(r *record.Record) {
			r.Health.Hung = &record.Incident{What: "the page did not answer for 8 seconds"}
		}, record.Fail, [3]record.CheckState{yes, yes, no}, 70, "did not answer"},
		{"crashed", func(r *record.Record) {
			r.Health.Crashed = &record.Incident{What: "the page's process crashed"}
		}, record.Fail, [3]record.CheckState{yes, yes, no}, 70, "crashed"},
		{"stopped drawing", func(r *record.Record) {
			r.Health.Stopped = &record.Incident{What: "the game stopped drawing"}
		}, record.Fail, [3]record.CheckState{yes, yes, no}, 70, "stopped"},
		{"exception in every frame", func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "TypeError: y", Own: true, Count: 400, First: time.Second, Last: 12 * time.Second}}
		}, record.Fail, [3]record.CheckState{yes, yes, no}, 70, "400 times"},
		{"what the code knows throws, and nothing else does anything", func(r *record.Record) {
			untouched(r)
			for _, id := range []string{"click:canvas", "hover:canvas", "drag:canvas"} {
				r.Discover.Controls = append(r.Discover.Controls, record.Control{ID: id, Type: record.ControlClick})
				r.Explore.Trials = append(r.Explore.Trials, record.Trial{ControlID: id, Outcome: record.Unresponsive, Windows: 2})
			}
			r.Discover.Controls = append(r.Discover.Controls, record.Control{ID: "click:go", Type: record.ControlClick})
			r.Explore.Trials = append(r.Explore.Trials, record.Trial{ControlID: "click:go", Outcome: record.Unresponsive, Windows: 5, Recognised: true, Threw: "TypeError: x"})
		}, record.Fail, [3]record.CheckState{yes, no, yes}, 60, "TypeError: x"},
		{"an advert that throws all the time", func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "TypeError: y", Count: 400, First: time.Second, Last: 12 * time.Second}}
		}, record.Pass, [3]record.CheckState{yes, yes, yes}, 100, "can be played"},
		{"a game that shows templates", func(r *record.Record) {
			r.Load.RawTemplate = "Hello ${name}"
			r.Health.FailedLoads = []record.FailedLoad{{URL: "http://cdn.example/banner.js", Type: "Script", Status: 404}}
		}, record.Pass, [3]record.CheckState{yes, yes, yes}, 100, "can be played"},
		{"a few exceptions", func(r *record.Record) {
			r.Health.Exceptions = []record.ErrorGroup{{Text: "TypeError: z", Count: 5, First: time.Second, Last: 12 * time.Second}}
		}, record.Pass, [3]record.CheckState{yes, yes, yes}, 100, "can be played"},
		{"only the mute button answers", func(r *record.Record) {
			untouched(r)
			r.Discover.Controls = append(r.Discover.Controls, record.Control{ID: "click:mute", Type: record.ControlClick, Text: "Mute", Aside: true})
			r.Explore.Trials = append(r.Explore.Trials, record.Trial{ControlID: "click:mute", Outcome: record.Responsive, Recognised: true, Visible: true})
			r.Health.Modalities[0].Ran = false
		}, record.Fail, [3]record.CheckState{yes, no, yes}, 60, "never ran"},
		{"started, then nothing was found", func(r *record.Record) {
			untouched(r)
			r.Explore.Start.Started = true
		}, record.VerdictError, [3]record.CheckState{yes, unknown, yes}, 60, "could not be judged"},
		{"cancelled", func(r *record.Record) {
			r.Interrupted = "cancelled"
			r.Explore = record.ExploreRecord{}
			r.Discover.Controls = nil
		}, record.VerdictError, [3]record.CheckState{yes, unknown, unknown}, 30, "could not be judged"},
		{"browser lost in the end", func(r *record.Record) { r.Interrupted = record.BrowserLost }, record.VerdictError, [3]record.CheckState{yes, yes, unknown}, 70, "browser was lost"},
		{"browser lost while it loaded", func(r *record.Record) {
			r.Interrupted = record.BrowserLost
			r.Load.Ready, r.Load.Pending = false, []string{"Script http://localhost/game/main.js"}
			r.Explore, r.Discover.Controls = record.ExploreRecord{}, nil
		}, record.VerdictError, [3]record.CheckState{unknown, unknown, unknown}, 0, "browser was lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := healthy()
			tt.change(rec)
			rep := evaluate.Evaluate(rec, rec.Finished)
			if rep.Status != tt.want {
				t.Errorf("status = %s, want %s: %s", rep.Status, tt.want, rep.Summary)
			}
			for i, c := range rep.Checks {
				if c.State != tt.checks[i] {
					t.Errorf("%s = %s, want %s: %s", c.Name, c.State, tt.checks[i], c.Reason)
				}
			}
			if rep.PlayabilityScore != tt.score {
				t.Errorf("score = %d, want %d", rep.PlayabilityScore, tt.score)
			}
			if !strings.Contains(rep.Summary, tt.says) {
				t.Errorf("summary %q does not say %q", rep.Summary, tt.says)
			}
			if len(rep.Metrics) != 5 || rep.OverallScore < 0 || rep.OverallScore > 100 {
				t.Errorf("metrics %v, overall %v", rep.Metrics, rep.OverallScore)
			}
			for _, m := range rep.Metrics {
				if m.Score < 0 || m.Score > 100 || m.Justification == "" {
					t.Errorf("metric %+v", m)
				}
			}
			if rep.Status == record.Fail && (len(rep.Issues) == 0 || rep.Issues[0].Severity != record.Critical) {
				t.Errorf("a failed game has no critical issue: %+v", rep.Issues)
			}
			if rep.Status == record.VerdictError && rep.Help == "" {
				t.Error("an undecided verdict says nothing of what would help")
			}
		})
	}
}

func TestScoreIsTheSumOfWhatIsProven(t *testing.T) {
	possible := map[int]bool{0: true, 30: true, 40: true, 60: true, 70: true, 100: true}
	reached := map[int]bool{}
	for mask := range 8 {
		rec := healthy()
		if mask&1 != 0 {
			rec.Health.Unseen = "hidden"
		}
		if mask&2 != 0 {
			untouched(rec)
		}
		if mask&4 != 0 {
			rec.Health.Stopped = &record.Incident{What: "stopped"}
		}
		rep := evaluate.Evaluate(rec, rec.Finished)
		if !possible[rep.PlayabilityScore] {
			t.Errorf("score %d is not possible", rep.PlayabilityScore)
		}
		reached[rep.PlayabilityScore] = true
		if (rep.Status == record.Pass) != (mask == 0) {
			t.Errorf("mask %d: %s", mask, rep.Status)
		}
	}
	if !maps.Equal(reached, possible) {
		t.Errorf("the scores are %v, want each of %v", reached, possible)
	}
}

func TestRubricChangesWeightsAndThreshold(t *testing.T) {
	rec := healthy()
	rec.Target.Rubric = &metadata.Rubric{Weights: map[string]float64{metadata.MetricLoad: 1}, Threshold: 80}
	rep := evaluate.Evaluate(rec, rec.Finished)
	if rep.Threshold != 80 || rep.Metrics[0].Weight != 1 || rep.OverallScore != float64(rep.Metrics[0].Score) {
		t.Errorf("threshold %d, weights %+v, overall %v", rep.Threshold, rep.Metrics, rep.OverallScore)
	}
}

func TestSameRecordSameReport(t *testing.T) {
	rec := healthy()
	a, b := evaluate.Evaluate(rec, rec.Finished), evaluate.Evaluate(rec, rec.Finished)
	if a.Summary != b.Summary || a.OverallScore != b.OverallScore || a.Confidence != b.Confidence {
		t.Errorf("two judgements of one record differ: %+v, %+v", a, b)
	}
}

func TestDefaultWeights(t *testing.T) {
	want := map[string]float64{metadata.MetricLoad: 0.15, metadata.MetricVisual: 0.2, metadata.MetricControls: 0.2, metadata.MetricPlayability: 0.3, metadata.MetricTechnical: 0.15}
	rep := evaluate.Evaluate(healthy(), time.Now())
	for _, m := range rep.Metrics {
		if m.Weight != want[m.Name] {
			t.Errorf("%s weighs %v, want %v", m.Name, m.Weight, want[m.Name])
		}
	}
	if len(rep.Metrics) != len(want) || rep.Threshold != 50 {
		t.Errorf("%d metrics, threshold %d", len(rep.Metrics), rep.Threshold)
	}
}

// A page that the server does not have is scored for nothing, and its reader is
// told what to do.
func TestPageNotFound(t *testing.T) {
	rec := healthy()
	rec.Load = record.LoadRecord{URL: rec.Target.URL, Status: 404, Failure: &record.LoadFailure{Kind: "status", Message: "the server answered with status 404"}}
	rec.Discover, rec.Explore, rec.Health = record.DiscoverRecord{}, record.ExploreRecord{}, record.HealthRecord{}
	rec.Phases = []record.PhaseRun{{Phase: record.PhaseLoad, Error: "x"}, {Phase: record.PhaseLoad, Error: "x"}}
	rep := evaluate.Evaluate(rec, rec.Finished)
	if rep.OverallScore > 2 || rep.Play != nil {
		t.Errorf("overall %v, metrics %+v", rep.OverallScore, rep.Metrics)
	}
	for _, want := range []string{"status 404", "Check the game's address.", "tried 2 times"} {
		if !strings.Contains(rep.Summary, want) {
			t.Errorf("%q is not in %q", want, rep.Summary)
		}
	}
}

// Everything in a report has its time.
func TestTimes(t *testing.T) {
	rec := healthy()
	opened := rec.Started.Add(2 * time.Second)
	rec.Phases = []record.PhaseRun{{Phase: record.PhaseLoad, Started: rec.Started}, {Phase: record.PhaseLoad, Started: opened}}
	rec.Health.Hung = &record.Incident{At: 5 * time.Second, What: "the page did not answer"}
	rec.Health.Exceptions = []record.ErrorGroup{{Text: "TypeError: z", Count: 5, First: 3 * time.Second, Last: 4 * time.Second}}
	rec.Health.ConsoleErrors = []record.ErrorGroup{{Text: "no sound", Count: 2, First: time.Second}}
	rec.Health.FailedLoads = []record.FailedLoad{{URL: "http://localhost/game/a.png", Type: "Image", Status: 404}}
	rep := evaluate.Evaluate(rec, rec.Finished)
	for _, i := range rep.Issues {
		if i.Time.Before(rec.Started) || i.Time.After(rec.Finished) {
			t.Errorf("%q is of %v", i.Description, i.Time)
		}
	}
	if first := rep.Issues[0]; first.At != 5 || !first.Time.Equal(opened.Add(5*time.Second)) {
		t.Errorf("the hang is of %v, %v", first.At, first.Time)
	}
	errs := rep.Metadata.ConsoleErrors
	if len(errs) != 2 || errs[0].Level != record.LevelError || errs[1].Level != record.LevelUncaught || !errs[1].Time.Equal(opened.Add(3*time.Second)) || errs[1].Count != 5 {
		t.Errorf("console errors %+v", errs)
	}
}

// The start that is named is what started the game, not what began another round.
func TestStartIsNamed(t *testing.T) {
	rec := healthy()
	rec.Explore.Start = record.StartRecord{Needed: true, Started: true, Attempts: []record.StartAttempt{
		{Gesture: `click "Options" at 1,1`, Tier: "text"},
		{Gesture: `click "PLAY" at 5,5`, Tier: "text", Effect: true},
		{Gesture: `click "Level 1" at 9,9`, Tier: "text", Effect: true},
		{Gesture: `click "PLAY AGAIN" at 5,5`, Tier: "text", Effect: true},
		{Gesture: "Enter", Tier: record.TierAgain, Effect: true},
	}}
	rep := evaluate.Evaluate(rec, rec.Finished)
	const want = `It was started by click "PLAY" at 5,5, then click "Level 1" at 9,9.`
	if got := rep.Metrics[3].Justification; !strings.Contains(got, want) {
		t.Errorf("%q does not say %q", got, want)
	}
}

// How much a game was played is counted from what was done, per control.
func TestPlayIsCounted(t *testing.T) {
	rec := healthy()
	press := func(target, why string, sent bool) record.Action {
		return record.Action{Phase: record.PhaseExplore, Kind: "keypress", Target: target, Reasoning: why, Success: sent}
	}
	rec.Actions = []record.Action{press("ArrowLeft", "a trial", true), press("ArrowLeft", "play", true), press("Space", "play", true), press("Space", "play", true), press("Space", "play", false)}
	rec.Actions = append(rec.Actions, record.Action{Phase: record.PhaseExplore, Kind: "click", Target: "the door", Reasoning: "it is open", URL: "http://localhost/game/", Success: true})
	rec.Explore.Progress = []record.Progress{{What: "score"}}
	rep := evaluate.Evaluate(rec, rec.Finished)
	p := rep.Play
	if p == nil || p.Seconds != 12 || p.Presses != 4 || p.Progress != 1 || len(p.Controls) != 3 || p.Controls[1] != (record.PressCount{Input: "Space", Count: 2}) {
		t.Errorf("play %+v", p)
	}
	if m := rep.Metadata; m.ActionCount != 6 || m.SuccessfulActions != 5 {
		t.Errorf("%d actions, %d sent", m.ActionCount, m.SuccessfulActions)
	}
}

// Where play was measured by itself, the time that the search took is not play.
func TestPlayIsNotTheSearch(t *testing.T) {
	rec := healthy()
	rec.Explore.Play = &record.PlayRecord{Seconds: 30, States: 7, Controls: []record.PressCount{{Input: "ArrowLeft", Count: 60}, {Input: "Space", Count: 40}}}
	rec.Explore.Played = 55 * time.Second
	rep := evaluate.Evaluate(rec, rec.Finished)
	if p := rep.Play; p.Seconds != 30 || p.Presses != 100 || p.States != 7 {
		t.Errorf("play %+v", p)
	}
	if want := "30 seconds of play"; !strings.Contains(rep.Summary, want) {
		t.Errorf("%q does not say %q", rep.Summary, want)
	}
	if got, want := rep.Check(record.GameStable).Reason, "55 seconds, 30 of them play"; !strings.Contains(got, want) {
		t.Errorf("%q does not say %q", got, want)
	}
}

// What a model's play measurably brought about shows that a game answers; what the
// model says about it does not.
func TestAchievements(t *testing.T) {
	played := record.Achieved{By: record.ModeAgent, Seconds: 40, Turns: 9, Effects: 5, Idle: 12, States: 6, Examples: []string{"keys Shift+KeyK"}}
	for _, tt := range []struct {
		name   string
		change func(*record.Record, *record.Achieved)
		want   record.Verdict
	}{
		{"several screens that idling did not show", func(*record.Record, *record.Achieved) {}, record.Pass},
		{"of a game that showed nothing before", func(r *record.Record, _ *record.Achieved) { r.Health.Unseen = "its canvas stays empty" }, record.Pass},
		{"a claim and nothing else", func(r *record.Record, _ *record.Achieved) {
			r.Explore.Achieved = nil
			r.Explore.Agent = &record.AgentVerdict{Success: true, Message: "The game works perfectly."}
		}, record.VerdictError},
		{"a switch has two states", func(_ *record.Record, a *record.Achieved) { a.States = 2 }, record.VerdictError},
		{"too few turns had an effect", func(_ *record.Record, a *record.Achieved) { a.Effects = 2 }, record.VerdictError},
		{"nobody looked how it is alone", func(_ *record.Record, a *record.Achieved) { a.Idle = 1 }, record.VerdictError},
		{"the picture moves by itself", func(_ *record.Record, a *record.Achieved) { a.Moves = true }, record.VerdictError},
		{"what answered lies beside the game", func(r *record.Record, _ *record.Achieved) {
			r.Discover.Controls = append(r.Discover.Controls, record.Control{ID: "click:mute", Type: record.ControlClick, Aside: true})
			r.Explore.Trials = append(r.Explore.Trials, record.Trial{ControlID: "click:mute", Outcome: record.Responsive})
		}, record.VerdictError},
		{"keys are dead", func(r *record.Record, _ *record.Achieved) { r.Health.Modalities[0].Ran = false }, record.Fail},
		{"and then it crashed", func(r *record.Record, _ *record.Achieved) {
			r.Health.Crashed = &record.Incident{What: "the page's process crashed"}
		}, record.Fail},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec, a := healthy(), played
			untouched(rec)
			rec.Target.Mode, rec.Explore.Achieved = record.ModeAgent, &a
			tt.change(rec, &a)
			rep := evaluate.Evaluate(rec, rec.Finished)
			if rep.Status != tt.want {
				t.Errorf("%s: %s", rep.Status, rep.Summary)
			}
			if tt.want == record.Pass && (rep.Confidence >= 0.98 || !strings.Contains(rep.Check(record.ControlsResponsive).Reason, "5 of 9 turns of agent play") || rep.Play.States != 6) {
				t.Errorf("confidence %v, play %+v, %q", rep.Confidence, rep.Play, rep.Check(record.ControlsResponsive).Reason)
			}
		})
	}
}

// What failed at first and what was done about it is in the report, in words.
func TestRetriesAreTold(t *testing.T) {
	rec := healthy()
	rec.Phases = []record.PhaseRun{
		{Phase: record.PhaseLoad, Attempt: 1, Error: "net::ERR_CONNECTION_REFUSED", Reason: "nobody answers there"},
		{Phase: record.PhaseLoad, Attempt: 2},
		{Phase: record.PhaseDiscover, Attempt: 1, Error: "context deadline exceeded", Reason: "it was not done after 45 seconds"},
		{Phase: record.PhaseDiscover, Attempt: 2, Instead: "only what is shown was looked at"},
	}
	var told []string
	for _, i := range evaluate.Evaluate(rec, rec.Finished).Issues {
		if strings.HasPrefix(i.Description, "Attempt") {
			told = append(told, i.Description)
		}
	}
	want := []string{
		`Attempt 1 at phase "load" failed: nobody answers there. Then the same was done again.`,
		`Attempt 1 at phase "discover" failed: it was not done after 45 seconds. Then only what is shown was looked at.`,
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}

	rec.Load = record.LoadRecord{Status: 503, Failure: &record.LoadFailure{Kind: "status", Message: "the server answered with status 503"},
		Retries: []record.LoadRetry{{Failure: "the server answered with status 429"}}}
	rec.Phases = []record.PhaseRun{{Phase: record.PhaseLoad, Error: "x", Reason: "nobody answers there"}, {Phase: record.PhaseLoad, Error: "x", Reason: "the server answered with status 503"}}
	if got, want := evaluate.Evaluate(rec, rec.Finished).Check(record.GameLoaded).Reason, "It was tried 3 times; before that the server answered with status 429, then nobody answers there."; !strings.Contains(got, want) {
		t.Errorf("%q does not say %q", got, want)
	}
}
