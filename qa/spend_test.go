package qa_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"playtest"
	"playtest/qa"
)

// answering is the record of a game that passes.
func answering(mode playtest.Mode) *playtest.Record {
	start := time.Date(2026, 11, 14, 9, 30, 0, 0, time.UTC)
	return &playtest.Record{
		Version: playtest.RecordVersion, RunID: "run", Target: playtest.Target{URL: "http://localhost/", Mode: mode}, Started: start, Finished: start.Add(14 * time.Second),
		Environment: playtest.Environment{WebGL: "SwiftShader"},
		Load:        playtest.LoadRecord{Success: true, URL: "http://localhost/", Status: 200, Kind: "canvas2d", Ready: true, ReadyAfter: time.Second},
		Discover:    playtest.DiscoverRecord{Controls: []playtest.Control{{ID: "key:Space", Type: playtest.ControlKey, Keys: []string{"Space"}, Description: "key space"}}},
		Explore: playtest.ExploreRecord{Start: playtest.StartRecord{Auto: true}, Played: 12 * time.Second, Trials: []playtest.Trial{{
			ControlID: "key:Space", Outcome: playtest.Responsive, Reason: "the picture changed", Windows: 3, Negatives: 5, Delivered: 3, Recognised: true, Visible: true,
		}}},
		Health: playtest.HealthRecord{Modalities: []playtest.Modality{{Name: "keyboard", Listens: true, Delivered: 40, Ran: true}}},
	}
}

// In agent mode nobody takes over: an agent that could not work leaves no pass,
// and turns no failure round.
func TestAgentThatCouldNotWork(t *testing.T) {
	failed := playtest.PhaseRun{Phase: playtest.PhaseExplore, Attempt: 1, Error: "agent mode: the key was not accepted"}
	for _, tt := range []struct {
		name   string
		mode   playtest.Mode
		change func(*playtest.Record)
		want   playtest.Verdict
		told   bool
	}{
		{"agent worked", playtest.ModeAgent, func(r *playtest.Record) { r.Phases = []playtest.PhaseRun{{Phase: playtest.PhaseExplore}} }, playtest.Pass, false},
		{"agent failed", playtest.ModeAgent, func(r *playtest.Record) { r.Phases = []playtest.PhaseRun{failed} }, playtest.VerdictError, true},
		{"agent failed on a game that crashed", playtest.ModeAgent, func(r *playtest.Record) {
			r.Phases, r.Health.Crashed = []playtest.PhaseRun{failed}, &playtest.Incident{What: "the page's process crashed"}
		}, playtest.Fail, true},
		{"an error of the standard mode", playtest.ModeStandard, func(r *playtest.Record) { r.Phases = []playtest.PhaseRun{failed} }, playtest.Pass, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := answering(tt.mode)
			tt.change(rec)
			rep := qa.Measured(rec, rec.Finished)
			told := false
			for _, i := range rep.Issues {
				told = told || strings.HasPrefix(i.Description, "The agent could not play") && i.Evidence == failed.Error
			}
			if rep.Status != tt.want || told != tt.told {
				t.Errorf("%s (%s), told %v, want %s, %v", rep.Status, rep.Summary, told, tt.want, tt.told)
			}
		})
	}
}

// What playing cost is in the report of a record however late it is judged,
// and an evaluator without a model leaves what was measured.
func TestJudgeCountsWhatWasSpent(t *testing.T) {
	rec := answering(playtest.ModeAdaptive)
	rec.Spent = &playtest.Spending{Calls: 4, Tokens: 12000, VisionTokens: 11000, Cost: 0.04, Unpriced: 1}
	for _, evaluator := range []string{"", "data"} {
		rep := qa.Judge(context.Background(), rec, &qa.Options{Evaluator: evaluator})
		if m := rep.Metadata; m.EstimatedCost != 0.04 || m.VisionAnalysisTokens != 11000 || m.UnpricedCalls != 1 {
			t.Errorf("evaluator %q: %v dollars, %d tokens, %d unpriced", evaluator, m.EstimatedCost, m.VisionAnalysisTokens, m.UnpricedCalls)
		}
		last := len(rep.Issues) - 1
		if silent := last < 0 || !strings.HasPrefix(rep.Issues[last].Description, "No model was asked"); silent != (evaluator == "") || rep.Status != playtest.Pass {
			t.Errorf("evaluator %q: %s, issues %+v", evaluator, rep.Status, rep.Issues)
		}
	}
}
