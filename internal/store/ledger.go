package store

import (
	"context"
	"database/sql"
	"time"
)

// Expense is a call to a model and what it cost, a row of the ledger.
type Expense struct {
	Time         time.Time `json:"time"`
	Purpose      string    `json:"purpose"`
	Model        string    `json:"model"`
	InputTokens  int64     `json:"inputTokens"`
	OutputTokens int64     `json:"outputTokens"`
	// Nano is the cost in billionths of a dollar, nil when nobody knows.
	Nano    *int64        `json:"costNano,omitempty"`
	Latency time.Duration `json:"latency"`
	Error   string        `json:"error,omitempty"`
}

// Spend adds calls to the ledger of a run.
func (t *Tx) Spend(ctx context.Context, id string, calls []Expense) error {
	return t.each(ctx, "ledger_insert", len(calls), func(i int) []any {
		c := calls[i]
		return []any{id, c.Time.UnixMilli(), c.Purpose, c.Model, c.InputTokens, c.OutputTokens, c.Nano, c.Latency.Milliseconds(), text(c.Error)}
	})
}

// Ledger returns the calls of a run, oldest first.
func (s *Store) Ledger(ctx context.Context, id string) ([]Expense, error) {
	return rows(ctx, s, func(row scanner) (Expense, error) {
		var e Expense
		var ms, latency sql.NullInt64
		var message sql.NullString
		err := row.Scan(&ms, &e.Purpose, &e.Model, &e.InputTokens, &e.OutputTokens, &e.Nano, &latency, &message)
		e.Time, e.Latency, e.Error = at(ms), time.Duration(latency.Int64)*time.Millisecond, message.String
		return e, err
	}, "ledger_list", id)
}
