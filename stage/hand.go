package stage

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

//go:embed field.js
var fieldScript string

//go:embed scroll.js
var scrollScript string

// tap is how long a button or key is held: games poll.
const tap = 30 * time.Millisecond

// hand carries out one action. It knows whether input has gone to the page.
type hand struct {
	stage  *Stage
	action Action
	args   []string // with variables put in
	node   *snapshot.Node
	snap   *snapshot.Snapshot
	files  []string
	sent   bool
}

func (h *hand) do(ctx context.Context) error {
	if h.node == nil {
		return h.doPage(ctx)
	}
	if h.node.Painted() {
		// What is painted moves, and only a fresh look knows where it is now.
		fresh, err := h.stage.reader.Capture(ctx)
		if err != nil {
			return err
		}
		if h.node = fresh.Node(h.node.ID); h.node == nil {
			return ErrGone
		}
	}
	t, err := h.stage.grasp(ctx, h.node)
	if err != nil {
		return err
	}
	defer t.release()
	switch h.action.Method {
	case Click, DoubleClick, RightClick, Hover:
		return h.pointer(ctx, t, h.action.Method)
	case Check, Uncheck:
		return h.check(ctx, t)
	case Type, Fill:
		return h.write(ctx, t)
	case Press:
		if err := h.focus(ctx, t); err != nil {
			return err
		}
		return h.press(ctx)
	case ScrollTo, NextChunk, PrevChunk:
		return h.scroll(ctx, t)
	case SelectOption:
		return h.choose(ctx, t)
	case DragAndDrop:
		return h.drag(ctx, t)
	case Upload:
		return h.upload(ctx, t)
	}
	return ErrMethod
}

// doPage acts on the page itself.
func (h *hand) doPage(ctx context.Context) error {
	switch h.action.Method {
	case Press:
		return h.press(ctx)
	case ScrollTo, NextChunk, PrevChunk:
		h.sent = true
		percent, err := h.percent()
		if err != nil {
			h.sent = false
			return err
		}
		expr := fmt.Sprintf("(%s).call(document.documentElement, %q, %v)", scrollScript, h.action.Method, percent)
		return h.stage.page.MainFrame().EvaluateIsolated(ctx, expr, nil)
	}
	return ErrMethod
}

func (h *hand) pointer(ctx context.Context, t *target, method string) error {
	at, err := h.stage.point(ctx, t)
	if err != nil {
		return h.explain(err)
	}
	mouse := h.stage.page.Mouse()
	h.sent = true
	switch method {
	case Hover:
		return mouse.Move(ctx, at.X, at.Y)
	case DoubleClick:
		return mouse.Click(ctx, at.X, at.Y, &browser.ClickOptions{Count: 2, Hold: tap})
	case RightClick:
		return mouse.Click(ctx, at.X, at.Y, &browser.ClickOptions{Button: "right", Hold: tap})
	}
	return mouse.Click(ctx, at.X, at.Y, &browser.ClickOptions{Hold: tap})
}

// explain names the action in errors that know only what is in the way.
func (h *hand) explain(err error) error {
	var a *ActError
	if errors.As(err, &a) {
		a.Action, a.By = h.action, h.stage.secrets.mask(a.By)
	}
	return err
}

// check clicks a checkbox only when it is not as wanted already.
func (h *hand) check(ctx context.Context, t *target) error {
	var on bool
	const state = `function () { return 'checked' in this ? this.checked : this.getAttribute('aria-checked') === 'true' || this.getAttribute('aria-pressed') === 'true' }`
	if err := t.call(ctx, state, &on); err != nil {
		return err
	}
	if on == (h.action.Method == Check) {
		return nil
	}
	return h.pointer(ctx, t, Click)
}

// focus gives an element the keyboard without clicking it.
func (h *hand) focus(ctx context.Context, t *target) error {
	if h.node.Painted() || h.node.Role == "canvas" {
		return nil // canvases take their keys from the page
	}
	var ok bool
	return t.call(ctx, `function () { (this.nodeType === 1 ? this : this.parentElement).focus(); return true }`, &ok)
}

func (h *hand) write(ctx context.Context, t *target) error {
	if len(h.args) == 0 {
		return fmt.Errorf("%w: what to write is missing", ErrArgument)
	}
	text := h.args[0]
	var kind string
	if err := t.call(ctx, fieldScript, &kind, "kind", ""); err != nil {
		return err
	}
	switch kind {
	case "none":
		return fmt.Errorf("%w: nothing can be written into it", ErrMethod)
	case "off":
		return ErrDisabled
	case "set":
		// Dates, colours and sliders have no text to type into.
		h.sent = true
		var result string
		if err := t.call(ctx, fieldScript, &result, "set", text); err != nil {
			return err
		}
		if result != "" {
			return fmt.Errorf("%w: the field did not take %s", ErrArgument, h.stage.secrets.quote(result))
		}
		return nil
	case "select":
		return h.choose(ctx, t)
	}
	if _, err := h.stage.point(ctx, t); err != nil {
		return h.explain(err)
	}
	h.sent = true
	if err := t.call(ctx, fieldScript, nil, map[string]string{Fill: "all", Type: "end"}[h.action.Method], ""); err != nil {
		return err
	}
	keys := h.stage.page.Keyboard()
	if h.action.Method == Type {
		return keys.Type(ctx, text)
	}
	if text == "" {
		return keys.Press(ctx, "Delete", 0)
	}
	return keys.Insert(ctx, text)
}

