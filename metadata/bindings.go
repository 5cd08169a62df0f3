package metadata

import (
	"fmt"
	"slices"
	"strings"
)

// BindingKind tells actions from axes.
type BindingKind string

// The kinds of binding.
const (
	// BindAction is pressed, held, released.
	BindAction BindingKind = "action"
	// BindAxis has opposite directions.
	BindAxis BindingKind = "axis"
)

// Binding is one control that the metadata declares, whichever shape it was
// declared in.
type Binding struct {
	Name string
	Kind BindingKind
	// Keys are the KeyboardEvent codes of the binding, each an alternative or,
	// for an axis, a direction. Empty when it is operated another way.
	Keys []string
	// Directions of an axis, each with the keys that go there.
	Directions []Direction
	Is2D       bool
	// Hold: the control is meant to be kept down.
	Hold bool
	// Pointer: it is operated with the mouse or a finger.
	Pointer bool
	// Gamepad: it is operated with hardware that is not here.
	Gamepad bool
	// AnyKey: whatever key will do.
	AnyKey      bool
	Critical    bool
	Description string
	// Source is the path of the field that declares the binding.
	Source string
}

// Direction is one way an axis can go: up, left, or the code of its key where
// the key points nowhere.
type Direction struct {
	Name string
	Keys []string
}

// Bindings returns the declared controls: critical ones first, then in the
// order actions, axes, control lists, and what prose or code adds to those.
// Safe on a nil Metadata.
func (m *Metadata) Bindings() []Binding {
	if m == nil {
		return nil
	}
	var all []Binding
	if s := m.InputSchema; s != nil {
		for i, a := range s.Actions {
			all = append(all, bindAction(a, fmt.Sprintf("inputSchema.actions[%d]", i)))
		}
		for i, a := range s.Axes {
			all = append(all, bindAxis(a, fmt.Sprintf("inputSchema.axes[%d]", i)))
		}
	}
	if c := m.Controls; c != nil {
		all = append(all, bindMovement(c.Movement, "controls.movement")...)
		all = append(all, bindList(c.Actions, "controls.actions")...)
		all = append(all, bindList(c.Special, "controls.special")...)
	}
	if s := m.InputSchema; s != nil {
		read := readProse
		if s.Type == InputScript || s.Type == "" && looksLikeScript(s.Content) {
			read = readScript
		}
		all = addPhrases(all, read(s.Content), "inputSchema.content")
	}
	all = addPhrases(all, readProse(m.ExpectedControls), "expectedControls")

	if t := m.TestingStrategy; t != nil {
		markCritical(all, t.CriticalActions)
		markCritical(all, t.CriticalAxes)
	}
	slices.SortStableFunc(all, func(a, b Binding) int {
		switch {
		case a.Critical == b.Critical:
			return 0
		case a.Critical:
			return -1
		}
		return 1
	})
	return all
}

// inputs gathers what names of inputs stand for.
type inputs struct {
	codes                    []string
	pointer, gamepad, anyKey bool
}

func readInputs(names []string) inputs {
	var in inputs
	for _, name := range names {
		codes, other := readInput(name)
		if len(codes) == 0 && other == "" {
			for _, p := range readProse(name) {
				in.addCodes(p.keys)
				in.addOther(p.other)
			}
			continue
		}
		in.addCodes(codes)
		in.addOther(other)
	}
	return in
}

func (in *inputs) addCodes(codes []string) {
	for _, c := range codes {
		if !slices.Contains(in.codes, c) {
			in.codes = append(in.codes, c)
		}
	}
}

func (in *inputs) addOther(other string) {
	switch other {
	case InputPointer:
		in.pointer = true
	case InputGamepad:
		in.gamepad = true
	case InputAnyKey:
		in.anyKey = true
	}
}

func (in inputs) binding(name string, kind BindingKind, source string) Binding {
	return Binding{
		Name: name, Kind: kind, Source: source, Keys: in.codes,
		Pointer: in.pointer, Gamepad: in.gamepad, AnyKey: in.anyKey,
	}
}

func bindAction(a InputAction, source string) Binding {
	in := readInputs(a.Keys)
	if len(a.Keys) == 0 {
		in.pointer = true
	}
	b := in.binding(a.Name, BindAction, source)
	b.Description = a.Description
	b.Hold = saysHold(a.Name + " " + a.Description)
	return b
}

