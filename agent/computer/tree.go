package computer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

const (
	// treeText is how many characters of a page a model is shown at a time, and
	// treeTokens about as much in tokens.
	treeText   = 50_000
	treeTokens = 12_000
	// mostFound is how many elements a Find shows.
	mostFound = 20
)

// refPrefix makes references of the snapshot's ids; see snapshot.FormatOptions.
const refPrefix = "ref_"

// tree is the page as a tree of elements, with references that hold as long as
// the elements live.
type tree struct {
	page   *browser.Page
	reader *snapshot.Reader
	last   *snapshot.Snapshot // what the references are from
}

func newTree(page *browser.Page) *tree {
	return &tree{page: page, reader: snapshot.New(page, nil)}
}

// tell is what a Read, ReadText or Find shows.
func (t *tree) tell(ctx context.Context, a *Action) (string, error) {
	snap, err := t.reader.Capture(ctx)
	if err != nil {
		return "", fmt.Errorf("read the page: %w", err)
	}
	t.last = snap
	switch a.Kind {
	case ReadText:
		return clip(plainText(snap), treeText), nil
	case Find:
		return t.find(a.Text)
	}
	opts := &snapshot.FormatOptions{Form: snapshot.InView, Tokens: treeTokens, Depth: a.Depth, Refs: true}
	switch a.Filter {
	case "":
	case "interactive":
		opts.Form = snapshot.Interactive
	case "all":
		opts.Form = snapshot.Full
	default:
		return "", fmt.Errorf("filter %q: want interactive or all", clip(a.Filter, 40))
	}
	if a.Ref != "" {
		n, err := t.node(a.Ref)
		if err != nil {
			return "", err
		}
		opts.Within, opts.Form = n.ID, snapshot.Full
	}
	return clip(snap.Format(opts).Text, treeText), nil
}

// plainText is what a person reads on the page, a line for each piece of it.
func plainText(snap *snapshot.Snapshot) string {
	var b strings.Builder
	snap.Root.Walk(func(n *snapshot.Node) bool {
		if n.Name != "" && !n.State.Invisible {
			b.WriteString(n.Name)
			b.WriteByte('\n')
		}
		return true
	})
	return b.String()
}

// node is the element that a reference stands for.
func (t *tree) node(ref string) (*snapshot.Node, error) {
	id, ok := strings.CutPrefix(strings.Trim(ref, "[]"), refPrefix)
	if ok && t.last != nil {
		if n := t.last.Node(id); n != nil {
			return n, nil
		}
	}
	return nil, fmt.Errorf("there is no element %q; read the page, its references are new", clip(ref, 40))
}

// element takes hold of the element that an action is for, by its reference or,
// in a replay, by what it was found with. It notes how to find it again.
func (t *tree) element(ctx context.Context, a *Action) (*browser.Element, error) {
	if a.Ref == "" {
		return t.again(ctx, a.Found)
	}
	n, err := t.node(a.Ref)
	if err != nil {
		return nil, err
	}
	backend, frame := n.Backend()
	if frame == nil {
		return nil, browser.ErrGone
	}
	a.Found = t.last.Selectors(n).List()
	return frame.Element(ctx, backend)
}

// again finds an element that was acted on before. A selector that several fit
// now is no use: one of them would be a guess.
func (t *tree) again(ctx context.Context, found []string) (*browser.Element, error) {
	err := errors.New("no element is named")
	for _, selector := range found {
		var e *browser.Element
		if e, err = t.page.Locator(selector).Element(ctx); err == nil {
			return e, nil
		}
	}
	return nil, err
}

// fillField sets a field to a value: a text, an option, or whether a box is
// ticked.
func fillField(ctx context.Context, e *browser.Element, value string) error {
	var kind string
	const kindOf = `function () {
  const tag = this.localName, type = tag === 'input' ? this.type : '';
  return tag === 'select' ? 'select' : type === 'checkbox' || type === 'radio' || this.getAttribute('role') === 'checkbox' || this.getAttribute('role') === 'switch' ? 'box' : 'text';
}`
	if err := e.Call(ctx, kindOf, &kind); err != nil {
		return err
	}
	switch kind {
	case "select":
		return e.Select(ctx, value)
	case "box":
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", clip(value, 40))
		}
		return e.Check(ctx, on)
	}
	return e.Fill(ctx, value)
}

// roleWords are what people call roles.
var roleWords = map[string][]string{
	"textbox": {"field", "input", "box", "bar", "text"}, "searchbox": {"search", "field", "input", "box", "bar"},
	"combobox": {"select", "dropdown", "list", "field"}, "checkbox": {"box", "tick", "option"}, "radio": {"option", "choice"},
	"link": {"link"}, "button": {"button"}, "img": {"image", "picture", "icon", "logo"}, "heading": {"title", "heading"},
}

// find lists the elements that a description fits best, by its words: the
// model that asks knows best what it means, and looks at several.
func (t *tree) find(query string) (string, error) {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	words = slices.DeleteFunc(words, func(w string) bool {
		return len(w) < 2 || w == "the" || w == "to" || w == "of" || w == "for" || w == "in" || w == "with"
	})
	if len(words) == 0 {
		return "", errors.New("what to find is missing")
	}
	type hit struct {
		node  *snapshot.Node
		score int
	}
	var hits []hit
	t.last.Root.Walk(func(n *snapshot.Node) bool {
		if n == t.last.Root {
			return true
		}
		said := strings.ToLower(strings.Join([]string{n.Name, n.Value, n.Placeholder, n.Attribute("id"), n.Attribute("name"), n.Attribute("title"), n.Attribute("type")}, " "))
		score := 0
		for _, w := range words {
			switch {
			case strings.Contains(said, w):
				score += 4
			case n.Role == w || slices.Contains(roleWords[n.Role], w):
				score += 2
			}
		}
		if score > 0 && n.Interactive {
			score++
		}
		if score > 2 && !n.State.Invisible {
			hits = append(hits, hit{n, score})
		}
		return true
	})
	if len(hits) == 0 {
		return "nothing on the page fits these words", nil
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var b strings.Builder
	for _, h := range hits[:min(len(hits), mostFound)] {
		b.WriteString(h.node.Line(&snapshot.FormatOptions{Refs: true}))
		b.WriteByte('\n')
	}
	if len(hits) > mostFound {
		fmt.Fprintf(&b, "and %d more\n", len(hits)-mostFound)
	}
	return b.String(), nil
}
