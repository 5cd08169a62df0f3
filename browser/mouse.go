package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// Mouse is the page's mouse. Its events are trusted: Chromium finds the element
// under the pointer by itself, in whatever frame it lies. Places are CSS pixels
// of the page's viewport. What is meant for a frame in a process of its own waits
// until Chromium knows where that frame is.
type Mouse struct {
	page *Page

	mu      sync.Mutex
	at      Point
	buttons int64
}

// Position is where the mouse was moved to last, in CSS pixels of the viewport.
func (m *Mouse) Position() Point {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at
}

// MouseOptions tune Down and Up.
type MouseOptions struct {
	Button string // "left" if empty, "middle", "right"
	Clicks int    // how many clicks this makes in a row, 1 if zero
}

// ClickOptions tune Click.
type ClickOptions struct {
	Button string        // "left" if empty, "middle", "right"
	Count  int           // 2 is a double click, 1 if zero
	Hold   time.Duration // between press and release; games that poll want 80 ms and more
}

var buttonBits = map[string]int64{"left": 1, "right": 2, "middle": 4}

// Move moves the pointer. It returns when the page has been told.
func (m *Mouse) Move(ctx context.Context, x, y float64) error {
	if m.page.divided() && m.held() == 0 {
		return m.reach(ctx, x, y)
	}
	return m.tell(ctx, x, y)
}

// held are the buttons that are pressed.
func (m *Mouse) held() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.buttons
}

// tell moves the pointer and waits until the page has been told.
func (m *Mouse) tell(ctx context.Context, x, y float64) error {
	replies := []*cdp.Reply{m.move(x, y)}
	if m.page.alone() {
		// Chromium delivers a move with the next frame, unless something else follows it
		// that the page must know: being in front changes nothing where nobody looks.
		replies = append(replies, m.page.root.Start(page.CommandBringToFront, protocol.Empty{}))
	}
	for _, r := range replies {
		if err := r.Wait(ctx, nil); err != nil {
			return fmt.Errorf("moving mouse: %w", err)
		}
	}
	return nil
}

func (m *Mouse) move(x, y float64) *cdp.Reply {
	m.mu.Lock()
	m.at = Point{x, y}
	held := m.buttons
	m.mu.Unlock()
	params := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y, Buttons: held, Modifiers: m.page.keyboard.modifiers()}
	for name, bit := range buttonBits {
		if held&bit != 0 {
			params.Button = input.MouseButton(name)
		}
	}
	m.page.sent(PointerMoved, Point{x, y}, "")
	return m.page.root.Start(input.CommandDispatchMouseEvent, params)
}

// Down presses a button where the pointer is.
func (m *Mouse) Down(ctx context.Context, opts *MouseOptions) error {
	m.approach(ctx)
	return m.waitButton(ctx, m.button(input.DispatchMouseEventTypeMousePressed, opts), "pressing")
}

// Up releases a button where the pointer is.
func (m *Mouse) Up(ctx context.Context, opts *MouseOptions) error {
	opened := m.page.log.Counts().Popups
	if err := m.heard(ctx, m.button(input.DispatchMouseEventTypeMouseReleased, opts), opened); err != nil {
		return fmt.Errorf("releasing mouse button: %w", err)
	}
	return nil
}

func (m *Mouse) waitButton(ctx context.Context, r *cdp.Reply, what string) error {
	if err := r.Wait(ctx, nil); err != nil {
		return fmt.Errorf("%s mouse button: %w", what, err)
	}
	return nil
}

// lostAnswer is how long an answer is waited for before it is asked whether a
// window has swallowed it.
const lostAnswer = time.Second

