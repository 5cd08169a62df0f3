package evaluate_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"playtest"
	"playtest/qa/evaluate"
)

// healthy is the record of a small keyboard game in which everything went well.
func healthy() *playtest.Record {
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	return &playtest.Record{
		Version: playtest.RecordVersion, RunID: "run", Target: playtest.Target{URL: "http://localhost/game/"},
		Started: start, Finished: start.Add(14 * time.Second),
		Environment: playtest.Environment{WebGL: "SwiftShader"},
		Load:        playtest.LoadRecord{Success: true, URL: "http://localhost/game/", Status: 200, Kind: "canvas2d", Ready: true, ReadyAfter: time.Second},
		Discover: playtest.DiscoverRecord{Coverage: true, Controls: []playtest.Control{
			{ID: "key:ArrowLeft", Type: playtest.ControlKey, Keys: []string{"ArrowLeft"}, Description: "key left arrow"},
		}},
		Explore: playtest.ExploreRecord{
			Start: playtest.StartRecord{Auto: true}, Played: 12 * time.Second,
			Trials: []playtest.Trial{{
				ControlID: "key:ArrowLeft", Outcome: playtest.Responsive, Reason: "its code ran and the picture changed because of it",
				Windows: 3, Negatives: 5, Delivered: 3, Recognised: true, Visible: true,
				Signals: []playtest.Signal{{Name: "picture", With: 0.1, P: 0.01, Holds: true}},
			}},
		},
		Health: playtest.HealthRecord{Modalities: []playtest.Modality{
			{Name: "keyboard", Listens: true, Delivered: 40, Ran: true}, {Name: "pointer"},
		}},
	}
}

func untouched(r *playtest.Record) {
	r.Explore.Trials[0] = playtest.Trial{ControlID: "key:ArrowLeft", Outcome: playtest.Unresponsive, Reason: "no code ran for it and nothing changed", Windows: 5, Negatives: 6, Delivered: 5}
	r.Explore.Exhausted = true
}

// inert makes the record that of a game which knows keys but did not get a file, and
// of which nothing ever changed.
func inert(r *playtest.Record) {
	untouched(r)
	r.Explore.Trials[0].Recognised = true
	r.Health.FailedLoads = []playtest.FailedLoad{{URL: "http://localhost/game/music.mp3", Type: "XHR", Status: 404, SameSite: true}}
	r.Health.Samples = []playtest.HealthSample{{At: time.Second}, {At: 2 * time.Second}}
}

