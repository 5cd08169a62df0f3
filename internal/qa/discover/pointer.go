package discover

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// Form marks controls that the browser itself answers for: a box is ticked
// whether or not the page knows of it.
const Form = "form"

// Drop marks what things can be dropped on.
const Drop = "drop"

// Number marks text fields that take numbers only, Setting those that hold a number
// from the beginning: how large the board is, not what is played.
const (
	Number  = "number"
	Setting = "setting"
)

// pointerTargets lists what a pointer might operate.
func pointerTargets(g *game.Game, r *probe.Reading, els *probe.Elements, engine probe.Engine) []record.Control {
	var out []record.Control
	byName := map[string]int{}
	name := func(prefix, s string) string {
		if s == "" {
			s = "target"
		}
		key := prefix + ":" + strings.ToLower(s)
		byName[key]++
		if n := byName[key]; n > 1 {
			return fmt.Sprintf("%s#%d", key, n)
		}
		return key
	}
	for _, e := range els.Elements {
		if e.Disabled || e.Box.W*e.Box.H > 0.85*g.Viewport.Width*g.Viewport.Height {
			continue
		}
		rect := record.Rect{X: e.Box.X, Y: e.Box.Y, Width: e.Box.W, Height: e.Box.H}
		c := record.Control{Type: record.ControlClick, Box: &rect, Text: e.Text, Selector: e.Selector, FrameURL: frameOf(e), Sources: []string{"element"}}
		if slices.Contains([]string{"input", "select", "option", "summary", "details", "textarea"}, e.Tag) {
			c.Sources = append(c.Sources, Form)
		}
		if e.Is("dropzone") {
			c.Sources = append(c.Sources, Drop)
		}
		label := e.Text
		if label == "" {
			label = e.Selector
		}
		switch {
		case e.Tag == "input" && textual(e.Type), e.Tag == "textarea":
			c.Type, c.Confidence, c.Description = record.ControlTyping, 0.8, "the text field "+label
			c.ID = name("type", label)
			if e.Tag == "input" {
				c.Keys = []string{"Enter"} // ends the line
			}
			if e.Type == "number" {
				c.Sources = append(c.Sources, Number)
			}
			if slices.ContainsFunc(e.Attrs, setNumber.MatchString) {
				c.Sources = append(c.Sources, Setting)
			}
		case e.Tag == "canvas":
			continue // canvases are looked into, below and by trial
		case draggable(e, g.Record.Load.Listens) || e.Is("grab") && !e.Is("native"):
			c.Type, c.Confidence, c.Description = record.ControlDrag, 0.7, "dragging "+label
			c.ID = name("drag", label)
		default:
			c.Confidence = clickConfidence(e)
			if c.Confidence == 0 {
				continue
			}
			c.Description, c.ID = "a click on "+label, name("click", label)
		}
		out = append(out, c)
	}
	for _, t := range r.Texts() {
		if m := words.Of(t.Text); m == words.None || m == words.Loading || m == words.Over {
			continue
		}
		rect := record.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}
		out = append(out, record.Control{ID: name("click", t.Text), Type: record.ControlClick, Box: &rect, Text: t.Text, Confidence: 0.6, Description: "a click on the painted text " + t.Text, Sources: []string{"painted text"}})
	}
	for _, o := range engine.Objects {
		rect := record.Rect{X: o.X, Y: o.Y, Width: o.W, Height: o.H}
		c := record.Control{ID: name("click", o.Text), Type: record.ControlClick, Box: &rect, Text: o.Text, Confidence: 0.7, Description: "a click on " + named(o), Sources: []string{"engine"}}
		if o.Drag {
			c.ID, c.Type, c.Description = name("drag", o.Text), record.ControlDrag, "dragging "+named(o)
		}
		out = append(out, c)
	}
	return out
}

// setNumber is the attribute of a field that holds a number.
var setNumber = regexp.MustCompile(`^value=[\d.]+$`)

// named names a thing of an engine's scene.
func named(o probe.Object) string {
	return strings.TrimSpace(o.Kind + " " + o.Text)
}

// draggable: links and pictures can be dragged in any page; only pages that
// listen mean it, and links never.
func draggable(e probe.Element, listens []string) bool {
	return e.Is("draggable") && e.Tag != "a" && (e.Tag != "img" || slices.Contains(listens, "dragstart") || slices.Contains(listens, "drop"))
}

func frameOf(e probe.Element) string {
	if e.Child {
		return e.FrameURL
	}
	return ""
}

func textual(inputType string) bool {
	switch inputType {
	case "", "text", "search", "email", "password", "number", "tel", "url":
		return true
	}
	return false
}

// clickConfidence says how likely an element is a control; zero leaves it out.
func clickConfidence(e probe.Element) float64 {
	switch {
	case e.Href != "" && !strings.HasPrefix(e.Href, "#") && !strings.HasPrefix(e.Href, "javascript:"):
		if words.IsStart(e.Text) {
			return 0.5
		}
		return 0.1 // a link elsewhere
	case e.Tag == "button", e.Role == "button", e.Tag == "input":
		return 0.8
	case e.Is("listener"):
		return 0.7
	case e.Is("cursor"):
		return 0.6
	case e.Is("cell"):
		return 0.4
	case e.Tag == "a":
		return 0.5
	case e.Tag == "label":
		return 0
	}
	return 0.2
}
