package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

const lights = `data:text/html,<title>Lights</title><button onclick="document.title='On'">Switch</button>`

// The model of these examples answers from a script; a program would take one
// from a gateway, see package model.
func Example() {
	ctx := context.Background()
	page, done := openLights(ctx)
	defer done()
	m := answers(
		"clickAt", `{"x": 30, "y": 20}`,
		"close", `{"reasoning": "The light is on.", "taskComplete": true}`)

	a, err := agent.New(ctx, page, m, &agent.Options{Game: true, Limits: agent.Limits{Steps: 5}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Run(ctx, "switch the light on")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Success, result.Message)
	fmt.Println("claimed:", result.Claim.TaskComplete, "measured:", result.Verified.Changed)
	// Output:
	// true The light is on.
	// claimed: true measured: true
}

// A Go function becomes a tool; the schema of its arguments comes from its type.
func ExampleOptions_tools() {
	ctx := context.Background()
	page, done := openLights(ctx)
	defer done()
	type query struct {
		Room string `json:"room" jsonschema:"the room's name"`
	}
	fuse, err := tool.New("fuse", "Tells which fuse a room is on.", func(_ context.Context, q query) (*tool.Outcome, error) {
		return tool.Say("The " + q.Room + " is on fuse 4."), nil
	})
	if err != nil {
		log.Fatal(err)
	}
	m := answers("fuse", `{"room": "kitchen"}`, "close", `{"reasoning": "It is fuse 4.", "taskComplete": true}`)

	a, err := agent.New(ctx, page, m, &agent.Options{
		Tools:    []tool.Tool{fuse},
		OnAction: func(act agent.Action) { fmt.Println(act.Tool, act.Outcome) },
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := a.Run(ctx, "which fuse is the kitchen on?"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// fuse The kitchen is on fuse 4.
	// close Closed.
}

// What was done once can be done again without a model.
func ExampleAgent_Replay() {
	ctx := context.Background()
	page, done := openLights(ctx)
	defer done()
	recorded := []agent.Action{{Tool: "clickAt", Arguments: json.RawMessage(`{"x": 30, "y": 20}`)}}

	a, err := agent.New(ctx, page, nil, &agent.Options{Game: true})
	if err != nil {
		log.Fatal(err)
	}
	result, err := a.Replay(ctx, recorded)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Success, result.Verified.Effective, result.Usage.Calls)
	// Output: true 1 0
}

// answers calls one tool after the other: pairs of name and arguments.
func answers(pairs ...string) model.Model {
	return modeltest.NewFake("test/script", nil, func(_ context.Context, n int, _ *model.Request) (*model.Response, error) {
		call := model.ToolCall{ID: fmt.Sprint("call", n), Name: pairs[2*n-2], Arguments: json.RawMessage(pairs[2*n-1])}
		return modeltest.Calls(call), nil
	})
}

func openLights(ctx context.Context) (*browser.Page, func()) {
	c, err := chromium.NewContext(ctx, nil) // browser.Launch made chromium
	if err != nil {
		log.Fatal(err)
	}
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := page.Navigate(ctx, lights, nil); err != nil {
		log.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		log.Fatal(err)
	}
	return page, func() { _ = c.Close(ctx) }
}
