package snapshot

import (
	"fmt"
	"strconv"
	"strings"
)

// Selectors are ways to find a node again, the steadiest first. They are
// computed for a node that is asked for, never for the whole page.
type Selectors struct {
	TestID string `json:"testId,omitempty"` // testid=...
	ID     string `json:"id,omitempty"`     // id=...
	Role   string `json:"role,omitempty"`   // role=button[name="Save"]
	CSS    string `json:"css,omitempty"`    // of its own document or shadow root
	XPath  string `json:"xpath,omitempty"`  // xpath=..., with " >> " into each frame and shadow root
}

// List is the selectors that there are, in the order to try them.
func (s Selectors) List() []string {
	var list []string
	for _, v := range []string{s.TestID, s.ID, s.Role, s.XPath} {
		if v != "" {
			list = append(list, v)
		}
	}
	return list
}

// testAttributes are what pages mark elements with for tests.
var testAttributes = []string{"data-testid", "data-test-id", "data-test", "data-cy", "data-qa"}

// hop stands between a frame or host and what is inside of it.
const hop = " >> "

// Selectors computes how to find the node again.
func (s *Snapshot) Selectors(n *Node) Selectors {
	var out Selectors
	if n == nil || n.doc == nil {
		return out
	}
	if n.Painted() {
		out.Role = roleSelector(n)
		out.XPath = "xpath=" + xpath(n.doc, n.index)
		return out
	}
	d, i := n.doc, n.index
	if d.kind(i) == typeText {
		i = d.parent(i) // a text is found by the element around it
	}
	for _, a := range testAttributes {
		if v := d.get(i, a); v != "" {
			out.TestID = "testid=" + v
			break
		}
	}
	if v := d.get(i, "id"); v != "" {
		out.ID = "id=" + v
	}
	if n.Name != "" {
		out.Role = roleSelector(n)
	}
	out.CSS = d.css(i)
	out.XPath = "xpath=" + xpath(d, i)
	return out
}

func roleSelector(n *Node) string { return fmt.Sprintf("role=%s[name=%q]", n.Role, n.Name) }

// css is a path within the element's own tree.
func (d *document) css(n int32) string {
	var steps []string
	for ; n >= 0 && d.kind(n) == typeElement; n = d.parent(n) {
		tag := d.tag(n)
		if id := d.get(n, "id"); id != "" && plain(id) {
			steps = append(steps, tag+"#"+id)
			break
		}
		nth, twins := d.place(n)
		if twins > 1 {
			tag += ":nth-of-type(" + strconv.Itoa(nth) + ")"
		}
		steps = append(steps, tag)
	}
	reverse(steps)
	return strings.Join(steps, " > ")
}

func plain(id string) bool {
	for i := 0; i < len(id); i++ {
		c := id[i]
		if !letter(c) && c != '_' && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return id != ""
}

// place counts the element among its siblings of the same tag, from 1.
func (d *document) place(n int32) (nth, twins int) {
	p := d.parent(n)
	if p < 0 {
		return 1, 1
	}
	if at, ok := d.wire.places[n]; ok {
		return at[0], at[1] // not all siblings were read
	}
	tag := d.wire.Nodes.NodeName[n]
	for c := d.first[p]; c >= 0; c = d.next[c] {
		if d.kind(c) == typeElement && d.wire.Nodes.NodeName[c] == tag {
			twins++
			if c == n {
				nth = twins
			}
		}
	}
	return nth, twins
}

// xpath is the path from the page's document through frames and shadow roots.
func xpath(d *document, n int32) string {
	var steps []string
	var hops []string
	flush := func() {
		reverse(steps)
		hops = append(hops, "/"+strings.Join(steps, "/"))
		steps = nil
	}
	for range maxDepth {
		if n < 0 {
			break
		}
		switch {
		case d.isShadow(n):
			flush()
		case d.kind(n) == typeElement:
			nth, _ := d.place(n)
			steps = append(steps, d.tag(n)+"["+strconv.Itoa(nth)+"]")
		}
		up := d.parent(n)
		if up < 0 && d.outer != nil {
			flush()
			d, up = d.outer, d.at
		}
		n = up
	}
	flush()
	reverse(hops)
	return strings.Join(hops, hop)
}

// maxDepth ends paths that would go round in circles, which no page has.
const maxDepth = 1 << 20

func reverse(s []string) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// Find returns the node that a selector of Selectors leads to, nil when it
// leads nowhere, to several or to something that has no node.
func (s *Snapshot) Find(selector string) *Node {
	kind, rest, ok := strings.Cut(selector, "=")
	if !ok {
		return nil
	}
	var match func(*Node) bool
	switch kind {
	case "xpath":
		match = xpathMatch(rest)
	case "role":
		match = func(n *Node) bool { return n.Name != "" && roleSelector(n) == selector }
	case "id":
		match = func(n *Node) bool { return n.doc != nil && !n.Painted() && n.Attribute("id") == rest }
	case "testid":
		match = func(n *Node) bool {
			if n.doc == nil || n.Painted() || n.doc.kind(n.index) != typeElement {
				return false
			}
			for _, a := range testAttributes {
				if n.doc.get(n.index, a) == rest {
					return true
				}
			}
			return false
		}
	}
	if match == nil {
		return nil
	}
	var found []*Node
	s.Root.Walk(func(n *Node) bool {
		if n != s.Root && match(n) {
			found = append(found, n)
		}
		return len(found) < 2
	})
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// xpathMatch matches elements, and a text through the element around it when
// that has no node of its own.
func xpathMatch(path string) func(*Node) bool {
	path = strings.TrimSuffix(path, "/")
	last := path[strings.LastIndex(path, "/")+1:]
	tag, _, _ := strings.Cut(last, "[")
	return func(n *Node) bool {
		if n.doc == nil || n.Painted() {
			return false
		}
		i := n.index
		if n.doc.kind(i) == typeText {
			i = n.doc.parent(i)
		}
		return i >= 0 && n.doc.kind(i) == typeElement && n.doc.tag(i) == tag && xpath(n.doc, i) == path
	}
}
