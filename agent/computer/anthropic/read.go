package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model"
)

// input is what all actions may carry. The SDK's types want whole seconds;
// models of older versions send parts of one.
type input struct {
	Action     string    `json:"action"`
	Coordinate []float64 `json:"coordinate"`
	Start      []float64 `json:"start_coordinate"`
	Region     []float64 `json:"region"`
	Text       string    `json:"text"`
	// Key is another name of Text in older models' clicks and scrolls.
	Key       string  `json:"key"`
	Duration  float64 `json:"duration"`
	Repeat    int     `json:"repeat"`
	Amount    float64 `json:"scroll_amount"`
	Direction string  `json:"scroll_direction"`
}

// Read finds the calls: of the family's members, of the single tool, and of
// other tools.
func (d *Driver) Read(answer *model.Message, picture computer.Space) []computer.Call {
	var calls []computer.Call
	for _, p := range answer.Parts {
		if p.ToolCall == nil {
			continue
		}
		call := p.ToolCall
		name, ours := d.member(p)
		if !ours {
			calls = append(calls, computer.Call{ID: call.ID, Name: call.Name, Tool: call})
			continue
		}
		if d.opts.Version == Browser20260801 {
			calls = append(calls, readBrowser(call, picture))
			continue
		}
		var in input
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			calls = append(calls, computer.Problem(call.ID, call.Name, fmt.Errorf("the input cannot be read: %w", err)))
			continue
		}
		if name == "" {
			name = in.Action
		}
		actions, err := in.actions(name, picture)
		if err != nil {
			calls = append(calls, computer.Problem(call.ID, call.Name, fmt.Errorf("%s: %w", name, err)))
			continue
		}
		calls = append(calls, computer.Call{ID: call.ID, Name: call.Name, Actions: actions})
	}
	return calls
}

// member is the action that a call names by itself, and whether the call is one
// of the computer's at all.
func (d *Driver) member(p model.Part) (name string, ours bool) {
	if !d.opts.Version.family() {
		return "", p.ToolCall.Name == d.opts.Version.name()
	}
	if !p.Raw.For(vendor) {
		return "", false
	}
	var block sdk.ToolUseBlock
	if json.Unmarshal(p.Raw.Data, &block) != nil || block.ToolsetName != d.opts.Version.name() {
		return "", false
	}
	return p.ToolCall.Name, true
}

// clicks are the members that click, with their button and how often.
var clicks = map[string]struct {
	button string
	times  int
}{
	"left_click": {"left", 1}, "right_click": {"right", 1}, "middle_click": {"middle", 1}, "double_click": {"left", 2}, "triple_click": {"left", 3},
}

func (in input) actions(name string, picture computer.Space) ([]computer.Action, error) {
	if c, ok := clicks[name]; ok {
		return in.pointing(computer.Action{Kind: computer.Click, Button: c.button, Times: c.times}, picture)
	}
	switch name {
	case "mouse_move":
		if in.Coordinate == nil {
			return nil, errors.New("coordinate is missing")
		}
		return in.pointing(computer.Action{Kind: computer.Move}, picture)
	case "left_mouse_down":
		return one(computer.Action{Kind: computer.Down, Button: "left"})
	case "left_mouse_up":
		return one(computer.Action{Kind: computer.Up, Button: "left"})
	case "left_click_drag":
		return in.drag(picture)
	case "scroll":
		return in.scroll(picture)
	case "key":
		return in.press()
	case "hold_key":
		return in.hold()
	case "type":
		return one(computer.Action{Kind: computer.Type, Text: in.Text})
	case "wait":
		d, err := computer.Seconds(in.Duration)
		return []computer.Action{{Kind: computer.Wait, For: d}}, err
	case "screenshot":
		return one(computer.Action{Kind: computer.Screenshot})
	case "cursor_position":
		return one(computer.Action{Kind: computer.Cursor})
	case "zoom":
		if len(in.Region) != 4 {
			return nil, errors.New("region: want four numbers")
		}
		return one(computer.Action{Kind: computer.Zoom, Path: []computer.Point{
			picture.At(in.Region[0], in.Region[1]), edge(picture, in.Region[2], in.Region[3]),
		}})
	}
	return nil, errors.New("there is no such action")
}

func one(a computer.Action) ([]computer.Action, error) { return []computer.Action{a}, nil }

// edge is the far corner of a region. It may lie on the picture's edge, where
// no click could.
func edge(picture computer.Space, x, y float64) computer.Point {
	if x == picture.Width {
		x -= 0.001
	}
	if y == picture.Height {
		y -= 0.001
	}
	return picture.At(x, y)
}

func place(xy []float64, picture computer.Space) (*computer.Point, error) {
	if xy == nil {
		return nil, nil
	}
	if len(xy) != 2 {
		return nil, fmt.Errorf("coordinate: want two numbers, got %d", len(xy))
	}
	p := picture.At(xy[0], xy[1])
	return &p, p.Check()
}

// pointing adds where, and the keys that are held meanwhile.
func (in input) pointing(a computer.Action, picture computer.Space) (_ []computer.Action, err error) {
	if a.At, err = place(in.Coordinate, picture); err != nil {
		return nil, err
	}
	if held := in.Text + in.Key; held != "" {
		if a.Keys, err = computer.Chord(held); err != nil {
			return nil, err
		}
	}
	return one(a)
}

func (in input) drag(picture computer.Space) ([]computer.Action, error) {
	from, err := place(in.Start, picture)
	if err != nil {
		return nil, err
	}
	to, err := place(in.Coordinate, picture)
	if err != nil {
		return nil, err
	}
	if from == nil || to == nil {
		return nil, errors.New("start_coordinate and coordinate are needed")
	}
	drag := in
	drag.Coordinate = nil
	return drag.pointing(computer.Action{Kind: computer.Drag, Path: []computer.Point{*from, *to}}, picture)
}

// click is how far a click of the wheel scrolls, in CSS pixels.
const click = 100

// directions are where the wheel turns.
var directions = map[string][2]float64{"up": {0, -1}, "down": {0, 1}, "left": {-1, 0}, "right": {1, 0}}

func (in input) scroll(picture computer.Space) ([]computer.Action, error) {
	way, ok := directions[in.Direction]
	if !ok {
		return nil, fmt.Errorf("scroll_direction %q: want up, down, left or right", in.Direction)
	}
	if in.Amount < 0 || in.Amount > 100 {
		return nil, fmt.Errorf("scroll_amount %g: want 0 to 100", in.Amount)
	}
	by := computer.CSS.At(way[0]*in.Amount*click, way[1]*in.Amount*click)
	return in.pointing(computer.Action{Kind: computer.Scroll, By: &by}, picture)
}

func (in input) press() ([]computer.Action, error) {
	chords, err := computer.Chords(in.Text)
	if err != nil {
		return nil, err
	}
	times, err := computer.Count(in.Repeat)
	if err != nil {
		return nil, fmt.Errorf("repeat: %w", err)
	}
	var out []computer.Action
	for _, keys := range chords {
		out = append(out, computer.Action{Kind: computer.Press, Keys: keys, Times: times})
	}
	return out, nil
}

func (in input) hold() ([]computer.Action, error) {
	keys, err := computer.Chord(in.Text)
	if err != nil {
		return nil, err
	}
	d, err := computer.Seconds(in.Duration)
	return []computer.Action{{Kind: computer.Hold, Keys: keys, For: d}}, err
}
