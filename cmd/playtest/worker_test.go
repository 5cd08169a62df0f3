package main

import (
	"testing"

	"github.com/playtest-dev/playtest/internal/qa"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// A worker's models and its budget are those of the runs that need them.
func TestWorkerEquipsRuns(t *testing.T) {
	t.Setenv("PLAYTEST_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("ANTHROPIC_API_KEY", "a-key")
	w := workerSettings{model: "anthropic/claude-haiku-5-5"}
	db := storetest.Open(t, storetest.SQLite(t))
	two, none := 2.0, 0.0
	for _, tt := range []struct {
		name   string
		mode   record.Mode
		budget *float64
		model  bool
		limit  model.Money // 0 for none
	}{
		{"standard", record.ModeStandard, &two, false, 0},
		{"adaptive", record.ModeAdaptive, &two, true, 2 * model.Dollar},
		{"adaptive, nothing to spend", record.ModeAdaptive, &none, true, 0},
		{"agent, the usual budget", record.ModeAgent, nil, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var opts qa.Options
			if err := w.equip(db, tt.budget)(record.Target{Mode: tt.mode}, &opts); err != nil {
				t.Fatal(err)
			}
			if (opts.Model != nil) != tt.model || opts.Book == nil {
				t.Errorf("model %v, book %v", opts.Model, opts.Book)
			}
			given := tt.model && tt.budget != nil
			if (opts.Budget != nil) != given || given && *opts.Budget != tt.limit {
				t.Errorf("budget %v, want %v", opts.Budget, tt.limit)
			}
		})
	}
}
