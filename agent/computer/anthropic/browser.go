package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model"
)

// browserToolset is the family without its members for tabs: a computer has one
// page. Scripts, uploads and the logs are off unless asked for, by the vendor's
// own default, and stay off.
func browserToolset() sdk.BrowserToolset20260801Param {
	off := sdk.Bool(false)
	return sdk.BrowserToolset20260801Param{Configs: sdk.BrowserToolsetConfigsParam{
		NewTab: sdk.BrowserNewTabConfigParam{Enabled: off}, ListTabs: sdk.BrowserListTabsConfigParam{Enabled: off},
		SwitchTab: sdk.BrowserSwitchTabConfigParam{Enabled: off}, CloseTab: sdk.BrowserCloseTabConfigParam{Enabled: off},
	}}
}

// tabID is the only tab's.
const tabID = "tab_1"

// browserParts are what a call of a browser tool is answered with besides words.
// The vendor takes the browser's state only where the call succeeded.
func browserParts(s computer.Seen) ([]model.Part, error) {
	var parts []model.Part
	if s.Asked && !s.Failed {
		parts = append(parts, model.Picture(s.Picture))
	}
	if s.Failed {
		return parts, nil
	}
	state, err := json.Marshal(sdk.BrowserStateBlockParam{Tabs: []sdk.BrowserStateTabEntryParam{
		{TabID: tabID, Title: s.Title, URL: s.URL, Active: sdk.Bool(true)},
	}})
	if err != nil {
		return nil, fmt.Errorf("anthropic: encode the browser's state: %w", err)
	}
	return append(parts, model.Part{Raw: &model.Raw{Vendor: vendor, Data: state}}), nil
}

// target is a place or an element.
type target struct {
	Type string   `json:"type"`
	X    *float64 `json:"x"`
	Y    *float64 `json:"y"`
	Ref  string   `json:"ref"`
}

// browserInput is what the members of the family may carry.
type browserInput struct {
	Target    *target         `json:"target"`
	From      *target         `json:"from"`
	Modifiers string          `json:"modifiers"`
	Tab       string          `json:"tab_id"`
	URL       string          `json:"url"`
	Text      string          `json:"text"`
	Query     string          `json:"query"`
	Value     json.RawMessage `json:"value"`
	Depth     int             `json:"depth"`
	Filter    string          `json:"filter"`
	Ref       string          `json:"ref"`
	Region    []float64       `json:"region"`
	Duration  float64         `json:"duration"`
	Repeat    int             `json:"repeat"`
	Amount    *float64        `json:"scroll_amount"`
	Direction string          `json:"scroll_direction"`
}

// readBrowser is what a call of a browser tool asks for.
func readBrowser(call *model.ToolCall, picture computer.Space) computer.Call {
	var in browserInput
	if err := json.Unmarshal(call.Arguments, &in); err != nil {
		return computer.Problem(call.ID, call.Name, fmt.Errorf("the input cannot be read: %w", err))
	}
	if in.Tab != "" && in.Tab != tabID {
		return computer.Problem(call.ID, call.Name, fmt.Errorf("%s: there is no tab %q, only %s", call.Name, in.Tab, tabID))
	}
	actions, err := in.actions(call.Name, picture)
	if err != nil {
		return computer.Problem(call.ID, call.Name, fmt.Errorf("%s: %w", call.Name, err))
	}
	return computer.Call{ID: call.ID, Name: call.Name, Actions: actions}
}

func (in browserInput) actions(name string, picture computer.Space) ([]computer.Action, error) {
	if c, ok := clicks[name]; ok {
		return in.on(computer.Action{Kind: computer.Click, Button: c.button, Times: c.times}, picture)
	}
	switch name {
	case "hover":
		return in.on(computer.Action{Kind: computer.Move}, picture)
	case "mouse_move":
		return in.at(computer.Action{Kind: computer.Move}, picture)
	case "left_mouse_down":
		return in.at(computer.Action{Kind: computer.Down, Button: "left"}, picture)
	case "left_mouse_up":
		return in.at(computer.Action{Kind: computer.Up, Button: "left"}, picture)
	case "left_click_drag":
		return in.drag(picture)
	case "scroll":
		return in.scroll(picture)
	case "scroll_to":
		return in.element(computer.Action{Kind: computer.ScrollTo})
	case "form_input":
		value, err := in.value()
		if err != nil {
			return nil, err
		}
		return in.element(computer.Action{Kind: computer.Fill, Text: value})
	case "read_page":
		return one(computer.Action{Kind: computer.Read, Ref: in.Ref, Filter: in.Filter, Depth: in.Depth})
	case "get_page_text":
		return one(computer.Action{Kind: computer.ReadText})
	case "find":
		return one(computer.Action{Kind: computer.Find, Text: in.Query})
	case "navigate":
		return in.navigate()
	}
	// The rest is what the computer's own family has, in the same words.
	same := input{Text: in.Text, Repeat: in.Repeat, Duration: in.Duration, Region: in.Region}
	switch name {
	case "type", "key", "hold_key", "wait", "screenshot", "zoom":
		return same.actions(name, picture)
	}
	return nil, errors.New("there is no such tool here")
}

