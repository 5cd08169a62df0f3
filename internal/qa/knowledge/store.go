package knowledge

import (
	"context"
	"maps"
	"sync"
)

// Store keeps entries. What an entry says is the book's matter: a store keeps
// JSON by id. The methods are safe for use by many goroutines. The databases of
// internal/store are such stores, and [Ram] is one.
type Store interface {
	// Knowledge returns everything, by id. The caller owns the map.
	Knowledge(ctx context.Context) (map[string][]byte, error)
	// ChangeKnowledge keeps what change makes of an entry, which is empty when
	// there is none. Nobody else changes the entry meanwhile; nothing is kept
	// when change returns an error, which is then returned.
	ChangeKnowledge(ctx context.Context, id string, change func(old []byte) ([]byte, error)) error
	// DeleteKnowledge removes an entry and reports whether there was one.
	DeleteKnowledge(ctx context.Context, id string) (bool, error)
}

// Ram is a store that lasts as long as the process.
type Ram struct {
	mu   sync.Mutex
	rows map[string][]byte
}

// Knowledge returns everything.
func (r *Ram) Knowledge(context.Context) (map[string][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := maps.Clone(r.rows)
	if out == nil {
		out = map[string][]byte{}
	}
	return out, nil
}

// ChangeKnowledge keeps an entry.
func (r *Ram) ChangeKnowledge(_ context.Context, id string, change func(old []byte) ([]byte, error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := change(r.rows[id])
	if err != nil {
		return err
	}
	if r.rows == nil {
		r.rows = map[string][]byte{}
	}
	r.rows[id] = data
	return nil
}

// DeleteKnowledge removes an entry.
func (r *Ram) DeleteKnowledge(_ context.Context, id string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, had := r.rows[id]
	delete(r.rows, id)
	return had, nil
}