func bindAxis(a InputAxis, source string) Binding {
	in := readInputs(a.Keys)
	if len(a.Keys) == 0 {
		in.pointer = true
	}
	b := in.binding(a.Name, BindAxis, source)
	b.Description, b.Is2D, b.Hold = a.Description, a.Is2D, true
	b.Directions = directions(b.Keys)
	return b
}

// directions sorts keys by where they point. Keys that point nowhere are a
// direction each.
func directions(codes []string) []Direction {
	var out []Direction
	for _, code := range codes {
		name := direction(code)
		if name == "" {
			name = code
		}
		i := slices.IndexFunc(out, func(d Direction) bool { return d.Name == name })
		if i < 0 {
			out = append(out, Direction{Name: name})
			i = len(out) - 1
		}
		out[i].Keys = append(out[i].Keys, code)
	}
	return out
}

// isAxis reports whether keys go in opposite directions, and in how many
// dimensions they do.
func isAxis(codes []string) (axis, twoD bool) {
	has := map[string]bool{}
	for _, code := range codes {
		name := direction(code)
		if name == "" {
			return false, false
		}
		has[name] = true
	}
	horizontal, vertical := has["left"] && has["right"], has["up"] && has["down"]
	return horizontal || vertical, horizontal && vertical
}

// bindMovement reads a list of movement keys as one axis where it is one.
func bindMovement(names []string, source string) []Binding {
	in := readInputs(names)
	axis, twoD := isAxis(in.codes)
	if !axis {
		return bindList(names, source)
	}
	b := in.binding("movement", BindAxis, source)
	b.Is2D, b.Hold, b.Directions = twoD, true, directions(b.Keys)
	b.Description = strings.Join(names, ", ")
	return []Binding{b}
}

// bindList reads each item of a list as a binding of its own.
func bindList(names []string, source string) []Binding {
	var out []Binding
	for i, name := range names {
		in := readInputs([]string{name})
		b := in.binding(strings.TrimSpace(name), BindAction, fmt.Sprintf("%s[%d]", source, i))
		if axis, twoD := isAxis(b.Keys); axis {
			b.Kind, b.Is2D, b.Directions = BindAxis, twoD, directions(b.Keys)
		}
		b.Hold = b.Kind == BindAxis || saysHold(name)
		if b.Name == "" {
			b.Name = strings.Join(b.Keys, " ")
		}
		out = append(out, b)
	}
	return out
}

// addPhrases appends what was read from prose or code, as far as it names
// inputs that are not bound already.
func addPhrases(all []Binding, found []phrase, source string) []Binding {
	for _, p := range found {
		var in inputs
		in.addOther(p.other)
		for _, code := range p.keys {
			if !slices.ContainsFunc(all, func(b Binding) bool { return slices.Contains(b.Keys, code) }) {
				in.addCodes([]string{code})
			}
		}
		known := slices.ContainsFunc(all, func(b Binding) bool {
			return b.Pointer && in.pointer || b.Gamepad && in.gamepad || b.AnyKey && in.anyKey
		})
		if len(in.codes) == 0 && (p.other == "" || known) {
			continue
		}
		b := in.binding(p.name, BindAction, source)
		if axis, twoD := isAxis(b.Keys); axis {
			b.Kind, b.Is2D, b.Directions = BindAxis, twoD, directions(b.Keys)
		}
		b.Hold = b.Kind == BindAxis || p.hold
		b.Description = p.text
		if b.Name == "" {
			b.Name = strings.Join(b.Keys, " ")
		}
		if b.Name == "" {
			b.Name = p.other
		}
		all = append(all, b)
	}
	return all
}

func markCritical(all []Binding, names []string) {
	for _, name := range names {
		codes, _ := readInput(name)
		for i := range all {
			byKey := len(codes) > 0 && !slices.ContainsFunc(codes, func(c string) bool { return !slices.Contains(all[i].Keys, c) })
			if fold(all[i].Name) == fold(name) || byKey {
				all[i].Critical = true
			}
		}
	}
}

func saysHold(text string) bool {
	for _, word := range strings.Fields(strings.ToLower(text)) {
		switch strings.Trim(word, ".,;:()\"'") {
		case "hold", "holding", "held", "charge", "continuously":
			return true
		}
	}
	return false
}
