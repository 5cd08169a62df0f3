package metadata

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits of the testing strategy, in milliseconds.
const (
	maxWaitMS     = 120_000
	maxDurationMS = 600_000
)

// maxProblems bounds how many mistakes one error lists.
const maxProblems = 20

// decodeMetadata turns a tree into metadata and gathers everything wrong with it.
func decodeMetadata(root *node) (*Metadata, error) {
	d := &decoder{}
	m := &Metadata{}
	d.object(root, "", fields{
		"metadataVersion":   func(n *node, p string) { m.Version = d.label(n, p) },
		"title":             func(n *node, p string) { m.Title = d.label(n, p) },
		"genre":             func(n *node, p string) { m.Genre = d.text(n, p) },
		"description":       func(n *node, p string) { m.Description = d.text(n, p) },
		"objectives":        func(n *node, p string) { m.Objectives = d.lines(n, p) },
		"ui_elements":       func(n *node, p string) { m.UIElements = d.texts(n, p) },
		"expectedControls":  func(n *node, p string) { m.ExpectedControls = d.lines(n, p) },
		"controls":          func(n *node, p string) { m.Controls = d.controls(n, p) },
		"inputSchema":       func(n *node, p string) { m.InputSchema = d.inputSchema(n, p) },
		"loadingIndicators": func(n *node, p string) { m.LoadingIndicators = decodeList(d, n, p, d.loadingIndicator) },
		"successIndicators": func(n *node, p string) { m.SuccessIndicators = decodeList(d, n, p, d.successIndicator) },
		"testingStrategy":   func(n *node, p string) { m.TestingStrategy = d.testingStrategy(n, p) },
	})
	d.criticalNames(m)
	d.contradictions(m)
	if len(d.problems) > 0 {
		return nil, &Error{Problems: d.problems}
	}
	return m, nil
}

type decoder struct {
	problems []Problem
}

// fields maps the names an object may have to what reads them.
type fields map[string]func(n *node, path string)

func (d *decoder) problem(n *node, path, nearest, format string, args ...any) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, Problem{
			Path: path, Line: n.line, Nearest: nearest, Message: fmt.Sprintf(format, args...),
		})
	}
}

