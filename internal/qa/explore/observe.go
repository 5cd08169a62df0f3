package explore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
)

// observe opens a window and looks afterwards whether the page is still the game's.
func (e *Explorer) observe(ctx context.Context, in game.Input) (cause.Window, error) {
	if err := e.place(ctx); err != nil {
		return cause.Window{}, err // it may have left between two windows
	}
	if in.Keyed() {
		game.Unfocus(ctx, e.g.Page)
	}
	if in.Kind != game.Idle {
		e.scroll = e.scrolled(ctx)
	}
	began := time.Now()
	w, err := e.g.Observe(ctx, in)
	e.look = (3*e.look + time.Since(began)) / 4
	if err != nil && !errors.Is(err, game.ErrGone) && ctx.Err() == nil {
		// Many games begin a round by loading their page again. The window is
		// lost; the next one is opened when the page is there.
		if err := e.place(ctx); err != nil {
			return w, err
		}
		e.waitLoaded(ctx)
		w, err = e.g.Observe(ctx, game.Input{Kind: game.Idle})
	}
	if err != nil {
		return w, err
	}
	if w.Navigations > 0 {
		err = e.place(ctx)
	}
	e.photograph(ctx, w)
	e.indicate(ctx)
	return w, err
}

// patience is a time that is enough on a machine at rest, made longer where each
// look takes longer than it does there.
func (e *Explorer) patience(d time.Duration) time.Duration {
	const resting, most = 800 * time.Millisecond, 4
	pace := min(max(float64(e.look)/float64(resting), 1), most)
	return time.Duration(pace * float64(d))
}

// watchIdle opens windows in which nothing is sent.
func (e *Explorer) watchIdle(ctx context.Context, n int) error {
	for range n {
		w, err := e.observe(ctx, game.Input{Kind: game.Idle})
		if err != nil {
			return err
		}
		e.addIdle(w)
	}
	return nil
}

// maxIdle bounds the windows an input is compared with, the newest first: the
// state of a game drifts.
const maxIdle = 14

func (e *Explorer) addIdle(w cause.Window) {
	if w.Changed() > 0 {
		e.moved = true
	}
	e.idle = append(e.idle, w)
	if len(e.idle) > maxIdle {
		e.idle = e.idle[len(e.idle)-maxIdle:]
	}
}

// leftAlone are the windows in which nothing at all was sent.
func (e *Explorer) leftAlone() []cause.Window {
	return slices.DeleteFunc(slices.Clone(e.idle), func(w cause.Window) bool { return w.Input != "" })
}

// still reports whether the picture never changed without input.
func (e *Explorer) still() bool {
	for _, w := range e.idle {
		if w.Changed() > 0 {
			return false
		}
	}
	return len(e.idle) > 0
}

// wait lets the game go on until it visibly becomes another screen, at most so long.
func (e *Explorer) wait(ctx context.Context, limit time.Duration) (moved bool, err error) {
	before := e.g.Picture(ctx)
	e.g.Take(ctx)
	fresh := e.g.Fresh()
	until := time.Now().Add(limit)
	for time.Now().Before(until) && ctx.Err() == nil {
		e.due(ctx, "exploring", "phase3-exploring", "waiting for the game to go on")
		e.g.Pause(ctx, 400*time.Millisecond)
		e.g.Take(ctx)
		if e.g.Fresh()-fresh > newCode {
			return true, nil
		}
		if game.Same(before, e.g.Picture(ctx)) < 0.7 {
			return true, nil
		}
		if err := e.g.Alive(ctx); err != nil {
			return false, err
		}
	}
	return false, nil
}

// newCode is how many characters of never-run code make an event of note.
const newCode = 60
