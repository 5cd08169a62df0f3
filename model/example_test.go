package model_test

import (
	"context"
	"fmt"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// A chain whose first model is down: the second answers, and the ledger tells.
func ExampleGateway() {
	down := modeltest.NewFake("anthropic/claude-haiku-5-5", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
		return nil, &model.Error{Kind: model.ErrAuth, Status: 401}
	})
	up := modeltest.Replies("openai/gpt-6-luna", "Space")
	gateway, err := model.NewGateway([]model.Model{down, up}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	budget := model.NewBudget(model.Dollars(0.50))
	run := gateway.Run(&model.RunOptions{Budgets: []*model.Budget{budget}})
	answer, err := run.Generate(context.Background(), &model.Request{
		Purpose:  "decision",
		Messages: []model.Message{model.UserText("Which key jumps?")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	total := run.Ledger().Total()
	fmt.Println(answer.Text(), "by", answer.Model)
	fmt.Println(total.Calls, "calls,", total.Failed, "failed,", total.Cost)
	// Output:
	// Space by openai/gpt-6-luna
	// 2 calls, 1 failed, $0.0000035
}

// An answer as a Go value.
func ExampleDecode() {
	type move struct {
		Key        string `json:"key"`
		Confidence int    `json:"confidence"`
	}
	m := modeltest.Replies("openai/gpt-6-luna", `{"key": "Space", "confidence": 85}`)
	next, _, err := model.Decode[move](context.Background(), m, &model.Request{Messages: []model.Message{model.UserText("What next?")}})
	fmt.Println(next.Key, next.Confidence, err)
	// Output: Space 85 <nil>
}