func TestVerdict(t *testing.T) {
	const (
		yes     = playtest.Proven
		no      = playtest.Disproven
		unknown = playtest.Unknown
	)
	for _, tt := range []struct {
		name   string
		change func(*playtest.Record)
		want   playtest.Verdict
		checks [3]playtest.CheckState
		score  int
		says   string
	}{
		{"healthy", func(*playtest.Record) {}, playtest.Pass, [3]playtest.CheckState{yes, yes, yes}, 100, "can be played"},
		{"page not found", func(r *playtest.Record) {
			*r = playtest.Record{Target: r.Target, Load: playtest.LoadRecord{URL: r.Target.URL, Status: 404, Failure: &playtest.LoadFailure{Kind: "status", Message: "the server answered with status 404"}}}
		}, playtest.Fail, [3]playtest.CheckState{no, unknown, unknown}, 0, "status 404"},
		{"blank page", func(r *playtest.Record) { untouched(r); r.Load.Blank, r.Health.Modalities = true, nil }, playtest.Fail, [3]playtest.CheckState{no, no, yes}, 30, "blank"},
		{"missing script", func(r *playtest.Record) {
			untouched(r)
			r.Health.Modalities = nil
			r.Health.FailedLoads = []playtest.FailedLoad{{URL: "http://localhost/game/main.js", Type: "Script", Status: 404, SameSite: true}}
		}, playtest.Fail, [3]playtest.CheckState{no, no, yes}, 30, "main.js"},
		{"missing analytics", func(r *playtest.Record) {
			r.Health.FailedLoads = []playtest.FailedLoad{{URL: "https://example.com/analytics.js", Type: "Script", Status: 404}}
		}, playtest.Pass, [3]playtest.CheckState{yes, yes, yes}, 100, "can be played"},
		{"no picture came", func(r *playtest.Record) {
			r.Health.Pictures = playtest.Pictures{Asked: 7, Lost: 7}
			r.Health.FailedLoads = []playtest.FailedLoad{{URL: "http://localhost/game/card.png", Type: "Image", Status: 404, SameSite: true}}
		}, playtest.Fail, [3]playtest.CheckState{no, yes, yes}, 70, "card.png (status 404)"},
		{"some pictures are missing", func(r *playtest.Record) { r.Health.Pictures = playtest.Pictures{Asked: 9, Lost: 4} },
			playtest.Pass, [3]playtest.CheckState{yes, yes, yes}, 100, "can be played"},
		{"an error that comes with every key", func(r *playtest.Record) {
			r.Health.Exceptions = []playtest.ErrorGroup{{Text: "TypeError", Own: true, Count: 40, ByInput: 40, First: 2 * time.Second, Last: 10 * time.Second}}
		}, playtest.Pass, [3]playtest.CheckState{yes, yes, yes}, 100, "can be played"},
		{"an error that comes by itself", func(r *playtest.Record) {
			r.Health.Exceptions = []playtest.ErrorGroup{{Text: "TypeError", Own: true, Count: 40, ByInput: 12, First: 2 * time.Second, Last: 10 * time.Second}}
		}, playtest.Fail, [3]playtest.CheckState{yes, yes, no}, 70, "again and again"},
		{"hidden canvas", func(r *playtest.Record) { r.Health.Unseen = "the game's canvas is hidden" }, playtest.Fail, [3]playtest.CheckState{no, yes, yes}, 70, "hidden"},
		{"still loading", func(r *playtest.Record) { untouched(r); r.Load.Ready, r.Load.LoadingText = false, "Loading..." }, playtest.Fail, [3]playtest.CheckState{no, unknown, yes}, 30, "still loading"},
		{"loading for ever, though its library knows keys", func(r *playtest.Record) {
			inert(r)
			r.Load.LoadingText = "Loading..."
		}, playtest.Fail, [3]playtest.CheckState{no, unknown, yes}, 30, "music.mp3 could not be loaded"},
		{"its main script is made of a file that is missing", func(r *playtest.Record) {
			inert(r)
			r.Health.Exceptions = []playtest.ErrorGroup{{Text: "Uncaught SyntaxError: Unexpected token '<'", URL: "blob:http://localhost/fd08", Own: true, Count: 1}}
		}, playtest.Fail, [3]playtest.CheckState{no, unknown, yes}, 30, "music.mp3 could not be loaded"},
		{"something is missing, and something was seen to change", func(r *playtest.Record) {
			inert(r)
			r.Load.LoadingText = "Loading..."
			r.Health.Samples[1].Changed = 0.01
		}, playtest.VerdictError, [3]playtest.CheckState{yes, unknown, yes}, 60, "could not be judged"},
		{"handlers never run", func(r *playtest.Record) { untouched(r); r.Health.Modalities[0].Ran = false }, playtest.Fail, [3]playtest.CheckState{yes, no, yes}, 60, "never ran"},
		{"moves are ignored until something is pressed", func(r *playtest.Record) {
			untouched(r)
			r.Explore.Exhausted = false
			r.Health.Modalities = []playtest.Modality{{Name: "pointer", Listens: true, Delivered: 40}}
		}, playtest.VerdictError, [3]playtest.CheckState{yes, unknown, yes}, 60, "could not be judged"},
		{"presses never run a handler", func(r *playtest.Record) {
			untouched(r)
			r.Health.Modalities = []playtest.Modality{{Name: "pointer", Listens: true, Delivered: 40, Presses: 6}}
		}, playtest.Fail, [3]playtest.CheckState{yes, no, yes}, 60, "never ran"},
		{"keys stopped, clicks begin another round", func(r *playtest.Record) {
			r.Health.Modalities[0].Stopped = 40
			r.Discover.Controls[0].ID, r.Discover.Controls[0].Type = "click:canvas", playtest.ControlClick
			r.Explore.Trials[0].ControlID = "click:canvas"
			r.Explore.Start = playtest.StartRecord{Needed: true, Started: true, Attempts: []playtest.StartAttempt{{Gesture: "click \"PLAY\"", Effect: true}}}
		}, playtest.Fail, [3]playtest.CheckState{yes, no, yes}, 60, "another round"},
		{"keys stopped above the game", func(r *playtest.Record) { untouched(r); r.Health.Modalities[0].Stopped = 40 }, playtest.Fail, [3]playtest.CheckState{yes, no, yes}, 60, "key"},
		{"dead start button", func(r *playtest.Record) {
			untouched(r)
			r.Explore.Trials[0].Recognised = true
			r.Explore.Start = playtest.StartRecord{Needed: true, Dead: "Play"}
		}, playtest.Fail, [3]playtest.CheckState{yes, no, yes}, 60, `"Play"`},
		{"a title screen that follows the pointer", func(r *playtest.Record) {
			r.Discover.Controls[0].Type = playtest.ControlHover
			r.Explore.Start = playtest.StartRecord{Needed: true, Dead: "Play"}
		}, playtest.VerdictError, [3]playtest.CheckState{yes, unknown, yes}, 60, `"Play"`},
		{"moves are followed, presses are stopped", func(r *playtest.Record) {
			r.Discover.Controls[0].Type = playtest.ControlHover
			r.Health.Modalities = []playtest.Modality{{Name: "pointer", Listens: true, Ran: true, Delivered: 70, Stopped: 27, Presses: 30, StoppedPresses: 27}}
		}, playtest.Fail, [3]playtest.CheckState{yes, no, yes}, 60, "27 from them"},
		{"moves are followed, presses arrive", func(r *playtest.Record) {
			r.Discover.Controls[0].Type = playtest.ControlHover
			r.Health.Modalities = []playtest.Modality{{Name: "pointer", Listens: true, Ran: true, Delivered: 70, Presses: 30, StoppedPresses: 12}}
		}, playtest.Pass, [3]playtest.CheckState{yes, yes, yes}, 100, "can be played"},
		{"throws on input", func(r *playtest.Record) { untouched(r); r.Explore.Trials[0].Threw = "TypeError: x is undefined" }, playtest.Fail, [3]playtest.CheckState{yes, no, yes}, 60, "TypeError"},
		{"known but nothing seen", func(r *playtest.Record) {
			untouched(r)
			r.Explore.Trials[0].Outcome, r.Explore.Trials[0].Recognised = playtest.Undecided, true
		}, playtest.VerdictError, [3]playtest.CheckState{yes, unknown, yes}, 60, "could not be judged"},
		{"only a gamepad", func(r *playtest.Record) {
			untouched(r)
			r.Health.Modalities = nil
			r.Discover.Unsupported = []string{"a gamepad"}
		}, playtest.VerdictError, [3]playtest.CheckState{yes, unknown, yes}, 60, "gamepad"},
		{"no WebGL here", func(r *playtest.Record) {
			untouched(r)
			r.Load.Kind, r.Environment.WebGL = "webgl", ""
			r.Explore.Trials[0].Recognised = true
		}, playtest.VerdictError, [3]playtest.CheckState{unknown, unknown, yes}, 30, "WebGL"},
		{"hung", func(r *playtest.Record) {
			r.Health.Hung = &playtest.Incident{What: "the page did not answer for 8 seconds"}
		}, playtest.Fail, [3]playtest.CheckState{yes, yes, no}, 70, "did not answer"},
		{"crashed", func(r *playtest.Record) {
			r.Health.Crashed = &playtest.Incident{What: "the page's process crashed"}
		}, playtest.Fail, [3]playtest.CheckState{yes, yes, no}, 70, "crashed"},
		{"stopped drawing", func(r *playtest.Record) {
			r.Health.Stopped = &playtest.Incident{What: "the game stopped drawing"}
		}, playtest.Fail, [3]playtest.CheckState{yes, yes, no}, 70, "stopped"},
		{"exception in every frame", func(r *playtest.Record) {
			r.Health.Exceptions = []playtest.ErrorGroup{{Text: "TypeError: y", Own: true, Count: 400, First: time.Second, Last: 12 * time.Second}}
		}, playtest.Fail, [3]playtest.CheckState{yes, yes, no}, 70, "400 times"},
		{"what the code knows throws, and nothing else does anything", func(r *playtest.Record) {
			untouched(r)
			for _, id := range []string{"click:canvas", "hover:canvas", "drag:canvas"} {
				r.Discover.Controls = append(r.Discover.Controls, playtest.Control{ID: id, Type: playtest.ControlClick})
				r.Explore.Trials = append(r.Explore.Trials, playtest.Trial{ControlID: id, Outcome: playtest.Unresponsive, Windows: 2})
			}
			r.Discover.Controls = append(r.Discover.Controls, playtest.Control{ID: "click:go", Type: playtest.ControlClick})
			r.Explore.Trials = append(r.Explore.Trials, playtest.Trial{ControlID: "click:go", Outcome: playtest.Unresponsive, Windows: 5, Recognised: true, Threw: "TypeError: x"})
		}, playtest.Fail, [3]playtest.CheckState{yes, no, yes}, 60, "TypeError: x"},
		{"an advert that throws all the time", func(r *playtest.Record) {
			r.Health.Exceptions = []playtest.ErrorGroup{{Text: "TypeError: y", Count: 400, First: time.Second, Last: 12 * time.Second}}
		}, playtest.Pass, [3]playtest.CheckState{yes, yes, yes}, 100, "can be played"},
		{"a game that shows templates", func(r *playtest.Record) {
			r.Load.RawTemplate = "Hello ${name}"
			r.Health.FailedLoads = []playtest.FailedLoad{{URL: "http://cdn.example/banner.js", Type: "Script", Status: 404}}
		}, playtest.Pass, [3]playtest.CheckState{yes, yes, yes}, 100, "can be played"},
		{"a few exceptions", func(r *playtest.Record) {
			r.Health.Exceptions = []playtest.ErrorGroup{{Text: "TypeError: z", Count: 5, First: time.Second, Last: 12 * time.Second}}
		}, playtest.Pass, [3]playtest.CheckState{yes, yes, yes}, 100, "can be played"},
		{"only the mute button answers", func(r *playtest.Record) {
			untouched(r)
			r.Discover.Controls = append(r.Discover.Controls, playtest.Control{ID: "click:mute", Type: playtest.ControlClick, Text: "Mute", Aside: true})
			r.Explore.Trials = append(r.Explore.Trials, playtest.Trial{ControlID: "click:mute", Outcome: playtest.Responsive, Recognised: true, Visible: true})
			r.Health.Modalities[0].Ran = false
		}, playtest.Fail, [3]playtest.CheckState{yes, no, yes}, 60, "never ran"},
		{"started, then nothing was found", func(r *playtest.Record) {
			untouched(r)
			r.Explore.Start.Started = true
		}, playtest.VerdictError, [3]playtest.CheckState{yes, unknown, yes}, 60, "could not be judged"},
		{"cancelled", func(r *playtest.Record) {
			r.Interrupted = "cancelled"
			r.Explore = playtest.ExploreRecord{}
			r.Discover.Controls = nil
		}, playtest.VerdictError, [3]playtest.CheckState{yes, unknown, unknown}, 30, "could not be judged"},
		{"browser lost in the end", func(r *playtest.Record) { r.Interrupted = playtest.BrowserLost }, playtest.VerdictError, [3]playtest.CheckState{yes, yes, unknown}, 70, "browser was lost"},
		{"browser lost while it loaded", func(r *playtest.Record) {
			r.Interrupted = playtest.BrowserLost
			r.Load.Ready, r.Load.Pending = false, []string{"Script http://localhost/game/main.js"}
			r.Explore, r.Discover.Controls = playtest.ExploreRecord{}, nil
		}, playtest.VerdictError, [3]playtest.CheckState{unknown, unknown, unknown}, 0, "browser was lost"},
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
			if rep.Status == playtest.Fail && (len(rep.Issues) == 0 || rep.Issues[0].Severity != playtest.Critical) {
				t.Errorf("a failed game has no critical issue: %+v", rep.Issues)
			}
			if rep.Status == playtest.VerdictError && rep.Help == "" {
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
			rec.Health.Stopped = &playtest.Incident{What: "stopped"}
		}
		rep := evaluate.Evaluate(rec, rec.Finished)
		if !possible[rep.PlayabilityScore] {
			t.Errorf("score %d is not possible", rep.PlayabilityScore)
		}
		reached[rep.PlayabilityScore] = true
		if (rep.Status == playtest.Pass) != (mask == 0) {
			t.Errorf("mask %d: %s", mask, rep.Status)
		}
	}
	if !maps.Equal(reached, possible) {
		t.Errorf("the scores are %v, want each of %v", reached, possible)
	}
}

func TestRubricChangesWeightsAndThreshold(t *testing.T) {
	rec := healthy()
	rec.Target.Rubric = &playtest.Rubric{Weights: map[string]float64{playtest.MetricLoad: 1}, Threshold: 80}
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
