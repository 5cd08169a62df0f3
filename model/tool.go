package model

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Tool is something the model may ask to have run.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Schema is a JSON Schema of an object, the tool's arguments. Empty for a
	// tool without any.
	Schema json.RawMessage `json:"schema,omitempty"`
	// Raw, when set, is a tool that the vendor defines (computer use, say),
	// sent as it is. Another vendor's adapter refuses it.
	Raw *Raw `json:"raw,omitempty"`
}

// Parameters is the tool's schema as a decoded object, that of no arguments
// when there is none.
func (t Tool) Parameters() (map[string]any, error) {
	params := map[string]any{"type": "object", "properties": map[string]any{}}
	if len(t.Schema) == 0 {
		return params, nil
	}
	params = nil
	if err := json.Unmarshal(t.Schema, &params); err != nil {
		return nil, fmt.Errorf("schema of tool %s: %w", t.Name, err)
	}
	if params["type"] != "object" {
		return nil, fmt.Errorf("schema of tool %s: type is %v, want object", t.Name, params["type"])
	}
	return params, nil
}

// Check says what is wrong with a call's arguments, in words for the model.
func (t Tool) Check(call ToolCall) error {
	if call.Arguments == nil {
		return fmt.Errorf("the arguments of %s are not JSON: %s", call.Name, clip(call.Invalid, 200))
	}
	if len(t.Schema) == 0 {
		return nil
	}
	s := Schema{Name: t.Name, JSON: t.Schema}
	if err := s.Validate(call.Arguments); err != nil {
		return fmt.Errorf("the arguments of %s do not fit: %w", call.Name, err)
	}
	return nil
}

// ToolChoice says whether the model must call a tool. The zero value leaves it
// to the model.
type ToolChoice struct {
	Mode ToolMode `json:"mode,omitempty"`
	// Name is the tool to call, with OneOf only.
	Name string `json:"name,omitempty"`
}

// ToolMode is a kind of ToolChoice.
type ToolMode string

// The modes.
const (
	AutoTool  ToolMode = ""
	AnyTool   ToolMode = "any"   // some tool must be called
	NamedTool ToolMode = "named" // ToolChoice.Name must be called
	NoTool    ToolMode = "none"  // none may be
)

// ParseArguments turns what a vendor returned as arguments into a call's
// fields: valid JSON, or the invalid text.
func ParseArguments(raw string) (args json.RawMessage, invalid string) {
	if raw == "" {
		return json.RawMessage(`{}`), ""
	}
	if !json.Valid([]byte(raw)) {
		return nil, raw
	}
	return json.RawMessage(raw), ""
}

// checkPairs refuses a conversation that every vendor would refuse: a result
// without its call, a call without its result, a message with nothing in it.
// Finding it here costs nothing and names the place.
func checkPairs(messages []Message) error {
	if len(messages) == 0 {
		return errors.New("no messages")
	}
	open := map[string]bool{}
	for i, m := range messages {
		// A model may have said nothing, cut off while it thought; a user may not.
		if len(m.Parts) == 0 && m.Role != Assistant {
			return fmt.Errorf("message %d is empty", i)
		}
		if m.Role == Assistant && len(open) > 0 {
			return fmt.Errorf("message %d: a tool call before it has no result", i)
		}
		for _, p := range m.Parts {
			switch {
			case p.ToolCall != nil && m.Role != Assistant:
				return fmt.Errorf("message %d: a tool call of the user", i)
			case p.ToolCall != nil:
				open[p.ToolCall.ID] = true
			case p.ToolResult != nil && !open[p.ToolResult.CallID]:
				return fmt.Errorf("message %d: result for unknown call %q", i, p.ToolResult.CallID)
			case p.ToolResult != nil:
				delete(open, p.ToolResult.CallID)
			case p.Raw != nil && m.Role == User:
				// A raw answer settles calls in its own way.
				clear(open)
			}
		}
	}
	if len(open) > 0 {
		return errors.New("the last tool calls have no results")
	}
	return nil
}