// on adds where, a place or an element, and the keys that are held meanwhile.
func (in browserInput) on(a computer.Action, picture computer.Space) ([]computer.Action, error) {
	if in.Target != nil && in.Target.Ref != "" {
		a.Ref = in.Target.Ref
		return in.holding(a)
	}
	return in.at(a, picture)
}

// at adds a place.
func (in browserInput) at(a computer.Action, picture computer.Space) (_ []computer.Action, err error) {
	if a.At, err = in.Target.place(picture); err != nil {
		return nil, err
	}
	return in.holding(a)
}

func (in browserInput) holding(a computer.Action) (_ []computer.Action, err error) {
	if in.Modifiers != "" {
		if a.Keys, err = computer.Chord(in.Modifiers); err != nil {
			return nil, fmt.Errorf("modifiers: %w", err)
		}
	}
	return one(a)
}

func (t *target) place(picture computer.Space) (*computer.Point, error) {
	if t == nil || t.X == nil || t.Y == nil {
		return nil, errors.New("target: want a coordinate with x and y")
	}
	return place([]float64{*t.X, *t.Y}, picture)
}

// element adds an element.
func (in browserInput) element(a computer.Action) ([]computer.Action, error) {
	if in.Target == nil || in.Target.Ref == "" {
		return nil, errors.New("target: want a ref")
	}
	a.Ref = in.Target.Ref
	return one(a)
}

func (in browserInput) drag(picture computer.Space) ([]computer.Action, error) {
	from, err := in.From.place(picture)
	if err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	to, err := in.Target.place(picture)
	if err != nil {
		return nil, err
	}
	return one(computer.Action{Kind: computer.Drag, Path: []computer.Point{*from, *to}})
}

// notches is how far the wheel turns where a model does not say.
const notches = 3

func (in browserInput) scroll(picture computer.Space) ([]computer.Action, error) {
	way, ok := directions[in.Direction]
	if !ok {
		return nil, fmt.Errorf("scroll_direction %q: want up, down, left or right", in.Direction)
	}
	amount := float64(notches)
	if in.Amount != nil {
		amount = *in.Amount
	}
	if amount < 0 || amount > 100 {
		return nil, fmt.Errorf("scroll_amount %g: want 1 to 10", amount)
	}
	by := computer.CSS.At(way[0]*amount*click, way[1]*amount*click)
	return in.at(computer.Action{Kind: computer.Scroll, By: &by}, picture)
}

// value is what a field is set to, in words.
func (in browserInput) value() (string, error) {
	var v any
	if err := json.Unmarshal(in.Value, &v); err != nil {
		return "", errors.New("value is missing")
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", errors.New("value: want a text, a number or true or false")
}

// navigate goes to an address or through the history. An address without a
// scheme is meant to be one of https, as the vendor documents.
func (in browserInput) navigate() ([]computer.Action, error) {
	switch in.URL {
	case "":
		return nil, errors.New("url is missing")
	case "back":
		return one(computer.Action{Kind: computer.Back})
	case "forward":
		return one(computer.Action{Kind: computer.Forward})
	case "reload":
		return one(computer.Action{Kind: computer.Reload})
	}
	address := in.URL
	host, _, _ := strings.Cut(address, "/")
	_, port, named := strings.Cut(host, ":")
	if _, err := strconv.ParseUint(port, 10, 16); !named || err == nil {
		address = "https://" + address // a host, perhaps with a port, and no scheme
	}
	return one(computer.Action{Kind: computer.Navigate, URL: address})
}
