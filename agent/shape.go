package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/model"
)

// ErrNoOutput is a task that ended without the result that was asked for.
var ErrNoOutput = errors.New("the agent gave no result")

// RunAs carries out a task and returns what it found in the shape of T. The
// agent gives it when it closes its work; what does not fit is refused, and the
// agent is told why. A task that ends without a result is ErrNoOutput.
func RunAs[T any](ctx context.Context, a *Agent, goal string) (T, *Result, error) {
	var value T
	schema, err := model.SchemaFor[T]("result")
	if err != nil {
		return value, &Result{Actions: []Action{}}, err
	}
	res, err := a.RunJSON(ctx, goal, schema)
	if err != nil {
		return value, res, err
	}
	if err := json.Unmarshal(res.Output, &value); err != nil {
		return value, res, fmt.Errorf("agent: decode the result: %w", err)
	}
	return value, res, nil
}

// RunJSON is RunAs for a schema that is not a Go type's. The result is in
// Result.Output.
func (a *Agent) RunJSON(ctx context.Context, goal string, schema *model.Schema) (*Result, error) {
	res, err := a.work(ctx, &Conversation{Goals: []string{goal}, URL: a.page.URL()}, goal, order{schema: schema})
	if err == nil && len(res.Output) == 0 {
		err = fmt.Errorf("agent: %w: %s", ErrNoOutput, res.Message)
	}
	return res, err
}

// shape puts the result into the close tool where one is wanted.
func (t *task) shape() error {
	if t.order.schema == nil {
		return nil
	}
	t.tools = slices.Clone(t.tools)
	for i, each := range t.tools {
		if each.Name != "close" {
			continue
		}
		with, err := tool.CloseWith(each, t.order.schema)
		if err != nil {
			return err
		}
		t.tools[i] = with
	}
	return nil
}
