package google

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model"
)

// arguments is what all functions may carry, those of both generations.
type arguments struct {
	X         *float64 `json:"x"`
	Y         *float64 `json:"y"`
	ToX       *float64 `json:"destination_x"`
	ToY       *float64 `json:"destination_y"`
	StartX    *float64 `json:"start_x"`
	StartY    *float64 `json:"start_y"`
	EndX      *float64 `json:"end_x"`
	EndY      *float64 `json:"end_y"`
	Text      string   `json:"text"`
	Enter     *bool    `json:"press_enter"`
	Clear     *bool    `json:"clear_before_typing"`
	Keys      keyList  `json:"keys"`
	Key       string   `json:"key"`
	Direction string   `json:"direction"`
	Magnitude *float64 `json:"magnitude"`
	Pixels    *float64 `json:"magnitude_in_pixels"`
	Seconds   *float64 `json:"seconds"`
	URL       string   `json:"url"`
	Intent    string   `json:"intent"`
	Safety    *struct {
		Decision    string `json:"decision"`
		Explanation string `json:"explanation"`
	} `json:"safety_decision"`
}

// keyList is one text with plus signs in the older functions, a list in the
// newer ones.
type keyList []string

// UnmarshalJSON takes both.
func (k *keyList) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*k = list
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	*k = keyList{text}
	return nil
}

// Read finds the calls of the vendor's functions and of other tools. A place
// beyond the edge is capped, in the conversation too: the vendor refuses its
// own mistake when it comes back.
func (d *Driver) Read(answer *model.Message, _ computer.Space) []computer.Call {
	var calls []computer.Call
	for i, p := range answer.Parts {
		if p.ToolCall == nil {
			continue
		}
		call := p.ToolCall
		act, ours := functions[call.Name]
		if !ours || slices.Contains(d.opts.Exclude, call.Name) {
			calls = append(calls, computer.Call{ID: call.ID, Name: call.Name, Tool: call})
			continue
		}
		answer.Parts[i] = capped(p)
		var args arguments
		if err := json.Unmarshal(call.Arguments, &args); err != nil {
			calls = append(calls, computer.Problem(call.ID, call.Name, fmt.Errorf("the arguments cannot be read: %w", err)))
			continue
		}
		actions, err := act(d, args)
		out := computer.Call{ID: call.ID, Name: call.Name, Actions: actions, Why: args.Intent, Checks: args.checks()}
		if err != nil {
			out.Problem = fmt.Sprintf("%s: %v", call.Name, err)
		}
		calls = append(calls, out)
	}
	return calls
}

// checks are what the vendor's safety system says about the call.
func (a arguments) checks() []computer.Check {
	if a.Safety == nil {
		return nil
	}
	decision := strings.ToLower(a.Safety.Decision)
	switch decision {
	case "", "regular", "allowed", "allow":
		return nil
	}
	return []computer.Check{{Code: decision, Message: a.Safety.Explanation, Blocked: strings.HasPrefix(decision, "block")}}
}

// largest is the largest coordinate that the vendor knows.
const largest = 999

// places are the arguments that are coordinates.
var places = []string{"x", "y", "destination_x", "destination_y", "start_x", "start_y", "end_x", "end_y"}

// capped is the call with its coordinates capped, in our words and in the
// vendor's.
func capped(p model.Part) model.Part {
	var args map[string]any
	if json.Unmarshal(p.ToolCall.Arguments, &args) != nil || !limit(args) {
		return p
	}
	call := *p.ToolCall
	call.Arguments, _ = json.Marshal(args) // it was JSON a moment ago
	p.ToolCall = &call
	if p.Raw.For(vendor) {
		var part genai.Part
		if json.Unmarshal(p.Raw.Data, &part) == nil && part.FunctionCall != nil {
			part.FunctionCall.Args = args
			if data, err := json.Marshal(&part); err == nil {
				p.Raw = &model.Raw{Vendor: vendor, Data: data, Beta: p.Raw.Beta}
			}
		}
	}
	return p
}

// limit caps coordinates, and reports whether any had to be.
func limit(args map[string]any) bool {
	over := false
	for _, name := range places {
		if n, ok := args[name].(float64); ok && (n > largest || n < 0) {
			args[name], over = min(max(n, 0), largest), true
		}
	}
	return over
}

// at is the place that two numbers name.
func at(x, y *float64) (*computer.Point, error) {
	if x == nil || y == nil {
		return nil, errors.New("x and y are needed")
	}
	p := computer.Thousand.Capped(*x, *y)
	return &p, nil
}
