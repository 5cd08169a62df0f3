package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/browser/cdp"
)

const (
	// locateLimit is how long a locator waits when its context sets no limit.
	locateLimit = 30 * time.Second
	// locatePace is how long it pauses between two looks, and deepEvery how many
	// looks pass between two into closed shadow roots, which are costly.
	locatePace = 50 * time.Millisecond
	deepEvery  = 5
)

// Locator finds an element each time it is used, and waits for it: until it is
// there, can be seen, stands still, is enabled and nothing is in front of it. A
// wait ends with the context, or after 30 s.
//
// A selector is CSS (#cart, css=...), XPath (//td, xpath=...), text=words,
// id=..., testid=..., role=button[name="Save"] or several of these with " >> "
// between them, into frames, shadow roots and descendants. nth=2 keeps one of
// what the part before it fits, counted from 0. What is in an open shadow root
// is found without a hop. What the page's own document does not have is looked
// for in its frames.
type Locator struct {
	page     *Page
	selector string
}

// Locator makes a locator. Nothing is looked for yet.
func (p *Page) Locator(selector string) *Locator { return &Locator{p, selector} }

// Locator looks for a selector inside of what this one fits.
func (l *Locator) Locator(selector string) *Locator {
	return &Locator{l.page, l.selector + hop + selector}
}

// Nth is the locator of one of several elements, counted from 0.
func (l *Locator) Nth(n int) *Locator { return l.Locator(fmt.Sprintf("nth=%d", n)) }

// First is the first of several elements.
func (l *Locator) First() *Locator { return l.Nth(0) }

// String is the selector.
func (l *Locator) String() string { return l.selector }

// Count is how many elements fit now.
func (l *Locator) Count(ctx context.Context) (int, error) {
	list, n, err := l.page.find(ctx, l.selector, 0, true)
	release(list)
	if err != nil {
		return 0, fmt.Errorf("counting %s: %w", clip(l.selector, 200), err)
	}
	return n, nil
}

// Element takes hold of the one element that fits now, without waiting.
func (l *Locator) Element(ctx context.Context) (*Element, error) {
	e, err := l.one(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("locating %s: %w", clip(l.selector, 200), err)
	}
	return e, nil
}

// Elements takes hold of all elements that fit now, at most 500.
func (l *Locator) Elements(ctx context.Context) ([]*Element, error) {
	list, _, err := l.page.find(ctx, l.selector, maxFound, true)
	if err != nil {
		return nil, fmt.Errorf("locating %s: %w", clip(l.selector, 200), err)
	}
	return list, nil
}

// Everywhere takes hold of all elements that fit now, in every frame and in closed
// shadow roots, where Elements is content with the first document that has any. A
// frame with more than 5000 of them is an error, ErrSeveral: whoever wants all must
// not be given some. A frame that cannot be asked has none.
func (l *Locator) Everywhere(ctx context.Context) ([]*Element, error) {
	steps, err := parseSelector(l.selector)
	if err != nil {
		return nil, fmt.Errorf("locating %s: %w", clip(l.selector, 200), err)
	}
	var all []*Element
	for i, f := range l.page.Frames() {
		list, _, err := f.find(ctx, steps, maxEverywhere, true)
		if err == nil && len(list) > 0 && len(steps) == 1 {
			// Only where nothing was found has it looked in there.
			var closed []*Element
			closed, _, err = f.findClosed(ctx, steps[0], maxEverywhere)
			list = append(list, closed...)
		}
		all = append(all, list...)
		if errors.Is(err, ErrSelector) || errors.Is(err, ErrSeveral) || i == 0 && err != nil {
			release(all)
			return nil, fmt.Errorf("locating %s: %w", clip(l.selector, 200), err)
		}
	}
	return all, nil
}

func release(list []*Element) {
	for _, e := range list {
		e.Release()
	}
}

func (l *Locator) one(ctx context.Context, deep bool) (*Element, error) {
	list, n, err := l.page.find(ctx, l.selector, 1, deep)
	switch {
	case err != nil:
		return nil, err
	case n == 0 || len(list) == 0:
		return nil, ErrNoMatch
	case n > 1:
		release(list)
		return nil, &ElementError{Err: ErrSeveral, Detail: fmt.Sprintf("%d of them", n)}
	}
	return list[0], nil
}

// Click clicks the element.
func (l *Locator) Click(ctx context.Context, opts *ClickOptions) error {
	return l.do(ctx, "clicking", func(ctx context.Context, e *Element) error { return e.Click(ctx, opts) })
}

// Hover moves the mouse over the element.
func (l *Locator) Hover(ctx context.Context) error {
	return l.do(ctx, "hovering over", func(ctx context.Context, e *Element) error { return e.Hover(ctx) })
}

// Fill replaces what is in a field.
func (l *Locator) Fill(ctx context.Context, text string) error {
	return l.do(ctx, "filling", func(ctx context.Context, e *Element) error { return e.Fill(ctx, text) })
}

// Type adds to what is in a field, key by key.
func (l *Locator) Type(ctx context.Context, text string) error {
	return l.do(ctx, "typing into", func(ctx context.Context, e *Element) error { return e.Type(ctx, text) })
}

