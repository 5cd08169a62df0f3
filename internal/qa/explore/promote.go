package explore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// wasStart recognises that a click taken for a control of the game began it
// instead: another screen came and much new code ran. It is written down as a
// start, and the control has yet to be found.
func (e *Explorer) wasStart(ctx context.Context, c *candidate, res *result, fresh int) bool {
	before := e.doorsTaken[c.control.ID]
	if c.control.Type != record.ControlClick || c.group || before == 0 && e.promoted >= maxPromoted || len(res.windows) == 0 || words.IsAside(c.control.Text) {
		return false
	}
	w := res.windows[len(res.windows)-1]
	share, ran := w.Novelty(e.idle...), e.g.Fresh()-fresh
	switch {
	case before > 0 && e.vanished(ctx, c.control): // the same door once more
	case share > otherScreen && ran > beginning:
	case (c.control.Selector != "" || ofScene(c.control)) && ran > newCode && res.trial.Outcome == record.Responsive && !e.wordless(c.control) && e.vanished(ctx, c.control):
	default:
		return false
	}
	proof := fmt.Sprintf("another screen came (%.0f %% of the picture changed) and %d characters of the game's code ran for the first time", 100*share, ran)
	e.promote(ctx, c, c.inputs[(len(res.windows)-1)%len(c.inputs)], e.onlyIn(w), proof)
	return true
}

// wordless: it is an element without words in a game that was begun before. One that is
// gone when it was clicked was hit, as a fruit or a mole is.
func (e *Explorer) wordless(c record.Control) bool {
	return e.rec.Start.Started && c.Text == "" && c.Selector != ""
}

// setOff recognises that a still game moves by itself ever since an input: either
// that began it or, as after a countdown, it would have begun anyway. In both
// cases the control has yet to be shown to work in the moving game, and no other
// may be held against how still it was before.
func (e *Explorer) setOff(ctx context.Context, c *candidate, res *result) (bool, error) {
	last := len(res.windows) - 1
	if last < 0 || !e.still() || res.trial.Outcome != record.Responsive && res.windows[last].Changed() == 0 {
		return false, nil
	}
	var moving []cause.Window
	for range restLooks {
		e.settle(ctx)
		w, err := e.observe(ctx, game.Input{Kind: game.Idle})
		if err != nil {
			return false, err
		}
		if w.Changed() == 0 {
			e.addIdle(w)
			return false, nil // it came to rest again
		}
		moving = append(moving, w)
	}
	// In a game that was begun before, a thing among others alike has done what it
	// does when only a style sheet moves something since: a mark that blinks.
	acts := func(w cause.Window) bool { return w.Mutations > 0 || w.Draws > 0 }
	blinks := e.rec.Start.Started && c.group && !slices.ContainsFunc(moving, acts)
	if blinks || e.promoted >= maxPromoted {
		e.idle = moving
		return false, nil
	}
	e.promote(ctx, c, c.inputs[last%len(c.inputs)], e.onlyIn(res.windows[last]), "the game was still and moves by itself since")
	e.idle = moving
	return true, nil
}

// promote writes down that what was taken for a control is a start.
func (e *Explorer) promote(ctx context.Context, c *candidate, in game.Input, code coverage.Sample, proof string) {
	e.promoted++
	if (c.control.Selector != "" || ofScene(c.control)) && e.vanished(ctx, c.control) {
		e.doorsTaken[c.control.ID]++
	}
	e.rec.Start.Needed = true
	e.rec.Start.Attempts = append(e.rec.Start.Attempts, record.StartAttempt{Gesture: in.String(), Tier: "control", Effect: true, Proof: proof, Hit: true, After: time.Since(e.readyAt)})
	e.startCode = code
	delete(e.results, c.control.ID)
	e.opened(ctx, replay.Try{Input: in, Scroll: e.scroll, At: e.g.SinceLoad()}, proof)
}

// restLooks is how often a game is given the time to come to rest after an input.
const restLooks = 3

// vanished reports whether what was clicked, an element or a thing of an engine's
// scene, is not there any more.
func (e *Explorer) vanished(ctx context.Context, c record.Control) bool {
	if c.Selector == "" && c.Box != nil {
		engine, err := e.g.Probe.Engine(ctx, e.g.Page)
		return err == nil && !slices.ContainsFunc(engine.Objects, func(o probe.Object) bool {
			return o.Text == c.Text // wherever it is by now
		})
	}
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(els.Elements, func(el probe.Element) bool {
		return el.Selector == c.Selector && el.Text == c.Text && el.InView && !el.Disabled
	})
}

const (
	// otherScreen is the share of the picture that another screen changes.
	otherScreen = 0.2
	maxPromoted = 2
	// maxTaken is how often the same door is taken.
	maxTaken = 3
)
