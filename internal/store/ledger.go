package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Expense is a call to a model and what it cost, a row of the ledger.
type Expense struct {
	// Lease of the attempt that made it, 0 when it is not known.
	Lease        int64     `json:"lease,omitempty"`
	Time         time.Time `json:"time"`
	Purpose      string    `json:"purpose"`
	Model        string    `json:"model"`
	InputTokens  int64     `json:"inputTokens"`
	OutputTokens int64     `json:"outputTokens"`
	// Nano is the cost in billionths of a dollar, nil when nobody knows.
	Nano    *int64        `json:"costNano,omitempty"`
	Latency time.Duration `json:"latency"`
	Error   string        `json:"error,omitempty"`
	// Held is the most that the call can cost, while it is under way and for ever
	// when its worker died: then it counts in full.
	Held int64 `json:"heldNano,omitempty"`
}

// ErrOverBudget: a call was not made because the run's budget does not allow it.
var ErrOverBudget = errors.New("the run's budget is used up")

// OverBudget is an ErrOverBudget with the sums, in billionths of a dollar.
type OverBudget struct{ Need, Limit, Spent, Held int64 }

func (e *OverBudget) Error() string {
	return fmt.Sprintf("%v: a call for up to %d, of %d spent %d and held %d", ErrOverBudget, e.Need, e.Limit, e.Spent, e.Held)
}

// Unwrap makes it an ErrOverBudget.
func (e *OverBudget) Unwrap() error { return ErrOverBudget }

// Reserve writes down a call that is about to be made, with the most that it
// can cost (call.Held), and returns its row for Settle. What all attempts at the
// run have spent and hold must leave room for it under limit (nil for none):
// ErrOverBudget. Reserving waits for others on the same run.
func (s *Store) Reserve(ctx context.Context, l Lease, limit *int64, call Expense) (row int64, err error) {
	err = s.Update(ctx, func(t *Tx) error {
		if err := t.hold(ctx, l); err != nil {
			return err
		}
		if limit != nil {
			var spent, held int64
			if err := t.row(ctx, "ledger_sums", l.RunID).Scan(&spent, &held); err != nil {
				return fmt.Errorf("ledger_sums: %w", err)
			}
			if spent+held+call.Held > *limit {
				return &OverBudget{Need: call.Held, Limit: *limit, Spent: spent, Held: held}
			}
		}
		err := t.row(ctx, "ledger_reserve", l.RunID, l.Number, call.Time.UnixMilli(), call.Purpose, call.Model, call.Held).Scan(&row)
		if err != nil {
			return fmt.Errorf("ledger_reserve: %w", err)
		}
		return nil
	})
	return row, err
}

// Settle writes down what a reserved call came to. It asks for no lease: the
// money was spent whoever holds the run by now, and the row is the call's own.
func (s *Store) Settle(ctx context.Context, id string, row int64, call Expense) error {
	return s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "ledger_settle", row, id, call.InputTokens, call.OutputTokens, call.Nano, call.Latency.Milliseconds(), text(call.Error))
		return err
	})
}

// Spent is what a run's calls cost so far and what is held for those that have
// not been settled, in billionths of a dollar, over all attempts.
func (s *Store) Spent(ctx context.Context, id string) (spent, held int64, err error) {
	if err := s.row(ctx, "ledger_sums", id).Scan(&spent, &held); err != nil {
		return 0, 0, fmt.Errorf("sum up a run's ledger: %w", err)
	}
	return spent, held, nil
}

// spend adds calls that were made without a queue.
func (t *Tx) spend(ctx context.Context, l Lease, calls []Expense) error {
	return t.each(ctx, "ledger_insert", len(calls), func(i int) []any {
		c := calls[i]
		return []any{l.RunID, l.Number, c.Time.UnixMilli(), c.Purpose, c.Model, c.InputTokens, c.OutputTokens, c.Nano, c.Latency.Milliseconds(), text(c.Error)}
	})
}

// Ledger returns the calls of a run, oldest first.
func (s *Store) Ledger(ctx context.Context, id string) ([]Expense, error) {
	return rows(ctx, s, func(row scanner) (Expense, error) {
		var e Expense
		var ms, latency sql.NullInt64
		var message sql.NullString
		var settled int
		err := row.Scan(&e.Lease, &ms, &e.Purpose, &e.Model, &e.InputTokens, &e.OutputTokens, &e.Nano, &latency, &message, &e.Held, &settled)
		e.Time, e.Latency, e.Error = at(ms), time.Duration(latency.Int64)*time.Millisecond, message.String
		if settled != 0 {
			e.Held = 0
		}
		return e, err
	}, "ledger_list", id)
}

// answer is when a model answered.
type answer struct {
	began, ended time.Time
	model        string
}

// answers are the calls that were answered, oldest first.
func (t *Tx) answers(ctx context.Context, id string) ([]answer, error) {
	found, err := t.tx.QueryContext(ctx, t.s.queries["ledger_answers"], id)
	return collect(found, err, func(row scanner) (answer, error) {
		var began, latency int64
		var a answer
		err := row.Scan(&began, &latency, &a.model)
		a.began = time.UnixMilli(began)
		a.ended = a.began.Add(time.Duration(latency) * time.Millisecond)
		return a, err
	}, "ledger_answers")
}
