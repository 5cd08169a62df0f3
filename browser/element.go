package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/browser/cdp"
)

//go:embed element.js
var elementScript string

// What keeps an element from being acted on, to be told apart with errors.Is.
var (
	// ErrNoMatch is a selector that nothing on the page fits.
	ErrNoMatch = errors.New("nothing on the page fits the selector")
	// ErrSeveral is a selector that fits several elements where one is meant.
	ErrSeveral = errors.New("the selector fits several elements")
	// ErrGone is an element that has left the page.
	ErrGone = errors.New("the element is gone")
	// ErrHidden is an element that takes no room on the page.
	ErrHidden = errors.New("the element cannot be seen")
	// ErrCovered is an element with something else on top of it.
	ErrCovered = errors.New("the element is covered")
	// ErrDisabled is a control that is switched off.
	ErrDisabled = errors.New("the element is disabled")
	// ErrNotEditable is an element that nothing can be written into.
	ErrNotEditable = errors.New("nothing can be written into the element")
	// ErrNoOption is a list without the option that was asked for, or a field
	// that does not take the value.
	ErrNoOption = errors.New("the element has no such value")
)

// ElementError is an element that could not be acted on.
type ElementError struct {
	Err error // one of the errors above
	// Detail names what is in the way or what was asked for in vain, in words of
	// the page or of the caller.
	Detail string
	// Sent is true when input had gone to the page before it failed.
	Sent bool
}

func (e *ElementError) Error() string {
	msg := e.Err.Error()
	if e.Detail != "" {
		msg += ": " + e.Detail
	}
	if e.Sent {
		msg += " (input had been sent)"
	}
	return msg
}

func (e *ElementError) Unwrap() error { return e.Err }

// after marks an error as one that came after input had gone to the page.
func after(err error) error {
	var e *ElementError
	if errors.As(err, &e) {
		e.Sent = true
		return err
	}
	if err != nil {
		return &ElementError{Err: err, Sent: true}
	}
	return nil
}

// Element is a live element, or a text, of one document. It stays the same node
// whatever the page does; a Locator finds whoever is there now. Release lets go
// of it.
type Element struct {
	frame   *Frame
	session *Session
	backend int64
	object  string
}

// Element takes hold of a node by its backend id in the protocol.
func (f *Frame) Element(ctx context.Context, backend int64) (*Element, error) {
	if f.Detached() || f.Session() == nil {
		return nil, fmt.Errorf("%w: its frame has left the page", ErrGone)
	}
	e := &Element{frame: f, session: f.Session(), backend: backend}
	var err error
	if e.object, err = f.hold(ctx, backend); err != nil {
		return nil, missing(err)
	}
	return e, nil
}

// Frame is the frame that the element is in.
func (e *Element) Frame() *Frame { return e.frame }

// Backend is the element's backend id in the protocol.
func (e *Element) Backend(ctx context.Context) (int64, error) {
	if e.backend == 0 {
		n, err := e.session.describeNode(ctx, map[string]any{"objectId": e.object})
		if err != nil {
			return 0, missing(err)
		}
		e.backend = n.BackendNodeID
	}
	return e.backend, nil
}

// Release lets go of the element.
func (e *Element) Release() { e.session.release(e.object) }

// missing turns the protocol's words for an element that left into ErrGone.
func missing(err error) error {
	var p *cdp.Error
	if errors.As(err, &p) && (strings.Contains(p.Message, "No node") || strings.Contains(p.Message, "not find") ||
		strings.Contains(p.Message, "does not belong")) || cdp.IsGone(err) {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return err
}

// Call runs a JavaScript function with the element as this, in a world of our
// own, and decodes what it returns into out unless that is nil.
func (e *Element) Call(ctx context.Context, function string, out any, args ...any) error {
	list := make([]map[string]any, len(args))
	for i, a := range args {
		list[i] = map[string]any{"value": a}
	}
	var res struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		ExceptionDetails *thrown `json:"exceptionDetails"`
	}
	err := e.session.Call(ctx, "Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": function + ownSource + "\n", "objectId": e.object, "arguments": list,
		"awaitPromise": true, "returnByValue": true, "silent": true, "userGesture": true,
	}, &res)
	if err != nil {
		return missing(err)
	}
	if res.ExceptionDetails != nil {
		return fmt.Errorf("in the page: %s", res.ExceptionDetails.firstLine())
	}
	if out == nil || len(res.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(res.Result.Value, out)
}

// spots are tried in turn: the centre, then points that a thing in front of the
// middle leaves free. They are fractions of the element's box.
var spots = [][2]float64{{0.5, 0.5}, {0.5, 0.25}, {0.5, 0.75}, {0.2, 0.5}, {0.8, 0.5}, {0.1, 0.15}, {0.9, 0.85}}

