package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/responses"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model"
)

// Read finds the computer's calls, which are items of their own, and those of
// other tools.
func (d *Driver) Read(answer *model.Message, picture computer.Space) []computer.Call {
	var calls []computer.Call
	for _, p := range answer.Parts {
		if p.ToolCall != nil {
			calls = append(calls, computer.Call{ID: p.ToolCall.ID, Name: p.ToolCall.Name, Tool: p.ToolCall})
			continue
		}
		item, ok := computerCall(p)
		if !ok {
			continue
		}
		call := computer.Call{ID: item.CallID, Name: string(item.Type)}
		for _, check := range item.PendingSafetyChecks {
			call.Checks = append(call.Checks, computer.Check{ID: check.ID, Code: check.Code, Message: check.Message})
		}
		for _, a := range batch(item) {
			actions, err := translate(a, picture)
			if err != nil {
				call.Problem = fmt.Sprintf("%s: %v", a.Type, err)
				break
			}
			call.Actions = append(call.Actions, actions...)
		}
		calls = append(calls, call)
	}
	return calls
}

// computerCall is the part as a call of the computer, if it is one.
func computerCall(p model.Part) (item responses.ResponseComputerToolCall, ok bool) {
	if !p.Raw.For(vendor) {
		return item, false
	}
	err := json.Unmarshal(p.Raw.Data, &item)
	return item, err == nil && item.Type == responses.ResponseComputerToolCallTypeComputerCall
}

// batch is the call's actions. The preview has a single one, which says the
// same in a type of its own.
func batch(item responses.ResponseComputerToolCall) []responses.ComputerActionUnion {
	if len(item.Actions) > 0 || item.Action.Type == "" {
		return item.Actions
	}
	var single responses.ComputerActionUnion
	if json.Unmarshal([]byte(item.Action.RawJSON()), &single) != nil {
		single.Type = item.Action.Type
	}
	return []responses.ComputerActionUnion{single}
}

// pause is how long the vendor's wait takes; it names no time.
const pause = 2 * time.Second

func translate(a responses.ComputerActionUnion, picture computer.Space) ([]computer.Action, error) {
	at := picture.At(float64(a.X), float64(a.Y))
	held, err := keys(a.Keys)
	if err != nil {
		return nil, err
	}
	one := func(out computer.Action) ([]computer.Action, error) {
		if out.At != nil {
			if err := out.At.Check(); err != nil {
				return nil, err
			}
		}
		return []computer.Action{out}, nil
	}
	switch a.Type {
	case "click":
		return click(a, at, held)
	case "double_click":
		return one(computer.Action{Kind: computer.Click, At: &at, Times: 2, Keys: held})
	case "move":
		return one(computer.Action{Kind: computer.Move, At: &at, Keys: held})
	case "drag":
		if len(a.Path) < 2 {
			return nil, errors.New("a path of two points and more is needed")
		}
		drag := computer.Action{Kind: computer.Drag, Keys: held}
		for _, p := range a.Path {
			point := picture.At(float64(p.X), float64(p.Y))
			if err := point.Check(); err != nil {
				return nil, err
			}
			drag.Path = append(drag.Path, point)
		}
		return one(drag)
	case "scroll":
		by := picture.At(float64(a.ScrollX), float64(a.ScrollY))
		return one(computer.Action{Kind: computer.Scroll, At: &at, By: &by, Keys: held})
	case "keypress":
		if len(held) == 0 {
			return nil, errors.New("no key is named")
		}
		return one(computer.Action{Kind: computer.Press, Keys: held})
	case "type":
		return one(computer.Action{Kind: computer.Type, Text: a.Text})
	case "wait":
		return one(computer.Action{Kind: computer.Wait, For: pause})
	case "screenshot":
		return one(computer.Action{Kind: computer.Screenshot})
	}
	return nil, errors.New("there is no such action")
}

// click has five buttons. Two of them go through the history in a browser.
func click(a responses.ComputerActionUnion, at computer.Point, held []string) ([]computer.Action, error) {
	out := computer.Action{Kind: computer.Click, At: &at, Keys: held}
	switch a.Button {
	case "", "left":
	case "right":
		out.Button = "right"
	case "wheel", "middle":
		out.Button = "middle"
	case "back":
		out = computer.Action{Kind: computer.Back}
	case "forward":
		out = computer.Action{Kind: computer.Forward}
	default:
		return nil, fmt.Errorf("there is no button %q", a.Button)
	}
	if out.At != nil {
		if err := at.Check(); err != nil {
			return nil, err
		}
	}
	return []computer.Action{out}, nil
}

// keys: the vendor names keys in capitals, a letter by the key that it is on.
func keys(names []string) ([]string, error) {
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = name
		if len(name) == 1 {
			lower[i] = strings.ToLower(name)
		}
	}
	return computer.Keys(lower)
}
