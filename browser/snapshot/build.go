package snapshot

import (
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/browser"
)

// builder makes the tree from captured documents.
type builder struct {
	documents map[string]*document // by frame id
	owners    map[ownerKey]string  // frame elements of other processes: frame id below
	failed    map[string]string    // frame id: why
	viewport  browser.Rect
	hrefs     bool
}

type ownerKey struct {
	session string
	backend int64
}

// around is what a node's ancestors mean for it.
type around struct {
	parent *Node
	cursor string
	faded  bool // nothing in here can be seen, whatever its own style
	pixel  bool // in a box of one pixel, where only a screen reader finds it
	// slots are the elements that a shadow root's slots show.
	slots map[string][]int32
	outer *around // for what slots show: where their elements live
}

// maxFrames is how deep documents may be nested before they are left out.
const maxFrames = 32

// document builds the nodes of a document below parent.
func (b *builder) document(d *document, parent *Node, level int) {
	if d.size() == 0 || level > maxFrames || d.built {
		return
	}
	d.built = true
	w := &walk{builder: b, d: d, level: level, brk: true}
	w.children(0, &around{parent: parent, faded: parent.State.Invisible}) // in a frame that cannot be seen nothing can
}

// walk is the way through one document. Long text may be in many pieces, and
// brk says that what comes next starts a new one.
type walk struct {
	*builder
	d     *document
	level int
	brk   bool
}

func (w *walk) children(n int32, c *around) {
	if root := w.d.shadowRoot(n); root >= 0 {
		slots := make(map[string][]int32)
		for k := w.d.first[n]; k >= 0; k = w.d.next[k] {
			if !w.d.isShadow(k) {
				name := ""
				if w.d.kind(k) == typeElement {
					name = w.d.get(k, "slot")
				}
				slots[name] = append(slots[name], k)
			}
		}
		inside := *c
		inside.slots, inside.outer = slots, c
		for k := w.d.first[root]; k >= 0; k = w.d.next[k] {
			w.node(k, &inside)
		}
		return
	}
	for k := w.d.first[n]; k >= 0; k = w.d.next[k] {
		if !w.d.isShadow(k) {
			w.node(k, c)
		}
	}
}

func (w *walk) node(n int32, c *around) {
	switch w.d.kind(n) {
	case typeText:
		w.text(n, c)
	case typeElement:
		w.element(n, c)
	}
}

func (w *walk) text(n int32, c *around) {
	d := w.d
	if !d.rendered(n) || d.style(n, styleVisibility) == "hidden" {
		return
	}
	value := d.value(n)
	lines := d.keepsSpace(n)
	blank := strings.TrimSpace(value) == ""
	p := c.parent.last()
	if p == nil || !p.raw || w.brk || p.lines != lines {
		p = nil
	}
	if blank && !lines {
		if p != nil {
			p.Name += " "
		}
		return
	}
	box := d.box(n)
	if !blank && box.Width <= 1 && box.Height <= 1 {
		return // hidden for the eye only, by the usual trick
	}
	unseen := w.unseen(n, box, c)
	if p != nil && (blank || p.State.Invisible == unseen) {
		p.Name += value
		p.Box = union(p.Box, box)
		p.InView = p.InView || w.visible(box)
		return
	}
	w.brk = false
	node := &Node{Role: "text", Name: value, Box: box, InView: w.visible(box), doc: d, index: n, raw: true, lines: lines}
	node.State.Invisible, node.spoken = unseen, c.pixel && !c.faded
	c.parent.add(node)
}

