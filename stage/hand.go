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
	e, err := grasp(ctx, h.node)
	if err != nil {
		return err
	}
	defer e.Release()
	return h.explain(h.act(ctx, e))
}

func (h *hand) act(ctx context.Context, e *browser.Element) error {
	switch h.action.Method {
	case Click, DoubleClick, RightClick, Hover:
		return h.pointer(ctx, e, h.action.Method)
	case Check, Uncheck:
		return e.Check(ctx, h.action.Method == Check)
	case Type, Fill:
		return h.write(ctx, e)
	case Press:
		if !h.node.Painted() && h.node.Role != "canvas" { // canvases take their keys from the page
			if err := e.Focus(ctx); err != nil {
				return err
			}
		}
		return h.press(ctx)
	case ScrollTo, NextChunk, PrevChunk:
		return h.scroll(ctx, e)
	case SelectOption:
		return h.choose(ctx, e)
	case DragAndDrop:
		return h.drag(ctx, e)
	case Upload:
		return h.upload(ctx, e)
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

func (h *hand) pointer(ctx context.Context, e *browser.Element, method string) error {
	at, err := point(ctx, e, h.node)
	if err != nil {
		return err
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

func (h *hand) write(ctx context.Context, e *browser.Element) error {
	if len(h.args) == 0 {
		return fmt.Errorf("%w: what to write is missing", ErrArgument)
	}
	if h.action.Method == Type {
		return e.Type(ctx, h.args[0])
	}
	return e.Fill(ctx, h.args[0])
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
			return fmt.Errorf("%w: there is no key %s", ErrArgument, h.stage.secrets.Quote(part))
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
		return 0, fmt.Errorf("%w: %s is not between 0%% and 100%%", ErrArgument, h.stage.secrets.Quote(h.args[0]))
	}
	return p, nil
}

func (h *hand) scroll(ctx context.Context, e *browser.Element) error {
	percent, err := h.percent()
	if err != nil {
		return err
	}
	h.sent = true
	return e.Call(ctx, scrollScript, nil, h.action.Method, percent)
}

// choose selects options of a select element, or opens what only looks like one.
func (h *hand) choose(ctx context.Context, e *browser.Element) error {
	if h.node.Tag() != "select" {
		return h.pointer(ctx, e, Click)
	}
	if len(h.args) == 0 {
		return fmt.Errorf("%w: the option is missing", ErrArgument)
	}
	return e.Select(ctx, h.args...)
}

func (h *hand) drag(ctx context.Context, e *browser.Element) error {
	if len(h.args) == 0 {
		return fmt.Errorf("%w: where to is missing", ErrArgument)
	}
	to := h.snap.Node(h.args[0])
	if to == nil {
		return fmt.Errorf("%w: %s", ErrUnknownID, h.stage.secrets.Quote(h.args[0]))
	}
	end, err := grasp(ctx, to)
	if err != nil {
		return err
	}
	defer end.Release()
	// The end first: scrolling to it may move the beginning, not the reverse,
	// and where both do not fit into the window the drag cannot be made.
	if _, err := point(ctx, end, to); err != nil && !errors.Is(err, ErrCovered) {
		return err
	}
	from, err := point(ctx, e, h.node)
	if err != nil {
		return err
	}
	box, err := end.Box(ctx)
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
func (h *hand) upload(ctx context.Context, e *browser.Element) error {
	if len(h.args) == 0 {
		return fmt.Errorf("%w: the file is missing", ErrArgument)
	}
	var paths []string
	for _, want := range h.args {
		i := slices.IndexFunc(h.files, func(f string) bool { return f == want || filepath.Base(f) == want })
		if i < 0 {
			return fmt.Errorf("%w: %s is not among the files that may be uploaded", ErrArgument, h.stage.secrets.Quote(want))
		}
		paths = append(paths, h.files[i])
	}
	return e.SetFiles(ctx, paths...)
}