func (h *hand) press(ctx context.Context) error {
	if len(h.args) == 0 || strings.TrimSpace(h.args[0]) == "" {
		return fmt.Errorf("%w: the key is missing", ErrArgument)
	}
	var chord []string
	for part := range strings.SplitSeq(h.args[0], "+") {
		if part = strings.TrimSpace(part); part == "" {
			part = "+"
		}
		if _, ok := browser.LookupKey(part); !ok {
			return fmt.Errorf("%w: there is no key %s", ErrArgument, h.stage.secrets.quote(part))
		}
		chord = append(chord, part)
	}
	h.sent = true
	return h.stage.page.Keyboard().Chord(ctx, chord, tap)
}

func (h *hand) percent() (float64, error) {
	if h.action.Method != ScrollTo {
		return 0, nil
	}
	if len(h.args) == 0 {
		return 0, fmt.Errorf("%w: how far to scroll is missing", ErrArgument)
	}
	p, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(h.args[0]), "%"), 64)
	if err != nil || math.IsNaN(p) || p < 0 || p > 100 {
		return 0, fmt.Errorf("%w: %s is not between 0%% and 100%%", ErrArgument, h.stage.secrets.quote(h.args[0]))
	}
	return p, nil
}

func (h *hand) scroll(ctx context.Context, t *target) error {
	percent, err := h.percent()
	if err != nil {
		return err
	}
	h.sent = true
	return t.call(ctx, scrollScript, nil, h.action.Method, percent)
}

// choose selects options of a select element, or opens what only looks like one.
func (h *hand) choose(ctx context.Context, t *target) error {
	if h.node.Tag() != "select" {
		return h.pointer(ctx, t, Click)
	}
	if len(h.args) == 0 {
		return fmt.Errorf("%w: the option is missing", ErrArgument)
	}
	if h.node.State.Disabled {
		return ErrDisabled
	}
	var wrong string
	if err := t.call(ctx, fieldScript, &wrong, "check", h.args); err != nil {
		return err
	}
	if wrong != "" {
		return fmt.Errorf("%w: there is no option %s", ErrArgument, h.stage.secrets.quote(wrong))
	}
	h.sent = true
	return t.call(ctx, fieldScript, nil, "select", h.args)
}

func (h *hand) drag(ctx context.Context, t *target) error {
	if len(h.args) == 0 {
		return fmt.Errorf("%w: where to is missing", ErrArgument)
	}
	to := h.snap.Node(h.args[0])
	if to == nil {
		return fmt.Errorf("%w: %s", ErrUnknownID, h.stage.secrets.quote(h.args[0]))
	}
	end, err := h.stage.grasp(ctx, to)
	if err != nil {
		return err
	}
	defer end.release()
	// The end first: scrolling to it may move the beginning, not the reverse,
	// and where both do not fit into the window the drag cannot be made.
	if _, err := h.stage.point(ctx, end); err != nil && !errors.Is(err, ErrCovered) {
		return h.explain(err)
	}
	from, err := h.stage.point(ctx, t)
	if err != nil {
		return h.explain(err)
	}
	box, err := h.stage.live(ctx, end)
	if err != nil {
		return err
	}
	target := browser.Point{X: box.X + box.Width/2, Y: box.Y + box.Height/2}
	if to.Painted() {
		f, err := fraction(to)
		if err != nil {
			return err
		}
		target = browser.Point{X: box.X + box.Width*f[0], Y: box.Y + box.Height*f[1]}
	}
	h.sent = true
	return h.stage.page.Mouse().Drag(ctx, []browser.Point{from, target}, &browser.DragOptions{Hold: tap})
}

// upload gives a file input files, but only those that the caller named: a
// model, or a page that speaks to it, does not choose what leaves the machine.
func (h *hand) upload(ctx context.Context, t *target) error {
	if h.node.Tag() != "input" || h.node.Attribute("type") != "file" {
		return fmt.Errorf("%w: it takes no files", ErrMethod)
	}
	if len(h.args) == 0 {
		return fmt.Errorf("%w: the file is missing", ErrArgument)
	}
	var paths []string
	for _, want := range h.args {
		i := slices.IndexFunc(h.files, func(f string) bool { return f == want || filepath.Base(f) == want })
		if i < 0 {
			return fmt.Errorf("%w: %s is not among the files that may be uploaded", ErrArgument, h.stage.secrets.quote(want))
		}
		path, err := filepath.Abs(h.files[i])
		if err != nil {
			return fmt.Errorf("upload: %w", err)
		}
		paths = append(paths, path)
	}
	h.sent = true
	return t.session.Call(ctx, "DOM.setFileInputFiles", map[string]any{"files": paths, "backendNodeId": t.backend}, nil)
}
