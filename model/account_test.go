package model_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/model"
)

// book is an account that writes down what it is told.
type book struct {
	held    []model.Money
	settled []model.Entry
	refuse  error
}

func (b *book) Hold(_ context.Context, _ model.Entry, most model.Money) (func(model.Entry), error) {
	if b.refuse != nil {
		return nil, b.refuse
	}
	b.held = append(b.held, most)
	return func(e model.Entry) { b.settled = append(b.settled, e) }, nil
}

// answering is a model that answers, or does not.
type answering struct {
	name  string
	calls atomic.Int32
	fails error
}

func (a *answering) Name() string { return a.name }

func (a *answering) Generate(context.Context, *model.Request) (*model.Response, error) {
	a.calls.Add(1)
	if a.fails != nil {
		return nil, a.fails
	}
	return &model.Response{Message: model.Message{Role: model.Assistant, Parts: []model.Part{{Text: "yes"}}}, Usage: model.Usage{Input: 100, Output: 10}}, nil
}

// Every call is charged before it is made, and settled for what it cost; one
// that the account refuses is not made.
func TestAccountIsChargedBeforeTheCall(t *testing.T) {
	m := &answering{name: "anthropic/claude-haiku-5-5"}
	g, err := model.NewGateway([]model.Model{m}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &book{}
	run := g.Run(&model.RunOptions{Account: b}).Within(model.NewBudget(model.Dollars(1)))
	ask := &model.Request{Purpose: "decision", Messages: []model.Message{model.UserText("well?")}, MaxTokens: 100}
	if _, err := run.Generate(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	if len(b.held) != 1 || b.held[0] <= 0 || len(b.settled) != 1 {
		t.Fatalf("held %v, settled %+v", b.held, b.settled)
	}
	if cost := b.settled[0].Cost; !cost.Known || cost.Amount <= 0 || cost.Amount > b.held[0] {
		t.Errorf("settled for %v, held %v", cost, b.held[0])
	}
	b.refuse = &model.BudgetError{}
	if _, err := run.Generate(t.Context(), ask); !errors.Is(err, model.ErrBudget) || m.calls.Load() != 1 {
		t.Errorf("a refused call: %v, %d calls", err, m.calls.Load())
	}
	// A call that the process' own budget does not allow costs nothing.
	b.refuse = nil
	poor := g.Run(&model.RunOptions{Account: b}).Within(model.NewBudget(0))
	if _, err := poor.Generate(t.Context(), ask); !errors.Is(err, model.ErrBudget) || len(b.settled) != 2 || b.settled[1].Cost.Amount != 0 {
		t.Errorf("%v, settled %+v", err, b.settled)
	}
}

// Gateways that share their providers share what they know of them: one that
// has failed too often is left alone by all.
func TestProvidersAreShared(t *testing.T) {
	down := &model.Error{Kind: model.ErrServer, Model: "acme/one", Status: 500}
	shared := &model.Providers{}
	opts := &model.Options{Attempts: 1, AllowUnknownPrice: true, Providers: shared, Breaker: model.BreakerOptions{}}
	first, second := &answering{name: "acme/one", fails: down}, &answering{name: "acme/two", fails: down}
	ask := func(m model.Model) error {
		g, err := model.NewGateway([]model.Model{m}, opts) // as each run of a process does
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = g.Run(nil).Generate(ctx, &model.Request{Messages: []model.Message{model.UserText("well?")}})
		return err
	}
	for range 50 {
		if err := ask(first); errors.Is(err, model.ErrCircuitOpen) {
			break
		}
	}
	if err := ask(second); !errors.Is(err, model.ErrCircuitOpen) || second.calls.Load() != 0 {
		t.Errorf("another gateway asks the same vendor: %v after %d calls", err, second.calls.Load())
	}
}
