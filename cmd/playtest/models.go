package main

import (
	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/internal/config/provider"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/worker"
	"github.com/playtest-dev/playtest/model"
)

// openModels opens models with the books of one run, and says what it may spend:
// what is given, or else what is configured, nil for no limit. Without a model
// the error is model.ErrNoModel.
func openModels(given *float64, gateway func(*config.Config) (*model.Gateway, error)) (*model.Run, *model.Money, error) {
	c, err := config.Load(nil)
	if err != nil {
		return nil, nil, err
	}
	g, err := gateway(c)
	if err != nil {
		return nil, nil, err
	}
	if given == nil && c.Budget > 0 {
		given = &c.Budget
	}
	if given == nil {
		return g.Run(nil), nil, nil
	}
	limit := model.Dollars(*given)
	return g.Run(&model.RunOptions{Budgets: []*model.Budget{model.NewBudget(limit)}}), &limit, nil
}

// expenses are what the models of a run cost.
func expenses(m model.Model) []store.Expense {
	run, ok := m.(*model.Run)
	if !ok || run == nil {
		return nil
	}
	return worker.Expenses(run.Ledger())
}

// named is the gateway of a chain of models, the configuration's if empty.
func named(chain string) func(*config.Config) (*model.Gateway, error) {
	return func(c *config.Config) (*model.Gateway, error) { return provider.Gateway(c, chain, nil) }
}
