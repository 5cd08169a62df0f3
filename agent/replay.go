package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/stage"
)

// Replay does again what was done to the page, without a model: the elements
// that were acted on are found by their selectors, other acting tools are called
// with the same arguments. Observations are left out, and so is what failed the
// first time. It ends at the first action that cannot be done, with an error.
// The bounds hold as ever.
func (a *Agent) Replay(ctx context.Context, actions []Action) (*Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := &task{agent: a, tried: a.bounds.Tried(), stop: Replayed, res: &Result{Actions: []Action{}, Cost: model.Cost{Known: true}}}
	release, err := a.bounds.Enforce(ctx, a.page)
	if err != nil {
		t.res.Stop = PageGone
		return t.res, fmt.Errorf("replay: %w", err)
	}
	if _, err = a.bounds.Return(ctx, a.page); err == nil {
		t.first = a.look(ctx)
		t.now = t.first
		err = t.repeat(ctx, actions)
	}
	if ctx.Err() != nil {
		t.stop = Aborted
	}
	t.finish(ctx)
	t.res.Success = err == nil && t.res.Verified.Problem == ""
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if rerr := release(ending); err == nil && a.page.Err() == nil {
		err = rerr
	}
	return t.res, err
}

func (t *task) repeat(ctx context.Context, actions []Action) error {
	for _, action := range actions {
		if err := t.again(ctx, action, false); err != nil {
			return fmt.Errorf("replaying %s of step %d: %w", action.Tool, action.Step, err)
		}
	}
	return nil
}

// again does one recorded action, if there is anything to do. With heal, an
// action whose elements are not to be found is left to its tool once more, which
// asks the model where they are now.
func (t *task) again(ctx context.Context, was Action, heal bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if was.Error != "" {
		return nil
	}
	a := t.agent
	each, err := find(a.known, was.Tool)
	if err != nil {
		return err
	}
	if each.Kind != tool.Acts {
		return nil
	}
	t.res.Steps++
	before := t.now
	action := Action{Step: was.Step, Tool: was.Tool, Arguments: was.Arguments, PageURL: a.page.URL(), Time: time.Now(), Performed: was.Performed, Places: was.Places}
	if err = t.approve(ctx, each, action); err == nil {
		err = t.redo(ctx, each, &action, heal)
	}
	action.Took = time.Since(action.Time)
	if err != nil {
		action.Error = a.mask(line(err.Error(), 500))
	}
	t.measure(ctx, &action, before)
	t.record(action)
	return err
}

// redo does what was done: to the same elements where there were any, with the
// same arguments otherwise, in places of the same picture.
func (t *task) redo(ctx context.Context, each *tool.Tool, action *Action, heal bool) error {
	a := t.agent
	if action.Places != nil {
		ctx = tool.Places(ctx, *action.Places)
	}
	var err error
	for _, p := range action.Performed {
		if _, err = a.stage.Perform(ctx, p, &stage.ActOptions{Variables: a.opts.Variables, Files: a.opts.Files}); err != nil {
			break
		}
	}
	if len(action.Performed) > 0 && (err == nil || !heal || ctx.Err() != nil) {
		return err
	}
	out, err := a.call(ctx, each, model.ToolCall{Name: action.Tool, Arguments: action.Arguments})
	if out != nil {
		t.res.Usage.add(out.Usage, 0, 0)
		t.res.Cost = t.res.Cost.Add(out.Cost)
		if len(action.Performed) > 0 && err == nil {
			action.Performed, t.healed = out.Actions, true
		}
	}
	return err
}
