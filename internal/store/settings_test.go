package store_test

import (
	"testing"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

func TestSettingsMistakes(t *testing.T) {
	t.Parallel()
	less, none := -0.5, 0.0
	for _, tt := range []struct {
		name string
		mode record.Mode
		with store.Settings
		want string
	}{
		{"nothing", "", store.Settings{}, ""},
		{"everything", record.ModeAgent, store.Settings{Evaluator: "vision", Agent: "computer", Budget: &none}, ""},
		{"an agent nobody knows", record.ModeAgent, store.Settings{Agent: "robot"}, `agent "robot" is not one of tools, computer`},
		{"an agent in another mode", record.ModeAdaptive, store.Settings{Agent: "tools"}, "agent is for the mode agent"},
		{"an evaluator nobody knows", record.ModeStandard, store.Settings{Evaluator: "oracle"}, `evaluator "oracle" is not one of heuristic, data, vision`},
		{"less than nothing to spend", record.ModeAgent, store.Settings{Budget: &less}, "budget is negative"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.with.Validate(tt.mode); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
