package snapshot

import (
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/browser"
)

// Node types of the DOM.
const (
	typeElement  = 1
	typeText     = 3
	typeDocument = 9
	typeFragment = 11 // a shadow root
)

// document is one captured document with ways to move about in it. Nodes are
// indexes, and what they look like stays in the columns until asked for.
type document struct {
	wire    *wireDocument
	strings []string
	frame   *browser.Frame  // nil when it left while we looked
	session string          // target of the process, which makes backend ids unique
	key     string          // frame id
	peers   []*wireDocument // the documents of the same process, by their index

	first, next []int32 // children as linked lists
	layout      []int32 // index into layout, -1 when not rendered
	shadow      map[int32]int32
	text        map[int32]int32
	input       map[int32]int32
	checked     map[int32]bool
	selected    map[int32]bool
	content     map[int32]int32
	clickable   map[int32]bool
	byID        map[string]int32 // id attributes, made when needed
	labels      map[string]int32 // for attributes of labels, made when needed
	ignored     map[int32]bool   // elements to leave out with all that is in them
	painters    []int32          // what can lie behind text, made when needed
	tags        map[int32]string // names of elements in lower case, by the string
	colours     map[string]colour

	// offset turns places of the document into places of the page's viewport,
	// and clip is the part of that viewport through which it is seen.
	offset browser.Point
	clip   browser.Rect
	// outer and at are the frame element that the document is in.
	outer *document
	at    int32
	built bool // it is in the tree
}

// deepest is how deep elements may be nested before they are left out: a script
// can nest a million of them.
const deepest = 4000

func newDocument(w *wireDocument, table []string, session string) *document {
	w.square()
	n := len(w.Nodes.ParentIndex)
	d := &document{
		wire: w, strings: table, session: session,
		first: make([]int32, n), next: make([]int32, n), layout: make([]int32, n),
		shadow: w.Nodes.ShadowRootType.lookup(), text: w.Nodes.TextValue.lookup(), input: w.Nodes.InputValue.lookup(),
		checked: w.Nodes.InputChecked.lookup(), selected: w.Nodes.OptionSelected.lookup(),
		content: w.Nodes.ContentDocumentIndex.lookup(), clickable: w.Nodes.IsClickable.lookup(),
		tags: make(map[int32]string), colours: make(map[string]colour),
	}
	d.key = d.str(int32(w.FrameID))
	last, depth := make([]int32, n), make([]int32, n)
	for i := range n {
		d.first[i], d.next[i], d.layout[i], last[i] = -1, -1, -1, -1
	}
	for i := range n {
		p := w.Nodes.ParentIndex[i]
		if int(p) >= i { // parents come first, or the tree has a ring
			p = -1
			w.Nodes.ParentIndex[i] = p
		}
		if p < 0 {
			continue
		}
		if depth[i] = depth[p] + 1; depth[i] > deepest {
			continue
		}
		if last[p] < 0 {
			d.first[p] = int32(i)
		} else {
			d.next[last[p]] = int32(i)
		}
		last[p] = int32(i)
	}
	for i, node := range w.Layout.NodeIndex {
		// A node can have several boxes; the first is the element's own.
		if node >= 0 && int(node) < n && d.layout[node] < 0 {
			d.layout[node] = int32(i)
		}
	}
	return d
}

func (d *document) str(i int32) string {
	if i < 0 || int(i) >= len(d.strings) {
		return ""
	}
	return d.strings[i]
}

func (d *document) size() int             { return len(d.first) }
func (d *document) kind(n int32) int8     { return d.wire.Nodes.NodeType[n] }
func (d *document) parent(n int32) int32  { return d.wire.Nodes.ParentIndex[n] }
func (d *document) value(n int32) string  { return d.str(d.wire.Nodes.NodeValue[n]) }
func (d *document) backend(n int32) int64 { return d.wire.Nodes.BackendNodeID[n] }

// tag is the element's name in lower case. Few names stand for thousands of elements, and each
// is asked for many times.
func (d *document) tag(n int32) string {
	i := d.wire.Nodes.NodeName[n]
	t, ok := d.tags[i]
	if !ok {
		t = strings.ToLower(d.str(i))
		d.tags[i] = t
	}
	return t
}

