package store

import (
	"context"
	"database/sql"
	"time"
)

// maxKnowledge bounds what is remembered; what was not used for longest goes.
const maxKnowledge = 10_000

// Knowledge is something that worked, or did not, on a kind of game.
type Knowledge struct {
	ID int64 `json:"id"`
	// Fingerprint describes the game, as JSON.
	Fingerprint string    `json:"fingerprint"`
	Kind        string    `json:"kind"` // start, control, ...
	What        string    `json:"what"`
	Successes   int       `json:"successes"`
	Failures    int       `json:"failures"`
	LastUsed    time.Time `json:"lastUsed"`
}

// Learn adds successes and failures to what is known.
func (s *Store) Learn(ctx context.Context, k Knowledge) error {
	return s.Update(ctx, func(t *Tx) error {
		if _, err := t.exec(ctx, "knowledge_note", k.Fingerprint, k.Kind, k.What, k.Successes, k.Failures); err != nil {
			return err
		}
		_, err := t.exec(ctx, "knowledge_bound", maxKnowledge)
		return err
	})
}

// Known returns what is known, last used first.
func (s *Store) Known(ctx context.Context, limit int) ([]Knowledge, error) {
	return rows(ctx, s, func(row scanner) (Knowledge, error) {
		var k Knowledge
		var used sql.NullInt64
		err := row.Scan(&k.ID, &k.Fingerprint, &k.Kind, &k.What, &k.Successes, &k.Failures, &used)
		k.LastUsed = at(used)
		return k, err
	}, "knowledge_list", limit)
}

// Forget removes one thing that is known.
func (s *Store) Forget(ctx context.Context, id int64) error {
	return s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "knowledge_forget", id)
		return err
	})
}
