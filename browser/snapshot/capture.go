package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/browser/probe"
)

// captureLimit is how long one process may take to describe its documents.
// A page of 20 MB of text takes some seconds, and three times as long beside other work.
const captureLimit = 45 * time.Second

// frameLimit is how long a frame in a process of its own may take. The rest of
// the page does not wait longer for an advertisement that hangs.
const frameLimit = 5 * time.Second

// Options tune a Reader.
type Options struct {
	// Probe is the probe that was set in the page before it loaded. With it
	// canvases show what is painted on them.
	Probe *probe.Probe
	// Hrefs adds the addresses of links.
	Hrefs bool
}

// Reader takes snapshots of one page and remembers the ids it gave. It may be
// used by one goroutine at a time.
type Reader struct {
	page *browser.Page
	opts Options
	ids  *ids
	// painted: there were canvases, so that what is painted is asked for beside the rest.
	painted bool
}

// New makes a reader for the page.
func New(page *browser.Page, opts *Options) *Reader {
	r := &Reader{page: page, ids: newIDs()}
	if opts != nil {
		r.opts = *opts
	}
	return r
}

// Snapshot is a page at a moment.
type Snapshot struct {
	URL   string
	Title string
	// Viewport is the visible part, ScrollY how far down it is and Height how
	// long the whole document is, in CSS pixels.
	Width, Height  float64
	ScrollY        float64
	DocumentHeight float64
	// Beyond is how many controls lie outside of the window, about, in a
	// snapshot of CaptureView, which has none of them. It is 0 in others.
	Beyond int
	Root   *Node
	Took   time.Duration

	view      bool // of CaptureView
	byID      map[string]*Node
	documents map[string]*document // by frame
}

// Node finds a node by its id, nil when the snapshot has none of that id.
func (s *Snapshot) Node(id string) *Node { return s.byID[id] }

// Len is how many nodes there are.
func (s *Snapshot) Len() int { return len(s.byID) }

// process is one protocol session with the documents it holds.
type process struct {
	session *browser.Session
	root    *browser.Frame
	wire    *wire
	err     error
}

// Capture reads the page. It fails only when the page's own document cannot be
// read; a frame that cannot is marked in the tree and not tried in another way.
func (r *Reader) Capture(ctx context.Context) (*Snapshot, error) { return r.CaptureWithout(ctx, nil) }

// CaptureWithout reads the page and leaves out what the selectors fit, with all
// that is in it.
func (r *Reader) CaptureWithout(ctx context.Context, selectors []string) (*Snapshot, error) {
	began := time.Now()
	frames := r.page.Frames()
	if len(frames) == 0 {
		return nil, fmt.Errorf("reading page: %w", browser.ErrPageClosed)
	}
	main := r.page.Session()
	list := []*process{{session: main, root: frames[0]}}
	seen := map[string]bool{main.TargetID: true}
	for _, f := range frames[1:] {
		if s := f.Session(); s != nil && !seen[s.TargetID] {
			seen[s.TargetID] = true
			list = append(list, &process{session: s, root: f})
		}
	}
	var (
		wait   sync.WaitGroup
		view   view
		active focus
		canvas painted
		mu     sync.Mutex
		owners = make(map[ownerKey]string)
	)
	// A page answers in the order in which it is asked. What is asked for after its documents
	// is ready by the time these have come and been decoded.
	asked := make([]*cdp.Reply, len(list))
	for i, p := range list {
		asked[i] = describe(p.session, len(frames) > 1)
	}
	for i, p := range list {
		wait.Go(func() {
			limit := frameLimit
			if i == 0 {
				limit = captureLimit
			}
			bound, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			p.wire, p.err = read(bound, p.session, asked[i], len(frames) > 1)
		})
		if i == 0 {
			continue
		}
		wait.Go(func() {
			parent, id := r.owner(ctx, p.root)
			if id != 0 {
				mu.Lock()
				owners[ownerKey{parent, id}] = p.root.ID()
				mu.Unlock()
			}
		})
	}
	wait.Go(func() { view = readView(ctx, main) })
	wait.Go(func() { active = readFocus(ctx, list) })
	if r.painted {
		wait.Go(func() { canvas = readPainted(ctx, r.opts.Probe, r.page) })
	}
	wait.Wait()
	if list[0].err != nil {
		return nil, fmt.Errorf("reading page: %w", list[0].err)
	}
	b := &builder{documents: make(map[string]*document), owners: owners, failed: make(map[string]string), hrefs: r.opts.Hrefs}
	byFrame := make(map[string]*browser.Frame, len(frames))
	for _, f := range frames {
		byFrame[f.ID()] = f
	}
	var top *document
	for i, p := range list {
		if p.err != nil {
			b.failed[p.root.ID()] = reason(p.err)
			continue
		}
		peers := make([]*wireDocument, len(p.wire.Documents))
		copy(peers, p.wire.Documents)
		for j, w := range p.wire.Documents {
			d := newDocument(w, p.wire.Strings, p.session.TargetID)
			d.peers = peers
			d.frame = byFrame[d.key]
			b.documents[d.key] = d
			if i == 0 && j == 0 {
				top = d
			}
		}
	}
	if top == nil {
		return nil, errors.New("reading page: it has no document")
	}
	if err := r.ignore(ctx, b.documents, selectors); err != nil {
		return nil, err
	}
	s := r.build(ctx, b, top, view, active, canvas)
	r.ids.end(b)
	if top.size() < askLimit {
		r.ask(ctx, s)
	}
	s.Took = time.Since(began)
	return s, nil
}