// attr is the attribute's value and whether it is there.
func (d *document) attr(n int32, name string) (string, bool) {
	if int(n) >= len(d.wire.Nodes.Attributes) {
		return "", false
	}
	list := d.wire.Nodes.Attributes[n]
	for i := 0; i+1 < len(list); i += 2 {
		if d.str(list[i]) == name {
			return d.str(list[i+1]), true
		}
	}
	return "", false
}

func (d *document) get(n int32, name string) string {
	v, _ := d.attr(n, name)
	return v
}

func (d *document) has(n int32, name string) bool {
	_, ok := d.attr(n, name)
	return ok
}

func (d *document) rendered(n int32) bool { return d.layout[n] >= 0 }

func (d *document) style(n int32, which int) string {
	l := d.layout[n]
	if l < 0 || int(l) >= len(d.wire.Layout.Styles) {
		return ""
	}
	list := d.wire.Layout.Styles[l]
	if which >= len(list) {
		return ""
	}
	return d.str(list[which])
}

func (d *document) pixels(n int32, which int) float64 {
	v, err := strconv.ParseFloat(strings.TrimSuffix(d.style(n, which), "px"), 64)
	if err != nil {
		return 0
	}
	return v
}

// box is where the node lies in the page's viewport.
func (d *document) box(n int32) browser.Rect {
	l := d.layout[n]
	if l < 0 || int(l) >= len(d.wire.Layout.Bounds) || len(d.wire.Layout.Bounds[l]) < 4 {
		return browser.Rect{}
	}
	b := d.wire.Layout.Bounds[l]
	return browser.Rect{X: b[0] + d.offset.X, Y: b[1] + d.offset.Y, Width: b[2], Height: b[3]}
}

// shadowRoot is the shadow root that a page gave the element, -1 for none.
// The browser's own, inside of inputs and the like, do not count.
func (d *document) shadowRoot(n int32) int32 {
	for c := d.first[n]; c >= 0; c = d.next[c] {
		if d.isShadow(c) && d.str(or(d.shadow, c)) != "user-agent" {
			return c
		}
	}
	return -1
}

// isShadow reports whether the node is a shadow root of any kind. The column
// of kinds alone does not tell: it has a value for everything in there.
func (d *document) isShadow(n int32) bool { return d.kind(n) == typeFragment }

// scope is the root of the tree that the node is in: a document or a shadow
// root. Ids and slots go by it.
func (d *document) scope(n int32) int32 {
	for {
		p := d.parent(n)
		if p < 0 || d.isShadow(n) {
			return n
		}
		n = p
	}
}

// element finds an element by its id attribute in the tree that n is in.
func (d *document) element(n int32, id string) int32 {
	if id == "" {
		return -1
	}
	if d.byID == nil {
		d.index()
	}
	found, ok := d.byID[scoped(d.scope(n), id)]
	if !ok {
		return -1
	}
	return found
}

// labelFor finds the label that names an id in the tree that n is in.
func (d *document) labelFor(n int32, id string) int32 {
	if id == "" {
		return -1
	}
	if d.byID == nil {
		d.index()
	}
	found, ok := d.labels[scoped(d.scope(n), id)]
	if !ok {
		return -1
	}
	return found
}

func scoped(scope int32, id string) string { return strconv.Itoa(int(scope)) + " " + id }

func (d *document) index() {
	d.byID, d.labels = make(map[string]int32), make(map[string]int32)
	scopes := make([]int32, d.size()) // parents come before their children
	for i := range int32(d.size()) {
		if p := d.parent(i); p < 0 || d.isShadow(i) {
			scopes[i] = i
		} else {
			scopes[i] = scopes[p]
		}
		if d.kind(i) != typeElement {
			continue
		}
		if id := d.get(i, "id"); id != "" {
			if k := scoped(scopes[i], id); d.byID[k] == 0 {
				d.byID[k] = i
			}
		}
		if target := d.get(i, "for"); target != "" && d.tag(i) == "label" {
			if k := scoped(scopes[i], target); d.labels[k] == 0 {
				d.labels[k] = i
			}
		}
	}
}

// peer is the i-th document of the same process.
func (d *document) peer(i int32) *wireDocument {
	if i < 0 || int(i) >= len(d.peers) {
		return nil
	}
	return d.peers[i]
}