// Point finds where the element can be hit: it is scrolled into view, stands
// still, is enabled and has nothing in front of it. The place is one of the
// page's viewport. Fractions of its box may be given, for a certain place on a
// canvas.
func (e *Element) Point(ctx context.Context, fractions ...[2]float64) (Point, error) {
	err := e.session.Call(ctx, "DOM.scrollIntoViewIfNeeded", map[string]any{"objectId": e.object}, nil)
	if err != nil {
		if gone := missing(err); errors.Is(gone, ErrGone) {
			return Point{}, gone
		}
		return Point{}, ErrHidden
	}
	if len(fractions) == 0 {
		fractions = spots
	}
	var found struct {
		FX        float64 `json:"fx"`
		FY        float64 `json:"fy"`
		Gone      bool    `json:"gone"`
		Hidden    bool    `json:"hidden"`
		Offscreen bool    `json:"offscreen"`
		Disabled  bool    `json:"disabled"`
		Cover     string  `json:"cover"`
	}
	if err := e.Call(ctx, elementScript, &found, fractions); err != nil {
		return Point{}, err
	}
	switch {
	case found.Gone:
		return Point{}, ErrGone
	case found.Hidden:
		return Point{}, ErrHidden
	case found.Offscreen:
		return Point{}, &ElementError{Err: ErrHidden, Detail: "it stays outside of the window"}
	case found.Cover != "":
		return Point{}, &ElementError{Err: ErrCovered, Detail: found.Cover}
	case found.Disabled:
		return Point{}, ErrDisabled
	}
	box, err := e.Box(ctx)
	if err != nil {
		return Point{}, err
	}
	at := Point{X: box.X + box.Width*found.FX, Y: box.Y + box.Height*found.FY}
	return at, e.throughFrames(ctx, at)
}

// Box is where the element is now, in the page's viewport.
func (e *Element) Box(ctx context.Context) (Rect, error) {
	var out struct {
		Quads [][]float64 `json:"quads"`
	}
	if err := e.session.Call(ctx, "DOM.getContentQuads", map[string]any{"objectId": e.object}, &out); err != nil {
		var refused *cdp.Error
		if err = missing(err); errors.As(err, &refused) && !errors.Is(err, ErrGone) {
			return Rect{}, ErrHidden // it has no layout
		}
		return Rect{}, err
	}
	if len(out.Quads) == 0 {
		return Rect{}, ErrHidden
	}
	var box Rect
	for i, q := range out.Quads {
		if len(q) < 8 {
			continue
		}
		left, top := min(q[0], q[2], q[4], q[6]), min(q[1], q[3], q[5], q[7])
		right, bottom := max(q[0], q[2], q[4], q[6]), max(q[1], q[3], q[5], q[7])
		if i > 0 {
			left, top = min(left, box.X), min(top, box.Y)
			right, bottom = max(right, box.X+box.Width), max(bottom, box.Y+box.Height)
		}
		box = Rect{X: left, Y: top, Width: right - left, Height: bottom - top}
	}
	// Quads are relative to the outermost frame of the element's process.
	for _, f := range e.frame.page.Frames() {
		if f.id == e.session.TargetID && f.ParentID() != "" {
			origin, err := f.Origin(ctx)
			if err != nil {
				return Rect{}, missing(err)
			}
			box.X, box.Y = box.X+origin.X, box.Y+origin.Y
		}
	}
	return box, nil
}

// throughFrames checks that nothing of the pages around a frame covers it.
func (e *Element) throughFrames(ctx context.Context, at Point) error {
	if e.frame.ParentID() == "" {
		return nil
	}
	root := e.frame.page.root
	var hit struct {
		BackendNodeID int64  `json:"backendNodeId"`
		FrameID       string `json:"frameId"`
	}
	err := root.Call(ctx, "DOM.getNodeForLocation", map[string]any{"x": int(at.X), "y": int(at.Y)}, &hit)
	if err != nil {
		return &ElementError{Err: ErrHidden, Detail: "it stays outside of the window"}
	}
	if e.session.TargetID == root.TargetID {
		if hit.FrameID == e.frame.id {
			return nil
		}
	} else {
		var owner struct {
			BackendNodeID int64 `json:"backendNodeId"`
		}
		// Processes below processes answer for themselves; the outermost
		// frame of the chain is what the page itself can be asked about.
		f := e.frame.outermost()
		err := root.Call(ctx, "DOM.getFrameOwner", map[string]any{"frameId": f.id}, &owner)
		if err != nil || owner.BackendNodeID == hit.BackendNodeID || f.id == hit.FrameID {
			return nil
		}
	}
	return &ElementError{Err: ErrCovered, Detail: root.tag(ctx, hit.BackendNodeID)}
}

// outermost is the frame of another process that lies in the page's own.
func (f *Frame) outermost() *Frame {
	byID := make(map[string]*Frame)
	for _, other := range f.page.Frames() {
		byID[other.id] = other
	}
	main := f.page.root.TargetID
	for range 64 {
		parent := byID[f.ParentID()]
		if parent == nil || parent.Session() != nil && parent.Session().TargetID == main {
			break
		}
		f = parent
	}
	return f
}

// tag names an element for a message.
func (s *Session) tag(ctx context.Context, backend int64) string {
	n, err := s.describeNode(ctx, map[string]any{"backendNodeId": backend})
	if err != nil {
		return "another element"
	}
	name := strings.ToLower(n.NodeName)
	for i := 0; i+1 < len(n.Attributes); i += 2 {
		if n.Attributes[i] == "id" {
			name += "#" + n.Attributes[i+1]
		}
	}
	return name
}
