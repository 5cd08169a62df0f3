package computer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/agent/computer/choose"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model/provider"
)

// A model uses a page by mouse and keyboard, with a bound on steps and money.
func Example() {
	ctx := context.Background()
	m, err := provider.Open("anthropic/claude-opus-5-5", nil) // its key from the environment
	if err != nil {
		log.Fatal(err)
	}
	driver, err := choose.Driver(m)
	if err != nil {
		log.Fatal(err)
	}
	page, done := examplePage(ctx)
	defer done()
	result, err := computer.New(driver, page, &computer.Options{Limits: agent.Limits{Steps: 20}}).Run(ctx, "switch the light on")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Success, result.Message)
}

// What was done once is done again without a model.
func ExampleComputer_Replay() {
	ctx := context.Background()
	page, done := examplePage(ctx)
	defer done()
	click, err := json.Marshal(computer.Action{Kind: computer.Click, At: &computer.Point{X: 30, Y: 20, Space: computer.Of(1280, 720)}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := computer.New(nil, page, nil).Replay(ctx, []agent.Action{{Tool: string(computer.Click), Arguments: click}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Success, result.Verified.Effective)
	// Output: true 1
}

func examplePage(ctx context.Context) (*browser.Page, func()) {
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	const lights = "data:text/html,<title>Lights</title><button onclick=\"document.body.style.background='gold'\">Switch</button>"
	if _, err := page.Navigate(ctx, lights, nil); err != nil {
		log.Fatal(err)
	}
	return page, func() { _ = b.Close() }
}
