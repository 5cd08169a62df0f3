package model

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// Entry is one attempt at a call, successful or not.
type Entry struct {
	Time    time.Time     `json:"time"`
	Purpose string        `json:"purpose"`
	Model   string        `json:"model"`
	Latency time.Duration `json:"latency"`
	Usage   Usage         `json:"usage"`
	Cost    Cost          `json:"cost"`
	// Attempt counts from 1 per provider; Failover is set when an earlier
	// provider of the chain could not answer.
	Attempt   int    `json:"attempt"`
	Failover  bool   `json:"failover,omitempty"`
	Cached    bool   `json:"cached,omitempty"`
	RequestID string `json:"request_id,omitempty"`
	// Error is what went wrong, "" when nothing did. Uncertain marks a failed
	// call that the vendor may charge for; its cost is what was reserved.
	Error     string `json:"error,omitempty"`
	Uncertain bool   `json:"uncertain,omitempty"`
}

// Ledger is the book of a run's calls. Safe for use by many goroutines.
type Ledger struct {
	mu      sync.Mutex
	entries []Entry
}

// Sum is what a set of entries comes to.
type Sum struct {
	Calls     int           `json:"calls"`
	Failed    int           `json:"failed"`
	Failovers int           `json:"failovers"`
	Cached    int           `json:"cached"`
	Usage     Usage         `json:"usage"`
	Cost      Cost          `json:"cost"`
	Latency   time.Duration `json:"latency"`
}

func (l *Ledger) add(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
}

// Entries are all attempts so far, oldest first.
func (l *Ledger) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

// Total sums everything up.
func (l *Ledger) Total() Sum { return sum(l.Entries()) }

// ByPurpose sums up per purpose.
func (l *Ledger) ByPurpose() map[string]Sum {
	groups := map[string][]Entry{}
	for _, e := range l.Entries() {
		groups[e.Purpose] = append(groups[e.Purpose], e)
	}
	sums := map[string]Sum{}
	for purpose, entries := range groups {
		sums[purpose] = sum(entries)
	}
	return sums
}

func sum(entries []Entry) Sum {
	s := Sum{Cost: Cost{Known: true}}
	for _, e := range entries {
		s.Calls++
		if e.Error != "" {
			s.Failed++
		}
		if e.Failover {
			s.Failovers++
		}
		if e.Cached {
			s.Cached++
		}
		s.Usage = s.Usage.Add(e.Usage)
		s.Cost = s.Cost.Add(e.Cost)
		s.Latency += e.Latency
	}
	return s
}

// failureWord is a short stable name of what went wrong, for the ledger, spans
// and metrics.
func failureWord(err error) string {
	for kind, word := range failureWords {
		if errors.Is(err, kind) {
			return word
		}
	}
	return "error"
}

var failureWords = map[error]string{
	ErrAuth: "auth", ErrPermission: "permission", ErrNotFound: "not_found", ErrQuota: "quota",
	ErrRateLimit: "rate_limit", ErrOverloaded: "overloaded", ErrServer: "server", ErrTimeout: "timeout",
	ErrNetwork: "network", ErrBroken: "broken", ErrGarbage: "garbage", ErrEmpty: "empty",
	ErrContextTooLong: "context_too_long", ErrImage: "image", ErrBadRequest: "bad_request",
	ErrUnsupported: "unsupported", ErrRefusal: "refusal", ErrFilter: "filter", ErrSchema: "schema",
	ErrLength: "length", ErrBudget: "budget", ErrPriceUnknown: "price_unknown",
	ErrCircuitOpen: "circuit_open", ErrNoModel: "no_model",
}
