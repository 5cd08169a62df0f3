package explore

import (
	"context"
	"fmt"
	"slices"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// silence returns the last look at which a game that ran was seen to run, when
// it has been silent in all looks since: no frame, no drawing, whatever was
// sent, at least so many times. One whose canvas is gone went on to another screen.
func (e *Explorer) silence(ctx context.Context, inputs int) *record.HealthSample {
	s := e.g.Record.Health.Samples
	const looks = 5
	if len(s) < looks+1 {
		return nil
	}
	last := s[len(s)-1]
	acted := 0
	first := len(s) - 1
	// Beside a canvas that stands still a counter may go on in the document.
	document := e.g.Record.Load.Kind == "dom" || e.g.Record.Load.Inside == "dom"
	for first > 0 && s[first-1].Frames == last.Frames && s[first-1].Draws == last.Draws && (!document || s[first-1].Mutations == last.Mutations) {
		first--
		if s[first].Acting {
			acted++
		}
	}
	if len(s)-first < looks || acted < inputs || last.Ran < lively {
		return nil
	}
	if first == 0 && !e.responsive() {
		return nil // it may not have begun; one that answers in a replay has
	}
	if document && alone(s[:first+1]) < looksAlive {
		return nil // only what an input set off has come to rest, such as confetti
	}
	if !document && !e.canvasLeft(ctx) {
		return nil
	}
	return &s[first]
}

// canvasLeft: there is still a canvas to draw on, or it cannot be told.
func (e *Explorer) canvasLeft(ctx context.Context) bool {
	r, err := e.g.Read(ctx, nil)
	return err != nil || slices.ContainsFunc(r.Canvases(), func(c probe.Canvas) bool { return c.Shown && !c.Ornament })
}

// alone counts the looks that found a game running though nothing was sent.
func alone(s []record.HealthSample) int {
	n := 0
	for i := 1; i < len(s); i++ {
		if !s[i].Acting && (s[i].Frames > s[i-1].Frames || s[i].Draws > s[i-1].Draws) {
			n++
		}
	}
	return n
}

// silent writes down that a game which ran has stopped for good: it had begun,
// its code still knows the inputs, but it draws nothing any more.
func (e *Explorer) silent(ctx context.Context) {
	h := &e.g.Record.Health
	at := e.silence(ctx, 3)
	if at == nil || e.responsive() || h.Stopped != nil || e.stuckOver != "" || e.saysSomething(ctx) {
		return
	}
	knows := e.rec.Start.Started
	for _, r := range e.all() {
		knows = knows || r.trial.Recognised || leans(r.trial.Signals)
	}
	if knows {
		h.Stopped = &record.Incident{At: at.At, What: fmt.Sprintf("the game stopped drawing %.1f seconds after it was opened and no input brought it back", at.At.Seconds())}
	}
}

// frozen writes down that the game stands still for good, or that its time does not
// go by as it should.
func (e *Explorer) frozen(ctx context.Context) {
	h := &e.g.Record.Health
	if h.Stopped != nil {
		return
	}
	switch pace := e.pace(ctx); {
	case !e.responsive() && e.stands(ctx, 0):
		h.Frozen = e.g.Incident("the game draws, but nothing that it draws ever changes, whatever is pressed")
	case e.timeless(ctx, pace):
		h.Frozen = e.g.Incident("the clock of the page stands still (Date.now and performance.now never go on), so that nothing in the game does")
	case h.Ends == nil && pace > racing && e.draws(ctx):
		h.Ends = e.g.Incident("the clock of the page runs more than %d times too fast, so that a round is over before a person could act", racing)
	}
}

// stands: the game's code knows its inputs and it draws, but nothing that it
// draws has changed since it began, in any window. A replay must have shown the
// same of so many of its keys, and of several where it has moved before.
func (e *Explorer) stands(ctx context.Context, keys int) bool {
	h := &e.g.Record.Health
	if e.g.Record.Load.Kind == "dom" || !e.still() || e.reloaded() {
		return false
	}
	before, since := h.Samples, h.Samples
	if e.begun > 0 {
		before, since = h.Samples[:min(e.begun+1, len(h.Samples))], h.Samples[min(e.begun+1, len(h.Samples)):]
	}
	moves := func(s record.HealthSample) bool { return s.Changed > 0 }
	if len(since) < standing || slices.ContainsFunc(since, moves) {
		return false
	}
	knows, replayed := 0, 0
	for _, r := range e.all() {
		if slices.ContainsFunc(r.windows, func(w cause.Window) bool { return w.Redrawn }) {
			return false
		}
		// A press means something at few places: it says little until those are known.
		if r.control.Type != record.ControlKey && len(e.spotList) == 0 || !r.trial.Recognised && !r.trial.Reacted || ofLibrary(r.control) {
			continue
		}
		knows++
		if r.control.Type == record.ControlKey && e.inVain[e.named(game.Input{Kind: game.KeyPress, Key: keyOf(r.control)})] {
			replayed++
		}
	}
	if slices.ContainsFunc(before, moves) {
		keys = sureKeys
	}
	if knows == 0 || replayed < keys {
		return false
	}
	return e.draws(ctx)
}

// ofLibrary: no code but a library's ran for the control. An engine hears inputs
// on every screen, also on one that waits for another.
func ofLibrary(c record.Control) bool {
	return len(c.Reaches) > 0 && !slices.ContainsFunc(c.Reaches, func(p record.CodePlace) bool { return !p.Library })
}

const (
	// standing is how many looks at a game must show no change.
	standing = 8
	// sureKeys is how many of a game's keys must have done nothing in a replay.
	sureKeys = 2
)
