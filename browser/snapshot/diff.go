package snapshot

import (
	"fmt"
	"strings"
)

// Change is how a page differs from an earlier snapshot of it.
type Change struct {
	Added   []*Node // in the order of the page, parents before their children
	Changed []*Node // same node, other words or state
	Gone    []*Node // of the earlier snapshot
}

// Empty reports whether nothing changed.
func (c *Change) Empty() bool { return len(c.Added)+len(c.Changed)+len(c.Gone) == 0 }

// Since tells what is new, changed and gone since an earlier snapshot by the
// same Reader.
func (s *Snapshot) Since(earlier *Snapshot) *Change {
	c := &Change{}
	var o FormatOptions
	s.Root.Walk(func(n *Node) bool {
		if n == s.Root {
			return true
		}
		switch old := earlier.byID[n.ID]; {
		case old == nil:
			c.Added = append(c.Added, n)
		case old.line(&o) != n.line(&o):
			c.Changed = append(c.Changed, n)
		}
		return true
	})
	earlier.Root.Walk(func(n *Node) bool {
		if n != earlier.Root && s.byID[n.ID] == nil {
			c.Gone = append(c.Gone, n)
		}
		return true
	})
	return c
}

// Format writes the change: + for what is new, ~ for what is different, - for
// what is gone. Limits and forms mean the same as for a whole snapshot.
func (c *Change) Format(opts *FormatOptions) string {
	var o FormatOptions
	if opts != nil {
		o = *opts
	}
	if o.MaxName == 0 {
		o.MaxName = 100
	}
	var b strings.Builder
	used, left := 0, 0
	write := func(mark string, n *Node) {
		if keep, bare := wanted(n, o.Form); !keep || bare {
			return
		}
		l := mark + n.line(&o) + "\n"
		cost := Tokens(l)
		if o.Tokens > 0 && used+cost > o.Tokens-endCost {
			left++
			return
		}
		used += cost
		b.WriteString(l)
	}
	for _, n := range c.Added {
		write("+ ", n)
	}
	for _, n := range c.Changed {
		write("~ ", n)
	}
	for _, n := range c.Gone {
		write("- ", n)
	}
	if left > 0 {
		fmt.Fprintf(&b, "... %d more changes not shown; ask for the whole page\n", left)
	}
	return b.String()
}

// PlainText is the page as a person would read it, one line per text and more
// where the text has more. What cannot be seen is left out.
func (s *Snapshot) PlainText() string {
	var b strings.Builder
	s.Root.Walk(func(n *Node) bool {
		if n == s.Root || n.State.Invisible {
			return true
		}
		for _, t := range []string{n.Name, n.Value} {
			if t != "" {
				b.WriteString(t)
				b.WriteByte('\n')
			}
		}
		return true
	})
	return b.String()
}
