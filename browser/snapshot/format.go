package snapshot

import (
	"fmt"
	"slices"
	"strings"
)

// Form is how much of a page is shown.
type Form string

const (
	// Full shows everything.
	Full Form = "full"
	// Interactive shows what can be acted on and the structure around it.
	Interactive Form = "interactive"
	// InView shows only what can be seen without scrolling.
	InView Form = "viewport"
)

// FormatOptions say what to show of a snapshot. The zero value shows all of it.
type FormatOptions struct {
	Form Form // Full if empty
	// Within is the id of the node to show with what is below it; "" is the page.
	Within string
	// Tokens limits the size; 0 is no limit. What is seen without scrolling
	// comes first, then what Words occur in, then the rest in its order, and a
	// last line says what was left out and how to ask for it.
	Tokens int
	// Part shows a later part of what does not fit: 2 is the first that was
	// left out. 0 and 1 are the beginning.
	Part int
	// Words are looked for in names, to show first what is asked about.
	Words []string
	// InOrder takes what fits in the order of the page, for reading it all.
	InOrder bool
	// Boxes adds where things lie, as x,y,width,height.
	Boxes bool
	// Hrefs adds the addresses of links where the snapshot has them.
	Hrefs bool
	// Refs writes ids as [ref_12] instead of 12, as Anthropic's browser tools
	// want them.
	Refs bool
	// Depth leaves out what is nested deeper; 0 is no limit.
	Depth int
	// MaxName cuts names; 0 is 100 characters, -1 is all of them.
	MaxName int
}

// Text is a formatted snapshot.
type Text struct {
	Text   string
	Tokens int
	// Part of Parts is shown; Shown and Left count the nodes.
	Part, Parts int
	Shown, Left int
}

// String is the text.
func (t *Text) String() string { return t.Text }

// maxIndent keeps very deep pages readable.
const maxIndent = 12

const indents = "            "

type line struct {
	node   *Node
	text   string
	cost   int
	depth  int
	parent int // index of the line around it, -1 for none
	rank   int
	bare   bool // structure that is shown only around something else
}

// Format writes the tree as text.
func (s *Snapshot) Format(opts *FormatOptions) *Text {
	var o FormatOptions
	if opts != nil {
		o = *opts
	}
	if o.MaxName == 0 {
		o.MaxName = 100
	}
	root := s.Root
	if o.Within != "" {
		if root = s.byID[o.Within]; root == nil {
			return &Text{Text: fmt.Sprintf("nothing has the id %s\n", o.Within), Part: 1, Parts: 1}
		}
	}
	lines := s.lines(root, &o)
	head := ""
	if root == s.Root {
		head = s.header()
	}
	parts := split(lines, o.Tokens-Tokens(head)-endCost, o.Tokens > 0)
	part := min(max(o.Part, 1), len(parts))
	t := &Text{Part: part, Parts: len(parts)}
	var b strings.Builder
	size := len(head)
	for _, i := range parts[part-1] {
		size += len(lines[i].text)
	}
	b.Grow(size)
	b.WriteString(head)
	show(&b, lines, parts[part-1], o.InOrder)
	t.Shown = len(parts[part-1])
	t.Left = len(lines) - t.Shown
	if len(parts) > 1 {
		b.WriteString(more(lines, parts, part))
	}
	if o.Form == InView {
		b.WriteString(s.beyond(root))
	}
	t.Text = b.String()
	t.Tokens = Tokens(t.Text)
	return t
}

func (s *Snapshot) header() string {
	head := fmt.Sprintf("page %s %.0fx%.0f", quote(shorten(s.Title, 100)), s.Width, s.Height)
	if s.DocumentHeight > s.Height+1 {
		head += fmt.Sprintf(", scrolled %.0f of %.0f", s.ScrollY, s.DocumentHeight-s.Height)
	}
	return head + "\n"
}

// lines lists what the form shows, in the order of the page.
func (s *Snapshot) lines(root *Node, o *FormatOptions) []line {
	words := lower(o.Words)
	list := make([]line, 0, len(s.byID))
	type visit struct {
		node          *Node
		depth, parent int
	}
	stack := make([]visit, 0, 64)
	push := func(n *Node, depth, parent int) {
		for i := len(n.Children) - 1; i >= 0; i-- {
			stack = append(stack, visit{n.Children[i], depth, parent})
		}
	}
	if root == s.Root {
		push(root, 0, -1)
	} else {
		stack = append(stack, visit{root, 0, -1})
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := v.node
		keep, bare := wanted(n, o.Form)
		if !keep {
			push(n, v.depth, v.parent)
			continue
		}
		l := line{node: n, depth: min(v.depth, maxIndent), parent: v.parent, bare: bare}
		if !o.InOrder {
			l.rank = rank(n, words)
		}
		for _, text := range n.pieces(o) {
			l.text = indents[:l.depth] + text + "\n"
			l.cost = Tokens(l.text) + 1
			list = append(list, l)
		}
		if o.Depth == 0 || v.depth+1 < o.Depth {
			push(n, v.depth+1, len(list)-1)
		}
	}
	return dropEmpty(list)
}

// wanted says whether a node has a line, and whether only for what is in it.
func wanted(n *Node, form Form) (keep, bare bool) {
	switch form {
	case Interactive:
		switch {
		case n.Interactive, n.Role == "heading", n.Role == "canvas", n.Role == "alert", n.Failed != "":
			return true, false
		case n.Role == "text", n.Role == "img", n.Role == "separator":
			return false, false
		}
		return true, true
	case InView:
		if !n.InView {
			return false, false
		}
	}
	return true, len(n.Children) > 0 && n.Name == "" && !n.Interactive && n.Canvas == nil
}

// dropEmpty takes out structure that would stand around nothing.
func dropEmpty(list []line) []line {
	useful := make([]bool, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].bare {
			useful[i] = true
		}
		if useful[i] && list[i].parent >= 0 {
			useful[list[i].parent] = true
		}
	}
	if !slices.Contains(useful, false) {
		return list
	}
	place := make([]int, len(list))
	kept := list[:0]
	for i, l := range list {
		if !useful[i] {
			continue
		}
		if l.parent >= 0 {
			l.parent = place[l.parent]
		}
		place[i] = len(kept)
		kept = append(kept, l)
	}
	return kept
}

// rank orders what is shown first when not everything fits.
func rank(n *Node, words []string) int {
	matches := 0
	if len(words) > 0 {
		name := strings.ToLower(n.Name + " " + n.Value)
		for _, w := range words {
			if containsWord(name, w) {
				matches++
			}
		}
	}
	switch {
	case matches > 1 || matches > 0 && matches == len(words):
		return 0
	case n.InView && n.Interactive:
		return 1
	case matches > 0 && n.Interactive:
		return 2
	case n.InView:
		return 3
	case n.Interactive:
		return 4
	}
	return 5
}

func containsWord(s, w string) bool {
	for i := 0; ; {
		j := strings.Index(s[i:], w)
		if j < 0 {
			return false
		}
		j += i
		end := j + len(w)
		if (j == 0 || !wordByte(s[j-1])) && (end == len(s) || !wordByte(s[end])) {
			return true
		}
		i = j + 1
	}
}

func wordByte(c byte) bool { return letter(c) || c >= '0' && c <= '9' || c >= 0x80 }

func lower(words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if w = strings.ToLower(clean(w)); w != "" {
			out = append(out, w)
		}
	}
	return out
}
