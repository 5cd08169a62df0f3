package browser

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"time"
)

//go:embed field.js
var fieldScript string

// tap is how long a button or key is held: games poll.
const tap = 30 * time.Millisecond

// Click clicks where the element can be hit; see Point.
func (e *Element) Click(ctx context.Context, opts *ClickOptions) error {
	at, err := e.Point(ctx)
	if err != nil {
		return err
	}
	o := ClickOptions{Hold: tap}
	if opts != nil {
		o = *opts
	}
	return after(e.frame.page.mouse.Click(ctx, at.X, at.Y, &o))
}

// Hover moves the mouse over the element.
func (e *Element) Hover(ctx context.Context) error {
	at, err := e.Point(ctx)
	if err != nil {
		return err
	}
	return after(e.frame.page.mouse.Move(ctx, at.X, at.Y))
}

// Focus gives the element the keyboard without clicking it.
func (e *Element) Focus(ctx context.Context) error {
	return e.Call(ctx, fieldScript, nil, "focus", "")
}

// Fill replaces what is in a field. Fields without text, such as dates, sliders
// and lists, are set.
func (e *Element) Fill(ctx context.Context, text string) error { return e.write(ctx, text, "all") }

// Type adds to what is in a field, key by key.
func (e *Element) Type(ctx context.Context, text string) error { return e.write(ctx, text, "end") }

func (e *Element) write(ctx context.Context, text, from string) error {
	var kind string
	if err := e.Call(ctx, fieldScript, &kind, "kind", ""); err != nil {
		return err
	}
	switch kind {
	case "none":
		return ErrNotEditable
	case "off":
		return ErrDisabled
	case "select":
		return e.Select(ctx, text)
	case "set":
		// Dates, colours and sliders have no text to type into.
		var wrong string
		if err := e.Call(ctx, fieldScript, &wrong, "set", text); err != nil {
			return after(err)
		}
		if wrong != "" {
			return &ElementError{Err: ErrNoOption, Detail: wrong, Sent: true}
		}
		return nil
	}
	if _, err := e.Point(ctx); err != nil {
		return err
	}
	if err := e.Call(ctx, fieldScript, nil, from, ""); err != nil {
		return after(err)
	}
	keys := e.frame.page.keyboard
	switch {
	case from == "end":
		return after(keys.Type(ctx, text))
	case text == "":
		return after(keys.Press(ctx, "Delete", 0))
	}
	return after(keys.Insert(ctx, text))
}

// Select chooses the options of a select element, by label or value, and nothing
// else of it.
func (e *Element) Select(ctx context.Context, options ...string) error {
	var kind, wrong string
	if err := e.Call(ctx, fieldScript, &kind, "kind", ""); err != nil {
		return err
	}
	if kind == "off" {
		return ErrDisabled
	}
	if kind != "select" {
		return &ElementError{Err: ErrNotEditable, Detail: "it is no list of options"}
	}
	if err := e.Call(ctx, fieldScript, &wrong, "check", options); err != nil {
		return err
	}
	if wrong != "" {
		return &ElementError{Err: ErrNoOption, Detail: wrong}
	}
	return after(e.Call(ctx, fieldScript, nil, "select", options))
}

// Check clicks a checkbox, radio button or switch when it is not as wanted.
func (e *Element) Check(ctx context.Context, on bool) error {
	var is bool
	if err := e.Call(ctx, fieldScript, &is, "checked", ""); err != nil {
		return err
	}
	if is == on {
		return nil
	}
	return e.Click(ctx, nil)
}

// SetFiles gives a file input its files, whether or not it can be seen.
func (e *Element) SetFiles(ctx context.Context, paths ...string) error {
	var kind string
	if err := e.Call(ctx, fieldScript, &kind, "file", ""); err != nil {
		return err
	}
	if kind != "file" {
		return &ElementError{Err: ErrNotEditable, Detail: "it takes no files"}
	}
	whole := make([]string, len(paths))
	for i, p := range paths {
		var err error
		if whole[i], err = filepath.Abs(p); err != nil {
			return fmt.Errorf("uploading: %w", err)
		}
	}
	return after(e.session.Call(ctx, "DOM.setFileInputFiles", map[string]any{"files": whole, "objectId": e.object}, nil))
}
