package adapt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// tap is how long a key is down when nobody says how long: games poll.
const tap = 100 * time.Millisecond

// between is the pause between the repetitions of a repeat.
const between = 150 * time.Millisecond

// perform does what was decided, at the game's own pace. Everything that is
// sent is written into the record.
func (p *player) perform(ctx context.Context, a decide.Action, why string) error {
	p.free(ctx)
	if a.Keyed() {
		game.Unfocus(ctx, p.g.Page)
	}
	return p.do(ctx, a, why)
}

func (p *player) do(ctx context.Context, a decide.Action, why string) error {
	in := game.Input{Why: why, Label: a.Label}
	if a.At != nil {
		in.At = *a.At
	}
	switch a.Kind {
	case decide.Click:
		in.Kind = game.Click
	case decide.DoubleClick:
		in.Kind = game.DoubleClick
	case decide.Scroll:
		in.Kind = game.Wheel
	case decide.Drag:
		in.Kind, in.Path = game.Drag, a.Path
	case decide.Type:
		in.Kind, in.Text = game.Typing, a.Text
	case decide.Keypress, decide.Chord:
		return p.chord(ctx, a, tap, why)
	case decide.Hold:
		if len(a.Keys) > 0 {
			return p.chord(ctx, a, a.For, why)
		}
		return p.pressAndHold(ctx, a, why)
	case decide.Repeat:
		return p.repeat(ctx, a, why)
	case decide.Sequence:
		for i, s := range a.Steps {
			if err := p.do(ctx, s, why); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		return nil
	case decide.Wait:
		started := time.Now()
		p.live(ctx, a.For)
		p.sent(a, started, why, ctx.Err())
		return ctx.Err()
	default:
		return fmt.Errorf("%s cannot be done", a)
	}
	return p.flowing(ctx, func() error { return p.g.Do(ctx, in, 0) })
}

// chord presses keys together.
func (p *player) chord(ctx context.Context, a decide.Action, hold time.Duration, why string) error {
	started := time.Now()
	p.g.Doing = a.String()
	k := p.g.Page.Keyboard()
	var err error
	var down []string
	for _, key := range a.Keys {
		if err = k.Down(ctx, key); err != nil {
			break
		}
		down = append(down, key)
	}
	if err == nil {
		p.live(ctx, hold)
	}
	// A key that stays down would be part of everything to come.
	for _, key := range slices.Backward(down) {
		err = errors.Join(err, k.Up(context.WithoutCancel(ctx), key))
	}
	p.sent(a, started, why, err)
	return err
}

// pressAndHold keeps the pointer down at a place.
func (p *player) pressAndHold(ctx context.Context, a decide.Action, why string) error {
	started := time.Now()
	p.g.Doing = a.String()
	m := p.g.Page.Mouse()
	err := m.Move(ctx, a.At.X, a.At.Y)
	if err == nil {
		err = m.Down(ctx, nil)
	}
	if err == nil {
		p.live(ctx, a.For)
		// A button that stays down would spoil every click to come.
		err = m.Up(context.WithoutCancel(ctx), nil)
	}
	p.sent(a, started, why, err)
	return err
}

// repeat presses or clicks until something on the screen changes: a text, or
// the picture of a game that stood still.
func (p *player) repeat(ctx context.Context, a decide.Action, why string) error {
	one := decide.Action{Kind: decide.Click, At: a.At, Label: a.Label}
	if len(a.Keys) > 0 {
		one = decide.Action{Kind: decide.Chord, Keys: a.Keys}
	}
	before := p.face(ctx)
	for range a.Times {
		if err := p.do(ctx, one, why); err != nil {
			return err
		}
		p.live(ctx, between)
		if now := p.face(ctx); now != before {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// face is what a repeat watches.
func (p *player) face(ctx context.Context) string {
	r, err := p.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true, MaxAge: 400})
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, t := range r.Texts() {
		b.WriteString(t.Text + "\n")
	}
	fmt.Fprint(&b, r.Mutated(), p.g.Page.Log().Counts().Dialogs)
	if !p.idle.moves {
		fmt.Fprint(&b, game.Drawing(r))
	}
	return b.String()
}

// sent writes an action of several keys or none into the record.
func (p *player) sent(a decide.Action, started time.Time, why string, err error) {
	rec := record.Action{
		Time: started, Phase: p.g.Phase, Kind: string(a.Kind), Target: a.String(), Reasoning: why, Took: time.Since(started), Success: err == nil,
	}
	if a.At != nil {
		rec.At = p.g.Spots(*a.At)
	}
	if err != nil {
		rec.Error = err.Error()
	}
	if len(p.g.Record.Actions) < maxRecorded {
		p.g.Record.Actions = append(p.g.Record.Actions, rec)
	}
	p.g.Doing = ""
}

// maxRecorded bounds the record as the game itself does.
const maxRecorded = 2000
