package stage

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

//go:embed target.js
var targetScript string

// centre first, then points that a thing in front of the middle leaves free.
var spots = [][2]float64{{0.5, 0.5}, {0.5, 0.25}, {0.5, 0.75}, {0.2, 0.5}, {0.8, 0.5}, {0.1, 0.15}, {0.9, 0.85}}

// target is a live element that is about to be acted on.
type target struct {
	node    *snapshot.Node
	session *browser.Session
	frame   *browser.Frame
	backend int64
	object  string
}

// grasp takes hold of the element behind a node.
func (s *Stage) grasp(ctx context.Context, n *snapshot.Node) (*target, error) {
	id, frame := n.Backend()
	if frame == nil || frame.Detached() || frame.Session() == nil {
		return nil, fmt.Errorf("%w: its frame has left the page", ErrGone)
	}
	t := &target{node: n, session: frame.Session(), frame: frame, backend: id}
	var out struct {
		Object struct {
			ObjectID string `json:"objectId"`
		} `json:"object"`
	}
	if err := t.session.Call(ctx, "DOM.resolveNode", map[string]any{"backendNodeId": id}, &out); err != nil {
		return nil, missing(err)
	}
	t.object = out.Object.ObjectID
	return t, nil
}

func (t *target) release() {
	t.session.Start("Runtime.releaseObject", map[string]any{"objectId": t.object})
}

