package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/model"
)

// Account charges the calls of a run to its ledger in the database before they
// are made, so that a worker that is killed takes no expense with it, and the
// run's next attempt has what is left.
type Account struct {
	run   *queue.Held
	limit *int64
	log   *slog.Logger
}

// NewAccount is the account of a run that may spend limit over all its attempts,
// nil for as much as it likes.
func NewAccount(run *queue.Held, limit *model.Money, log *slog.Logger) *Account {
	a := &Account{run: run, log: log}
	if limit != nil {
		nano := int64(*limit)
		a.limit = &nano
	}
	return a
}

// Left is what the run may still spend, nil for as much as it likes.
func (a *Account) Left(ctx context.Context) (*model.Money, error) {
	if a.limit == nil {
		return nil, nil
	}
	spent, held, err := a.run.Store().Spent(ctx, a.run.Run.ID)
	left := model.Money(max(0, *a.limit-spent-held))
	return &left, err
}

// Hold writes a call down. While the database is away it is tried again for a
// moment; a call that cannot be written down is not made.
func (a *Account) Hold(ctx context.Context, e model.Entry, most model.Money) (func(model.Entry), error) {
	call := expense(e)
	call.Nano, call.Held = nil, int64(most)
	var row int64
	err := patiently(ctx, func(ctx context.Context) (err error) {
		row, err = a.run.Store().Reserve(ctx, a.run.Lease(), a.limit, call)
		return err
	})
	var over *store.OverBudget
	if errors.As(err, &over) {
		return nil, &model.BudgetError{Need: most, State: model.BudgetState{Limit: model.Money(over.Limit), Spent: model.Money(over.Spent), Reserved: model.Money(over.Held)}}
	}
	if err != nil {
		return nil, err
	}
	return func(e model.Entry) { a.settle(row, e) }, nil
}

// settle says what a call came to. When it cannot, the call counts in full.
func (a *Account) settle(row int64, e model.Entry) {
	err := patiently(context.Background(), func(ctx context.Context) error {
		return a.run.Store().Settle(ctx, a.run.Run.ID, row, expense(e))
	})
	if err != nil {
		a.log.Warn("settle a call in the ledger", "error", err)
	}
}

// patiently tries something again while the database is away, for a moment.
func patiently(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, telling)
	defer cancel()
	for {
		err := do(ctx)
		if err == nil || errors.Is(err, store.ErrLost) || errors.Is(err, store.ErrOverBudget) || store.Permanent(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// Expenses are the calls in a run's book, for a run that was played without a
// queue.
func Expenses(l *model.Ledger) []store.Expense {
	var out []store.Expense
	for _, e := range l.Entries() {
		out = append(out, expense(e))
	}
	return out
}

func expense(e model.Entry) store.Expense {
	c := store.Expense{
		Time: e.Time, Purpose: e.Purpose, Model: e.Model, InputTokens: int64(e.Usage.In()), OutputTokens: int64(e.Usage.Out()),
		Latency: e.Latency, Error: e.Error,
	}
	if e.Cost.Known {
		nano := int64(e.Cost.Amount)
		c.Nano = &nano
	}
	return c
}
