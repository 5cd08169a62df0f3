package model

import (
	"fmt"
	"slices"
	"sync"
)

// Budget is a sum of money that calls are paid from. A call reserves the most
// it can cost before it is made and settles for what it did cost after, so
// that calls made at the same time cannot overspend together. Safe for use by
// many goroutines.
type Budget struct {
	mu       sync.Mutex
	limit    Money
	spent    Money
	reserved Money
}

// NewBudget is a budget with nothing spent.
func NewBudget(limit Money) *Budget { return &Budget{limit: limit} }

// BudgetState is a moment in a budget's life.
type BudgetState struct {
	Limit    Money `json:"limit"`
	Spent    Money `json:"spent"`
	Reserved Money `json:"reserved"`
}

// Left is what a new call may reserve.
func (s BudgetState) Left() Money { return s.Limit - s.Spent - s.Reserved }

// State is the budget now.
func (b *Budget) State() BudgetState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return BudgetState{Limit: b.limit, Spent: b.spent, Reserved: b.reserved}
}

// BudgetError is why a call was not made.
type BudgetError struct {
	Need  Money // the most the call could have cost
	State BudgetState
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("%v: the call can cost up to %v; of %v, %v is spent and %v is held by calls under way",
		ErrBudget, e.Need, e.State.Limit, e.State.Spent, e.State.Reserved)
}

// Unwrap makes it an ErrBudget.
func (e *BudgetError) Unwrap() error { return ErrBudget }

// Reservation is money held for one call. It ends with one Settle; further
// ones do nothing.
type Reservation struct {
	budgets []*Budget
	amount  Money
	once    sync.Once
}

// Reserve holds the amount in every budget, or in none.
func Reserve(amount Money, budgets ...*Budget) (*Reservation, error) {
	for i, b := range budgets {
		if err := b.hold(amount); err != nil {
			for _, held := range budgets[:i] {
				held.release(amount, 0)
			}
			return nil, err
		}
	}
	return &Reservation{budgets: budgets, amount: amount}, nil
}

// Amount is what is held.
func (r *Reservation) Amount() Money { return r.amount }

// Settle pays what the call cost and gives the rest back. A cost above what
// was held is still written down: it was spent.
func (r *Reservation) Settle(cost Money) {
	r.once.Do(func() {
		for _, b := range r.budgets {
			b.release(r.amount, cost)
		}
	})
}

func (b *Budget) hold(amount Money) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spent+b.reserved+amount > b.limit {
		return &BudgetError{Need: amount, State: BudgetState{Limit: b.limit, Spent: b.spent, Reserved: b.reserved}}
	}
	b.reserved += amount
	return nil
}

func (b *Budget) release(amount, cost Money) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= amount
	b.spent += cost
}

// Within is the same run with one more budget that pays for its calls: a part
// of a run that may not take all that the run has.
func (r *Run) Within(b *Budget) *Run {
	return &Run{gateway: r.gateway, ledger: r.ledger, books: r.books, budgets: append(slices.Clone(r.budgets), b)}
}
