package snapshot

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"github.com/playtest-dev/playtest/browser"
)

//go:embed view.js
var viewScript string

// CaptureView reads what lies in the window, which on a long page takes a part of
// the time that all of it takes. Ids are those of Capture. What the window cannot
// be told from outside of it for, a closed shadow root or a document that changes
// meanwhile, has the whole page read instead; the snapshot then has all of it, and
// FormatOptions with InView show the same.
func (r *Reader) CaptureView(ctx context.Context) (*Snapshot, error) {
	s, err := r.captureView(ctx)
	if err == nil {
		return s, nil
	}
	if gone := r.page.Err(); gone != nil {
		return nil, fmt.Errorf("reading page: %w", gone)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading page: %w", ctx.Err())
	}
	return r.Capture(ctx)
}

// part is what was read of one frame's document.
type part struct {
	frame    *browser.Frame
	session  *browser.Session
	document *wireDocument
	strings  []string
	beyond   int
	elements int
	first    bool // it is the document that its process was made for
	err      error
}

func (r *Reader) captureView(ctx context.Context) (*Snapshot, error) {
	began := time.Now()
	frames := r.page.Frames()
	if len(frames) == 0 {
		return nil, browser.ErrPageClosed
	}
	var (
		wait   sync.WaitGroup
		mu     sync.Mutex
		view   view
		active focus
		canvas painted
		parts  = make([]*part, len(frames))
		owners = make(map[ownerKey]string)
		list   []*process
		known  = map[string]bool{}
	)
	for i, f := range frames {
		first := false
		if s := f.Session(); s != nil && !known[s.TargetID] {
			known[s.TargetID] = true
			list = append(list, &process{session: s, root: f})
			first = true
		}
		wait.Go(func() {
			bound, cancel := context.WithTimeout(ctx, frameLimit)
			defer cancel()
			parts[i] = readPart(bound, f, first)
		})
		if i == 0 {
			continue
		}
		wait.Go(func() {
			if parent, id := r.owner(ctx, f); id != 0 {
				mu.Lock()
				owners[ownerKey{parent, id}] = f.ID()
				mu.Unlock()
			}
		})
	}
	wait.Go(func() { view = readView(ctx, r.page.Session()) })
	wait.Go(func() { active = readFocus(ctx, list) })
	if r.painted {
		wait.Go(func() { canvas = readPainted(ctx, r.opts.Probe, r.page) })
	}
	wait.Wait()
	b := &builder{documents: make(map[string]*document), owners: owners, failed: make(map[string]string), hrefs: r.opts.Hrefs}
	for _, p := range parts {
		if errors.Is(p.err, errPartial) || p.err != nil && p == parts[0] {
			return nil, p.err
		}
		if p.err != nil {
			b.failed[p.frame.ID()] = reason(p.err)
			continue
		}
		d := newDocument(p.document, p.strings, p.session.TargetID)
		d.key, d.frame = p.frame.ID(), p.frame
		b.documents[d.key] = d
	}
	top := b.documents[frames[0].ID()]
	s := r.build(ctx, b, top, view, active, canvas)
	s.view, s.Beyond = true, parts[0].beyond
	if parts[0].elements < askLimit {
		r.ask(ctx, s)
	}
	s.Took = time.Since(began)
	return s, nil
}

// errPartial is a document of which a part cannot be read by itself.
var errPartial = errors.New("the window cannot be read by itself")

var viewCount atomic.Int64