func (w *walk) element(n int32, c *around) {
	d := w.d
	tag := d.tag(n)
	if skipped[tag] {
		return
	}
	if tag == "br" || !inline[tag] {
		w.brk = true
		defer func() { w.brk = true }()
	}
	if d.ignored[n] {
		return
	}
	if tag == "slot" && c.slots != nil {
		if shown := c.slots[d.get(n, "name")]; len(shown) > 0 {
			outer := *c.outer
			outer.parent, outer.cursor, outer.faded, outer.pixel = c.parent, c.cursor, c.faded, c.pixel
			for _, k := range shown {
				w.node(k, &outer)
			}
			return
		}
	}
	below := *c
	if d.rendered(n) {
		below.cursor = d.style(n, styleCursor)
		below.faded, below.pixel = c.faded || d.fades(n), c.pixel || d.pixel(n)
	}
	node := w.make(n, tag, c)
	if node == nil {
		if tag != "select" && tag != "svg" {
			w.children(n, &below)
		}
		return
	}
	w.brk = true
	below.parent = node
	switch {
	case tag == "iframe" || tag == "frame":
		w.frame(n, node)
	case tag == "select" || tag == "textarea" || tag == "svg" || tag == "canvas" || tag == "video" || tag == "audio":
		// What is inside is the element's own business.
	default:
		w.children(n, &below)
	}
	w.brk = true
	finish(node)
	if node.hollow() {
		for _, k := range node.Children {
			c.parent.add(k)
		}
		return
	}
	c.parent.add(node)
}

// make returns the element's node, nil when it is not worth one.
func (w *walk) make(n int32, tag string, c *around) *Node {
	d := w.d
	if !d.rendered(n) || d.style(n, styleVisibility) == "hidden" {
		return nil
	}
	role := d.role(n, tag)
	box := d.box(n)
	interactive := interactiveRoles[role]
	if !interactive && role != "canvas" && role != "iframe" && d.takesInput(n, tag, c.cursor) {
		interactive = true
		if ce, ok := d.attr(n, "contenteditable"); ok && ce != "false" {
			role = "textbox"
		} else if role == "" {
			role = "clickable"
		}
	}
	if role == "" {
		return nil
	}
	node := &Node{Role: role, Box: box, InView: w.visible(box), Interactive: interactive, doc: d, index: n}
	node.Name = d.name(n, tag, role)
	if role == "clickable" && node.Name == "" && box.Width*box.Height > 0.8*w.viewport.Width*w.viewport.Height {
		return nil // the page's background listens for clicks; it is no control
	}
	if !interactive && onlyNamed[role] && node.Name == "" {
		return nil
	}
	node.State = d.state(n, tag, role)
	node.State.Invisible = !drawnByLabel(tag, d.get(n, "type")) && (c.faded || c.pixel || d.fades(n) || d.pixel(n) || d.outside(box))
	switch role {
	case "heading":
		node.Level = headingLevel(tag, d.get(n, "aria-level"))
	case "link":
		if w.hrefs {
			node.Href = resolveURL(d.str(int32(d.wire.BaseURL)), d.get(n, "href"))
		}
	case "canvas":
		node.Canvas = &Canvas{Width: atoi(d.get(n, "width"), 300), Height: atoi(d.get(n, "height"), 150)}
	}
	if tag == "select" {
		var chosen []string
		d.options(n, &node.Options, &chosen)
		node.Value = strings.Join(chosen, ", ")
	} else {
		node.Value = d.fieldValue(n, tag, role)
	}
	node.Placeholder = clean(d.get(n, "placeholder"))
	if node.Placeholder == node.Name || node.Name == "" {
		if node.Name == "" {
			node.Name = node.Placeholder
		}
		node.Placeholder = ""
	}
	return node
}

// frame goes on with the document in a frame element.
func (w *walk) frame(n int32, node *Node) {
	d := w.d
	var below *document
	if i, ok := d.content[n]; ok {
		below = w.sibling(d, i)
	} else if id, ok := w.owners[ownerKey{d.session, d.backend(n)}]; ok {
		below = w.documents[id]
		node.Failed = w.failed[id]
	}
	if node.Name == "" {
		node.Name = clean(d.get(n, "name"))
	}
	if below == nil {
		if node.Failed == "" && node.Box.Width > 1 {
			node.Failed = "not loaded"
		}
		return
	}
	inset := browser.Point{
		X: d.pixels(n, stylePaddingLeft) + d.pixels(n, styleBorderLeft),
		Y: d.pixels(n, stylePaddingTop) + d.pixels(n, styleBorderTop),
	}
	below.outer, below.at = d, n
	below.clip = intersect(d.clip, node.Box)
	below.offset = browser.Point{
		X: node.Box.X + inset.X - below.wire.ScrollOffsetX,
		Y: node.Box.Y + inset.Y - below.wire.ScrollOffsetY,
	}
	w.document(below, node, w.level+1)
}

