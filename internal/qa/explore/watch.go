package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/record"
)

// watch notices when a game that drew stops drawing.
type watch struct {
	e      *Explorer
	ticks  int
	draws  int
	active time.Time // when frames or drawings last advanced
	alone  bool      // the game was seen to run without input
	lively bool      // it runs without input now
	looks  int       // that saw it advance
}

func newWatch(e *Explorer) *watch {
	e.dialogs = e.g.Page.Log().Counts().Dialogs
	return &watch{e: e, active: time.Now(), alone: e.ranAlone() || e.runs() || e.ranAtFirst()}
}

// again is a watch for another round of the same game.
func (w *watch) again() *watch {
	next := newWatch(w.e)
	next.alone = next.alone || w.alone
	return next
}

// ranAlone reports whether the game was seen to run without input since it was
// started: a title screen may move before a board that does not.
func (e *Explorer) ranAlone() bool {
	return alone(e.g.Record.Health.Samples[e.begun:]) >= looksAlive
}

// runs: between the last two looks at it the game ran without input.
func (e *Explorer) runs() bool {
	s := e.g.Record.Health.Samples
	const frames = 10
	return len(s) >= 2 && !s[len(s)-1].Acting && s[len(s)-1].Frames-s[len(s)-2].Frames >= frames
}

// ranAtFirst: the picture had run for a second or more when it was first looked at,
// before anything was sent. In a document that may have been an effect.
func (e *Explorer) ranAtFirst() bool {
	s, load := e.g.Record.Health.Samples, e.g.Record.Load
	return load.Kind != "dom" && load.Inside != "dom" && len(s) > 0 && !s[0].Acting && s[0].Ran >= lively
}

// lively is how long a game must have run to be one that runs by itself.
const lively = time.Second

// looksAlive is how many looks must find a game running by itself.
const looksAlive = 4

// halted is how long a game that drew may draw nothing before that is an event.
const halted = 2500 * time.Millisecond

func (w *watch) look(ctx context.Context) error {
	e := w.e
	r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
	if err != nil {
		return e.g.Alive(ctx)
	}
	if err := e.place(ctx); err != nil {
		return err
	}
	e.g.Weigh(ctx)
	if r.Silent > 0 {
		w.active = time.Now() // it may draw in what did not answer
		return nil
	}
	ticks, draws := r.Ticks(), r.Drawn()
	if ticks != w.ticks || draws != w.draws {
		w.ticks, w.draws, w.active = ticks, draws, time.Now()
		// One that draws only what an input asks for advances with every input, too.
		if w.looks++; w.looks >= looksAlive && w.alone {
			w.lively = true
		}
	}
	if lost := r.Sum(func(s *probe.State) int { return s.ContextsMissing }); lost > 0 && e.g.Record.Health.ContextLost == nil {
		// Pages get a moment to restore a context.
		e.g.Pause(ctx, time.Second)
		if again, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true}); err == nil &&
			again.Sum(func(s *probe.State) int { return s.ContextsMissing }) > 0 {
			e.g.Record.Health.ContextLost = e.g.Incident("the drawing context was lost and not restored")
		}
	}
	if w.lively && time.Since(w.active) > halted && e.g.Record.Health.Stopped == nil {
		return w.halt(ctx)
	}
	return nil
}

// halt decides whether a game that stopped drawing is over, waits, or is dead.
func (w *watch) halt(ctx context.Context) error {
	e := w.e
	when := e.g.Age() - time.Since(w.active)
	w.lively, w.looks = false, 0
	if _, over, err := e.roundOver(ctx); err != nil || over {
		return err
	}
	if answered, err := e.answers(ctx); err != nil || answered {
		return err
	}
	if ok, err := e.restart(ctx); err != nil || ok {
		return err
	}
	if e.g.Page.Log().Counts().Dialogs > e.dialogs {
		e.dialogs = e.g.Page.Log().Counts().Dialogs
		return nil // it spoke before it stopped
	}
	if e.saysSomething(ctx) {
		return nil
	}
	e.g.Record.Health.Stopped = &record.Incident{At: when, What: fmt.Sprintf("the game stopped drawing %.1f seconds after it was opened and no input brought it back", when.Seconds())}
	return nil
}

// answers reports whether a control that worked still does.
func (e *Explorer) answers(ctx context.Context) (bool, error) {
	if len(e.idle) < 3 {
		if err := e.watchIdle(ctx, 3-len(e.idle)); err != nil {
			return false, err
		}
	}
	tried := 0
	for _, id := range e.order {
		r := e.results[id]
		if r == nil || r.trial.Outcome != record.Responsive || tried >= 3 {
			continue
		}
		inputs := e.inputsOf(r.control)
		if len(inputs) == 0 {
			continue
		}
		tried++
		var windows []cause.Window
		looks := 2
		if !e.ranAlone() {
			looks = max(looks, min(len(inputs), maxMembers)) // not every move is allowed
		}
		for i := range looks {
			w, err := e.observe(ctx, inputs[i%len(inputs)])
			if err != nil {
				return false, err
			}
			windows = append(windows, w)
			if w.Changed() > 0 && (w.Redrawn || w.Mutations > 0) {
				return true, nil
			}
		}
		if eff := cause.Compare(windows, e.idle); eff.Visible {
			return true, nil
		}
	}
	return false, nil
}

// lastLook asks at the end whether the game is still there.
func (e *Explorer) lastLook(ctx context.Context, w *watch) error {
	if err := e.g.Alive(ctx); err != nil {
		return err
	}
	if err := w.look(ctx); err != nil {
		return err
	}
	w.lively = w.lively || e.silence(ctx, 2) != nil // it may have stopped before it was played
	if w.lively && time.Since(w.active) > 600*time.Millisecond {
		e.g.Pause(ctx, halted-time.Since(w.active)+100*time.Millisecond)
		return w.look(ctx)
	}
	return nil
}
