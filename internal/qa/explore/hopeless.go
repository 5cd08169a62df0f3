package explore

import (
	"context"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	loading "github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// sureThrows is how many inputs must end in errors before no more are made.
const sureThrows = 4

// hopeless reports that what was measured so far rules out any answer: the page
// never stays, no event reaches the game's code, every input ends in an error, a
// game that ran does not run any more, or nothing of the game can be seen. Trying
// more would only take longer.
func (e *Explorer) hopeless(ctx context.Context) (bool, error) {
	if e.responsive() {
		return false, nil
	}
	silent := e.silence(ctx, 8) != nil
	if silent && e.saysSomething(ctx) {
		if began, err := e.restart(ctx); err != nil || began {
			return false, err
		}
		silent = false // it has come to an end of its own
	}
	e.lost = e.g.Record.Health.Ends != nil || e.g.Reloads() ||
		e.deaf(ctx) || e.pointless(ctx) || e.throws(sureThrows) || silent || e.storms() ||
		e.eachTried && (e.stands(ctx, sureKeys) || e.shut(ctx) || e.halfDeaf(ctx) || e.timeless(ctx, e.pace(ctx)))
	if !e.lost {
		lost, began, err := e.nothingThere(ctx)
		if err != nil || began {
			return false, err
		}
		e.lost = lost
	}
	if !e.told {
		e.unseen(ctx)
	}
	if e.g.Record.Health.Unseen != "" && !e.eachTried && len(e.doors(ctx)) > 0 {
		e.g.Record.Health.Unseen = "" // a menu may come before it
	}
	if e.g.Record.Health.Unseen != "" {
		e.g.Pause(ctx, 2*time.Second) // it may be between two screens
		e.g.Record.Health.Unseen = ""
		e.unseen(ctx)
		if e.g.Record.Health.Unseen != "" && e.tells(ctx) {
			e.told, e.g.Record.Health.Unseen = true, ""
		}
		e.lost = e.lost || e.g.Record.Health.Unseen != ""
	}
	if e.lost {
		e.g.Decide("stop trying", "what was measured rules out any answer", 0.9)
	}
	return e.lost, nil
}

// nothingThere makes the usual gestures on a page that shows nothing of a game, or
// lacks what it needs. Lost: it is still like that. Began: something came of them.
func (e *Explorer) nothingThere(ctx context.Context) (lost, began bool, err error) {
	dark, err := e.dark(ctx)
	if err != nil || !dark && !e.crippled(ctx) {
		return false, false, err
	}
	worked, err := e.usualGestures(ctx)
	if err != nil || !dark {
		return !worked, worked, err
	}
	if worked {
		// Code ran, but a game is not begun until something of it is seen.
		e.g.Pause(ctx, 2*time.Second)
	}
	lost, err = e.dark(ctx)
	return lost, false, err
}

// dark reports whether nothing of the game can be seen. What was so when the page was
// looked at last may have been between two screens, so it is looked at again.
func (e *Explorer) dark(ctx context.Context) (bool, error) {
	load := &e.g.Record.Load
	if !load.Blank && load.Covered == "" {
		return false, nil
	}
	if err := loading.Survey(ctx, e.g); err != nil {
		return false, err
	}
	return load.Blank || load.Covered != "", nil
}

// throws reports whether every input that reaches the game's code ends in an
// error, of at least so many, and idling does not.
func (e *Explorer) throws(least int) bool {
	throwing, tried := 0, 0
	for _, w := range e.startWindows {
		if w.Throws > 0 || w.Reads > 0 {
			tried++
		}
		if w.Throws > 0 {
			throwing++
		}
	}
	for _, r := range e.results {
		for _, w := range r.windows {
			if e.eachTried && !r.trial.Recognised && w.Throws == 0 && w.Changed() == 0 {
				continue // nothing was there to hear it
			}
			tried++
			if w.Throws > 0 {
				throwing++
			}
		}
	}
	return tried >= least && throwing == tried && !e.idleThrows()
}

// storms: left alone the game throws again and again.
func (e *Explorer) storms() bool {
	const windows, each = 3, 3
	n := 0
	for _, w := range e.leftAlone() {
		if w.Throws >= each {
			n++
		}
	}
	return n >= windows
}

// stumbled: a file of the game is missing and its code stopped with an error
// while it loaded, before anything was sent. It would do so again.
func (e *Explorer) stumbled() bool {
	log := e.g.Page.Log()
	ready := e.g.Navigated().Add(e.g.Record.Load.ReadyAfter)
	return !e.g.Record.Health.MovesAlone() && slices.ContainsFunc(log.Requests(), missing) &&
		slices.ContainsFunc(log.Exceptions(), func(x browser.Exception) bool { return x.Time.Before(ready) })
}

// missing reports whether a request of the game itself failed.
func missing(q browser.Request) bool {
	return q.Lost() != "" && !words.IsTracker(q.URL)
}

// missingScript reports the same of a script.
func missingScript(q browser.Request) bool { return q.Type == "Script" && missing(q) }

// lacksOwnScript: a script that lies beside the game could not be loaded. What other
// sites offer may be for its looks, or for its sounds.
func (e *Explorer) lacksOwnScript() bool {
	return slices.ContainsFunc(e.g.Page.Log().Requests(), func(q browser.Request) bool {
		return missingScript(q) && game.SameSite(q.URL, e.url)
	})
}

// unmoved: neither code nor picture stirred for anything that was tried, and a
// replay on fresh pages showed the same.
func (e *Explorer) unmoved() bool {
	if len(e.inVain) == 0 || e.rec.Start.Started {
		return false
	}
	for _, r := range e.results {
		if r.trial.Recognised || r.trial.Reacted || r.trial.Visible || leans(r.trial.Signals) || known(r.control) {
			return false
		}
	}
	return true
}

// shut: the start that the screen names, or the page's only buttons, were
// pressed in vain, here and in a replay, and so was everything else. That code
// ran for them opens no door.
func (e *Explorer) shut(ctx context.Context) bool {
	if e.rec.Start.Started || !e.allInVain() {
		return false
	}
	if e.rec.Start.Dead != "" && e.inVain[e.named(e.deadStart)] {
		return true
	}
	doors := e.doors(ctx)
	if len(doors) == 0 || len(doors) > maxDoors {
		return false
	}
	for _, el := range doors {
		pressed := func(c candidate) bool { return c.control.Selector == el.Selector }
		switch {
		case e.g.Record.Load.Kind == "dom" && slices.ContainsFunc(e.lastCandidates, pressed):
		case !e.g.Slow() && e.g.Rect.Contains(boxOf(el).Center()) && e.inVain[e.named(click(boxOf(el), el.Text))]:
		default:
			return false // it was not pressed, or belongs to the page around the game
		}
	}
	e.rec.Start.Dead = doors[0].Text
	return true
}

// allInVain: whatever was tried did nothing, here and in a replay. A replay has room for
// so many inputs; of what is left over another of the same kind stands for it.
func (e *Explorer) allInVain() bool {
	if e.g.Record.Discover.WASM {
		return false
	}
	vain := func(c *candidate) bool { return ways(c) > 0 && e.inVain[e.named(c.inputs[0])] }
	kinds := map[record.ControlType]bool{}
	for i := range e.lastCandidates {
		if c := &e.lastCandidates[i]; vain(c) {
			kinds[c.control.Type] = true
		}
	}
	for i := range e.lastCandidates {
		c := &e.lastCandidates[i]
		r := e.results[c.control.ID]
		switch {
		case r != nil && r.trial.Visible, ways(c) == 0, !kinds[c.control.Type]:
			return false
		case !vain(c) && (r == nil || r.trial.Reacted):
			return false
		}
	}
	return true
}

// mute: the page has had its time, everything on it was tried, and still nothing
// listens to any input.
func (e *Explorer) mute(ctx context.Context) bool {
	const longest = 12 * time.Second // before listeners are added, after a splash screen
	form := func(c candidate) bool { return slices.Contains(c.control.Sources, discover.Form) }
	if !e.eachTried || e.g.Record.Discover.WASM || slices.ContainsFunc(e.lastCandidates, form) {
		return false
	}
	e.g.Pause(ctx, longest-e.g.SinceLoad())
	if err := loading.Survey(ctx, e.g); err != nil {
		return false
	}
	return len(e.g.Record.Load.Listens) == 0 && !e.g.Record.Health.MovesAlone()
}

// crippled: something is missing and the page shows that it needed it: nothing
// listens to any input, or templates stand there unfilled.
func (e *Explorer) crippled(ctx context.Context) bool {
	load := &e.g.Record.Load
	if len(load.Listens) > 0 && load.RawTemplate == "" || e.g.Record.Health.MovesAlone() {
		return false
	}
	log := e.g.Page.Log()
	if slices.ContainsFunc(log.Requests(), missingScript) || slices.ContainsFunc(log.Exceptions(), func(x browser.Exception) bool {
		return words.IsSyntaxError(x.Text) && !x.Rejection
	}) {
		return true
	}
	if loading.Overdue(ctx, e.g) {
		return true // it waits for what does not come
	}
	if e.mute(ctx) {
		return true
	}
	// It says that it loads, and something that it asked for failed.
	return load.LoadingText != "" && (len(log.Exceptions()) > 0 || slices.ContainsFunc(log.Requests(), missing))
}
