package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"
)

// Touch is a finger on the page's screen. Pages see touch support only in a
// context with Touch set; the events themselves arrive in any.
type Touch struct{ page *Page }

// Tap puts the finger down, holds and lifts it.
func (t *Touch) Tap(ctx context.Context, x, y float64, hold time.Duration) error {
	return t.Swipe(ctx, []Point{{x, y}}, &DragOptions{Hold: hold})
}

// Swipe puts the finger down at the first point of the path, moves along it and
// lifts it at the last.
func (t *Touch) Swipe(ctx context.Context, path []Point, opts *DragOptions) error {
	if len(path) == 0 {
		return errors.New("touching: empty path")
	}
	if opts == nil {
		opts = &DragOptions{}
	}
	t.page.sent.add(Sent{At: &path[0]})
	err := t.send(ctx, input.DispatchTouchEventTypeTouchStart, &path[0])
	if err == nil {
		err = pause(ctx, opts.Hold)
	}
	for _, to := range steps(path, opts.Steps) {
		if err == nil {
			err = t.send(ctx, input.DispatchTouchEventTypeTouchMove, &to)
		}
		if err == nil {
			err = pause(ctx, opts.Pace)
		}
	}
	if lifted := t.send(context.WithoutCancel(ctx), input.DispatchTouchEventTypeTouchEnd, nil); err == nil {
		err = lifted
	}
	if err != nil {
		return fmt.Errorf("touching: %w", err)
	}
	return nil
}

func (t *Touch) send(ctx context.Context, kind input.DispatchTouchEventType, at *Point) error {
	params := input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{}, Modifiers: t.page.keyboard.modifiers()}
	if at != nil {
		params.TouchPoints = append(params.TouchPoints, &input.TouchPoint{X: at.X, Y: at.Y})
	}
	return t.page.root.Call(ctx, input.CommandDispatchTouchEvent, params, nil)
}