// missing turns the protocol's words for an element that left into ErrGone.
func missing(err error) error {
	var p *cdp.Error
	if errors.As(err, &p) && (strings.Contains(p.Message, "No node") || strings.Contains(p.Message, "not find") ||
		strings.Contains(p.Message, "does not belong")) || cdp.IsGone(err) {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return err
}

// call runs a function on the element.
func (t *target) call(ctx context.Context, function string, out any, args ...any) error {
	list := make([]map[string]any, len(args))
	for i, a := range args {
		list[i] = map[string]any{"value": a}
	}
	var res struct {
		Result struct {
			Value value `json:"value"`
		} `json:"result"`
		ExceptionDetails *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	res.Result.Value.out = out
	err := t.session.Call(ctx, "Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": function, "objectId": t.object, "arguments": list,
		"awaitPromise": true, "returnByValue": true, "silent": true, "userGesture": true,
	}, &res)
	if err != nil {
		return missing(err)
	}
	if d := res.ExceptionDetails; d != nil {
		first, _, _ := strings.Cut(d.Exception.Description, "\n")
		return fmt.Errorf("in the page: %s", first)
	}
	return nil
}

// point finds where the element can be hit: it is scrolled into view, stands
// still, and nothing else is in front of it. The place is one of the page's
// viewport.
func (s *Stage) point(ctx context.Context, t *target) (browser.Point, error) {
	err := t.session.Call(ctx, "DOM.scrollIntoViewIfNeeded", map[string]any{"backendNodeId": t.backend}, nil)
	if err != nil {
		if gone := missing(err); errors.Is(gone, ErrGone) {
			return browser.Point{}, gone
		}
		return browser.Point{}, ErrHidden
	}
	fractions := spots
	if t.node.Painted() {
		f, err := fraction(t.node)
		if err != nil {
			return browser.Point{}, err
		}
		fractions = [][2]float64{f}
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
	if err := t.call(ctx, targetScript, &found, fractions); err != nil {
		return browser.Point{}, err
	}
	switch {
	case found.Gone:
		return browser.Point{}, ErrGone
	case found.Hidden:
		return browser.Point{}, ErrHidden
	case found.Offscreen:
		return browser.Point{}, fmt.Errorf("%w: it stays outside of the window", ErrHidden)
	case found.Cover != "":
		return browser.Point{}, &ActError{By: found.Cover, Err: ErrCovered}
	case found.Disabled:
		return browser.Point{}, ErrDisabled
	}
	box, err := s.live(ctx, t)
	if err != nil {
		return browser.Point{}, err
	}
	at := browser.Point{X: box.X + box.Width*found.FX, Y: box.Y + box.Height*found.FY}
	return at, s.throughFrames(ctx, t, at)
}

// fraction is where the middle of something painted lies in its canvas.
func fraction(n *snapshot.Node) ([2]float64, error) {
	canvas := n.Parent()
	if canvas == nil || canvas.Box.Width == 0 || canvas.Box.Height == 0 {
		return [2]float64{}, ErrHidden
	}
	x, y := n.Box.X+n.Box.Width/2, n.Box.Y+n.Box.Height/2
	return [2]float64{(x - canvas.Box.X) / canvas.Box.Width, (y - canvas.Box.Y) / canvas.Box.Height}, nil
}

// live is where the element is now, in the page's viewport.
func (s *Stage) live(ctx context.Context, t *target) (browser.Rect, error) {
	var out struct {
		Quads [][]float64 `json:"quads"`
	}
	if err := t.session.Call(ctx, "DOM.getContentQuads", map[string]any{"backendNodeId": t.backend}, &out); err != nil {
		return browser.Rect{}, missing(err)
	}
	if len(out.Quads) == 0 {
		return browser.Rect{}, ErrHidden
	}
	var box browser.Rect
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
		box = browser.Rect{X: left, Y: top, Width: right - left, Height: bottom - top}
	}
	// Quads are relative to the outermost frame of the element's process.
	for _, f := range s.page.Frames() {
		if f.ID() == t.session.TargetID && f.ParentID() != "" {
			origin, err := f.Origin(ctx)
			if err != nil {
				return browser.Rect{}, missing(err)
			}
			box.X, box.Y = box.X+origin.X, box.Y+origin.Y
		}
	}
	return box, nil
}

// throughFrames checks that nothing of the pages around a frame covers it.
func (s *Stage) throughFrames(ctx context.Context, t *target, at browser.Point) error {
	if t.frame.ParentID() == "" {
		return nil
	}
	root := s.page.Session()
	var hit struct {
		BackendNodeID int64  `json:"backendNodeId"`
		FrameID       string `json:"frameId"`
	}
	err := root.Call(ctx, "DOM.getNodeForLocation", map[string]any{"x": int(at.X), "y": int(at.Y)}, &hit)
	if err != nil {
		return fmt.Errorf("%w: it stays outside of the window", ErrHidden)
	}
	if t.session.TargetID == root.TargetID {
		if hit.FrameID == t.frame.ID() {
			return nil
		}
	} else {
		var owner struct {
			BackendNodeID int64 `json:"backendNodeId"`
		}
		// Processes below processes answer for themselves; the outermost
		// frame of the chain is what the page itself can be asked about.
		f := s.outermost(t.frame)
		err := root.Call(ctx, "DOM.getFrameOwner", map[string]any{"frameId": f.ID()}, &owner)
		if err != nil || owner.BackendNodeID == hit.BackendNodeID || f.ID() == hit.FrameID {
			return nil
		}
	}
	by := &target{session: root, backend: hit.BackendNodeID}
	return &ActError{By: by.tag(ctx), Err: ErrCovered}
}

// outermost is the frame of another process that lies in the page's own.
func (s *Stage) outermost(f *browser.Frame) *browser.Frame {
	byID := make(map[string]*browser.Frame)
	for _, other := range s.page.Frames() {
		byID[other.ID()] = other
	}
	main := s.page.Session().TargetID
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
func (t *target) tag(ctx context.Context) string {
	var out struct {
		Node struct {
			NodeName   string   `json:"nodeName"`
			Attributes []string `json:"attributes"`
		} `json:"node"`
	}
	if err := t.session.Call(ctx, "DOM.describeNode", map[string]any{"backendNodeId": t.backend}, &out); err != nil {
		return "another element"
	}
	name := strings.ToLower(out.Node.NodeName)
	for i := 0; i+1 < len(out.Node.Attributes); i += 2 {
		if out.Node.Attributes[i] == "id" {
			name += "#" + out.Node.Attributes[i+1]
		}
	}
	return name
}
