package stage

import (
	"context"
	"errors"
	"fmt"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

// grasp takes hold of the element behind a node.
func grasp(ctx context.Context, n *snapshot.Node) (*browser.Element, error) {
	id, frame := n.Backend()
	if frame == nil {
		return nil, fmt.Errorf("%w: its frame has left the page", ErrGone)
	}
	return frame.Element(ctx, id)
}

// point finds where a node can be hit, in the page's viewport.
func point(ctx context.Context, e *browser.Element, n *snapshot.Node) (browser.Point, error) {
	if !n.Painted() {
		return e.Point(ctx)
	}
	f, err := fraction(n)
	if err != nil {
		return browser.Point{}, err
	}
	return e.Point(ctx, f)
}

// fraction is where the middle of something painted lies in its canvas.
func fraction(n *snapshot.Node) ([2]float64, error) {
	canvas := n.Parent()
	if canvas == nil || canvas.Box.Width == 0 || canvas.Box.Height == 0 {
		return [2]float64{}, ErrHidden
	}
	x, y := n.Box.X+n.Box.Width/2, n.Box.Y+n.Box.Height/2
	return [2]float64{(x - canvas.Box.X) / canvas.Box.Width, (y - canvas.Box.Y) / canvas.Box.Height}, nil
}

// explain tells what went wrong with an element in the words of an action, with
// no value of a variable in them.
func (h *hand) explain(err error) error {
	var e *browser.ElementError
	if !errors.As(err, &e) {
		if errors.Is(err, browser.ErrNotEditable) {
			return fmt.Errorf("%w: nothing can be written into it", ErrMethod)
		}
		return err
	}
	h.sent = h.sent || e.Sent
	switch {
	case errors.Is(e, browser.ErrCovered):
		return &ActError{Action: h.action, By: h.stage.secrets.Text(e.Detail), Err: ErrCovered}
	case errors.Is(e, browser.ErrNoOption):
		return fmt.Errorf("%w: there is no option %s", ErrArgument, h.stage.secrets.Quote(e.Detail))
	case errors.Is(e, browser.ErrNotEditable):
		return fmt.Errorf("%w: %s", ErrMethod, e.Detail)
	case e.Detail == "":
		return e.Err
	}
	return fmt.Errorf("%w: %s", e.Err, h.stage.secrets.Text(e.Detail))
}