// onCanvases puts what is painted into the tree, where there are canvases. Most pages have none,
// and what is painted takes longer to be asked for than a small page takes to be read.
func (r *Reader) onCanvases(ctx context.Context, root *Node, known painted) {
	canvases := canvasesIn(root)
	asked := r.painted
	r.painted = r.opts.Probe != nil && len(canvases) > 0
	if r.painted && !asked {
		known = readPainted(ctx, r.opts.Probe, r.page)
	}
	known.place(canvases)
}

func (r *Reader) build(ctx context.Context, b *builder, top *document, v view, active focus, canvas painted) *Snapshot {
	b.viewport = browser.Rect{Width: v.width, Height: v.height}
	top.clip = b.viewport
	top.offset = browser.Point{X: -top.wire.ScrollOffsetX, Y: -top.wire.ScrollOffsetY}
	root := &Node{Role: "page", Name: clean(top.str(int32(top.wire.Title))), Box: b.viewport, InView: true}
	b.document(top, root, 0)
	root.settleText()
	root.sayOnce()
	r.onCanvases(ctx, root, canvas)
	s := &Snapshot{
		URL: top.str(int32(top.wire.DocumentURL)), Title: root.Name, Width: v.width, Height: v.height,
		ScrollY: top.wire.ScrollOffsetY, DocumentHeight: top.wire.ContentHeight,
		Root: root, byID: make(map[string]*Node), documents: b.documents,
	}
	r.ids.begin()
	root.Walk(func(n *Node) bool {
		if n == root {
			return true
		}
		n.ID = r.ids.of(n)
		s.byID[n.ID] = n
		if n.doc != nil && n.doc.kind(n.index) == typeElement && active[ownerKey{n.doc.session, n.doc.backend(n.index)}] && !n.Painted() {
			n.State.Focused = n.Interactive
		}
		return true
	})
	return s
}

// owner finds the element that holds a frame of another process.
func (r *Reader) owner(ctx context.Context, f *browser.Frame) (session string, backend int64) {
	for _, p := range r.page.Frames() {
		if p.ID() != f.ParentID() {
			continue
		}
		s := p.Session()
		if s == nil {
			return "", 0
		}
		var out struct {
			BackendNodeID int64 `json:"backendNodeId"`
		}
		if err := s.Call(ctx, "DOM.getFrameOwner", map[string]any{"frameId": f.ID()}, &out); err != nil {
			return "", 0
		}
		return s.TargetID, out.BackendNodeID
	}
	return "", 0
}

