package browser

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/browser/cdp"
)

//go:embed selector.js
var selectorScript string

// ErrSelector is a selector that cannot be understood.
var ErrSelector = errors.New("the selector cannot be understood")

// hop stands in a selector between an element and what is inside of it: the
// document of a frame, a shadow root of either kind, or its descendants.
const hop = " >> "

// maxFound is how many elements of a step are looked at.
const maxFound = 500

// maxEverywhere is how many elements of a frame Everywhere takes hold of.
const maxEverywhere = 5000

// step is one part of a selector.
type step struct{ kind, value string }

// kinds of steps that are written with their name.
var stepKinds = []string{"css", "xpath", "id", "testid", "text", "role", "nth"}

// parseSelector takes a selector apart. What has no name is CSS, or XPath when
// it begins as one.
func parseSelector(selector string) ([]step, error) {
	var steps []step
	for _, part := range splitHops(selector) {
		s := step{kind: "css", value: part}
		if kind, rest, ok := strings.Cut(part, "="); ok && slices.Contains(stepKinds, kind) {
			s = step{kind, strings.TrimSpace(rest)}
		} else if strings.HasPrefix(part, "/") || strings.HasPrefix(part, "(/") || strings.HasPrefix(part, "./") || strings.HasPrefix(part, "..") {
			s.kind = "xpath"
		}
		if s.value == "" {
			return nil, fmt.Errorf("%w: %q has an empty part", ErrSelector, clip(selector, 200))
		}
		if n, err := strconv.Atoi(s.value); s.kind == "nth" && (err != nil || n < 0 || len(steps) == 0) {
			return nil, fmt.Errorf("%w: %q has a wrong nth", ErrSelector, clip(selector, 200))
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// splitHops cuts at the hops that are not in double quotes.
func splitHops(selector string) []string {
	var parts []string
	quoted, from := false, 0
	for i := 0; i < len(selector); i++ {
		switch {
		case selector[i] == '\\':
			i++
		case selector[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(selector[i:], hop):
			parts = append(parts, strings.TrimSpace(selector[from:i]))
			from = i + len(hop)
			i = from - 1
		}
	}
	return append(parts, strings.TrimSpace(selector[from:]))
}

// scope is where a step looks: a document, a shadow root or an element.
type scope struct {
	frame  *Frame
	object string
}

// find returns the elements that a selector fits, at most limit of them, and how
// many there are. What is not in the page's own document is looked for in those
// of its frames and, when deep is set, in closed shadow roots.
func (p *Page) find(ctx context.Context, selector string, limit int, deep bool) ([]*Element, int, error) {
	steps, err := parseSelector(selector)
	if err != nil {
		return nil, 0, err
	}
	for i, f := range p.Frames() {
		list, n, err := f.find(ctx, steps, limit, deep)
		if errors.Is(err, ErrSelector) || i == 0 && err != nil {
			return nil, 0, err
		}
		if n > 0 {
			return list, n, nil
		}
		// A frame that cannot be asked has nothing to offer.
	}
	return nil, 0, nil
}

// find looks in one frame, and in those below it where the selector hops.
func (f *Frame) find(ctx context.Context, steps []step, limit int, deep bool) (found []*Element, total int, err error) {
	s, doc, err := f.documentObject(ctx)
	if err != nil {
		return nil, 0, err
	}
	used := []scope{{f, doc}} // to be let go of in the end
	defer func() {
		for _, sc := range used {
			s.page.releaseIn(sc)
		}
	}()
	scopes := used[:1]
	var list []*Element
	for i := 0; i < len(steps); i++ {
		last := i == len(steps)-1
		nth := -1
		if !last && steps[i+1].kind == "nth" {
			nth, _ = strconv.Atoi(steps[i+1].value) // checked when it was parsed
			last = i+1 == len(steps)-1
		}
		n := max(maxFound, limit)
		if last && nth < 0 {
			n = limit
		}
		if nth >= 0 {
			n = nth + 1
		}
		list, total, err = queryAll(ctx, scopes, steps[i], n)
		if err == nil && total == 0 && deep && i == 0 {
			list, total, err = f.findClosed(ctx, steps[i], n)
		}
		if err != nil {
			return nil, 0, err
		}
		if limit == maxEverywhere && nth < 0 && total > n {
			release(list)
			return nil, 0, fmt.Errorf("%w: %d of them, more than can be told apart", ErrSeveral, total)
		}
		if nth >= 0 {
			i++
			list, total = pick(list, nth)
		}
		if last || total == 0 {
			return list, total, nil
		}
		scopes = nil
		for _, e := range list {
			used = append(used, scope{e.frame, e.object})
			if inner, ok := e.inside(ctx); ok {
				scopes = append(scopes, inner)
			}
		}
		used = append(used, scopes...)
	}
	return list, total, nil
}

// pick keeps the one element that nth asks for.
func pick(list []*Element, nth int) ([]*Element, int) {
	for i, e := range list {
		if i != nth {
			e.Release()
		}
	}
	if nth >= len(list) {
		return nil, 0
	}
	return list[nth : nth+1], 1
}

// queryAll runs one step in every scope.
func queryAll(ctx context.Context, scopes []scope, st step, limit int) (list []*Element, total int, err error) {
	for _, sc := range scopes {
		var found []*Element
		var n int
		if st.kind == "role" {
			found, n, err = sc.byRole(ctx, st.value, limit-len(list))
		} else {
			found, n, err = sc.query(ctx, st, limit-len(list))
		}
		if err != nil {
			return nil, 0, err
		}
		list, total = append(list, found...), total+n
	}
	return list, total, nil
}

// query runs the script of a step and takes hold of what it found.
func (sc scope) query(ctx context.Context, st step, limit int) ([]*Element, int, error) {
	s := sc.frame.Session()
	if s == nil {
		return nil, 0, ErrFrameDetached
	}
	var res struct {
		Result struct {
			ObjectID string `json:"objectId"`
		} `json:"result"`
		ExceptionDetails *thrown `json:"exceptionDetails"`
	}
	err := s.Call(ctx, "Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": selectorScript + ownSource + "\n", "objectId": sc.object, "silent": true,
		"arguments": []map[string]any{{"value": st.kind}, {"value": st.value}, {"value": max(limit, 0)}},
	}, &res)
	if err != nil {
		return nil, 0, err
	}
	if res.ExceptionDetails != nil {
		return nil, 0, fmt.Errorf("%w: %s", ErrSelector, res.ExceptionDetails.firstLine())
	}
	defer s.release(res.Result.ObjectID)
	var props struct {
		Result []struct {
			Name  string `json:"name"`
			Value struct {
				Value    any    `json:"value"`
				ObjectID string `json:"objectId"`
			} `json:"value"`
		} `json:"result"`
	}
	if err := s.Call(ctx, "Runtime.getProperties", map[string]any{"objectId": res.Result.ObjectID, "ownProperties": true}, &props); err != nil {
		return nil, 0, err
	}
	var list []*Element
	total := 0
	for _, p := range props.Result {
		switch i, err := strconv.Atoi(p.Name); {
		case err != nil: // length
		case i == 0:
			n, _ := p.Value.Value.(float64)
			total = int(n)
		default:
			list = append(list, &Element{frame: sc.frame, session: s, object: p.Value.ObjectID})
		}
	}
	return list, total, nil
}

// thrown is an exception of a script of ours.
type thrown struct {
	Text      string `json:"text"`
	Exception struct {
		Description string `json:"description"`
	} `json:"exception"`
}

func (t *thrown) firstLine() string {
	first, _, _ := strings.Cut(t.Exception.Description, "\n")
	if first == "" {
		first = t.Text
	}
	return clip(first, 200)
}

func (s *Session) release(object string) {
	if object != "" {
		s.Start("Runtime.releaseObject", map[string]any{"objectId": object})
	}
}

func (p *Page) releaseIn(sc scope) {
	if s := sc.frame.Session(); s != nil {
		s.release(sc.object)
	}
}

// documentObject takes hold of the frame's document, in our own world.
func (f *Frame) documentObject(ctx context.Context) (*Session, string, error) {
	for try := 0; ; try++ {
		s, w, err := f.isolatedWorld(ctx)
		if err != nil {
			return nil, "", err
		}
		var out struct {
			Result struct {
				ObjectID string `json:"objectId"`
			} `json:"result"`
		}
		err = s.Call(ctx, "Runtime.evaluate", map[string]any{"expression": "document" + ownSource, "contextId": w.id, "silent": true}, &out)
		if err == nil {
			return s, out.Result.ObjectID, nil
		}
		if try == 3 || !contextMissing(err) && !cdp.IsGone(err) {
			return nil, "", err
		}
		f.forget(s, w)
	}
}
