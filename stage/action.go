package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

// The methods of an Action.
const (
	Click        = "click"
	DoubleClick  = "doubleClick"
	RightClick   = "rightClick"
	Hover        = "hover"
	Check        = "check"
	Uncheck      = "uncheck"
	Type         = "type"
	Fill         = "fill"
	Press        = "press"
	ScrollTo     = "scrollTo"
	NextChunk    = "nextChunk"
	PrevChunk    = "prevChunk"
	SelectOption = "selectOptionFromDropdown"
	DragAndDrop  = "dragAndDrop"
	Upload       = "upload"
)

// Methods lists what can be done, as a model and a cache name it.
var Methods = []string{
	Click, DoubleClick, RightClick, Hover, Check, Uncheck, Type, Fill, Press, ScrollTo, NextChunk, PrevChunk,
	SelectOption, DragAndDrop, Upload,
}

// Action is one thing to do to one element.
type Action struct {
	// ElementID is the node's id in the snapshot that the action was made from.
	ElementID   string   `json:"elementId,omitempty"`
	Description string   `json:"description"`
	Method      string   `json:"method"`
	Arguments   []string `json:"arguments"` // with variables as %name%
	// Selector is the element's XPath, with " >> " into frames and shadow roots;
	// Selectors are all ways to find it again. An action that is written by hand
	// needs the first only, of any kind that browser.Locator takes: "#buy".
	Selector  string             `json:"selector,omitempty"`
	Selectors snapshot.Selectors `json:"selectors,omitzero"`
	Role      string             `json:"role,omitempty"`
	Name      string             `json:"name,omitempty"`
	// Target is where a drag ends.
	Target *Action `json:"target,omitempty"`
}

// onPage reports whether the method can do without an element.
func onPage(method string) bool {
	switch method {
	case Press, ScrollTo, NextChunk, PrevChunk:
		return true
	}
	return false
}

func known(method string) bool { return slices.Contains(Methods, method) }

// reply is what a model answers about one element.
type reply struct {
	ElementID   string   `json:"elementId" jsonschema:"id at the beginning of the element's line"`
	Description string   `json:"description"`
	Method      string   `json:"method"`
	Arguments   []string `json:"arguments"`
}

// action completes a reply with what the snapshot knows. ok is false for an id
// that is not on the page or a method that is none.
func (r reply) action(snap *snapshot.Snapshot) (Action, *snapshot.Node, bool) {
	a := Action{ElementID: r.ElementID, Description: r.Description, Method: r.Method, Arguments: r.Arguments}
	if a.Arguments == nil {
		a.Arguments = []string{}
	}
	if !known(r.Method) {
		return a, nil, false
	}
	if r.ElementID == "" && onPage(r.Method) {
		return a, nil, true
	}
	n := snap.Node(r.ElementID)
	if n == nil {
		return a, nil, false
	}
	a.complete(snap, n)
	if r.Method == DragAndDrop {
		if len(r.Arguments) == 0 {
			return a, nil, false
		}
		to := snap.Node(r.Arguments[0])
		if to == nil {
			return a, nil, false
		}
		a.Target = &Action{ElementID: to.ID, Method: DragAndDrop, Arguments: []string{}}
		a.Target.complete(snap, to)
	}
	return a, n, true
}

func (a *Action) complete(snap *snapshot.Snapshot, n *snapshot.Node) {
	a.Selectors = snap.Selectors(n)
	a.Selector = a.Selectors.XPath
	a.Role, a.Name = n.Role, n.Name
}

// find looks for the action's element in a snapshot: by its id when the action
// was made from an earlier one of the same page, else by its selectors. What is
// found must still be what it was.
func (a *Action) find(snap *snapshot.Snapshot) *snapshot.Node {
	if n := snap.Node(a.ElementID); n != nil && a.same(n) {
		return n
	}
	for _, sel := range a.Selectors.List() {
		if n := snap.Find(sel); n != nil && a.same(n) {
			return n
		}
	}
	return nil
}

// locate finds the action's element, also by a selector of any kind that was
// written by hand.
func (s *Stage) locate(ctx context.Context, a *Action, snap *snapshot.Snapshot) (*snapshot.Node, error) {
	if n := a.find(snap); n != nil {
		return n, nil
	}
	if a.Selectors != (snapshot.Selectors{}) || a.Selector == "" {
		return nil, ErrGone
	}
	n, err := s.reader.Resolve(ctx, snap, a.Selector)
	if errors.Is(err, browser.ErrNoMatch) {
		return nil, fmt.Errorf("%w: nothing fits %s", ErrGone, a.Selector)
	}
	return n, err
}

// same reports whether a node is what the action was meant for. A name may
// have been longer or shorter, but not another one.
func (a *Action) same(n *snapshot.Node) bool {
	return (a.Role == "" || a.Role == n.Role) && (a.Name == "" || a.Name == n.Name)
}
