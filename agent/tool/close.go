package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/model"
)

//go:embed close.md
var closeText string

func (k *Kit) close() Tool {
	t := must("close", closeText, func(_ context.Context, in Closing) (*Outcome, error) {
		out := Say("Closed.")
		out.Closing = &in
		return out, nil
	})
	t.Kind = Notes
	return t
}

// CloseWith is a close tool that asks for a result in the shape of a schema.
// Work that is complete has one.
func CloseWith(t Tool, schema *model.Schema) (Tool, error) {
	var whole, result map[string]any
	if err := json.Unmarshal(t.Schema, &whole); err != nil {
		return Tool{}, fmt.Errorf("close: %w", err)
	}
	if err := json.Unmarshal(schema.JSON, &result); err != nil {
		return Tool{}, fmt.Errorf("schema %s: %w", schema.Name, err)
	}
	// References are from the root, so what they lead to has to be there.
	for _, key := range []string{"$defs", "definitions"} {
		if defs, ok := result[key]; ok {
			whole[key] = defs
			delete(result, key)
		}
	}
	delete(result, "$schema")
	props, _ := whole["properties"].(map[string]any)
	if props == nil {
		return Tool{}, errors.New("close: it has no properties")
	}
	props = maps.Clone(props)
	props["result"] = result
	whole["properties"] = props
	data, err := json.Marshal(whole)
	if err != nil {
		return Tool{}, fmt.Errorf("close: %w", err)
	}
	out := t
	out.Schema = data
	out.Description = strings.TrimSpace(t.Description) + " Give the result that the task asks for, from what you have seen and nothing else."
	out.Call = func(_ context.Context, args json.RawMessage) (*Outcome, error) {
		var in struct {
			Closing
			Result json.RawMessage `json:"result"`
		}
		whole := model.Schema{Name: t.Name, JSON: data}
		if err := json.Unmarshal(whole.DropNulls(args), &in); err != nil {
			return nil, fmt.Errorf("the arguments of close do not fit: %w", err)
		}
		if in.TaskComplete && len(in.Result) == 0 {
			return nil, errors.New("the task is said to be complete and result is missing; give it, or say that the task is not complete")
		}
		said := Say("Closed.")
		closing := in.Closing
		closing.Result = slices.Clone(in.Result)
		said.Closing = &closing
		return said, nil
	}
	return out, nil
}