// Press gives the element the keyboard and presses a key, such as "Enter".
func (l *Locator) Press(ctx context.Context, key string) error {
	return l.do(ctx, "pressing a key on", func(ctx context.Context, e *Element) error {
		if err := e.Focus(ctx); err != nil {
			return err
		}
		return after(l.page.keyboard.Press(ctx, key, tap))
	})
}

// Select chooses options of a select element, by label or value.
func (l *Locator) Select(ctx context.Context, options ...string) error {
	return l.do(ctx, "choosing from", func(ctx context.Context, e *Element) error { return e.Select(ctx, options...) })
}

// Check ticks a checkbox or radio button, or takes the tick away.
func (l *Locator) Check(ctx context.Context, on bool) error {
	return l.do(ctx, "checking", func(ctx context.Context, e *Element) error { return e.Check(ctx, on) })
}

// SetFiles gives a file input its files. It need not be visible: most pages hide
// theirs behind a button.
func (l *Locator) SetFiles(ctx context.Context, paths ...string) error {
	return l.do(ctx, "uploading to", func(ctx context.Context, e *Element) error { return e.SetFiles(ctx, paths...) })
}

// Text is the text of the element as a person sees it.
func (l *Locator) Text(ctx context.Context) (string, error) {
	return l.ask(ctx, "text", "")
}

// Value is what is in a field.
func (l *Locator) Value(ctx context.Context) (string, error) {
	return l.ask(ctx, "value", "")
}

// Attribute is an attribute of the element, "" when it has none of that name.
func (l *Locator) Attribute(ctx context.Context, name string) (string, error) {
	return l.ask(ctx, "attribute", name)
}

func (l *Locator) ask(ctx context.Context, what, name string) (string, error) {
	var out string
	err := l.do(ctx, "reading", func(ctx context.Context, e *Element) error { return e.Call(ctx, fieldScript, &out, what, name) })
	return out, err
}

// Visible reports whether exactly one element fits now and takes up room.
func (l *Locator) Visible(ctx context.Context) (bool, error) {
	e, err := l.one(ctx, true)
	if errors.Is(err, ErrNoMatch) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("locating %s: %w", clip(l.selector, 200), err)
	}
	defer e.Release()
	return e.Visible(ctx)
}

// Visible reports whether the element takes up room and is not hidden by style.
func (e *Element) Visible(ctx context.Context) (bool, error) {
	var seen bool
	err := e.Call(ctx, fieldScript, &seen, "visible", "")
	if errors.Is(err, ErrGone) {
		return false, nil
	}
	return seen, err
}

// States for WaitFor.
const (
	Attached = "attached" // in the document
	Visible  = "visible"  // and takes up room
	Hidden   = "hidden"   // not there, or takes up none
)

// WaitFor waits until some element fits and is in the state, or, for Hidden,
// until none is visible.
func (l *Locator) WaitFor(ctx context.Context, state string) error {
	if state != Attached && state != Visible && state != Hidden {
		return fmt.Errorf("waiting for %s: unknown state %q", clip(l.selector, 200), state)
	}
	return l.poll(ctx, "waiting for", func(ctx context.Context, deep bool) error {
		list, n, err := l.page.find(ctx, l.selector, maxFound, deep)
		if err != nil {
			return err
		}
		defer release(list)
		if state == Attached {
			if n == 0 {
				return ErrNoMatch
			}
			return nil
		}
		for _, e := range list {
			seen, err := e.Visible(ctx)
			if err != nil {
				return err
			}
			if seen {
				if state == Visible {
					return nil
				}
				return errors.New("it can still be seen")
			}
		}
		switch {
		case state == Hidden:
			return nil
		case n == 0:
			return ErrNoMatch
		}
		return ErrHidden
	})
}

// do waits until the element is there and can be acted on, and acts once.
func (l *Locator) do(ctx context.Context, what string, act func(context.Context, *Element) error) error {
	return l.poll(ctx, what, func(ctx context.Context, deep bool) error {
		e, err := l.one(ctx, deep)
		if err != nil {
			return err
		}
		defer e.Release()
		return act(ctx, e)
	})
}

// poll tries until it works, fails for good, or the time is over. What failed
// after input had been sent is never tried again.
func (l *Locator) poll(ctx context.Context, what string, try func(context.Context, bool) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, locateLimit, cdp.ErrTimeout)
	defer cancel()
	var last error
	for n := 0; ; n++ {
		err := try(ctx, n%deepEvery == deepEvery-1)
		if err == nil {
			return nil
		}
		if !passes(err) {
			return fmt.Errorf("%s %s: %w", what, clip(l.selector, 200), err)
		}
		if ctx.Err() == nil || last == nil {
			last = err // the end of the time itself says less
		}
		if cause := pause(ctx, locatePace); cause != nil {
			return fmt.Errorf("%s %s: %w (%w)", what, clip(l.selector, 200), last, cause)
		}
	}
}

// passes reports whether what is wrong may be over in a moment.
func passes(err error) bool {
	var e *ElementError
	if errors.As(err, &e) && e.Sent {
		return false
	}
	for _, never := range []error{ErrSelector, ErrSeveral, ErrNotEditable, ErrNoOption, ErrPageClosed, ErrClosed, ErrCrashed} {
		if errors.Is(err, never) {
			return false
		}
	}
	return true
}
