package game

import (
	"context"
	"fmt"
	"time"

	"playtest"
	"playtest/browser"
)

// Kind is a kind of input.
type Kind string

// The kinds of input. Idle sends nothing.
const (
	Idle        Kind = "idle"
	KeyPress    Kind = "keypress"
	KeyHold     Kind = "hold"
	Click       Kind = "click"
	DoubleClick Kind = "doubleclick"
	Drag        Kind = "drag"
	Hover       Kind = "hover"
	Typing      Kind = "type"
	Tap         Kind = "tap"
	Swipe       Kind = "swipe"
	Wheel       Kind = "scroll"
	// Other is whatever Do does.
	Other Kind = "other"
)

// Input is one thing a player does.
type Input struct {
	Kind Kind
	Key  string // KeyboardEvent code
	At   playtest.Point
	Path []playtest.Point
	Text string
	// Why is written into the record beside the action.
	Why string
	// Label says what is at the place, for people.
	Label string
	// Selector, if not empty, is of the element that a click is meant for. It may
	// have moved on since its place was noted.
	Selector string
	// Do is the input of the kind Other.
	Do func(context.Context) error
}

// String names the input in reports.
func (in Input) String() string {
	at := ""
	switch in.Kind {
	case Idle:
		return "idle"
	case KeyPress, KeyHold:
		return in.Key
	case Typing:
		return fmt.Sprintf("type %q", in.Text)
	case Other:
		return in.Label
	case Drag, Swipe:
		if len(in.Path) > 1 {
			a, b := in.Path[0], in.Path[len(in.Path)-1]
			at = fmt.Sprintf("from %.0f,%.0f to %.0f,%.0f", a.X, a.Y, b.X, b.Y)
		}
	default:
		at = fmt.Sprintf("at %.0f,%.0f", in.At.X, in.At.Y)
	}
	if in.Label != "" {
		return fmt.Sprintf("%s %q %s", in.Kind, in.Label, at)
	}
	return fmt.Sprintf("%s %s", in.Kind, at)
}

// events are the event types by which the page proves that the input arrived.
func (in Input) events() []string {
	switch in.Kind {
	case KeyPress, KeyHold, Typing:
		return []string{"keydown"}
	case Click, DoubleClick:
		return []string{"mousedown", "click"}
	case Drag:
		return []string{"mousedown", "mousemove", "dragstart"}
	case Hover:
		return []string{"mousemove"}
	case Tap, Swipe:
		return []string{"touchstart"}
	case Wheel:
		return []string{"wheel"}
	}
	return nil
}

// press begins the input and returns what ends it. Inputs that are not held
// end at once.
func (g *Game) press(ctx context.Context, in Input) (release func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	m, k := g.Page.Mouse(), g.Page.Keyboard()
	if in.Kind == Click || in.Kind == DoubleClick || in.Kind == Drag || in.Kind == Tap {
		g.clicked = time.Now()
	}
	switch in.Kind {
	case Idle:
		return nothing, nil
	case KeyPress, KeyHold:
		if err := k.Down(ctx, in.Key); err != nil {
			return nothing, err
		}
		return func(ctx context.Context) error { return k.Up(ctx, in.Key) }, nil
	case Typing:
		return nothing, k.Type(ctx, in.Text)
	case Click:
		at := Where(ctx, g.Page, in)
		return nothing, m.Click(ctx, at.X, at.Y, &browser.ClickOptions{Hold: clickHold})
	case DoubleClick:
		return nothing, m.Click(ctx, in.At.X, in.At.Y, &browser.ClickOptions{Count: 2, Hold: clickHold})
	case Hover:
		for _, p := range in.Path {
			if err := m.Move(ctx, p.X, p.Y); err != nil {
				return nothing, err
			}
		}
		return nothing, m.Move(ctx, in.At.X, in.At.Y)
	case Drag:
		release, err := m.Pull(ctx, points(in.Path), nil)
		if err != nil {
			return nothing, err
		}
		return release, nil // what is held is often the only thing that shows
	case Tap:
		return nothing, g.Page.Touch().Tap(ctx, in.At.X, in.At.Y, clickHold)
	case Swipe:
		return nothing, g.Page.Touch().Swipe(ctx, points(in.Path), nil)
	case Other:
		return nothing, in.Do(ctx)
	case Wheel:
		return nothing, m.Wheel(ctx, in.At.X, in.At.Y, 0, 300)
	}
	return nothing, fmt.Errorf("input kind %q is not known", in.Kind)
}

// Where is the place of an input: where its element is by now, if that has left the
// place that was noted.
func Where(ctx context.Context, page *browser.Page, in Input) playtest.Point {
	if in.Selector == "" {
		return in.At
	}
	var now *playtest.Point
	expr := fmt.Sprintf(`(() => {
		const e = document.querySelector(%q), r = e && e.getBoundingClientRect();
		if (!r || !r.width || !r.height || %[2]f > r.left && %[2]f < r.right && %[3]f > r.top && %[3]f < r.bottom) return null;
		const x = r.left + r.width / 2, y = r.top + r.height / 2;
		return x > 0 && y > 0 && x < innerWidth && y < innerHeight ? {x, y} : null;
	})()`, in.Selector, in.At.X, in.At.Y)
	if err := page.MainFrame().EvaluateIsolated(ctx, expr, &now); err != nil || now == nil {
		return in.At
	}
	return *now
}

// LastClick is when a pointer was last pressed.
func (g *Game) LastClick() time.Time { return g.clicked }

// clickHold keeps a button down long enough for games that poll.
const clickHold = 50 * time.Millisecond

func points(path []playtest.Point) []browser.Point {
	out := make([]browser.Point, len(path))
	for i, p := range path {
		out[i] = browser.Point{X: p.X, Y: p.Y}
	}
	return out
}

// Do sends an input without measuring.
func (g *Game) Do(ctx context.Context, in Input, hold time.Duration) error {
	g.Doing = in.String()
	started := time.Now()
	release, err := g.press(ctx, in)
	if err == nil {
		pause(ctx, hold)
		err = release(ctx)
	}
	g.act(playtest.Action{Kind: string(in.Kind), Target: in.String(), Reasoning: in.Why}, started, err)
	return err
}

// pause waits, or less when the context ends.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// Pause lets the game go on for a while.
func (g *Game) Pause(ctx context.Context, d time.Duration) { pause(ctx, d) }
