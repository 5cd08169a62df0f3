package browser

import (
	"context"
	"fmt"
	"slices"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
)

// Point is a place in CSS pixels.
type Point struct{ X, Y float64 }

// Rect is an area in CSS pixels.
type Rect struct{ X, Y, Width, Height float64 }

// Frame is one frame of a page, wherever its process is. It lives as long as
// its place in the page; its document may change.
type Frame struct {
	page *Page
	id   string

	// Guarded by page.mu.
	parent    string
	url       string
	name      string
	loader    string          // of the present document
	starting  string          // loader the lifecycle is about, a moment ahead
	lifecycle map[string]bool // of that one
	session   *Session
	seq       int
	detached  bool
}

// MainFrame is the page's top frame.
func (p *Page) MainFrame() *Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.main
}

// Loads are the documents that the page has loaded, whoever asked for them.
func (p *Page) Loads() []Navigation {
	main := p.MainFrame()
	if main == nil {
		return nil
	}
	var out []Navigation
	for _, n := range p.log.Navigations() {
		if !n.SameDocument && n.FrameID == main.ID() {
			out = append(out, n)
		}
	}
	return out
}

// Frames are the page's live frames, parents before their children.
func (p *Page) Frames() []*Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	children := make(map[string][]*Frame)
	for _, f := range p.frames {
		if f != p.main {
			children[f.parent] = append(children[f.parent], f)
		}
	}
	if p.frames[p.main.id] == nil {
		return nil
	}
	list := []*Frame{p.main}
	for i := 0; i < len(list); i++ {
		below := children[list[i].id]
		slices.SortFunc(below, func(a, b *Frame) int { return a.seq - b.seq })
		list = append(list, below...)
	}
	return list
}

// ID is the frame's id in the protocol.
func (f *Frame) ID() string { return f.id }

// ParentID is the id of the frame around it, empty for the main frame.
func (f *Frame) ParentID() string {
	f.page.mu.Lock()
	defer f.page.mu.Unlock()
	return f.parent
}

// URL is the address of the frame's document.
func (f *Frame) URL() string {
	f.page.mu.Lock()
	defer f.page.mu.Unlock()
	return f.url
}

// Name is the frame's name attribute.
func (f *Frame) Name() string {
	f.page.mu.Lock()
	defer f.page.mu.Unlock()
	return f.name
}

// Document names the frame's present document; another one has another name,
// also at the same address.
func (f *Frame) Document() string {
	f.page.mu.Lock()
	defer f.page.mu.Unlock()
	return f.loader
}

// Session is the session that now reaches the frame.
func (f *Frame) Session() *Session {
	f.page.mu.Lock()
	defer f.page.mu.Unlock()
	return f.session
}

// Detached reports whether the frame is gone.
func (f *Frame) Detached() bool {
	f.page.mu.Lock()
	defer f.page.mu.Unlock()
	return f.detached
}

// Page is the page the frame belongs to.
func (f *Frame) Page() *Page { return f.page }

// Origin is where the frame's top left corner lies in the page's viewport.
func (f *Frame) Origin(ctx context.Context) (Point, error) {
	f.page.mu.Lock()
	parent := f.page.frames[f.parent]
	var s *Session
	var root *Frame
	if parent != nil {
		s = parent.session
		// Boxes come relative to the viewport of the session's own root frame.
		root = f.page.frames[s.TargetID]
	}
	detached := f.detached
	f.page.mu.Unlock()
	if detached {
		return Point{}, fmt.Errorf("locating frame: %w", ErrFrameDetached)
	}
	if parent == nil {
		return Point{}, nil
	}
	owner, err := protocol.Call(ctx, s, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: protocol.FrameID(f.id)})
	if err != nil {
		return Point{}, fmt.Errorf("locating frame: %w", err)
	}
	box, err := protocol.Call(ctx, s, dom.GetBoxModel, dom.GetBoxModelParams{BackendNodeID: owner.BackendNodeID})
	if err != nil {
		return Point{}, fmt.Errorf("locating frame: %w", err)
	}
	if box.Model == nil || len(box.Model.Content) < 2 {
		return Point{}, fmt.Errorf("locating frame: it has no box")
	}
	at := Point{box.Model.Content[0], box.Model.Content[1]}
	if root == nil || root.ParentID() == "" {
		return at, nil
	}
	base, err := root.Origin(ctx)
	if err != nil {
		return Point{}, err
	}
	return Point{base.X + at.X, base.Y + at.Y}, nil
}

// The rest is called under page.mu.

func (p *Page) addFrame(id, parent string, s *Session) *Frame {
	f := &Frame{page: p, id: id, parent: parent, session: s, seq: len(p.frames), lifecycle: make(map[string]bool)}
	for _, other := range p.frames {
		f.seq = max(f.seq, other.seq+1)
	}
	p.frames[id] = f
	return f
}

func (f *Frame) begin(loader string) {
	if f.starting != loader {
		f.starting = loader
		f.lifecycle = make(map[string]bool)
	}
}

func (p *Page) removeFrame(f *Frame) {
	p.removeChildren(f)
	f.detached = true
	delete(p.frames, f.id)
	p.log.frameGone(f.id, "", "")
}

func (p *Page) removeChildren(f *Frame) {
	for _, c := range p.frames {
		if c.parent == f.id && c != f {
			p.removeFrame(c)
		}
	}
}

func (p *Page) frameAttached(s *Session, id, parent string) {
	if f := p.frames[id]; f != nil {
		// Back from a process of its own.
		f.session = s
		p.removeChildren(f)
		return
	}
	if p.frames[parent] != nil && len(p.frames) < maxFrames {
		p.addFrame(id, parent, s)
	}
}

func (p *Page) frameDetached(s *Session, id string, swap bool) {
	f := p.frames[id]
	if f == nil || f.session != s && swap {
		return
	}
	if swap {
		p.removeChildren(f) // the frame goes on in another process, its document not
		return
	}
	if f != p.main {
		p.removeFrame(f)
	}
}

func (p *Page) frameNavigated(s *Session, n *protocol.Frame) {
	f := p.frames[string(n.ID)]
	if f == nil {
		if p.frames[string(n.ParentID)] == nil || len(p.frames) >= maxFrames {
			return
		}
		f = p.addFrame(string(n.ID), string(n.ParentID), s)
	}
	p.removeChildren(f)
	f.session = s
	f.url = clip(n.URL+n.URLFragment, maxAddress)
	if n.UnreachableURL != "" {
		f.url = clip(n.UnreachableURL, maxAddress)
	}
	f.name = clip(n.Name, maxName)
	old := f.loader
	f.loader = string(n.LoaderID)
	f.begin(f.loader)
	p.log.frameGone(f.id, old, f.loader)
	if f == p.main {
		p.moves++
		p.crashed = false
		s.crashed = false
	}
}
