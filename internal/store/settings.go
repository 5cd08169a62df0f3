package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
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
