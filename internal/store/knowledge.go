package store

import (
	"context"
	"fmt"
)

// Knowledge is that of the default project.
func (s *Store) Knowledge(ctx context.Context) (map[string][]byte, error) {
	return s.Project(DefaultProject).Knowledge(ctx)
}

// ChangeKnowledge changes that of the default project.
func (s *Store) ChangeKnowledge(ctx context.Context, id string, change func(old []byte) ([]byte, error)) error {
	return s.Project(DefaultProject).ChangeKnowledge(ctx, id, change)
}

// DeleteKnowledge removes from that of the default project.
func (s *Store) DeleteKnowledge(ctx context.Context, id string) (bool, error) {
	return s.Project(DefaultProject).DeleteKnowledge(ctx, id)
}

// Knowledge returns what the project learnt from games, by id. What it says is
// its writer's matter.
func (p *Project) Knowledge(ctx context.Context) (map[string][]byte, error) {
	type entry struct {
		id   string
		data []byte
	}
	entries, err := rows(ctx, p.s, func(row scanner) (e entry, err error) { return e, row.Scan(&e.id, &e.data) }, "knowledge_list", p.id)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(entries))
	for _, e := range entries {
		out[e.id] = e.data
	}
	return out, nil
}

// ChangeKnowledge keeps what change makes of the entry with the id, which is
// empty when there is none. Whoever else changes it waits; nothing is kept when
// change returns an error.
func (p *Project) ChangeKnowledge(ctx context.Context, id string, change func(old []byte) ([]byte, error)) error {
	return p.s.Update(ctx, func(t *Tx) error {
		var old []byte
		if err := t.row(ctx, "knowledge_lock", p.id, id, []byte{}).Scan(&old); err != nil {
			return fmt.Errorf("knowledge_lock: %w", err)
		}
		data, err := change(old)
		if err != nil {
			return err
		}
		_, err = t.exec(ctx, "knowledge_put", p.id, id, data)
		return err
	})
}

// DeleteKnowledge removes an entry and reports whether there was one.
func (p *Project) DeleteKnowledge(ctx context.Context, id string) (had bool, err error) {
	err = p.s.Update(ctx, func(t *Tx) error {
		n, err := t.exec(ctx, "knowledge_delete", p.id, id)
		had = n > 0
		return err
	})
	return had, err
}
