package snapshot

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser"
)

// Chromium's answer comes from the page's own process, which may have been taken
// over: whatever it says, a tree is built in bounded time and nothing breaks.
func FuzzBuild(f *testing.F) {
	f.Add([]byte(`{"strings":["F","html","body","button","OK"],"documents":[{"frameId":0,"nodes":{"parentIndex":[-1,0,1,2,3],"nodeType":[9,1,1,1,3],"nodeName":[0,1,2,3,0],"nodeValue":[-1,-1,-1,-1,4],"backendNodeId":[1,2,3,4,5],"attributes":[[],[],[],[],[]]},"layout":{"nodeIndex":[1,2,3,4],"styles":[[],[],[],[]],"bounds":[[0,0,9,9],[0,0,9,9],[0,0,9,9],[0,0,9,9]]}}]}`))
	f.Add([]byte(`{"strings":["F","iframe"],"documents":[{"frameId":0,"nodes":{"parentIndex":[-1,0,0],"nodeType":[9,1,1],"nodeName":[0,1,1],"contentDocumentIndex":{"index":[1,2],"value":[0,0]}}}]}`)) // frames of itself
	f.Add([]byte(`{"documents":[{"nodes":{"parentIndex":[1,2,0],"nodeType":[1]}}]}`))                                                                                                                   // a ring, and short columns
	f.Add([]byte(`{"documents":[{"nodes":{"parentIndex":[-1,0]},"layout":{"nodeIndex":[1,1],"styles":[],"bounds":[[1]]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var w wire
		if json.Unmarshal(data, &w) != nil || len(w.Documents) == 0 {
			return
		}
		root := assemble(&w)
		n := 0
		root.Walk(func(*Node) bool { n++; return true })
		if n > 100*(len(data)+1) {
			t.Errorf("%d nodes of %d bytes", n, len(data))
		}
	})
}

// Columns say what the decoder for everything says, or fail as it does.
func FuzzColumns(f *testing.F) {
	for _, s := range []string{
		`[]`, `[1,-2,300]`, `[128]`, `[3000000000]`, `[1.5]`, `[1, 2]`, `null`, `[null]`, `"x"`, `[9999999999999999]`,
		`[[],[1,2],[-3]]`, `[[1.5,-0.25,100.33333587646484,1e3,-0]]`, `[[1],null]`, `[[0.1234567890123456789]]`, `[["1"]]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sameColumn[numbers[int8], []int8](t, data)
		sameColumn[numbers[int32], []int32](t, data)
		sameColumn[numbers[int64], []int64](t, data)
		sameColumn[lists, [][]int32](t, data)
		sameColumn[rects, [][]float64](t, data)
	})
}

func sameColumn[C, P any](t *testing.T, data []byte) {
	var column C
	var plain P
	failed, wanted := json.Unmarshal(data, &column), json.Unmarshal(data, &plain)
	if got, want := fmt.Sprintf("%v", column), fmt.Sprintf("%v", plain); (failed == nil) != (wanted == nil) || failed == nil && got != want {
		t.Errorf("%s: %s (%v), of the decoder %s (%v)", data, got, failed, want, wanted)
	}
}

// assemble builds the tree of one process's documents as Capture does.
func assemble(w *wire) *Node {
	b := &builder{documents: make(map[string]*document), owners: make(map[ownerKey]string), failed: make(map[string]string), viewport: browser.Rect{Width: 100, Height: 100}}
	var top *document
	for i, wd := range w.Documents {
		if wd == nil {
			continue
		}
		d := newDocument(wd, w.Strings, "S")
		d.peers = w.Documents
		b.documents[fmt.Sprint(i, d.key)] = d
		if top == nil {
			top = d
		}
	}
	root := &Node{Role: "page"}
	if top != nil {
		top.clip = b.viewport
		b.document(top, root, 0)
		root.settleText()
		root.sayOnce()
	}
	return root
}

// A million elements in each other would overflow the stack, which nothing
// recovers from.
func TestVeryDeepDocument(t *testing.T) {
	const n = 1_000_000
	w := &wire{Strings: []string{"F", "div"}, Documents: []*wireDocument{{}}}
	d := w.Documents[0]
	for i := range n {
		d.Nodes.ParentIndex = append(d.Nodes.ParentIndex, int32(i-1))
		d.Nodes.NodeType = append(d.Nodes.NodeType, 1)
		d.Nodes.NodeName = append(d.Nodes.NodeName, 1)
	}
	if root := assemble(w); strings.Contains(root.Name, "x") {
		t.Error(root.Name)
	}
}
