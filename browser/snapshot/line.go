package snapshot

import (
	"fmt"
	"strconv"
	"strings"
)

// maxPiece is how much text one line holds where names are not cut.
const maxPiece = 4000

// pieces writes a node as one line, or as several of the same id when its text
// is long and all of it is wanted.
func (n *Node) pieces(o *FormatOptions) []string {
	if o.MaxName >= 0 || len(n.Name) <= maxPiece {
		return []string{n.line(o)}
	}
	var list []string
	copied := *n
	for rest := n.Name; rest != ""; {
		cut := len(rest)
		if cut > maxPiece {
			cut = maxPiece
			if i := strings.LastIndexAny(rest[:cut], " \n"); i > 0 {
				cut = i
			}
			cut = whole(rest, cut)
		}
		piece := copied
		piece.Name = strings.Trim(rest[:cut], " \n")
		list = append(list, piece.line(o))
		rest = rest[cut:]
	}
	return list
}

// Line writes the node by itself, as a formatted snapshot has it.
func (n *Node) Line(opts *FormatOptions) string {
	var o FormatOptions
	if opts != nil {
		o = *opts
	}
	if o.MaxName == 0 {
		o.MaxName = 100
	}
	return n.line(&o)
}

// line writes one node.
func (n *Node) line(o *FormatOptions) string {
	var b strings.Builder
	if o.Refs {
		b.WriteString("[ref_" + n.ID + "]")
	} else {
		b.WriteString(n.ID)
	}
	if n.Role != "text" {
		b.WriteByte(' ')
		b.WriteString(n.Role)
		if n.Level > 0 {
			b.WriteString(strconv.Itoa(n.Level))
		}
	}
	if n.Name != "" {
		b.WriteByte(' ')
		b.WriteString(quote(shorten(n.Name, o.MaxName)))
	}
	if n.Name == "" && n.Role == "link" && n.Href != "" && !o.Hrefs {
		// A link around a picture without words: where it leads is its name.
		b.WriteString(" to " + quote(shorten(pathOf(n.Href), 60)))
	}
	if n.Canvas != nil {
		n.Canvas.write(&b)
	}
	if n.Value != "" {
		b.WriteString(" = " + quote(shorten(n.Value, o.MaxName)))
	}
	if n.Placeholder != "" {
		b.WriteString(" placeholder " + quote(shorten(n.Placeholder, 60)))
	}
	if len(n.Options) > 0 {
		writeOptions(&b, n.Options, o)
	}
	if words := n.State.words(); len(words) > 0 {
		b.WriteString(" (" + strings.Join(words, ", ") + ")")
	}
	if n.Failed != "" {
		b.WriteString(" (" + n.Failed + ")")
	}
	if o.Hrefs && n.Href != "" {
		b.WriteString(" -> " + quote(n.Href))
	}
	if o.Boxes && n.Box.Width > 0 {
		fmt.Fprintf(&b, " @%.0f,%.0f,%.0f,%.0f", n.Box.X, n.Box.Y, n.Box.Width, n.Box.Height)
	}
	return b.String()
}

func (c *Canvas) write(b *strings.Builder) {
	fmt.Fprintf(b, " %dx%d", c.Width, c.Height)
	if c.Kind != "" {
		b.WriteString(" " + c.Kind)
	}
	if c.Engine != "" {
		b.WriteString(" " + c.Engine)
	}
	if c.Animates {
		b.WriteString(" (animates)")
	}
}

func (s State) words() []string {
	var w []string
	add := func(on bool, word string) {
		if on {
			w = append(w, word)
		}
	}
	add(s.Invisible, "invisible")
	add(s.Disabled, "disabled")
	add(s.Checked == "true", "checked")
	add(s.Checked == "false", "unchecked")
	add(s.Checked == "mixed", "partly checked")
	add(s.Selected == "true", "selected")
	add(s.Expanded == "true", "expanded")
	add(s.Expanded == "false", "collapsed")
	add(s.Pressed == "true", "pressed")
	add(s.Required, "required")
	add(s.Invalid, "invalid")
	add(s.ReadOnly, "read only")
	add(s.Multiple, "several")
	add(s.Focused, "focused")
	return w
}