// readPart reads the part of a frame's document that lies in its window.
func readPart(ctx context.Context, f *browser.Frame, first bool) *part {
	p := &part{frame: f, first: first}
	names, err := json.Marshal(styles)
	if err != nil {
		return &part{frame: f, err: err} // texts can be written
	}
	group := "playtest-view-" + strconv.FormatInt(viewCount.Add(1), 10)
	var object string
	p.session, object, p.err = f.EvaluateObject(ctx, "("+viewScript+")("+string(names)+")", group)
	if p.err != nil {
		return p
	}
	defer p.session.Start("Runtime.releaseObjectGroup", map[string]any{"objectGroup": group})
	var props struct {
		Result []struct {
			Name  string `json:"name"`
			Value struct {
				Value    json.RawMessage `json:"value"`
				ObjectID string          `json:"objectId"`
			} `json:"value"`
		} `json:"result"`
	}
	if p.err = p.session.Call(ctx, "Runtime.getProperties", map[string]any{"objectId": object, "ownProperties": true}, &props); p.err != nil {
		return p
	}
	var told string
	var roots []string
	for _, prop := range props.Result {
		switch {
		case prop.Name == "0":
			p.err = json.Unmarshal(prop.Value.Value, &told)
		case prop.Value.ObjectID != "" && prop.Name != "length":
			roots = append(roots, prop.Value.ObjectID)
		}
	}
	var read struct {
		Strings   []string      `json:"strings"`
		Described [][2]int32    `json:"described"`
		Asked     [][2]int32    `json:"asked"` // the node, and which element of the document it is, -1 in a shadow root
		Places    [][3]int      `json:"places"`
		Beyond    int           `json:"beyond"`
		Elements  int           `json:"elements"`
		Document  *wireDocument `json:"document"`
	}
	if p.err == nil {
		p.err = jsonv2.Unmarshal([]byte(told), &read, jsonv2.AllowInvalidUTF8(true))
	}
	if p.err != nil {
		return p
	}
	if read.Document == nil || len(read.Described) != len(roots) {
		p.err = errPartial
		return p
	}
	p.document, p.strings, p.beyond, p.elements = read.Document, read.Strings, read.Beyond, read.Elements
	p.document.square()
	p.document.places = make(map[int32][2]int, len(read.Places))
	for _, at := range read.Places {
		p.document.places[int32(at[0])] = [2]int{at[1], at[2]}
	}
	var wait sync.WaitGroup
	listens, known := make([]bool, len(read.Asked)), false
	wait.Go(func() { known = p.listenAll(ctx, read.Asked, listens) })
	p.err = p.identify(ctx, read.Described, roots)
	wait.Wait()
	if p.err == nil {
		p.listen(ctx, read.Asked, listens, known, group)
	}
	return p
}

