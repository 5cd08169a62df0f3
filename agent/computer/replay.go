package computer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/model"
)

// Replay does again what was done to the page, without a model: Result.Actions
// of a run. Places are parts of the picture that they were meant on, so they
// hold for a window and a picture of any size; elements are found by the
// selectors that were noted. What failed the first time is left out, and so is
// looking. Waits are kept, since a page may have needed them. Replay ends at the
// first action that cannot be done, with an error. The bounds and Options.Approve
// hold as ever.
func (c *Computer) Replay(ctx context.Context, actions []agent.Action) (*Result, error) {
	r := c.start()
	r.result.Actions = []agent.Action{}
	r.result.Cost = model.Cost{Known: true}
	if c.opts.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.opts.Time, errTime)
		defer cancel()
	}
	err := r.within(ctx, func() error {
		for _, was := range actions {
			if err := r.repeat(ctx, was); err != nil {
				return fmt.Errorf("%s of step %d: %w", was.Tool, was.Step, err)
			}
		}
		return nil
	})
	stop := agent.Replayed
	switch {
	case errors.Is(context.Cause(ctx), errTime):
		stop = agent.TimeLimit
	case ctx.Err() != nil:
		stop = agent.Aborted
	case c.page.Err() != nil:
		stop = agent.PageGone
	}
	r.finish(ctx, stop)
	r.result.Success = err == nil && r.result.Verified.Problem == ""
	if err != nil {
		return r.result, fmt.Errorf("computer: replay: %w", err)
	}
	return r.result, nil
}

// repeat does one recorded action, if there is anything to do.
func (r *run) repeat(ctx context.Context, was agent.Action) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if was.Error != "" {
		return nil
	}
	r.step.N = was.Step
	var action Action
	if err := json.Unmarshal(was.Arguments, &action); err != nil || string(action.Kind) != was.Tool {
		return r.repeatTool(ctx, was)
	}
	if !action.Kind.acts() && action.Kind != Wait {
		return nil
	}
	if len(action.Found) > 0 {
		action.Ref = "" // it was given by a tree that is gone
	}
	r.result.Steps++
	seen, err := r.act(ctx, []Action{action})
	if err == nil && seen.Failed {
		err = errors.New(r.result.Actions[len(r.result.Actions)-1].Error)
	}
	return err
}

// repeatTool calls a tool beside the computer again, if it did something.
func (r *run) repeatTool(ctx context.Context, was agent.Action) error {
	each, err := r.tools.find(was.Tool)
	if err != nil || each.Kind != tool.Acts {
		return err
	}
	r.result.Steps++
	if seen := r.useTool(ctx, model.ToolCall{Name: was.Tool, Arguments: was.Arguments}); seen.Failed {
		return errors.New(r.result.Actions[len(r.result.Actions)-1].Error)
	}
	return nil
}
