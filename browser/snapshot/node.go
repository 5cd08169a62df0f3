package snapshot

import (
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/browser"
)

// Node is one thing on the page.
type Node struct {
	// ID is short, and stays the same as long as the node lives.
	ID   string `json:"id"`
	Role string `json:"role"` // "text" for plain text, "painted" and "object" for what is on a canvas
	Name string `json:"name,omitempty"`

	Value       string   `json:"value,omitempty"`
	Placeholder string   `json:"placeholder,omitempty"`
	Options     []string `json:"options,omitempty"` // of a select
	Level       int      `json:"level,omitempty"`   // of a heading
	Href        string   `json:"href,omitempty"`
	State       State    `json:"state,omitzero"`

	// Box is where it lies in the page's viewport, in CSS pixels.
	Box         browser.Rect `json:"box"`
	InView      bool         `json:"inView"`
	Interactive bool         `json:"interactive"`
	// Canvas is set on canvases.
	Canvas *Canvas `json:"canvas,omitempty"`
	// Failed says why a frame could not be read.
	Failed   string  `json:"failed,omitempty"`
	Children []*Node `json:"children,omitempty"`

	parent *Node
	doc    *document
	index  int32
	raw    bool // text that can still be joined with what follows
	lines  bool // text in which white space counts, as in <pre>
	spoken bool // text for screen readers only
}

// State is what can be said about a control besides its value.
type State struct {
	Disabled bool   `json:"disabled,omitempty"`
	Checked  string `json:"checked,omitempty"`  // "true", "false", "mixed", "" where it means nothing
	Selected string `json:"selected,omitempty"` // the same
	Expanded string `json:"expanded,omitempty"` // "true", "false"
	Pressed  string `json:"pressed,omitempty"`
	Focused  bool   `json:"focused,omitempty"`
	Required bool   `json:"required,omitempty"`
	Invalid  bool   `json:"invalid,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	Multiple bool   `json:"multiple,omitempty"`
	// Invisible is what is on the page and cannot be seen on it: transparent, in
	// the colour of its background, beyond the edge of what can be scrolled to, in
	// a box without room, or in a frame of which the same is true.
	Invisible bool `json:"invisible,omitempty"`
}

// Canvas is what is known of a canvas.
type Canvas struct {
	Kind     string `json:"kind,omitempty"` // "2d", "webgl", ...; empty when nobody watched it being asked for
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Animates bool   `json:"animates"`
	Engine   string `json:"engine,omitempty"`
}

// Parent is the node around it, nil for the root.
func (n *Node) Parent() *Node { return n.parent }

// Painted reports whether the node is on a canvas and so has no element.
func (n *Node) Painted() bool { return n.Role == "painted" || n.Role == "object" }

// Backend is the element behind the node in the protocol: its backend node id
// and the frame it is in. For what is painted it is the canvas. The frame is
// nil for the page itself and for documents that are gone.
func (n *Node) Backend() (id int64, frame *browser.Frame) {
	if n.doc == nil {
		return 0, nil
	}
	return n.doc.backend(n.index), n.doc.frame
}

// Tag is the element's tag in lower case.
func (n *Node) Tag() string {
	if n.doc == nil || n.doc.kind(n.index) != typeElement {
		return ""
	}
	return n.doc.tag(n.index)
}

// Attribute is the element's attribute when the snapshot was taken.
func (n *Node) Attribute(name string) string {
	if n.doc == nil || n.doc.kind(n.index) != typeElement {
		return ""
	}
	return n.doc.get(n.index, name)
}

// Walk calls visit for the node and everything below it, parents first, until
// it returns false.
func (n *Node) Walk(visit func(*Node) bool) bool {
	// A list instead of recursion: documents can be very deep.
	stack := []*Node{n}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !visit(top) {
			return false
		}
		for i := len(top.Children) - 1; i >= 0; i-- {
			stack = append(stack, top.Children[i])
		}
	}
	return true
}

func (d *document) state(n int32, tag, role string) State {
	var s State
	_, off := d.attr(n, "disabled")
	s.Disabled = off && formTag(tag) || d.get(n, "aria-disabled") == "true" || formTag(tag) && d.fieldsetOff(n)
	s.Required = formTag(tag) && d.has(n, "required") || d.get(n, "aria-required") == "true"
	s.ReadOnly = (tag == "input" || tag == "textarea") && d.has(n, "readonly") || d.get(n, "aria-readonly") == "true"
	if v := d.get(n, "aria-invalid"); v != "" && v != "false" {
		s.Invalid = true
	}
	s.Pressed = truth(d.get(n, "aria-pressed"))
	s.Expanded = truth(d.get(n, "aria-expanded"))
	s.Selected = truth(d.get(n, "aria-selected"))
	s.Checked = truth(d.get(n, "aria-checked"))
	s.Multiple = tag == "select" && d.has(n, "multiple") || d.get(n, "aria-multiselectable") == "true"
	switch tag {
	case "input":
		if role == "checkbox" || role == "radio" || role == "switch" {
			s.Checked = strconv.FormatBool(d.checked[n])
		}
	case "option":
		s.Selected = strconv.FormatBool(d.selected[n])
	case "summary":
		if p := d.parent(n); p >= 0 && d.tag(p) == "details" {
			s.Expanded = strconv.FormatBool(d.has(p, "open"))
		}
	}
	return s
}

func formTag(tag string) bool {
	switch tag {
	case "button", "input", "select", "textarea", "option", "optgroup", "fieldset":
		return true
	}
	return false
}

func (d *document) fieldsetOff(n int32) bool {
	for p := d.parent(n); p >= 0; p = d.parent(p) {
		switch d.tag(p) {
		case "legend":
			return false
		case "fieldset":
			if d.has(p, "disabled") {
				return true
			}
		}
	}
	return false
}

func truth(v string) string {
	switch v {
	case "true", "false", "mixed":
		return v
	}
	return ""
}

// fieldValue is what is in a field now. Passwords are told by their length.
func (d *document) fieldValue(n int32, tag, role string) string {
	switch tag {
	case "input":
		t := strings.ToLower(d.get(n, "type"))
		if role == "button" || role == "checkbox" || role == "radio" {
			return ""
		}
		v := d.str(or(d.input, n))
		if t == "password" {
			return strings.Repeat("•", min(len([]rune(v)), 12))
		}
		return clean(v)
	case "textarea":
		if v, ok := d.text[n]; ok {
			return cleanLines(d.str(v))
		}
		return cleanLines(d.str(or(d.input, n)))
	case "progress", "meter":
		return clean(d.get(n, "value"))
	}
	if v := d.get(n, "aria-valuetext"); v != "" {
		return clean(v)
	}
	return clean(d.get(n, "aria-valuenow"))
}

func or(m map[int32]int32, n int32) int32 {
	if v, ok := m[n]; ok {
		return v
	}
	return -1
}

// options lists a select's options and which are chosen.
func (d *document) options(n int32, all, chosen *[]string) {
	for c := d.first[n]; c >= 0; c = d.next[c] {
		if d.kind(c) != typeElement {
			continue
		}
		switch d.tag(c) {
		case "option":
			label := clean(d.get(c, "label"))
			if label == "" {
				var b strings.Builder
				for t := d.first[c]; t >= 0; t = d.next[t] {
					if d.kind(t) == typeText {
						b.WriteString(d.value(t))
					}
				}
				label = clean(b.String())
			}
			*all = append(*all, label)
			if d.selected[c] {
				*chosen = append(*chosen, label)
			}
		case "optgroup":
			d.options(c, all, chosen)
		}
	}
}