// heard waits until the page has handled an input. A window that opens because of
// it can take the answer along, on a busy machine in one of three clicks; that it
// was wanted says as well that the input was handled. Opened is how many windows
// the page had wanted before.
func (m *Mouse) heard(ctx context.Context, r *cdp.Reply, opened int) error {
	swallowed := func() bool { return m.page.log.Counts().Popups > opened }
	timer := time.NewTimer(lostAnswer)
	defer timer.Stop()
	select {
	case <-r.Done():
	case <-ctx.Done():
	case <-timer.C:
		if swallowed() {
			over, cancel := context.WithCancel(ctx)
			cancel()
			_ = r.Wait(over, nil) // abandons it
			return nil
		}
	}
	err := r.Wait(ctx, nil)
	if errors.Is(err, cdp.ErrTimeout) && ctx.Err() == nil && swallowed() {
		return nil
	}
	return err
}

func (m *Mouse) button(kind input.DispatchMouseEventType, opts *MouseOptions) *cdp.Reply {
	if opts == nil {
		opts = &MouseOptions{}
	}
	name := opts.Button
	if name == "" {
		name = "left"
	}
	m.mu.Lock()
	at := m.at
	if kind == input.DispatchMouseEventTypeMousePressed {
		m.buttons |= buttonBits[name]
	} else {
		m.buttons &^= buttonBits[name]
	}
	held := m.buttons
	m.mu.Unlock()
	if kind == input.DispatchMouseEventTypeMousePressed {
		m.page.sent(PointerPressed, at, "")
	} else {
		m.page.sent(PointerReleased, at, "")
	}
	return m.page.root.Start(input.CommandDispatchMouseEvent, input.DispatchMouseEventParams{
		Type: kind, X: at.X, Y: at.Y, Button: input.MouseButton(name), Buttons: held,
		ClickCount: int64(max(opts.Clicks, 1)), Modifiers: m.page.keyboard.modifiers(),
	})
}

// Click moves there, presses, holds and releases. It returns when the page has
// handled all of it.
func (m *Mouse) Click(ctx context.Context, x, y float64, opts *ClickOptions) error {
	if opts == nil {
		opts = &ClickOptions{}
	}
	// Sent in a row: Chromium delivers a move with the next frame, and a press
	// that follows at once hurries it.
	opened := m.page.log.Counts().Popups
	replies := []*cdp.Reply{m.move(x, y)}
	m.approach(ctx)
	for n := 1; n <= max(opts.Count, 1); n++ {
		o := &MouseOptions{Button: opts.Button, Clicks: n}
		replies = append(replies, m.button(input.DispatchMouseEventTypeMousePressed, o))
		err := pause(ctx, opts.Hold)
		replies = append(replies, m.button(input.DispatchMouseEventTypeMouseReleased, o))
		if err != nil {
			return fmt.Errorf("clicking: %w", err)
		}
	}
	for _, r := range replies {
		if err := m.heard(ctx, r, opened); err != nil {
			return fmt.Errorf("clicking: %w", err)
		}
	}
	return nil
}

// Wheel turns the wheel at a place; positive dy scrolls down.
func (m *Mouse) Wheel(ctx context.Context, x, y, dx, dy float64) error {
	move := m.move(x, y)
	m.page.sent(WheelTurned, Point{x, y}, "")
	turn := m.page.root.Start(input.CommandDispatchMouseEvent, wheel{
		Type: input.DispatchMouseEventTypeMouseWheel, X: x, Y: y, DeltaX: dx, DeltaY: dy, Modifiers: m.page.keyboard.modifiers(),
	})
	for _, r := range []*cdp.Reply{move, turn} {
		if err := r.Wait(ctx, nil); err != nil {
			return fmt.Errorf("turning wheel: %w", err)
		}
	}
	return nil
}

// wheel is cdproto's DispatchMouseEventParams with deltas that are sent even
// when they are zero; Chromium wants both.
type wheel struct {
	Type      input.DispatchMouseEventType `json:"type"`
	X         float64                      `json:"x"`
	Y         float64                      `json:"y"`
	DeltaX    float64                      `json:"deltaX"`
	DeltaY    float64                      `json:"deltaY"`
	Modifiers int64                        `json:"modifiers"`
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
