package model

import (
	"context"
	"sync"
)

// Account is a book outside of this process, for money that must not be
// forgotten when the process dies. Safe for use by many goroutines.
type Account interface {
	// Hold is called before a call is made, with the most that it can cost, 0 when
	// nobody knows. An error keeps the call from being made; one that is an
	// ErrBudget says that the money is used up. Settle is called once, when it is
	// known what became of the call.
	Hold(ctx context.Context, call Entry, most Money) (settle func(Entry), err error)
}

// charge holds the most that a call can cost in the run's account. Settling
// more than once does nothing.
func (r *Run) charge(ctx context.Context, req *Request, call Entry) (settle func(Entry), err error) {
	if r.books == nil {
		return func(Entry) {}, nil
	}
	var most Money
	if price, priced := r.gateway.prices.For(call.Model); priced {
		most = price.Most(req.Estimate(price), req.Limit())
	}
	write, err := r.books.Hold(ctx, call, most)
	if err != nil {
		return nil, err
	}
	var once sync.Once
	return func(e Entry) { once.Do(func() { write(e) }) }, nil
}
