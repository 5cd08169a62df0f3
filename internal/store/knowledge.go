package store

import "context"

// Knowledge returns what was learnt from games, by id. What it says is its
// writer's matter.
func (s *Store) Knowledge(ctx context.Context) (map[string][]byte, error) {
	type entry struct {
		id   string
		data []byte
	}
	entries, err := rows(ctx, s, func(row scanner) (e entry, err error) { return e, row.Scan(&e.id, &e.data) }, "knowledge_list")
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(entries))
	for _, e := range entries {
		out[e.id] = e.data
	}
	return out, nil
}

// PutKnowledge keeps something in place of what has the same id.
func (s *Store) PutKnowledge(ctx context.Context, id string, data []byte) error {
	return s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "knowledge_put", id, data)
		return err
	})
}

// DeleteKnowledge removes something. That it is not there is no error.
func (s *Store) DeleteKnowledge(ctx context.Context, id string) error {
	return s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "knowledge_delete", id)
		return err
	})
}
