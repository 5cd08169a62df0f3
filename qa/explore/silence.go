package explore

import (
	"context"
	"fmt"
	"time"

	"playtest"
	"playtest/browser/probe"
)

// silence returns the last look at which a game that ran was seen to run, when
// it has been silent in all looks since: no frame, no drawing, whatever was
// sent, at least so many times.
func (e *Explorer) silence(inputs int) *playtest.HealthSample {
	s := e.g.Record.Health.Samples
	const looks, frames = 5, 60
	if len(s) < looks+1 {
		return nil
	}
	last := s[len(s)-1]
	acted := 0
	first := len(s) - 1
	for first > 0 && s[first-1].Frames == last.Frames && s[first-1].Draws == last.Draws && s[first-1].Mutations == last.Mutations {
		first--
		if s[first].Acting {
			acted++
		}
	}
	if len(s)-first < looks || acted < inputs || last.Frames < frames || first == 0 {
		return nil
	}
	return &s[first]
}

// silent writes down that a game which ran has stopped for good: it had begun,
// its code still knows the inputs, but it draws nothing any more.
func (e *Explorer) silent() {
	h := &e.g.Record.Health
	at := e.silence(3)
	if at == nil || e.responsive() || h.Stopped != nil || e.stuckOver != "" {
		return
	}
	knows := e.rec.Start.Started
	for _, r := range e.all() {
		knows = knows || r.trial.Recognised
	}
	if knows {
		h.Stopped = &playtest.Incident{At: at.At, What: fmt.Sprintf("the game stopped drawing %.1f seconds after it was opened and no input brought it back", at.At.Seconds())}
	}
}

// frozen: the game's code knows its inputs and it draws, but nothing that it
// draws ever changed, in any window.
func (e *Explorer) frozen(ctx context.Context) {
	h := &e.g.Record.Health
	if e.responsive() || h.Stopped != nil || e.g.Record.Load.Kind == "dom" {
		return
	}
	// A game that ever moved is in a state we do not understand, not frozen.
	for _, s := range h.Samples {
		if s.Changed > 0 {
			return
		}
	}
	knows := false
	for _, r := range e.all() {
		knows = knows || r.trial.Recognised || r.trial.Reacted
		for _, w := range r.windows {
			if w.Redrawn {
				return
			}
		}
	}
	if !knows || !e.still() {
		return
	}
	a, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
	if err != nil {
		return
	}
	e.g.Pause(ctx, 300*time.Millisecond)
	b, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
	if err == nil && b.Drawn() > a.Drawn() {
		h.Frozen = e.g.Incident("the game draws, but nothing that it draws ever changes, whatever is pressed")
	}
}
