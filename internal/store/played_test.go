package store_test

import (
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// A run that was played without a queue is kept like the others, with the times
// at which it was played, its events, its ledger, and the model behind each
// decision.
func TestAdd(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		rec, rep := sample("20261115-080000-1")
		rec.Target.URL = "http://h/"
		rec.Actions[0].Reasoning = "it is listened to"
		rec.Explore.Trials = []record.Trial{{ControlID: "key:ArrowLeft", Outcome: record.Responsive}}
		rec.Phases = []record.PhaseRun{{Phase: record.PhaseLoad, Started: rec.Started, Duration: 2 * time.Second}}
		rec.Decisions = append(rec.Decisions,
			record.Decision{Time: rec.Started.Add(5 * time.Second), Phase: "explore", Layer: "2 vision", What: "click", Why: "it says PLAY"},
			record.Decision{Time: rec.Started.Add(11 * time.Second), Phase: "explore", Layer: "agent", What: "press", Why: "it moves"})
		played := store.Played{
			Result: store.Result{Record: rec, Report: rep, Manifest: "abc"}, Worker: "me", Created: rec.Started.Add(-time.Second),
			Settings: store.Settings{Evaluator: "data"},
			Events:   []record.Event{{Time: rec.Started, Phase: "load", Kind: record.EventPhase, Message: "opening"}},
			Calls: []store.Expense{
				{Time: rec.Started.Add(4 * time.Second), Purpose: "decision", Model: "a/sees", Latency: time.Second},
				{Time: rec.Started.Add(5 * time.Second), Purpose: "decision", Model: "a/fails", Error: "timeout"},
				{Time: rec.Started.Add(10 * time.Second), Purpose: "agent", Model: "a/plays", Latency: time.Second},
			},
		}
		update(t, s, func(tx *store.Tx) error { return tx.Add(ctx, played) })
		r, err := s.Get(ctx, rec.RunID)
		if err != nil || r.Status != store.Completed || r.Verdict != record.Pass || r.Attempts != 1 || r.Evidence != 1 || r.Manifest != "abc" {
			t.Errorf("as added: %+v, %v", r, err)
		}
		if !r.Created.Equal(played.Created) || !r.Started.Equal(rec.Started) || !r.Finished.Equal(rec.Finished) {
			t.Errorf("created %v, started %v, finished %v; want %v, %v, %v", r.Created, r.Started, r.Finished, played.Created, rec.Started, rec.Finished)
		}
		if events, err := s.Events(ctx, rec.RunID, 0, 10); err != nil || len(events) != 1 || events[0].Message != "opening" {
			t.Errorf("events %+v, %v", events, err)
		}
		if ledger, err := s.Ledger(ctx, rec.RunID); err != nil || len(ledger) != 3 || ledger[2].Lease != 1 {
			t.Errorf("ledger %+v, %v", ledger, err)
		}
		if with, err := s.Settings(ctx, rec.RunID); err != nil || with != played.Settings {
			t.Errorf("settings %+v, %v", with, err)
		}
		attempts, err := s.Attempts(ctx, rec.RunID)
		if err != nil || len(attempts) != 1 || !attempts[0].Started.Equal(rec.Started) || !attempts[0].Ended.Equal(rec.Finished) {
			t.Errorf("attempts %+v, %v", attempts, err)
		}
		for _, want := range []struct {
			table, column string
			value         any
		}{
			{"agent_actions", "phase", "explore"}, {"agent_actions", "action", "keypress"}, {"agent_actions", "target", "ArrowLeft"},
			{"agent_actions", "reasoning", "it is listened to"}, {"agent_actions", "outcome", "moved"}, {"agent_actions", "success", 1.0}, {"agent_actions", "took_ms", 90.0},
			{"agent_actions", "timestamp", float64(rec.Started.UnixMilli())},
			{"control_discoveries", "control_id", "key:ArrowLeft"}, {"control_discoveries", "action_type", "keyboard"}, {"control_discoveries", "description", "left"},
			{"control_discoveries", "confidence", 0.9}, {"control_discoveries", "outcome", "responsive"}, {"control_discoveries", "discovered_at", float64(rec.Started.UnixMilli())},
			{"decision_log", "phase", "explore"},
		} {
			if got := column(t, s, rec.RunID, want.table, want.column); len(got) == 0 || got[0] != want.value {
				t.Errorf("%s.%s is %v, want %v", want.table, want.column, got, want.value)
			}
		}
		models := column(t, s, rec.RunID, "decision_log", "ai_model")
		if len(models) != 3 || models[0] != nil || models[1] != "a/sees" || models[2] != "a/plays" {
			t.Errorf("the models behind the decisions are %v", models)
		}
		if err := s.Update(ctx, func(tx *store.Tx) error { return tx.Add(ctx, played) }); err == nil {
			t.Error("the same run was added twice")
		}
	})
}
