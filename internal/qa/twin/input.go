package twin

import (
	"context"
	"fmt"
	"image"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

const (
	// held is for how many frames an input is held: games poll. A drag has been held
	// on its way, and what is flicked must not rest at its end.
	held, heldAfterDrag = 6, 1
	// heldLong is for how many frames that is where it is meant to be held.
	heldLong = 30
	// perPoint is how many frames a drag stays at each point of its path, and the pointer
	// where it will press.
	perPoint = 2
)

// Reseed begins chance anew, so that an input which only deals anew brings the
// same deal as before. It counts with the next input.
func (t *Twin) Reseed(ctx context.Context) {
	t.reseeded = true
	for _, f := range t.frames() {
		_ = f.Evaluate(ctx, "__playtestReseed()", nil) // a frame that does not answer has nothing to deal
	}
}

// Take makes an input, holds it for some frames and lets it go.
func (t *Twin) Take(ctx context.Context, in record.Input) error {
	return t.hold(ctx, in, func() error { return nil })
}

// TakeAndLook does the same and takes a picture just before it lets go.
func (t *Twin) TakeAndLook(ctx context.Context, in record.Input) (img *image.RGBA, err error) {
	err = t.hold(ctx, in, func() (err error) { img, err = t.Picture(ctx); return err })
	return img, err
}

func (t *Twin) hold(ctx context.Context, in record.Input, meanwhile func() error) error {
	t.settle(ctx, in)
	t.Steps = append(t.Steps, record.Step{Frame: t.Frame, Input: in, Reseeded: t.reseeded})
	t.reseeded, t.dialogs = false, t.Page.Log().Counts().Dialogs
	if err := t.point(ctx, in); err != nil {
		return fmt.Errorf("%s: %w", in, t.hung(ctx, err))
	}
	release, err := t.press(ctx, in)
	if err != nil {
		return fmt.Errorf("%s: %w", in, t.hung(ctx, err))
	}
	if err := t.Pass(ctx, heldFor(in)); err != nil {
		return err
	}
	if err := meanwhile(); err != nil {
		return err
	}
	if err := release(); err != nil {
		return fmt.Errorf("%s: %w", in, t.hung(ctx, err))
	}
	return nil
}

func heldFor(in record.Input) int {
	switch {
	case in.Kind == record.InputDrag:
		return heldAfterDrag
	case in.Held:
		return heldLong
	}
	return held
}

// Forgo lets as many frames pass as the input takes, without it. A pointer that
// would press or drag something comes there all the same: that a thing lights up
// under it is no effect of the press.
func (t *Twin) Forgo(ctx context.Context, in record.Input) error {
	t.settle(ctx, in)
	t.reseeded = false
	switch {
	case in.Pressed():
		if err := t.point(ctx, in); err != nil {
			return err
		}
	case in.Kind == record.InputDrag:
		if err := t.follow(ctx, in.Path, false); err != nil {
			return err
		}
	case in.Kind == record.InputSubmit:
		// What is written shows by itself; sending it is the input.
		if err := t.write(ctx, in); err != nil {
			return err
		}
	}
	return t.Pass(ctx, heldFor(in))
}

// point moves the pointer to where it will press something, some frames before: games that
// ask in each frame what is under it know that only in the next.
func (t *Twin) point(ctx context.Context, in record.Input) error {
	if !in.Pressed() {
		return nil
	}
	at := t.where(ctx, in)
	if err := t.Page.Mouse().Move(ctx, at.X, at.Y); err != nil {
		return err
	}
	return t.Pass(ctx, perPoint)
}

func (t *Twin) press(ctx context.Context, in record.Input) (release func() error, err error) {
	nothing := func() error { return nil }
	m, k := t.Page.Mouse(), t.Page.Keyboard()
	up := func() error { return m.Up(ctx, nil) }
	switch in.Kind {
	case record.InputNone:
		return nothing, nil
	case record.InputKey:
		return func() error { return k.Up(ctx, in.Key) }, k.Down(ctx, in.Key)
	case record.InputType:
		return nothing, k.Type(ctx, in.Text)
	case record.InputClick:
		t.Page.OnDialog(answering(in.Text))
		return up, m.Down(ctx, nil)
	case record.InputDoubleClick:
		return nothing, m.Click(ctx, in.At.X, in.At.Y, &browser.ClickOptions{Count: 2})
	case record.InputHover:
		return nothing, m.Move(ctx, in.At.X, in.At.Y)
	case record.InputWheel:
		return nothing, m.Wheel(ctx, in.At.X, in.At.Y, 0, 300)
	case record.InputTap:
		return nothing, t.Page.Touch().Tap(ctx, in.At.X, in.At.Y, 0)
	case record.InputDrag:
		return up, t.follow(ctx, in.Path, true)
	case record.InputFill, record.InputChoose:
		if err := m.Click(ctx, in.At.X, in.At.Y, nil); err != nil {
			return nothing, err
		}
		if in.Kind == record.InputChoose {
			return nothing, k.Press(ctx, "ArrowDown", 0)
		}
		if t.holds(ctx) {
			return nothing, t.write(ctx, in)
		}
		return nothing, k.Type(ctx, in.Text)
	case record.InputSubmit:
		return func() error { return k.Press(ctx, "Enter", 0) }, t.write(ctx, in)
	case record.InputCopy:
		return func() error { return k.Press(ctx, "Enter", 0) }, t.copy(ctx, in)
	case record.InputScroll:
		return nothing, t.ScrollTo(ctx, in.At)
	}
	return nothing, fmt.Errorf("an input of the kind %q is not known", in.Kind)
}

// answering answers questions with a text, nil for the usual answer.
func answering(text string) func(browser.Dialog) (bool, string) {
	if text == "" {
		return nil
	}
	return func(browser.Dialog) (bool, string) { return true, text }
}

// holds reports whether something is written in the field with the focus.
func (t *Twin) holds(ctx context.Context) (holds bool) {
	// Into a page that does not answer nothing can be written.
	_ = t.Page.MainFrame().EvaluateIsolated(ctx, "(document.activeElement?.value ?? '') !== ''", &holds)
	return holds
}

// write writes into a field, in place of what is in it.
func (t *Twin) write(ctx context.Context, in record.Input) error {
	if err := t.Page.Mouse().Click(ctx, in.At.X, in.At.Y, &browser.ClickOptions{Count: 3}); err != nil {
		return err
	}
	return t.Page.Keyboard().Type(ctx, in.Text)
}

// copy writes what the page shows at a place, in place of what is in the field.
func (t *Twin) copy(ctx context.Context, in record.Input) error {
	text := in.Text
	from := in.Begins()
	// What cannot be read any more is written as it was.
	_ = t.Page.MainFrame().EvaluateIsolated(ctx, fmt.Sprintf("(%s)(%f, %f)", textJS, from.X, from.Y), &text)
	if in.At != (record.Point{}) {
		if err := t.Page.Mouse().Click(ctx, in.At.X, in.At.Y, &browser.ClickOptions{Count: 3}); err != nil {
			return err
		}
	}
	return t.Page.Keyboard().Type(ctx, text)
}

// follow moves the pointer along a path, from its first point on with the button down if
// it is to press.
func (t *Twin) follow(ctx context.Context, path []record.Point, press bool) error {
	m := t.Page.Mouse()
	for i, p := range path {
		if err := m.Move(ctx, p.X, p.Y); err != nil {
			return err
		}
		if i == 0 && press {
			if err := m.Down(ctx, nil); err != nil {
				return err
			}
		}
		if err := t.Pass(ctx, perPoint); err != nil {
			return err
		}
	}
	return nil
}

// where is the place of an input: where its element is now, if it has one.
func (t *Twin) where(ctx context.Context, in record.Input) record.Point {
	if in.Selector == "" {
		return in.At
	}
	var now *record.Point
	if err := t.Page.MainFrame().EvaluateIsolated(ctx, fmt.Sprintf("(%s)(%q, %f, %f)", whereJS, in.Selector, in.At.X, in.At.Y), &now); err != nil || now == nil {
		return in.At
	}
	return *now
}

// settle undoes what the browser itself did for earlier inputs: focus on buttons,
// whose own answer to space and enter would be taken for the game's.
func (t *Twin) settle(ctx context.Context, in record.Input) {
	// Only a pointer moves the focus.
	if n := len(t.Steps); !in.Keyed() || in.At != (record.Point{}) || n > 0 && t.Steps[n-1].Input.Keyed() {
		return
	}
	for _, f := range t.frames() {
		_ = f.Evaluate(ctx, focusJS, nil) // a frame that does not answer keeps its focus
	}
}

// Tidy undoes what the browser itself did for an input: keys scroll pages that do
// not want them, drags and double clicks select text.
func (t *Twin) Tidy(ctx context.Context, in record.Input, scroll record.Point) {
	const tries = 6
	for range tries {
		if in.Keyed() && !t.Scrolls {
			break
		}
		moved := false
		expr := fmt.Sprintf(`(() => {
			const x = scrollX, y = scrollY;
			window.scrollTo({ left: %f, top: %f, behavior: 'instant' });
			return Math.abs(scrollX - x) + Math.abs(scrollY - y) > 1;
		})()`, scroll.X, scroll.Y)
		if err := t.Page.MainFrame().EvaluateIsolated(ctx, expr, &moved); err != nil || !moved && !in.Keyed() {
			break
		}
		if !moved {
			break
		}
		if err := t.shown(ctx); err != nil { // scrolling by keys takes frames of its own
			break
		}
	}
	if in.Kind == record.InputDrag || in.Kind == record.InputDoubleClick {
		t.Page.Deselect(ctx)
	}
}

// Blur takes the focus from what an input gave it to.
func (t *Twin) Blur(ctx context.Context) {
	// A page that does not answer shows no focus, either.
	_ = t.Page.MainFrame().EvaluateIsolated(ctx, "document.activeElement?.blur()", nil)
}

// Has reports whether the page has an element.
func (t *Twin) Has(ctx context.Context, selector string) (has bool) {
	// A page that does not answer shows nothing.
	_ = t.Page.MainFrame().EvaluateIsolated(ctx, fmt.Sprintf("document.querySelector(%q) !== null", selector), &has)
	return has
}

// Empty reports whether nothing is written in the field that a selector finds.
func (t *Twin) Empty(ctx context.Context, selector string) (empty bool) {
	// Into a page that does not answer nothing can be written.
	_ = t.Page.MainFrame().EvaluateIsolated(ctx, fmt.Sprintf("document.querySelector(%q)?.value === ''", selector), &empty)
	return empty
}

// Scroll is where the page is scrolled to.
func (t *Twin) Scroll(ctx context.Context) record.Point {
	var at record.Point
	_ = t.Page.MainFrame().EvaluateIsolated(ctx, "({ x: scrollX, y: scrollY })", &at) // a page that does not answer has not moved
	return at
}

// ScrollTo scrolls the page, as the browser does and not as an input.
func (t *Twin) ScrollTo(ctx context.Context, at record.Point) error {
	return t.Page.MainFrame().EvaluateIsolated(ctx, fmt.Sprintf("window.scrollTo({ left: %f, top: %f, behavior: 'instant' })", at.X, at.Y), nil)
}

// Replay brings a twin to where another one is: the same inputs at the same frames, of
// which it may have got the first. What comes before the last of them need not be painted.
func (t *Twin) Replay(ctx context.Context, steps []record.Step, frame int) error {
	defer t.Reveal(ctx)
	for i := len(t.Steps); i < len(steps); i++ {
		s := steps[i]
		switch last := len(steps) - 1; {
		case i == last:
			t.Reveal(ctx)
		case !t.Blind:
			t.Conceal(ctx)
		}
		if err := t.Pass(ctx, s.Frame-t.Frame); err != nil {
			return err
		}
		var at record.Point
		if s.Input.Scrolls() {
			at = t.Scroll(ctx)
		}
		if s.Reseeded {
			t.Reseed(ctx)
		}
		if err := t.Take(ctx, s.Input); err != nil {
			return err
		}
		if s.Input.Scrolls() {
			t.Tidy(ctx, s.Input, at)
		}
	}
	return t.Pass(ctx, frame-t.Frame)
}
