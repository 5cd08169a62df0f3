package snapshot

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/playtest-dev/playtest/browser"
)

// Resolve finds the node of an id or a selector of any kind that browser.Locator
// takes. An element that is not worth a line in the tree, such as a plain div or
// a file input that a button stands for, gets a node of the role "generic" whose
// children are the lines in it. It is browser.ErrNoMatch when nothing fits, and
// browser.ErrSeveral when more than one element does.
//
// CSS and XPath are asked of the page as it is now, so an element that came after
// the snapshot has no node in it.
func (r *Reader) Resolve(ctx context.Context, s *Snapshot, selector string) (*Node, error) {
	if n := s.Node(selector); n != nil {
		return n, nil
	}
	if n := s.Find(selector); n != nil {
		return n, nil
	}
	e, err := r.page.Locator(selector).Element(ctx)
	if err != nil {
		return nil, err
	}
	defer e.Release()
	n, err := s.nodeOf(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", selector, err)
	}
	if n.ID == "" {
		n.ID = r.ids.of(n)
		s.byID[n.ID] = n
	}
	return n, nil
}

// nodeOf is the node of a live element, or a new one that stands for it.
func (s *Snapshot) nodeOf(ctx context.Context, e *browser.Element) (*Node, error) {
	d, i, err := locate(ctx, s.documents, e)
	if err != nil {
		return nil, err
	}
	var found *Node
	var inside []*Node
	s.Root.Walk(func(n *Node) bool {
		if n != s.Root && n.doc == d && n.index == i && !n.Painted() {
			found = n
		}
		return found == nil
	})
	if found != nil {
		return found, nil
	}
	made := &Node{
		Role: "generic", Name: clean(d.get(i, "aria-label")), Box: d.box(i), doc: d, index: i, parent: s.Root, State: d.state(i, d.tag(i), ""),
	}
	if d.tag(i) == "select" {
		d.options(i, &made.Options, &[]string{})
	}
	stack := []*Node{s.Root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.doc != nil && n.doc.within(n.index, d, i) {
			inside = append(inside, n)
			continue
		}
		for k := len(n.Children) - 1; k >= 0; k-- {
			stack = append(stack, n.Children[k])
		}
	}
	made.Children = inside
	for _, n := range inside {
		made.InView = made.InView || n.InView
	}
	return made, nil
}

// within reports whether a node lies in an element of its own or of an outer
// document.
func (d *document) within(n int32, outer *document, e int32) bool {
	for range maxFrames {
		if d == outer {
			return d.encloses(e, n)
		}
		if d.outer == nil {
			return false
		}
		d, n = d.outer, d.at
	}
	return false
}

// locate finds an element among captured documents.
func locate(ctx context.Context, documents map[string]*document, e *browser.Element) (*document, int32, error) {
	id, err := e.Backend(ctx)
	if err != nil {
		return nil, 0, err
	}
	if d := documents[e.Frame().ID()]; d != nil {
		for i, backend := range d.wire.Nodes.BackendNodeID {
			if backend == id {
				return d, int32(i), nil
			}
		}
	}
	return nil, 0, browser.ErrGone
}

// ignore marks what selectors fit in captured documents, to be left out. A
// selector that fits nothing leaves nothing out.
func (r *Reader) ignore(ctx context.Context, documents map[string]*document, selectors []string) error {
	for _, selector := range selectors {
		list, err := r.page.Locator(selector).Everywhere(ctx)
		if err != nil {
			return fmt.Errorf("leaving out: %w", err)
		}
		err = askAll(ctx, list)
		for _, e := range list {
			if err == nil {
				err = leaveOut(ctx, documents, e)
			}
			e.Release()
		}
		if err != nil {
			return fmt.Errorf("leaving out %s: %w", selector, err)
		}
	}
	return nil
}

func leaveOut(ctx context.Context, documents map[string]*document, e *browser.Element) error {
	d, i, err := locate(ctx, documents, e)
	if errors.Is(err, browser.ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	if d.ignored == nil {
		d.ignored = make(map[int32]bool)
	}
	d.ignored[i] = true
	return nil
}

// askers is how many elements are asked about at a time.
const askers = 16

// askAll has elements learn their ids, several at a time: a thousand of them one
// after the other would take longer than the snapshot.
func askAll(ctx context.Context, list []*browser.Element) error {
	var wait sync.WaitGroup
	var failed [askers]error
	for first := range askers {
		wait.Go(func() {
			for i := first; i < len(list) && failed[first] == nil; i += askers {
				if _, err := list[i].Backend(ctx); err != nil && !errors.Is(err, browser.ErrGone) {
					failed[first] = err
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(failed[:]...)
}
