package queue

import (
	"sync"

	"github.com/playtest-dev/playtest/internal/store"
)

// leases are those that this process works under. The zero value has none.
type leases struct {
	mu   sync.Mutex
	held map[store.Lease]bool
}

func (l *leases) add(lease store.Lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[store.Lease]bool{}
	}
	l.held[lease] = true
}

func (l *leases) remove(lease store.Lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, lease)
}

func (l *leases) has(lease store.Lease) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[lease]
}
