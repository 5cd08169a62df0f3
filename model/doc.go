// Package model is the one way to every language model: the words a
// conversation is made of, the two-method [Model] that an adapter implements,
// and the [Gateway] that puts a chain of them behind deadlines, retries, a
// circuit breaker, a ledger and a budget.
//
// An adapter speaks to one vendor and does nothing else: no retries, no
// logging, no reading of the environment. Everything that must hold for every
// vendor is here.
//
//	gateway, err := model.NewGateway(chain, nil)
//	run := gateway.Run(&model.RunOptions{Budgets: []*model.Budget{model.NewBudget(model.Dollars(0.50))}})
//	answer, err := run.Generate(ctx, &model.Request{
//		Purpose:  "decision",
//		Messages: []model.Message{model.UserText("Which key jumps?")},
//	})
//
// The package imports nothing of ours and no vendor's SDK.
package model