// object reads an object's known fields and reports the others. A field set to
// null counts as left out.
func (d *decoder) object(n *node, path string, known fields) bool {
	if n.kind != objectNode {
		if path == "" {
			d.problem(n, "", "", "must be an object with fields such as title and controls, not %s", n.kind)
		} else {
			d.mismatch(n, path, "an object")
		}
		return false
	}
	for _, f := range n.fields {
		at := join(path, f.name)
		read, ok := known[f.name]
		switch {
		case ok && f.value.kind != nullNode:
			read(f.value, at)
		case ok, strings.HasPrefix(strings.ToLower(f.name), "x-"):
		default:
			names := make([]string, 0, len(known))
			for name := range known {
				names = append(names, name)
			}
			d.problem(&node{line: f.line}, at, nearest(f.name, names), "is not a known field")
		}
	}
	return true
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (d *decoder) mismatch(n *node, path, want string) {
	d.problem(n, path, "", "must be %s, not %s", want, n.kind)
}

func (d *decoder) text(n *node, path string) string {
	if n.kind != stringNode {
		d.mismatch(n, path, "text")
		return ""
	}
	return n.text
}

// label is text that may also be written as a number: a version, a title "2048", a key "1".
func (d *decoder) label(n *node, path string) string {
	if n.kind == numberNode {
		return n.text
	}
	return d.text(n, path)
}

// texts reads a list of text, or one text in place of a list of one.
func (d *decoder) texts(n *node, path string) []string {
	switch n.kind {
	case stringNode, numberNode:
		return []string{n.text}
	case listNode:
		var out []string
		for i, item := range n.items {
			if s := d.label(item, index(path, i)); s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	d.mismatch(n, path, "a list of text")
	return nil
}

// lines reads prose that may be given as a list of sentences.
func (d *decoder) lines(n *node, path string) string {
	if n.kind == listNode {
		return strings.Join(d.texts(n, path), "\n")
	}
	return d.text(n, path)
}

func (d *decoder) flag(n *node, path string) bool {
	if n.kind != boolNode {
		d.mismatch(n, path, "true or false")
		return false
	}
	return n.text == "true"
}

// millis reads a whole number of milliseconds.
func (d *decoder) millis(n *node, path string, limit int) int {
	if n.kind != numberNode {
		d.mismatch(n, path, "a number of milliseconds")
		return 0
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
	switch {
	case err != nil || v != math.Trunc(v):
		d.problem(n, path, "", "must be a whole number of milliseconds, not %s", n.text)
	case v < 0 || v > float64(limit):
		d.problem(n, path, "", "must be between 0 and %d milliseconds, not %s", limit, n.text)
	default:
		return int(v)
	}
	return 0
}

func index(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

func decodeList[T any](d *decoder, n *node, path string, read func(*node, string) T) []T {
	if n.kind != listNode {
		d.mismatch(n, path, "a list")
		return nil
	}
	out := make([]T, 0, len(n.items))
	for i, item := range n.items {
		out = append(out, read(item, index(path, i)))
	}
	return out
}

func (d *decoder) controls(n *node, path string) *ControlLists {
	c := &ControlLists{}
	d.object(n, path, fields{
		"movement": func(n *node, p string) { c.Movement = d.texts(n, p) },
		"actions":  func(n *node, p string) { c.Actions = d.texts(n, p) },
		"special":  func(n *node, p string) { c.Special = d.texts(n, p) },
	})
	return c
}

func (d *decoder) inputSchema(n *node, path string) *InputSchema {
	s := &InputSchema{}
	d.object(n, path, fields{
		"type":    func(n *node, p string) { s.Type = d.oneOf(n, p, InputProse, InputScript) },
		"content": func(n *node, p string) { s.Content = d.lines(n, p) },
		"actions": func(n *node, p string) { s.Actions = decodeList(d, n, p, d.inputAction) },
		"axes":    func(n *node, p string) { s.Axes = decodeList(d, n, p, d.inputAxis) },
	})
	return s
}

func (d *decoder) oneOf(n *node, path string, allowed ...string) string {
	s := d.text(n, path)
	if s == "" || slices.Contains(allowed, s) {
		return s
	}
	d.problem(n, path, nearest(s, allowed), "must be one of %s, not %q", strings.Join(allowed, ", "), s)
	return ""
}

func (d *decoder) inputAction(n *node, path string) InputAction {
	a := InputAction{}
	if d.object(n, path, fields{
		"name":        func(n *node, p string) { a.Name = d.label(n, p) },
		"keys":        func(n *node, p string) { a.Keys = d.keys(n, p) },
		"description": func(n *node, p string) { a.Description = d.text(n, p) },
	}) {
		d.required(n, path, "name", a.Name)
	}
	return a
}

func (d *decoder) inputAxis(n *node, path string) InputAxis {
	a := InputAxis{}
	if d.object(n, path, fields{
		"name":        func(n *node, p string) { a.Name = d.label(n, p) },
		"keys":        func(n *node, p string) { a.Keys = d.axisKeys(n, p) },
		"is2D":        func(n *node, p string) { a.Is2D = d.flag(n, p) },
		"description": func(n *node, p string) { a.Description = d.text(n, p) },
	}) {
		d.required(n, path, "name", a.Name)
	}
	return a
}

func (d *decoder) required(n *node, path, name, value string) {
	if value == "" {
		for _, f := range n.fields {
			if f.name == name && f.value.kind != stringNode && f.value.kind != nullNode {
				return // reported as a mismatch
			}
		}
		d.problem(n, join(path, name), "", "is missing")
	}
}

// keys reads names of inputs and reports the ones nobody knows.
func (d *decoder) keys(n *node, path string) []string {
	check := func(n *node, path, name string) {
		codes, other := readInput(name)
		if len(codes) == 0 && other == "" && len(readProse(name)) == 0 {
			d.problem(n, path, nearestKey(name), "%q is not the name of a key or of another input", name)
		}
	}
	switch n.kind {
	case stringNode, numberNode:
		check(n, path, n.text)
	case listNode:
		for i, item := range n.items {
			if item.kind == stringNode || item.kind == numberNode {
				check(item, index(path, i), item.text)
			}
		}
	}
	return d.texts(n, path)
}

// axisKeys also reads the form {left: A, right: D}, in the order of its fields.
func (d *decoder) axisKeys(n *node, path string) []string {
	if n.kind != objectNode {
		return d.keys(n, path)
	}
	var out []string
	read := func(n *node, p string) { out = append(out, d.keys(n, p)...) }
	d.object(n, path, fields{
		"up": read, "down": read, "left": read, "right": read, "positive": read, "negative": read,
	})
	return out
}

func (d *decoder) loadingIndicator(n *node, path string) LoadingIndicator {
	l := LoadingIndicator{}
	if !d.object(n, path, fields{
		"type":        func(n *node, p string) { l.Type = d.text(n, p) },
		"pattern":     func(n *node, p string) { l.Pattern = d.text(n, p) },
		"selector":    func(n *node, p string) { l.Selector = d.text(n, p) },
		"description": func(n *node, p string) { l.Description = d.text(n, p) },
	}) {
		return l
	}
	d.required(n, path, "type", l.Type)
	switch {
	case l.Type == LoadingElement && l.Selector == "":
		d.problem(n, join(path, "selector"), "", "is missing: an element indicator needs a CSS selector")
	case l.Type == LoadingText && l.Pattern == "":
		d.problem(n, join(path, "pattern"), "", "is missing: a text indicator needs the text to look for")
	}
	return l
}

func (d *decoder) successIndicator(n *node, path string) SuccessIndicator {
	s := SuccessIndicator{}
	if !d.object(n, path, fields{
		"type":        func(n *node, p string) { s.Type = d.oneOf(n, p, successTypes...) },
		"pattern":     func(n *node, p string) { s.Pattern = d.text(n, p) },
		"selector":    func(n *node, p string) { s.Selector = d.text(n, p) },
		"description": func(n *node, p string) { s.Description = d.text(n, p) },
	}) {
		return s
	}
	if !slices.ContainsFunc(n.fields, func(f field) bool { return f.name == "type" }) {
		d.problem(n, join(path, "type"), "", "is missing")
	}
	if s.Type == SuccessElementVisible && s.Selector == "" && s.Pattern == "" {
		d.problem(n, join(path, "selector"), "", "is missing: an element_visible indicator needs a CSS selector")
	}
	return s
}

func (d *decoder) testingStrategy(n *node, path string) *TestingStrategy {
	t := &TestingStrategy{}
	d.object(n, path, fields{
		"waitBeforeInteraction": func(n *node, p string) { t.WaitBeforeInteraction = d.millis(n, p, maxWaitMS) },
		"interactionDuration":   func(n *node, p string) { t.InteractionDuration = d.millis(n, p, maxDurationMS) },
		"criticalActions":       func(n *node, p string) { t.CriticalActions = d.texts(n, p) },
		"criticalAxes":          func(n *node, p string) { t.CriticalAxes = d.texts(n, p) },
		"instructions":          func(n *node, p string) { t.Instructions = d.lines(n, p) },
	})
	return t
}

// criticalNames reports critical actions and axes that are declared nowhere.
// Where the input schema declares none, any name is accepted: it may stand in
// the content or be a key of the control lists.
func (d *decoder) criticalNames(m *Metadata) {
	if m.TestingStrategy == nil || m.InputSchema == nil {
		return
	}
	var names []string
	for _, a := range m.InputSchema.Actions {
		names = append(names, a.Name)
	}
	for _, a := range m.InputSchema.Axes {
		names = append(names, a.Name)
	}
	if len(names) == 0 {
		return
	}
	check := func(path string, critical []string) {
		for i, c := range critical {
			if !slices.ContainsFunc(names, func(n string) bool { return fold(n) == fold(c) }) {
				d.problem(&node{}, index(path, i), nearest(c, names), "%q is not the name of a declared action or axis", c)
			}
		}
	}
	check("testingStrategy.criticalActions", m.TestingStrategy.CriticalActions)
	check("testingStrategy.criticalAxes", m.TestingStrategy.CriticalAxes)
}

// contradictions reports a name that is declared with other keys the second time, and
// an axis of which one key is to lead both ways.
func (d *decoder) contradictions(m *Metadata) {
	if m.InputSchema == nil {
		return
	}
	declared := map[string][]string{}
	check := func(path, name string, keys []string) {
		had, ok := declared[fold(name)]
		if ok && !slices.Equal(had, keys) {
			d.problem(&node{}, path+".name", "", "%q is declared twice, with different keys", name)
		}
		declared[fold(name)] = keys
	}
	for i, a := range m.InputSchema.Actions {
		check(index("inputSchema.actions", i), a.Name, a.Keys)
	}
	for i, a := range m.InputSchema.Axes {
		path := index("inputSchema.axes", i)
		check(path, a.Name, a.Keys)
		for j, k := range a.Keys {
			if slices.Contains(a.Keys[:j], k) {
				d.problem(&node{}, index(path+".keys", j), "", "%q is named twice: an axis needs another key for each way", k)
			}
		}
	}
}