type view struct{ width, height float64 }

func readView(ctx context.Context, s *browser.Session) view {
	var out struct {
		CSSLayoutViewport struct {
			ClientWidth  float64 `json:"clientWidth"`
			ClientHeight float64 `json:"clientHeight"`
		} `json:"cssLayoutViewport"`
	}
	if err := s.Call(ctx, "Page.getLayoutMetrics", nil, &out); err != nil || out.CSSLayoutViewport.ClientWidth == 0 {
		return view{1280, 720}
	}
	return view{out.CSSLayoutViewport.ClientWidth, out.CSSLayoutViewport.ClientHeight}
}

// focus holds the elements that have the keyboard, one per document.
type focus map[ownerKey]bool

const activeElement = `(() => {
  let a = document.activeElement;
  while (a && a.shadowRoot && a.shadowRoot.activeElement) a = a.shadowRoot.activeElement;
  return a === document.body ? null : a;
})()
//# sourceURL=playtest:focus`

func readFocus(ctx context.Context, list []*process) focus {
	f := make(focus)
	var mu sync.Mutex
	var wait sync.WaitGroup
	for _, p := range list {
		wait.Go(func() {
			s := p.session
			bound := cdp.WithTimeout(ctx, frameLimit)
			var out struct {
				Result struct {
					ObjectID string `json:"objectId"`
				} `json:"result"`
			}
			if s.Call(bound, "Runtime.evaluate", map[string]any{"expression": activeElement, "silent": true}, &out) != nil || out.Result.ObjectID == "" {
				return
			}
			defer s.Start("Runtime.releaseObject", map[string]any{"objectId": out.Result.ObjectID})
			var node struct {
				Node struct {
					BackendNodeID int64 `json:"backendNodeId"`
				} `json:"node"`
			}
			if s.Call(bound, "DOM.describeNode", map[string]any{"objectId": out.Result.ObjectID}, &node) != nil {
				return
			}
			mu.Lock()
			f[ownerKey{s.TargetID, node.Node.BackendNodeID}] = true
			mu.Unlock()
		})
	}
	wait.Wait()
	return f
}

// reason is an error in the few words that fit into the tree.
func reason(err error) string {
	switch {
	case errors.Is(err, browser.ErrCrashed):
		return "crashed"
	case errors.Is(err, cdp.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return "does not answer"
	case cdp.IsGone(err):
		return "gone"
	}
	return "cannot be read"
}

// ids gives short ids and keeps them while their nodes live.
type ids struct {
	next  int
	known map[string]string // what the node is, to its id
	live  map[string]bool
}

func newIDs() *ids { return &ids{known: make(map[string]string)} }

func (i *ids) begin() { i.live = make(map[string]bool, len(i.known)) }

func (i *ids) of(n *Node) string {
	key := n.identity()
	if i.live[key] { // painted twice with the same words
		for k := 2; i.live[key]; k++ {
			key = n.identity() + "#" + strconv.Itoa(k)
		}
	}
	i.live[key] = true
	id, ok := i.known[key]
	if !ok {
		i.next++
		id = strconv.Itoa(i.next)
		i.known[key] = id
	}
	return id
}

// end forgets the ids of nodes that are gone. Those that are only hidden now,
// or in a frame that did not answer, keep theirs.
func (i *ids) end(b *builder) {
	if len(i.known) == len(i.live) {
		return
	}
	present := make(map[string]bool)
	for _, d := range b.documents {
		for n := range d.size() {
			present[key(d.session, d.backend(int32(n)))] = true
		}
	}
	silent := len(b.failed) > 0
	for k := range i.known {
		if !i.live[k] && !present[k] && !silent {
			delete(i.known, k)
		}
	}
}

func (n *Node) identity() string {
	k := key(n.doc.session, n.doc.backend(n.index))
	if n.Painted() {
		return k + " " + n.Role + " " + n.Name
	}
	return k
}

func key(session string, backend int64) string { return session + strconv.FormatInt(backend, 36) }
