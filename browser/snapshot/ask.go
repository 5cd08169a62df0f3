package snapshot

import (
	"context"
	"strings"
	"sync"
)

// askLimit is the size of documents, in nodes, up to which the browser's own
// accessibility tree is asked. It builds that tree for the whole document
// first, which on large ones takes seconds.
const askLimit = 5000

// maxAsked bounds how many elements one snapshot asks about.
const maxAsked = 24

// ask has the browser tell the role and name of elements that the document
// leaves open: controls without a name and elements that the page defined
// itself, whose role may be set from inside.
func (r *Reader) ask(ctx context.Context, s *Snapshot) {
	var open []*Node
	s.Root.Walk(func(n *Node) bool {
		if n.Interactive && n.InView && !n.Painted() && n.doc != nil && n.doc.frame != nil &&
			(n.Name == "" || n.Role == "clickable" && strings.Contains(n.Tag(), "-")) {
			open = append(open, n)
		}
		return len(open) < maxAsked
	})
	var wait sync.WaitGroup
	for _, n := range open {
		wait.Go(func() {
			id, frame := n.Backend()
			session := frame.Session()
			if session == nil {
				return
			}
			type value struct {
				Value any `json:"value"`
			}
			var out struct {
				Nodes []struct {
					Ignored bool  `json:"ignored"`
					Role    value `json:"role"`
					Name    value `json:"name"`
				} `json:"nodes"`
			}
			err := session.Call(ctx, "Accessibility.getPartialAXTree", map[string]any{"backendNodeId": id, "fetchRelatives": false}, &out)
			if err != nil || len(out.Nodes) == 0 || out.Nodes[0].Ignored {
				return // the document's own answer stands
			}
			if name, ok := out.Nodes[0].Name.Value.(string); ok && n.Name == "" {
				n.Name = clean(name)
			}
			if role, ok := out.Nodes[0].Role.Value.(string); ok && n.Role == "clickable" && interactiveRoles[role] {
				n.Role = role
			}
		})
	}
	wait.Wait()
}