// identify gives the nodes their backend ids.
func (p *part) identify(ctx context.Context, described [][2]int32, roots []string) error {
	var wait sync.WaitGroup
	errs := make([]error, len(roots))
	for i, object := range roots {
		at, whole := described[i][0], described[i][1] == 1
		if at < 0 || int(at) >= len(p.document.Nodes.NodeType) {
			errs[i] = errPartial
			continue
		}
		wait.Go(func() { errs[i] = p.describe(ctx, object, at, whole) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

// listenScript has the page's own world tell which of its elements listen. A page
// can lie about it, which makes an element a control or does not.
const listenScript = `((list) => {
  const all = document.getElementsByTagName('*');
  return list.map((i) => { const on = all[i] ? getEventListeners(all[i]) : {}; return !!(on.click || on.mousedown || on.mouseup || on.dblclick); });
})(%s)
//# sourceURL=playtest:view`

// listen finds out which of the elements that are no controls by themselves listen
// for clicks: of a process's first document all at once, which is known by now, of others
// one by one.
func (p *part) listen(ctx context.Context, asked [][2]int32, listens []bool, known bool, group string) {
	nodes := &p.document.Nodes
	var wait sync.WaitGroup
	for i, each := range asked {
		if at := each[0]; (!known || each[1] < 0) && at >= 0 && int(at) < len(nodes.BackendNodeID) {
			wait.Go(func() { listens[i] = p.listens(ctx, nodes.BackendNodeID[at], group) })
		}
	}
	wait.Wait()
	for i, each := range asked {
		if listens[i] {
			nodes.IsClickable.Index = append(nodes.IsClickable.Index, each[0])
		}
	}
}

// listenAll asks for all elements that are not in shadow roots. It reports whether
// there was an answer.
func (p *part) listenAll(ctx context.Context, asked [][2]int32, listens []bool) bool {
	if len(asked) == 0 || !p.first {
		return false
	}
	list := make([]int32, len(asked))
	for i, each := range asked {
		list[i] = each[1]
	}
	data, err := json.Marshal(list)
	if err != nil {
		return false // numbers can be written
	}
	var out struct {
		Result struct {
			Value []bool `json:"value"`
		} `json:"result"`
		ExceptionDetails json.RawMessage `json:"exceptionDetails"`
	}
	err = p.session.Call(ctx, "Runtime.evaluate", map[string]any{
		"expression": fmt.Sprintf(listenScript, data), "includeCommandLineAPI": true, "returnByValue": true, "silent": true,
	}, &out)
	if err != nil || out.ExceptionDetails != nil || len(out.Result.Value) != len(listens) {
		return false
	}
	copy(listens, out.Result.Value)
	return true
}

// domNode is a node as the protocol describes it.
type domNode struct {
	BackendNodeID  int64      `json:"backendNodeId"`
	NodeType       int8       `json:"nodeType"`
	NodeName       string     `json:"nodeName"`
	ShadowRootType string     `json:"shadowRootType"`
	ShadowRoots    []*domNode `json:"shadowRoots"`
	Children       []*domNode `json:"children"`
}

// describe puts the ids of a node, and of what is below it, where the columns have
// them. The order is the same, or the document has changed.
func (p *part) describe(ctx context.Context, object string, at int32, whole bool) error {
	params := map[string]any{"objectId": object}
	if whole {
		params["depth"] = -1
	}
	var out struct {
		Node *domNode `json:"node"`
	}
	if err := p.session.Call(ctx, "DOM.describeNode", params, &out); err != nil {
		return fmt.Errorf("%w: %w", errPartial, err)
	}
	if out.Node == nil {
		return errPartial
	}
	nodes := &p.document.Nodes
	if !whole {
		nodes.BackendNodeID[at] = out.Node.BackendNodeID
		// The protocol tells of a closed root without being asked for what is
		// below; the script cannot see it.
		if hidden(out.Node) {
			return errPartial
		}
		return nil
	}
	var walk func(n *domNode) error
	walk = func(n *domNode) error {
		if hidden(n) {
			return errPartial
		}
		for int(at) < len(nodes.NodeType) && nodes.NodeType[at] == typeText && strings.TrimSpace(p.str(nodes.NodeValue[at])) == "" {
			at++ // the protocol leaves out blank texts
		}
		if int(at) >= len(nodes.NodeType) || nodes.NodeType[at] != n.NodeType || !strings.EqualFold(p.str(nodes.NodeName[at]), n.NodeName) {
			return errPartial
		}
		nodes.BackendNodeID[at] = n.BackendNodeID
		at++
		for _, c := range n.Children {
			if c.NodeType != typeElement && c.NodeType != typeText {
				continue
			}
			if err := walk(c); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(out.Node)
}

// hidden reports whether an element has a shadow root that scripts cannot see.
func hidden(n *domNode) bool {
	for _, s := range n.ShadowRoots {
		if s.ShadowRootType == "closed" {
			return true
		}
	}
	return false
}

func (p *part) str(i int32) string {
	if i < 0 || int(i) >= len(p.strings) {
		return ""
	}
	return p.strings[i]
}

// listens reports whether an element handles clicks. The protocol tells only of
// listeners of the world that the object is in, so it is asked for in the page's
// own. What is below is not asked for, because that means to pierce shadow roots,
// at which Chromium 156 crashes the page.
func (p *part) listens(ctx context.Context, backend int64, group string) bool {
	var in struct {
		Object struct {
			ObjectID string `json:"objectId"`
		} `json:"object"`
	}
	var out struct {
		Listeners []struct {
			Type string `json:"type"`
		} `json:"listeners"`
	}
	if p.session.Call(ctx, "DOM.resolveNode", map[string]any{"backendNodeId": backend, "objectGroup": group}, &in) != nil ||
		p.session.Call(ctx, "DOMDebugger.getEventListeners", map[string]any{"objectId": in.Object.ObjectID}, &out) != nil {
		return false // the document's own answer, without listeners, stands
	}
	for _, l := range out.Listeners {
		switch l.Type {
		case "click", "mousedown", "mouseup", "dblclick":
			return true
		}
	}
	return false
}
