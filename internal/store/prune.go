package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Ended returns when each run ended that has, except those that are marked to
// be removed.
func (s *Store) Ended(ctx context.Context) (map[string]time.Time, error) {
	type end struct {
		id string
		at time.Time
	}
	ends, err := rows(ctx, s, func(row scanner) (end, error) {
		var e end
		var ms sql.NullInt64
		err := row.Scan(&e.id, &ms)
		e.at = at(ms)
		return e, err
	}, "prune_candidates")
	out := make(map[string]time.Time, len(ends))
	for _, e := range ends {
		out[e.id] = e.at
	}
	return out, err
}

// MarkRuns hides runs that have ended from lists. They will be removed.
func (s *Store) MarkRuns(ctx context.Context, ids []string) error {
	return s.Update(ctx, func(t *Tx) error {
		return t.each(ctx, "prune_mark", len(ids), func(i int) []any { return []any{ids[i]} })
	})
}

// MarkedRuns lists the runs that are marked.
func (s *Store) MarkedRuns(ctx context.Context) ([]string, error) {
	return rows(ctx, s, func(row scanner) (id string, err error) { return id, row.Scan(&id) }, "prune_marked")
}

// DeleteRuns removes marked runs with all their rows.
func (s *Store) DeleteRuns(ctx context.Context, ids []string) error {
	return s.Update(ctx, func(t *Tx) error {
		return t.each(ctx, "prune_delete", len(ids), func(i int) []any { return []any{ids[i]} })
	})
}

// HasRun reports whether there is such a run, marked or not.
func (s *Store) HasRun(ctx context.Context, id string) (bool, error) {
	var n int
	if err := s.row(ctx, "prune_exists", id).Scan(&n); err != nil {
		return false, fmt.Errorf("look for a run: %w", err)
	}
	return n > 0, nil
}
