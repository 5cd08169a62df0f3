package qa_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/record"
)

// answering is the record of a game that passes.
func answering(mode record.Mode) *record.Record {
	start := time.Date(2026, 11, 14, 9, 30, 0, 0, time.UTC)
	return &record.Record{
		Version: record.RecordVersion, RunID: "run", Target: record.Target{URL: "http://localhost/", Mode: mode}, Started: start, Finished: start.Add(14 * time.Second),
		Environment: record.Environment{WebGL: "SwiftShader"},
		Load:        record.LoadRecord{Success: true, URL: "http://localhost/", Status: 200, Kind: "canvas2d", Ready: true, ReadyAfter: time.Second},
		Discover:    record.DiscoverRecord{Controls: []record.Control{{ID: "key:Space", Type: record.ControlKey, Keys: []string{"Space"}, Description: "key space"}}},
		Explore: record.ExploreRecord{Start: record.StartRecord{Auto: true}, Played: 12 * time.Second, Trials: []record.Trial{{
			ControlID: "key:Space", Outcome: record.Responsive, Reason: "the picture changed", Windows: 3, Negatives: 5, Delivered: 3, Recognised: true, Visible: true,
		}}},
		Twins: &record.TwinRecord{
			Opened: true, Repeatable: true, Exhausted: true,
			Observations: []record.Observation{{
				Stage: "search", Input: record.Input{Kind: record.InputKey, Key: "Space"}, Offer: "key", Pixels: 120, Later: 90, New: true,
				Repeats: []record.Repeat{{Pixels: 80, New: true}},
			}},
			Alive: record.AliveRecord{Seconds: 60, Responds: true},
		},
	}
}

// In agent mode nobody takes over: an agent that could not work leaves no pass,
// and turns no failure round.
func TestAgentThatCouldNotWork(t *testing.T) {
	failed := record.PhaseRun{Phase: record.PhaseExplore, Attempt: 1, Error: "agent mode: the key was not accepted"}
	for _, tt := range []struct {
		name   string
		mode   record.Mode
		change func(*record.Record)
		want   record.Verdict
		told   bool
	}{
		{"agent worked", record.ModeAgent, func(r *record.Record) { r.Phases = []record.PhaseRun{{Phase: record.PhaseExplore}} }, record.Pass, false},
		{"agent failed", record.ModeAgent, func(r *record.Record) { r.Phases = []record.PhaseRun{failed} }, record.VerdictError, true},
		{"agent failed on a game that crashed", record.ModeAgent, func(r *record.Record) {
			r.Phases, r.Health.Crashed = []record.PhaseRun{failed}, &record.Incident{What: "the page's process crashed"}
		}, record.Fail, true},
		{"an error of the standard mode", record.ModeStandard, func(r *record.Record) { r.Phases = []record.PhaseRun{failed} }, record.Pass, false},
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
	rec := answering(record.ModeAdaptive)
	rec.Spent = &record.Spending{Calls: 4, Tokens: 12000, VisionTokens: 11000, Cost: 0.04, Unpriced: 1}
	for _, evaluator := range []string{"", "data"} {
		rep := qa.Judge(context.Background(), rec, &qa.Options{Evaluator: evaluator})
		if m := rep.Metadata; m.EstimatedCost != 0.04 || m.VisionAnalysisTokens != 11000 || m.UnpricedCalls != 1 {
			t.Errorf("evaluator %q: %v dollars, %d tokens, %d unpriced", evaluator, m.EstimatedCost, m.VisionAnalysisTokens, m.UnpricedCalls)
		}
		last := len(rep.Issues) - 1
		if silent := last < 0 || !strings.HasPrefix(rep.Issues[last].Description, "No model was asked"); silent != (evaluator == "") || rep.Status != record.Pass {
			t.Errorf("evaluator %q: %s, issues %+v", evaluator, rep.Status, rep.Issues)
		}
	}
}
