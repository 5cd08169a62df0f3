package browser

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
)

// DragOptions tune Drag and Swipe.
type DragOptions struct {
	Steps int           // moves between two points of the path, by distance if zero
	Hold  time.Duration // after the press and before the release
	Pace  time.Duration // between two moves, as fast as the page handles them if zero
}

// Drag presses at the first point of the path, moves along it and releases at
// the last. Where the page starts an HTML5 drag and drop, it is carried through.
func (m *Mouse) Drag(ctx context.Context, path []Point, opts *DragOptions) error {
	release, err := m.Pull(ctx, path, opts)
	if err != nil {
		return err
	}
	if opts != nil {
		err = pause(ctx, opts.Hold)
	}
	if rerr := release(ctx); err == nil {
		err = rerr
	}
	return err
}

// Pull is a Drag whose end is the caller's: release must be called. After an error
// the button is up.
func (m *Mouse) Pull(ctx context.Context, path []Point, opts *DragOptions) (release func(context.Context) error, err error) {
	if len(path) == 0 {
		return nil, errors.New("dragging: empty path")
	}
	if opts == nil {
		opts = &DragOptions{}
	}
	s := m.page.root
	// Headless Chromium has no drag and drop of its own system to hand a drag
	// to; intercepted, it is ours to drive.
	started, stop := s.Subscribe(input.DragIntercepted.Method)
	d := &drag{mouse: m, started: started}
	release = func(ctx context.Context) error {
		defer stop()
		defer s.Start(input.CommandSetInterceptDrags, input.SetInterceptDragsParams{Enabled: false})
		// The button never stays down, whatever went wrong.
		if err := d.release(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("dragging: %w", err)
		}
		return nil
	}
	if err := s.Call(ctx, input.CommandSetInterceptDrags, input.SetInterceptDragsParams{Enabled: true}, nil); err != nil {
		stop()
		return nil, fmt.Errorf("dragging: %w", err)
	}
	err = m.Move(ctx, path[0].X, path[0].Y)
	if err == nil {
		err = m.Down(ctx, nil)
	}
	if err == nil {
		err = pause(ctx, opts.Hold)
	}
	for _, to := range steps(path, opts.Steps) {
		if err == nil {
			err = d.move(ctx, to)
		}
		if err == nil {
			err = pause(ctx, opts.Pace)
		}
	}
	if err != nil {
		_ = release(ctx) // the first failure is the one to tell
		return nil, fmt.Errorf("dragging: %w", err)
	}
	return release, nil
}

// drag is a press under way, which may turn into a drag and drop.
type drag struct {
	mouse   *Mouse
	started <-chan jsonv2.Value
	data    *input.DragData
	entered bool
}

func (d *drag) move(ctx context.Context, to Point) error {
	d.look()
	if d.data == nil {
		if err := d.mouse.Move(ctx, to.X, to.Y); err != nil {
			return err
		}
		d.look()
		if d.data == nil {
			return nil
		}
	}
	if !d.entered {
		d.entered = true
		if err := d.send(ctx, input.DispatchDragEventTypeDragEnter, to); err != nil {
			return err
		}
	}
	d.mouse.mu.Lock()
	d.mouse.at = to
	d.mouse.mu.Unlock()
	d.mouse.page.sent(PointerMoved, to, "")
	return d.send(ctx, input.DispatchDragEventTypeDragOver, to)
}

// look sees whether the last move has begun a drag and drop. Its event comes
// before the reply to that move.
func (d *drag) look() {
	if d.data != nil {
		return
	}
	select {
	case raw := <-d.started:
		var ev input.EventDragIntercepted
		if jsonv2.Unmarshal(raw, &ev) == nil {
			d.data = ev.Data
		}
	default:
	}
}

func (d *drag) send(ctx context.Context, kind input.DispatchDragEventType, at Point) error {
	return d.mouse.page.root.Call(ctx, input.CommandDispatchDragEvent, input.DispatchDragEventParams{
		Type: kind, X: at.X, Y: at.Y, Data: d.data, Modifiers: d.mouse.page.keyboard.modifiers(),
	}, nil)
}

func (d *drag) release(ctx context.Context) error {
	d.look()
	if d.data != nil {
		d.mouse.mu.Lock()
		at := d.mouse.at
		d.mouse.mu.Unlock()
		if err := d.send(ctx, input.DispatchDragEventTypeDrop, at); err != nil {
			return err
		}
	}
	return d.mouse.Up(ctx, nil)
}

// steps are the points to visit after the first of the path.
func steps(path []Point, each int) []Point {
	var out []Point
	for i := 1; i < len(path); i++ {
		a, b := path[i-1], path[i]
		n := each
		if n <= 0 {
			n = min(max(int(math.Hypot(b.X-a.X, b.Y-a.Y)/20), 2), 20)
		}
		for k := 1; k <= n; k++ {
			t := float64(k) / float64(n)
			out = append(out, Point{a.X + (b.X-a.X)*t, a.Y + (b.Y-a.Y)*t})
		}
	}
	return out
}
