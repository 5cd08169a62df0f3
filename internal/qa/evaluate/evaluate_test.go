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
		Twins: &record.TwinRecord{
			Opened: true, Repeatable: true, Animated: true, Exhausted: true,
			Observations: []record.Observation{{
				Stage: "search", Offer: "key", Input: record.Input{Kind: record.InputKey, Key: "ArrowLeft"}, Pixels: 400, Cells: []int{7}, Later: 400, New: true,
				Repeats: []record.Repeat{{Pixels: 380, New: true}},
			}},
			Screens:    []record.Screen{{Offers: 9, Tried: 4}},
			Alive:      record.AliveRecord{Seconds: 60, Responds: true},
			Modalities: []record.Modality{{Name: "keyboard", Listens: true, Delivered: 40, Ran: true}, {Name: "pointer"}},
		},
	}
}

// untouched makes the record that of a game of which no input has any effect.
func untouched(r *record.Record) {
	r.Explore.Trials[0] = record.Trial{ControlID: "key:ArrowLeft", Outcome: record.Unresponsive, Reason: "with the input the game looks as it does without it", Windows: 1, Negatives: 1, Delivered: 1}
	r.Twins.Observations = []record.Observation{{Stage: "search", Offer: "key", Input: record.Input{Kind: record.InputKey, Key: "ArrowLeft"}, Later: -1}}
}

func TestScoreIsTheSumOfWhatIsProven(t *testing.T) {
	possible := map[int]bool{0: true, 30: true, 40: true, 60: true, 70: true, 100: true}
	reached := map[int]bool{}
	for mask := range 8 {
		rec := healthy()
		if mask&1 != 0 {
			rec.Health.Pictures = record.Pictures{Asked: 5, Lost: 5}
		}
		if mask&2 != 0 {
			untouched(rec)
		}
		if mask&4 != 0 {
			rec.Health.ContextLost = &record.Incident{What: "the drawing context was lost"}
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
	rec.Discover, rec.Explore, rec.Health, rec.Twins = record.DiscoverRecord{}, record.ExploreRecord{}, record.HealthRecord{}, &record.TwinRecord{}
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

// An input that throws and does nothing is no control, and is something to mend all the same.
func TestThrowingInputsAreIssues(t *testing.T) {
	rec := healthy()
	rec.Explore.Trials[0].Threw = "Error: told by the control"
	for _, threw := range []string{"Error: told by the control", "TypeError: row is undefined\n  at slide", "TypeError: row is undefined\n  at turn"} {
		rec.Twins.Observations = append(rec.Twins.Observations, record.Observation{Stage: "search", Offer: "place", Input: record.Input{Kind: record.InputClick, At: record.Point{X: 3, Y: 4}}, Later: -1, Threw: threw})
	}
	var got []string
	for _, i := range evaluate.Evaluate(rec, rec.Finished).Issues {
		got = append(got, i.Description)
	}
	want := []string{"Operating key left arrow ends in an error.", "Operating click at 3,4 ends in an error."}
	if !slices.Equal(got, want) {
		t.Errorf("issues: %q, want %q", got, want)
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

// How much a game was played is counted from what was done in its minute, per control.
func TestPlayIsCounted(t *testing.T) {
	rec := healthy()
	rec.Twins.Alive.Presses = []record.PressCount{{Input: "left arrow", Count: 30}, {Input: "Space", Count: 29}}
	rec.Twins.Alive.States = 6
	rec.Explore.Progress = []record.Progress{{What: "score"}}
	rec.Actions = []record.Action{{Phase: record.PhaseExplore, Kind: "keypress", Target: "Space", Success: true}, {Phase: record.PhaseExplore, Kind: "keypress", Target: "Space"}}
	rep := evaluate.Evaluate(rec, rec.Finished)
	p := rep.Play
	if p == nil || p.Seconds != 60 || p.Presses != 59 || p.States != 6 || p.Progress != 1 || len(p.Controls) != 2 {
		t.Errorf("play %+v", p)
	}
	if m := rep.Metadata; m.ActionCount != 2 || m.SuccessfulActions != 1 {
		t.Errorf("%d actions, %d sent", m.ActionCount, m.SuccessfulActions)
	}
}

// A model's time is mostly thinking, and does not take the place of the minute that the
// game was played. Where the twins had nothing to play with it is what there is.
func TestPlayBesideAModel(t *testing.T) {
	rec := healthy()
	rec.Explore.Achieved = &record.Achieved{By: record.ModeAdaptive, Turns: 5, Seconds: 8, States: 3}
	rec.Explore.Played = 3 * time.Second
	rec.Twins.Alive.Presses = []record.PressCount{{Input: "Space", Count: 29}}
	if p := evaluate.Evaluate(rec, rec.Finished).Play; p.Seconds != 60 || p.Presses != 29 {
		t.Errorf("play %+v", p)
	}
	rec.Twins.Alive.Presses = nil
	rec.Actions = []record.Action{{Phase: record.PhaseExplore, Kind: "keypress", Target: "Space", URL: "http://h/", Success: true}}
	if p := evaluate.Evaluate(rec, rec.Finished).Play; p.Seconds != 8 || p.Presses != 1 || p.States != 3 {
		t.Errorf("play %+v", p)
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

// The technical score is not that of a sound game where the inputs throw or nothing
// loaded, and nothing is said that nobody knows.
func TestTechnicalScoreKnowsWhatWasMissed(t *testing.T) {
	tests := []struct {
		name   string
		change func(*record.Record)
		most   int
		says   string
		never  string
	}{
		{"a sound game", func(*record.Record) {}, 100, "The main thread was never blocked for long.", "0s at a stretch"},
		{"inputs that throw in the twins", func(r *record.Record) {
			untouched(r)
			for range 12 {
				o := r.Twins.Observations[0]
				o.Threw = "Uncaught TypeError: x"
				r.Twins.Observations = append(r.Twins.Observations, o)
			}
		}, 70, "12 errors went uncaught.", "No errors went uncaught"},
		{"a blank page", func(r *record.Record) {
			r.Load.Ready, r.Load.Blank, r.Load.Success = false, true, false
			r.Twins.Blank = true
			untouched(r)
		}, 40, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := healthy()
			tt.change(rec)
			rep := evaluate.Evaluate(rec, rec.Finished)
			i := slices.IndexFunc(rep.Metrics, func(m record.Metric) bool { return m.Name == metadata.MetricTechnical })
			if i < 0 {
				t.Fatalf("no technical score in %+v", rep.Metrics)
			}
			m := rep.Metrics[i]
			if m.Score > tt.most || !strings.Contains(m.Justification, tt.says) || tt.never != "" && strings.Contains(m.Justification, tt.never) {
				t.Errorf("%d: %s", m.Score, m.Justification)
			}
		})
	}
}
