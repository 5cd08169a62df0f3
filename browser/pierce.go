package browser

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
)

// wireNode is what DOM.describeNode answers, as far as it is used.
type wireNode struct {
	BackendNodeID  int64      `json:"backendNodeId"`
	NodeName       string     `json:"nodeName"`
	FrameID        string     `json:"frameId"`
	ShadowRootType string     `json:"shadowRootType"`
	Attributes     []string   `json:"attributes"`
	ShadowRoots    []wireNode `json:"shadowRoots"`
	Children       []wireNode `json:"children"`
}

func (s *Session) describeNode(ctx context.Context, params map[string]any) (*wireNode, error) {
	var out struct {
		Node wireNode `json:"node"`
	}
	if err := s.Call(ctx, "DOM.describeNode", params, &out); err != nil {
		return nil, err
	}
	return &out.Node, nil
}

// inside is what a hop leads into: a frame's document, a shadow root, or the
// element itself.
func (e *Element) inside(ctx context.Context) (scope, bool) {
	n, err := e.session.describeNode(ctx, map[string]any{"objectId": e.object, "depth": 1})
	if err != nil {
		return scope{}, false
	}
	if n.FrameID != "" {
		for _, f := range e.frame.page.Frames() {
			if f.id == n.FrameID {
				_, doc, err := f.documentObject(ctx)
				return scope{f, doc}, err == nil
			}
		}
	}
	for _, r := range n.ShadowRoots {
		if r.ShadowRootType == "user-agent" {
			continue // inside of inputs and the like
		}
		object, err := e.frame.hold(ctx, r.BackendNodeID)
		return scope{e.frame, object}, err == nil
	}
	return scope{e.frame, e.object}, true
}

// hold takes hold of a node in our own world.
func (f *Frame) hold(ctx context.Context, backend int64) (string, error) {
	s, w, err := f.isolatedWorld(ctx)
	if err != nil {
		return "", err
	}
	var out struct {
		Object struct {
			ObjectID string `json:"objectId"`
		} `json:"object"`
	}
	err = s.Call(ctx, "DOM.resolveNode", map[string]any{"backendNodeId": backend, "executionContextId": w.id}, &out)
	return out.Object.ObjectID, err
}

// findClosed looks in the closed shadow roots of a frame, which no script sees
// into. The whole document is read for it, so it comes last.
func (f *Frame) findClosed(ctx context.Context, st step, limit int) ([]*Element, int, error) {
	s, doc, err := f.documentObject(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer s.release(doc)
	root, err := s.describeNode(ctx, map[string]any{"objectId": doc, "depth": -1, "pierce": true})
	if err != nil {
		return nil, 0, err
	}
	var closed []int64
	stack := []*wireNode{root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.ShadowRootType == "closed" {
			closed = append(closed, n.BackendNodeID)
		}
		for _, list := range [][]wireNode{n.Children, n.ShadowRoots} {
			for i := len(list) - 1; i >= 0; i-- {
				stack = append(stack, &list[i])
			}
		}
	}
	var scopes []scope
	for _, id := range closed[:min(len(closed), maxFound)] {
		if object, err := f.hold(ctx, id); err == nil {
			scopes = append(scopes, scope{f, object})
		}
	}
	return queryAll(ctx, scopes, st, limit)
}

var roleSelector = regexp.MustCompile(`^([A-Za-z]+)(?:\[name=("(?:[^"\\]|\\.)*")\])?$`)

// byRole asks the browser's accessibility tree, which is made for it and knows
// names better than a script.
func (sc scope) byRole(ctx context.Context, value string, limit int) ([]*Element, int, error) {
	m := roleSelector.FindStringSubmatch(value)
	if m == nil {
		return nil, 0, fmt.Errorf(`%w: a role is written role=button[name="Save"]`, ErrSelector)
	}
	params := map[string]any{"objectId": sc.object, "role": m[1]}
	if m[2] != "" {
		name, err := strconv.Unquote(m[2])
		if err != nil {
			return nil, 0, fmt.Errorf("%w: the name of %q", ErrSelector, clip(value, 200))
		}
		params["accessibleName"] = name
	}
	s := sc.frame.Session()
	if s == nil {
		return nil, 0, ErrFrameDetached
	}
	var out struct {
		Nodes []struct {
			Ignored          bool  `json:"ignored"`
			BackendDOMNodeID int64 `json:"backendDOMNodeId"`
		} `json:"nodes"`
	}
	if err := s.Call(ctx, "Accessibility.queryAXTree", params, &out); err != nil {
		return nil, 0, err
	}
	var list []*Element
	total := 0
	for _, n := range out.Nodes {
		if n.Ignored || n.BackendDOMNodeID == 0 {
			continue
		}
		total++
		if len(list) < limit {
			if object, err := sc.frame.hold(ctx, n.BackendDOMNodeID); err == nil {
				list = append(list, &Element{frame: sc.frame, session: s, backend: n.BackendDOMNodeID, object: object})
			}
		}
	}
	return list, total, nil
}
