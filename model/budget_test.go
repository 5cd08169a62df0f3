package model_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// prices for tests: a dollar a million tokens either way, so that a token is
// a thousand billionths.
func testPrices(names ...string) *model.Prices {
	p := &model.Prices{Date: "2026-01-01", Models: map[string]model.Price{}}
	for _, name := range names {
		p.Models[name] = model.Price{Input: 1, Output: 1}
	}
	return p
}

func TestParallelCallsCannotOverspend(t *testing.T) {
	const workers, callsEach = 50, 20
	run := model.NewBudget(model.Dollars(0.05))
	batch := model.NewBudget(model.Dollars(0.07))
	check := func() {
		for _, b := range []*model.Budget{run, batch} {
			if s := b.State(); s.Spent+s.Reserved > s.Limit {
				t.Errorf("%v spent and %v held of %v", s.Spent, s.Reserved, s.Limit)
			}
		}
	}
	// Answers of every size up to what was asked for, some calls failing in
	// ways that are charged and some in ways that are not.
	fake := modeltest.NewFake("test/a", nil, func(_ context.Context, n int, req *model.Request) (*model.Response, error) {
		switch n % 7 {
		case 0:
			return nil, &model.Error{Kind: model.ErrBadRequest, Status: 400}
		case 1:
			return nil, &model.Error{Kind: model.ErrTimeout}
		}
		check() // while many reservations are held
		return modeltest.Say("ok", model.Usage{Input: 10, Output: rand.IntN(req.MaxTokens + 1)}), nil
	})
	gateway := must(model.NewGateway([]model.Model{fake}, &model.Options{
		Prices: testPrices("test/a"), InFlight: workers, Breaker: model.BreakerOptions{Window: 1e6, Failures: 1e6},
	}))(t)
	ledger := &model.Ledger{}
	r := gateway.Run(&model.RunOptions{Budgets: []*model.Budget{run, batch}, Ledger: ledger})

	var group sync.WaitGroup
	refused := make(chan error, workers*callsEach)
	for range workers {
		group.Go(func() {
			for range callsEach {
				_, err := r.Generate(t.Context(), &model.Request{Messages: []model.Message{model.UserText("hello")}, MaxTokens: 1000})
				if errors.Is(err, model.ErrBudget) {
					refused <- err
				}
				check()
			}
		})
	}
	group.Wait()

	for _, b := range []*model.Budget{run, batch} {
		s := b.State()
		if s.Reserved != 0 {
			t.Errorf("%v is still held", s.Reserved)
		}
		if s.Spent > s.Limit || s.Spent == 0 {
			t.Errorf("%v spent of %v", s.Spent, s.Limit)
		}
		if total := ledger.Total().Cost; total.Amount != s.Spent {
			t.Errorf("the ledger says %v, the budget %v", total, s.Spent)
		}
	}
	if len(refused) == 0 {
		t.Error("no call was refused: the test did not reach the limit")
	}
	var detail *model.BudgetError
	if err := <-refused; !errors.As(err, &detail) || detail.Need <= detail.State.Left() {
		t.Errorf("refusal is %v", err)
	}
}

func TestUnusedReservationComesBack(t *testing.T) {
	fake := modeltest.NewFake("test/a", nil, func(_ context.Context, n int, _ *model.Request) (*model.Response, error) {
		return modeltest.Say("ok", model.Usage{Input: 10, Output: 10}), nil
	})
	gateway := must(model.NewGateway([]model.Model{fake}, &model.Options{Prices: testPrices("test/a")}))(t)
	// Room for one call's worst case, and for many calls' real cost.
	budget := model.NewBudget(model.Dollars(0.0012))
	run := gateway.Run(&model.RunOptions{Budgets: []*model.Budget{budget}})
	for i := range 5 {
		if _, err := run.Generate(t.Context(), &model.Request{Messages: []model.Message{model.UserText("hello")}, MaxTokens: 1000}); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if s := budget.State(); s.Spent != model.Dollars(0.0001) || s.Reserved != 0 {
		t.Errorf("state is %+v", s)
	}
}

func TestCallThatCouldBreakTheBudgetIsNotMade(t *testing.T) {
	fake := modeltest.Replies("test/a", "never")
	gateway := must(model.NewGateway([]model.Model{fake}, &model.Options{Prices: testPrices("test/a")}))(t)
	small, large := model.NewBudget(model.Dollars(0.0005)), model.NewBudget(model.Dollar)
	run := gateway.Run(&model.RunOptions{Budgets: []*model.Budget{large, small}})
	_, err := run.Generate(t.Context(), &model.Request{Messages: []model.Message{model.UserText("hello")}, MaxTokens: 1000})
	if !errors.Is(err, model.ErrBudget) || !strings.Contains(err.Error(), "$0.0005") {
		t.Errorf("error is %v", err)
	}
	if n := len(fake.Requests()); n != 0 {
		t.Errorf("%d calls were made", n)
	}
	if s := large.State(); s.Reserved != 0 {
		t.Errorf("the other budget still holds %v", s.Reserved)
	}
}

func TestUnknownPriceUnderBudget(t *testing.T) {
	for _, allow := range []bool{false, true} {
		fake := modeltest.Replies("test/mystery", "hello")
		gateway := must(model.NewGateway([]model.Model{fake}, &model.Options{Prices: testPrices(), AllowUnknownPrice: allow}))(t)
		run := gateway.Run(&model.RunOptions{Budgets: []*model.Budget{model.NewBudget(model.Dollar)}})
		resp, err := run.Generate(t.Context(), &model.Request{Messages: []model.Message{model.UserText("hello")}})
		if !allow {
			if !errors.Is(err, model.ErrPriceUnknown) || len(fake.Requests()) != 0 {
				t.Errorf("error is %v after %d calls", err, len(fake.Requests()))
			}
			continue
		}
		if err != nil || resp.Cost.Known || resp.Cost.String() != "unknown" || resp.Usage.Input == 0 {
			t.Errorf("response is %+v, error %v", resp, err)
		}
		if total := run.Ledger().Total(); total.Cost.Known || total.Usage.Total() == 0 {
			t.Errorf("total is %+v", total)
		}
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
