package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// Settings are how a run is to be played and judged, beyond what its target
// says. The zero value leaves everything to the worker.
type Settings struct {
	// Evaluator is who judges beside the measurements.
	Evaluator string `json:"evaluator,omitempty"`
	// Agent is who plays in agent mode.
	Agent string `json:"agent,omitempty"`
	// Model is a chain of models, by their names.
	Model string `json:"model,omitempty"`
	// Budget is the most that models may cost the run, over all its attempts, in
	// dollars. Nil is the worker's.
	Budget *float64 `json:"budget,omitempty"`
	// NoMemory plays without what was learned in earlier runs.
	NoMemory bool `json:"noMemory,omitempty"`
}

// Agents are who may play in agent mode, the usual one first.
var Agents = []string{"tools", "computer"}

// Validate says what is wrong with the settings of a run in a mode. What is empty is
// left to the worker. Whether its models can be had is the gateway's to say.
func (s Settings) Validate(mode record.Mode) error {
	switch {
	case s.Agent != "" && !slices.Contains(Agents, s.Agent):
		return fmt.Errorf("agent %.40q is not one of %s", s.Agent, strings.Join(Agents, ", "))
	case s.Agent != "" && mode != record.ModeAgent:
		return errors.New("agent is for the mode agent")
	case s.Evaluator != "" && !slices.Contains(record.Evaluators, s.Evaluator):
		return fmt.Errorf("evaluator %.40q is not one of %s", s.Evaluator, strings.Join(record.Evaluators, ", "))
	case s.Budget != nil && *s.Budget < 0:
		return errors.New("budget is negative")
	}
	return nil
}

// encode is what the column holds, "" for the zero value.
func (s Settings) encode() (string, error) {
	if s == (Settings{}) {
		return "", nil
	}
	data, err := json.Marshal(s)
	return string(data), err
}

// Settings of a run.
func (s *Store) Settings(ctx context.Context, id string) (Settings, error) {
	var out Settings
	var column sql.NullString
	switch err := s.row(ctx, "run_settings", id).Scan(&column); {
	case errors.Is(err, sql.ErrNoRows):
		return out, ErrNotFound
	case err != nil:
		return out, fmt.Errorf("read a run's settings: %w", err)
	}
	if !column.Valid {
		return out, nil
	}
	if err := json.Unmarshal([]byte(column.String), &out); err != nil {
		return out, fmt.Errorf("read a run's settings: %w", err)
	}
	return out, nil
}
