package google

import (
	"errors"
	"fmt"

	"github.com/playtest-dev/playtest/agent/computer"
)

// function turns a call's arguments into actions.
type function func(d *Driver, a arguments) ([]computer.Action, error)

// functions are all that the vendor predefines for browsers: those of the
// computer use preview, and those of Gemini 3.5 and later.
var functions = map[string]function{
	"open_web_browser": nothing,
	"click_at":         clicking("left", 1),
	"hover_at":         pointing(computer.Move),
	"type_text_at":     typeAt,
	"key_combination":  pressing,
	"scroll_document":  scrollDocument,
	"scroll_at":        scrollAt,
	"drag_and_drop":    drag,
	"wait_5_seconds":   func(*Driver, arguments) ([]computer.Action, error) { return wait(5) },
	"go_back":          plain(computer.Back),
	"go_forward":       plain(computer.Forward),
	"navigate":         navigate,
	"search":           search,

	"click":           clicking("left", 1),
	"double_click":    clicking("left", 2),
	"triple_click":    clicking("left", 3),
	"middle_click":    clicking("middle", 1),
	"right_click":     clicking("right", 1),
	"long_press":      longPress,
	"mouse_down":      pointing(computer.Down),
	"mouse_up":        pointing(computer.Up),
	"move":            pointing(computer.Move),
	"type":            typing,
	"wait":            waiting,
	"press_key":       pressing,
	"key_down":        keying(computer.KeyDown),
	"key_up":          keying(computer.KeyUp),
	"hotkey":          pressing,
	"take_screenshot": plain(computer.Screenshot),
	"scroll":          scrollPixels,
}

func plain(kind computer.Kind) function {
	return func(*Driver, arguments) ([]computer.Action, error) { return []computer.Action{{Kind: kind}}, nil }
}

// nothing: the browser is open.
func nothing(*Driver, arguments) ([]computer.Action, error) {
	return []computer.Action{{Kind: computer.Nothing}}, nil
}

func clicking(button string, times int) function {
	return func(_ *Driver, a arguments) ([]computer.Action, error) {
		p, err := at(a.X, a.Y)
		return []computer.Action{{Kind: computer.Click, At: p, Button: button, Times: times}}, err
	}
}

func pointing(kind computer.Kind) function {
	return func(_ *Driver, a arguments) ([]computer.Action, error) {
		p, err := at(a.X, a.Y)
		return []computer.Action{{Kind: kind, At: p}}, err
	}
}

func longPress(_ *Driver, a arguments) ([]computer.Action, error) {
	p, err := at(a.X, a.Y)
	if err != nil {
		return nil, err
	}
	hold, err := wait(or(a.Seconds, 2))
	return append(append([]computer.Action{{Kind: computer.Down, At: p}}, hold...), computer.Action{Kind: computer.Up, At: p}), err
}

// typeAt clicks, clears, types and presses Enter. The last three are wanted
// unless the model says otherwise.
func typeAt(_ *Driver, a arguments) ([]computer.Action, error) {
	p, err := at(a.X, a.Y)
	if err != nil {
		return nil, err
	}
	actions := []computer.Action{{Kind: computer.Click, At: p}}
	if a.Clear == nil || *a.Clear {
		actions = append(actions,
			computer.Action{Kind: computer.Press, Keys: []string{"ControlLeft", "KeyA"}},
			computer.Action{Kind: computer.Press, Keys: []string{"Backspace"}})
	}
	return entering(append(actions, computer.Action{Kind: computer.Type, Text: a.Text}), a.Enter == nil || *a.Enter), nil
}

// typing types where the focus is.
func typing(_ *Driver, a arguments) ([]computer.Action, error) {
	return entering([]computer.Action{{Kind: computer.Type, Text: a.Text}}, a.Enter != nil && *a.Enter), nil
}

func entering(actions []computer.Action, enter bool) []computer.Action {
	if !enter {
		return actions
	}
	return append(actions, computer.Action{Kind: computer.Press, Keys: []string{"Enter"}})
}

