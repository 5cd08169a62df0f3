package game

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

// Kind is a kind of input.
type Kind string

// The kinds of input. Idle sends nothing.
const (
	Idle        Kind = "idle"
	KeyPress    Kind = "keypress"
	KeyHold     Kind = "hold"
	Chord       Kind = "chord" // several keys at once
	Click       Kind = "click"
	DoubleClick Kind = "doubleclick"
	Drag        Kind = "drag"
	Hover       Kind = "hover"
	Typing      Kind = "type"
	Tap         Kind = "tap"
	Wheel       Kind = "scroll"
	// Other is whatever Do does.
	Other Kind = "other"
)

// Input is one thing a player does.
type Input struct {
	Kind Kind
	Key  string   // KeyboardEvent code
	Keys []string // of a chord
	At   record.Point
	Path []record.Point
	Text string
	// For is how long to idle before the window goes on as that of any input does:
	// as long as the input took to send that it is compared with.
	For time.Duration
	// Why is written into the record beside the action.
	Why string
	// Label says what is at the place, for people.
	Label string
	// Selector, if not empty, is of the element that a click is meant for, which may
	// be elsewhere on another page of the same game.
	Selector string
	// Do is the input of the kind Other.
	Do func(context.Context) error
	// Aim, if not nil, says where the thing that is clicked is by now, if it is not
	// at the place any more.
	Aim func(context.Context) (at record.Point, moved bool)
}

// aimed is the input at the place where its thing is now.
func (in Input) aimed(ctx context.Context) Input {
	if in.Aim == nil {
		return in
	}
	if at, moved := in.Aim(ctx); moved {
		in.At = at
	}
	return in
}

// String names the input in reports.
func (in Input) String() string {
	at := ""
	switch in.Kind {
	case Idle:
		return "idle"
	case KeyPress, KeyHold:
		return in.Key
	case Chord:
		return strings.Join(in.Keys, "+")
	case Typing:
		return fmt.Sprintf("type %q", in.Text)
	case Other:
		return in.Label
	case Drag:
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

// press begins the input and returns what ends it. Inputs that are not held
// end at once.
func (g *Game) press(ctx context.Context, in Input) (release func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	if len(g.sent) < maxSent {
		g.sent[in.String()] = in
	}
	m, k := g.Page.Mouse(), g.Page.Keyboard()
	if in.Kind == Click || in.Kind == DoubleClick || in.Kind == Drag || in.Kind == Tap {
		g.clicked = time.Now()
	}
	if in.Kind == Click || in.Kind == DoubleClick {
		g.pointer = &in.At
	}
	switch in.Kind {
	case Idle:
		pause(ctx, in.For)
		return nothing, nil
	case KeyPress, KeyHold:
		if err := k.Down(ctx, in.Key); err != nil {
			return nothing, err
		}
		return func(ctx context.Context) error { return k.Up(ctx, in.Key) }, nil
	case Chord:
		return g.strike(ctx, in.Keys)
	case Typing:
		return nothing, k.Type(ctx, in.Text)
	case Click:
		return nothing, m.Click(ctx, in.At.X, in.At.Y, &browser.ClickOptions{Hold: clickHold})
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
	case Other:
		return nothing, in.Do(ctx)
	case Wheel:
		return nothing, m.Wheel(ctx, in.At.X, in.At.Y, 0, 300)
	}
	return nothing, fmt.Errorf("input kind %q is not known", in.Kind)
}

// maxSent bounds the inputs that are remembered.
const maxSent = 1000

// Sent is an input that was made before, by the name that the record gives it.
func (g *Game) Sent(name string) (in Input, ok bool) {
	in, ok = g.sent[name]
	return in, ok
}

// clickHold keeps a button down long enough for games that poll.
const clickHold = 50 * time.Millisecond

func points(path []record.Point) []browser.Point {
	out := make([]browser.Point, len(path))
	for i, p := range path {
		out[i] = browser.Point{X: p.X, Y: p.Y}
	}
	return out
}

// Do sends an input without measuring.
func (g *Game) Do(ctx context.Context, in Input, hold time.Duration) error {
	in = in.aimed(ctx)
	g.Doing = in.String()
	started := time.Now()
	release, err := g.press(ctx, in)
	if err == nil {
		pause(ctx, hold)
		err = release(ctx)
	}
	g.act(record.Action{Kind: string(in.Kind), Target: in.String(), Reasoning: in.Why, At: g.Spots(in.places()...)}, started, err)
	return err
}

// places are where the input has the pointer act.
func (in Input) places() []record.Point {
	switch in.Kind {
	case Click, DoubleClick, Hover, Tap, Wheel:
		return []record.Point{in.At}
	case Drag:
		return in.Path
	}
	return nil
}

// Spots are places of the page as records keep them with an action.
func (g *Game) Spots(places ...record.Point) []record.Spot {
	v := g.Viewport
	if v.Width <= 0 || v.Height <= 0 {
		return nil
	}
	var out []record.Spot
	for _, p := range places {
		out = append(out, record.SpotIn(p.X-v.X, p.Y-v.Y, v.Width, v.Height))
	}
	return out
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

// strike presses keys together. If one cannot be pressed the others are released.
func (g *Game) strike(ctx context.Context, keys []string) (release func(context.Context) error, err error) {
	k := g.Page.Keyboard()
	release = func(ctx context.Context) error {
		var errs []error
		for _, key := range keys {
			errs = append(errs, k.Up(ctx, key))
		}
		return errors.Join(errs...)
	}
	for _, key := range keys {
		if err := k.Down(ctx, key); err != nil {
			return release, errors.Join(err, release(ctx))
		}
	}
	return release, nil
}
