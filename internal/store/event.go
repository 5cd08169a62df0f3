package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/playtest-dev/playtest/record"
)

// Event is a row of test_events.
type Event struct {
	// ID grows: ask for what came after the last one that was seen.
	ID    int64 `json:"id"`
	Lease int64 `json:"lease"`
	record.Event
}

// AddEvents keeps signs of life of one attempt at a run.
func (s *Store) AddEvents(ctx context.Context, l Lease, events []record.Event) error {
	return s.Update(ctx, func(t *Tx) error {
		if err := t.hold(ctx, l); err != nil {
			return err
		}
		return t.events(ctx, l, events)
	})
}

func (t *Tx) events(ctx context.Context, l Lease, events []record.Event) error {
	return t.each(ctx, "event_insert", len(events), func(i int) []any {
		e := events[i]
		return []any{l.RunID, l.Number, e.Phase, e.Kind, e.Message, e.Done, e.Total, e.Time.UnixMilli()}
	})
}

// Events returns up to limit events of a run that came after the given one,
// oldest first.
func (s *Store) Events(ctx context.Context, id string, after int64, limit int) ([]Event, error) {
	return rows(ctx, s, func(row scanner) (Event, error) {
		var e Event
		var ms sql.NullInt64
		err := row.Scan(&e.ID, &e.Lease, &e.Phase, &e.Kind, &e.Message, &e.Done, &e.Total, &ms)
		e.RunID, e.Time = id, at(ms)
		return e, err
	}, "event_list", id, after, limit)
}

// LastEvent is the number of the newest event of a run, 0 when there is none.
func (s *Store) LastEvent(ctx context.Context, id string) (int64, error) {
	var last int64
	if err := s.row(ctx, "event_last", id).Scan(&last); err != nil {
		return 0, fmt.Errorf("event_last: %w", err)
	}
	return last, nil
}