// sibling is the i-th document of the same process.
func (b *builder) sibling(d *document, i int32) *document {
	for _, other := range b.documents {
		if other.session == d.session && other.wire == d.peer(i) {
			return other
		}
	}
	return nil
}

func (w *walk) visible(box browser.Rect) bool {
	r := intersect(box, w.d.clip)
	return r.Width > 0 && r.Height > 0
}

// finish tidies a node whose children are complete.
func finish(n *Node) {
	n.settleText()
	switch {
	case n.Role == "textbox":
		if n.Tag() != "input" && n.Tag() != "textarea" {
			n.Value = clean(n.doc.textInside(n.index))
		}
		n.Children = nil
	case namedByContent[n.Role] && len(n.Name) > maxName:
		// Too long for a name: all of it stays below, where it can be read.
		n.Name = shorten(n.Name, maxName/4)
	case namedByContent[n.Role] && n.Name != "":
		// What is in there is its name already, except for other controls.
		n.markUnseen()
		n.Children = slices.DeleteFunc(n.Children, func(c *Node) bool {
			return c.Walk(func(d *Node) bool { return !d.Interactive })
		})
		if len(n.Children) == 1 && n.Role == "heading" && n.Children[0].Name == n.Name {
			n.Name = "" // a heading around a link: say it once
		}
	default:
		n.sayOnce()
	}
}

// markUnseen marks a node as invisible when all the text that names it is. A
// control that is named for screen readers shows a picture instead.
func (n *Node) markUnseen() {
	seen, unseen := 0, 0
	for _, c := range n.Children {
		c.Walk(func(d *Node) bool {
			switch {
			case d.Role != "text" && d.Role != "img", d.spoken && n.Interactive:
			case d.State.Invisible:
				unseen++
			default:
				seen++
			}
			return true
		})
	}
	if unseen > 0 && seen == 0 {
		n.State.Invisible = true
	}
}

// sayOnce takes out texts that only repeat the name of what they stand beside,
// which is what labels, legends and captions do.
func (n *Node) sayOnce() {
	list := n.Children
	repeats := func(i int) bool {
		name := list[i].Name
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(list) && list[j].Role != "text" && list[j].Name == name {
				return true
			}
		}
		return i == 0 && name == n.Name
	}
	var kept []*Node
	for i, c := range list {
		if c.Role != "text" || !repeats(i) {
			kept = append(kept, c)
		}
	}
	n.Children = kept
}

// hollow reports whether a finished node says nothing that its only child does
// not say, and is better left out.
func (n *Node) hollow() bool {
	if len(n.Children) > 1 {
		return false
	}
	switch n.Role {
	case "listitem", "row":
		return n.Name == "" && !n.Interactive
	case "clickable":
		return len(n.Children) == 1 && n.Children[0].Interactive && n.Children[0].Name == n.Name
	}
	return false
}

// settleText cleans the texts below a node, once they are whole.
func (n *Node) settleText() {
	kept := n.Children[:0]
	for _, c := range n.Children {
		if c.raw {
			c.raw = false
			if c.lines {
				c.Name = cleanLines(c.Name)
			} else {
				c.Name = clean(c.Name)
			}
			if c.Name == "" {
				continue
			}
		}
		kept = append(kept, c)
	}
	n.Children = kept
}

func (n *Node) add(c *Node) {
	c.parent = n
	n.Children = append(n.Children, c)
}

func (n *Node) last() *Node {
	if len(n.Children) == 0 {
		return nil
	}
	return n.Children[len(n.Children)-1]
}
