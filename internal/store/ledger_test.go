package store_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

// A budget is the run's, over all attempts and whatever became of their workers:
// money is held before a call is made, and what a dead worker held is spent.
func TestBudgetOverAttempts(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		id := submit(t, s, game("http://h/"))[0].ID
		limit := int64(100)
		call := func(most int64) store.Expense {
			return store.Expense{Time: time.Now(), Purpose: "decision", Model: "a/b", Held: most}
		}
		first, err := claim(t, s, 0)
		if err != nil {
			t.Fatal(err)
		}
		one := store.Lease{RunID: id, Number: first.Lease}
		row, err := s.Reserve(ctx, one, &limit, call(60))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reserve(ctx, one, &limit, call(60)); !errors.Is(err, store.ErrOverBudget) {
			t.Errorf("two calls that may cost 120 of 100 together: %v", err)
		}
		cost := int64(10)
		if err := s.Settle(ctx, id, row, store.Expense{Nano: &cost, InputTokens: 5}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Reserve(ctx, one, &limit, call(60)); err != nil {
			t.Errorf("after the first was settled for 10: %v", err)
		}
		// Its worker is killed during that call. The next attempt has 30 left.
		update(t, s, func(tx *store.Tx) error { return tx.Requeue(ctx, one, store.OutcomeLost, "", 0, true) })
		second, err := claim(t, s, 0)
		if err != nil {
			t.Fatal(err)
		}
		two := store.Lease{RunID: id, Number: second.Lease}
		if spent, held, err := s.Spent(ctx, id); err != nil || spent != 10 || held != 60 {
			t.Errorf("spent %d, held %d, %v", spent, held, err)
		}
		var over *store.OverBudget
		if _, err := s.Reserve(ctx, two, &limit, call(31)); !errors.As(err, &over) || over.Spent != 10 || over.Held != 60 {
			t.Errorf("more than what is left: %v", err)
		}
		if _, err := s.Reserve(ctx, two, &limit, call(30)); err != nil {
			t.Errorf("what is left: %v", err)
		}
		ledger, err := s.Ledger(ctx, id)
		if err != nil || len(ledger) != 3 || ledger[0].Held != 0 || ledger[1].Held != 60 || ledger[1].Lease != first.Lease || ledger[2].Lease != second.Lease {
			t.Errorf("ledger %+v, %v", ledger, err)
		}
	})
}

// Calls that are made at the same time cannot overspend together.
func TestBudgetUnderConcurrency(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		id := submit(t, s, game("http://h/"))[0].ID
		run, err := claim(t, s, 0)
		if err != nil {
			t.Fatal(err)
		}
		limit := int64(50)
		var made atomic.Int64
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				_, err := s.Reserve(t.Context(), store.Lease{RunID: id, Number: run.Lease}, &limit, store.Expense{Time: time.Now(), Held: 10})
				switch {
				case err == nil:
					made.Add(1)
				case !errors.Is(err, store.ErrOverBudget):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if made.Load() != 5 {
			t.Errorf("%d calls of 10 were allowed out of 50", made.Load())
		}
	})
}
