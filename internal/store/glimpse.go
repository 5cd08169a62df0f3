package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// maxGlimpse bounds what is kept of one: a small picture has a tenth of it.
const maxGlimpse = 512 << 10

// ErrGlimpse: a glimpse is too large to be kept.
var ErrGlimpse = errors.New("the glimpse is too large")

// WantGlimpses is the mark of somebody who watches a run that has not ended. It
// holds for the given time.
func (s *Store) WantGlimpses(ctx context.Context, run string, hold time.Duration) error {
	if _, err := s.write.ExecContext(ctx, s.queries["glimpse_want"], run, hold.Milliseconds()); err != nil {
		return fmt.Errorf("glimpse_want: %w", err)
	}
	return nil
}

// GlimpsesWanted reports whether somebody watches the run.
func (s *Store) GlimpsesWanted(ctx context.Context, run string) (bool, error) {
	var n int
	if err := s.row(ctx, "glimpse_wanted", run).Scan(&n); err != nil {
		return false, fmt.Errorf("glimpse_wanted: %w", err)
	}
	return n > 0, nil
}

// PutGlimpse shows a glimpse to those who watch, in the place of the one before. It
// does nothing when the lease is not the run's any more or nobody ever watched.
func (s *Store) PutGlimpse(ctx context.Context, l Lease, g *record.Glimpse) error {
	body, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("glimpse_put: %w", err)
	}
	if len(body) > maxGlimpse {
		return ErrGlimpse
	}
	if _, err := s.write.ExecContext(ctx, s.queries["glimpse_put"], l.RunID, l.Number, body); err != nil {
		return fmt.Errorf("glimpse_put: %w", err)
	}
	return nil
}

// Glimpse returns the newest glimpse of a run as JSON (see record.Glimpse) if its number is
// greater than the given one, ErrNotFound otherwise.
func (s *Store) Glimpse(ctx context.Context, run string, after int64) (number int64, body json.RawMessage, err error) {
	var data []byte
	switch err := s.row(ctx, "glimpse_get", run, after).Scan(&number, &data); {
	case errors.Is(err, sql.ErrNoRows):
		return 0, nil, ErrNotFound
	case err != nil:
		return 0, nil, fmt.Errorf("glimpse_get: %w", err)
	}
	return number, data, nil
}

// DropGlimpses forgets what was seen of a run and that somebody watched.
func (s *Store) DropGlimpses(ctx context.Context, run string) error {
	if _, err := s.write.ExecContext(ctx, s.queries["glimpse_drop"], run); err != nil {
		return fmt.Errorf("glimpse_drop: %w", err)
	}
	return nil
}
