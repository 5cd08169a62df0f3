package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/agent/computer/choose"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/model"
)

// What --computer works with.
const (
	computerScreen   = "screen"
	computerElements = "elements"
)

// driver is how the model uses the page, nil where no model is asked.
func (f *agentFlags) driver(m model.Model) (computer.Driver, error) {
	if f.computer == "" || m == nil {
		return nil, nil
	}
	pick := choose.Driver
	if f.computer == computerElements {
		pick = choose.Browser
	}
	driver, err := pick(m)
	if err != nil {
		return nil, hint(fmt.Errorf("--computer: %w", err), "docs/computer-use.md says which models can")
	}
	return driver, nil
}

// operate has a model use the page by mouse and keyboard, or repeats what one
// did. The result is never nil.
func (f *agentFlags) operate(ctx context.Context, cmd *cobra.Command, k *keptPage, driver computer.Driver, url, goal string, vars map[string]string, tools []tool.Tool, kept *agent.Result) (*agent.Result, error) {
	events := &eventWriter{out: cmd.OutOrStdout(), off: !f.stream}
	opts := &computer.Options{
		Limits: f.limits, Tools: tools, Start: landed(k.page, url), Origins: f.origins, Variables: vars, VariableOrigins: f.page.origins, Instructions: f.directive,
		OnStep: func(s computer.Step) {
			for _, act := range s.Actions {
				tellAction(cmd.ErrOrStderr(), act)
				events.tell(agent.Event{Action: &act})
			}
			events.tell(agent.Event{Step: &s.Step})
		},
	}
	if f.replay != "" {
		res, err := computer.New(nil, k.page, opts).Replay(ctx, kept.Actions)
		for _, act := range res.Actions {
			tellAction(cmd.ErrOrStderr(), act)
		}
		return &res.Result, err
	}
	res, err := computer.New(driver, k.page, opts).Run(ctx, goal)
	return &res.Result, err
}