// chord is the keys of a call, named in any of three ways.
func (a arguments) chord() ([]string, error) {
	switch {
	case a.Key != "":
		return computer.Chord(a.Key)
	case len(a.Keys) == 1:
		return computer.Chord(a.Keys[0])
	case len(a.Keys) > 1:
		return computer.Keys(a.Keys)
	}
	return nil, errors.New("no key is named")
}

func pressing(_ *Driver, a arguments) ([]computer.Action, error) {
	keys, err := a.chord()
	return []computer.Action{{Kind: computer.Press, Keys: keys}}, err
}

func keying(kind computer.Kind) function {
	return func(_ *Driver, a arguments) ([]computer.Action, error) {
		keys, err := a.chord()
		return []computer.Action{{Kind: kind, Keys: keys}}, err
	}
}

// scrollDocument presses keys, so that it works wherever the pointer is. There
// are none for sideways; the wheel turns in the middle for those.
func scrollDocument(_ *Driver, a arguments) ([]computer.Action, error) {
	switch a.Direction {
	case "down":
		return []computer.Action{{Kind: computer.Press, Keys: []string{"PageDown"}}}, nil
	case "up":
		return []computer.Action{{Kind: computer.Press, Keys: []string{"PageUp"}}}, nil
	}
	middle := computer.Thousand.At(500, 500)
	by, err := direction(a.Direction, computer.Thousand, 800)
	return []computer.Action{{Kind: computer.Scroll, At: &middle, By: by}}, err
}

func scrollAt(_ *Driver, a arguments) ([]computer.Action, error) {
	return scrolling(a, computer.Thousand, or(a.Magnitude, 800))
}

func scrollPixels(_ *Driver, a arguments) ([]computer.Action, error) {
	return scrolling(a, computer.CSS, or(a.Pixels, 300))
}

func scrolling(a arguments, space computer.Space, far float64) ([]computer.Action, error) {
	p, err := at(a.X, a.Y)
	if err != nil {
		return nil, err
	}
	by, err := direction(a.Direction, space, min(max(far, 0), largest))
	return []computer.Action{{Kind: computer.Scroll, At: p, By: by}}, err
}

func direction(name string, space computer.Space, far float64) (*computer.Point, error) {
	ways := map[string]computer.Point{
		"up": space.At(0, -far), "down": space.At(0, far), "left": space.At(-far, 0), "right": space.At(far, 0),
	}
	by, ok := ways[name]
	if !ok {
		return nil, fmt.Errorf("direction %q: want up, down, left or right", name)
	}
	return &by, nil
}

func drag(_ *Driver, a arguments) ([]computer.Action, error) {
	from, err := at(first(a.StartX, a.X), first(a.StartY, a.Y))
	if err != nil {
		return nil, err
	}
	to, err := at(first(a.EndX, a.ToX), first(a.EndY, a.ToY))
	if err != nil {
		return nil, err
	}
	return []computer.Action{{Kind: computer.Drag, Path: []computer.Point{*from, *to}}}, nil
}

func navigate(_ *Driver, a arguments) ([]computer.Action, error) {
	if a.URL == "" {
		return nil, errors.New("url is needed")
	}
	return []computer.Action{{Kind: computer.Navigate, URL: a.URL}}, nil
}

func search(d *Driver, _ arguments) ([]computer.Action, error) {
	return []computer.Action{{Kind: computer.Navigate, URL: d.opts.Search}}, nil
}

func waiting(_ *Driver, a arguments) ([]computer.Action, error) { return wait(or(a.Seconds, 1)) }

func wait(seconds float64) ([]computer.Action, error) {
	d, err := computer.Seconds(seconds)
	return []computer.Action{{Kind: computer.Wait, For: d}}, err
}

func or(n *float64, otherwise float64) float64 {
	if n == nil {
		return otherwise
	}
	return *n
}

func first(a, b *float64) *float64 {
	if a != nil {
		return a
	}
	return b
}
