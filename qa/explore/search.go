package explore

import (
	"context"
	"slices"
	"time"

	"playtest"
	"playtest/browser"
	"playtest/qa/game"
	loading "playtest/qa/load"
	"playtest/qa/words"
)

// search makes ever less likely gestures until a control answers or nothing is
// left to try.
func (e *Explorer) search(ctx context.Context) error {
	if hopeless, err := e.hopeless(ctx); err != nil || hopeless {
		return err
	}
	if begun, err := e.askForStart(ctx); err != nil {
		return err
	} else if begun {
		if err := e.again(ctx); err != nil {
			return err
		}
	}
	for round := 0; !e.responsive() && round < maxRounds && ctx.Err() == nil && time.Since(e.readyAt) < searchLimit; round++ {
		worked, err := e.anyGesture(ctx)
		if err != nil {
			return err
		}
		if e.silence(3) != nil {
			break // it ran and has stopped; gestures will not bring it back
		}
		if !worked {
			// A countdown, a splash screen: see whether the game moves on by itself.
			moved, err := e.wait(ctx, patience)
			if err != nil {
				return err
			}
			if !moved && round > 0 {
				break
			}
		}
		if err := e.refresh(ctx); err != nil {
			return err
		}
		if err := e.begin(ctx); err != nil {
			return err
		}
	}
	return nil
}

const (
	maxRounds = 4
	patience  = 5 * time.Second
	// searchLimit bounds the search for a control that answers.
	searchLimit = 60 * time.Second
	// sureThrows is how many inputs must end in errors before no more are made.
	sureThrows = 4
)

// hopeless reports that what was measured so far rules out any answer: no
// event reaches the game's code, every input ends in an error, a game that
// ran does not run any more, or nothing of the game can be seen. Trying more
// would only take longer.
func (e *Explorer) hopeless(ctx context.Context) (bool, error) {
	if e.responsive() {
		return false, nil
	}
	e.lost = e.deaf(ctx) || e.throws(sureThrows) || e.silence(8) != nil || e.storms() || e.eachTried && e.replays > 0 && e.stands(ctx)
	if load := &e.g.Record.Load; !e.lost && (load.Blank || load.Covered != "" || e.crippled(ctx)) {
		dark := load.Blank || load.Covered != ""
		worked, err := e.usualGestures(ctx)
		if err != nil || worked && !dark {
			return false, err
		}
		e.lost = !worked
		if worked {
			// Code ran, but a game is not begun until something of it is seen.
			e.g.Pause(ctx, 2*time.Second)
			if err := loading.Survey(ctx, e.g); err != nil {
				return false, err
			}
			e.lost = load.Blank || load.Covered != ""
		}
	}
	e.unseen(ctx)
	if e.g.Record.Health.Unseen != "" {
		e.g.Pause(ctx, 2*time.Second) // it may be between two screens
		e.g.Record.Health.Unseen = ""
		e.unseen(ctx)
		e.lost = e.g.Record.Health.Unseen != ""
	}
	if e.lost {
		e.g.Decide("stop trying", "what was measured rules out any answer", 0.9)
	}
	return e.lost, nil
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

// askForStart has others find the start where the free ways found none. A game
// that answers already needs none.
func (e *Explorer) askForStart(ctx context.Context) (bool, error) {
	if e.rec.Start.Started || e.responsive() {
		return false, nil
	}
	for _, start := range e.opts.Starts {
		err := start(ctx, func(ctx context.Context, what string, do func(context.Context) error) (string, error) {
			in := game.Input{Kind: game.Other, Label: what, Do: do}
			if _, err := e.tryStart(ctx, gesture{input: in, tier: "asked", hit: true}); err != nil {
				return "", err
			}
			attempts := e.rec.Start.Attempts
			return attempts[len(attempts)-1].Proof, nil
		})
		if e.rec.Start.Started {
			return true, nil
		}
		if gone := e.g.Alive(ctx); gone != nil {
			return false, gone
		}
		if err != nil {
			e.g.Emit(playtest.EventWarning, "the start could not be asked for: %v", err)
		}
	}
	return false, nil
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

// crippled: something is missing and the page shows that it needed it: nothing
// listens to any input, or templates stand there unfilled.
func (e *Explorer) crippled(ctx context.Context) bool {
	load := &e.g.Record.Load
	if len(load.Listens) > 0 && load.RawTemplate == "" || e.g.Record.Health.MovesAlone() {
		return false
	}
	log := e.g.Page.Log()
	if slices.ContainsFunc(log.Requests(), func(q browser.Request) bool {
		return q.Type == "Script" && missing(q)
	}) || slices.ContainsFunc(log.Exceptions(), func(x browser.Exception) bool {
		return words.IsSyntaxError(x.Text) && !x.Rejection
	}) {
		return true
	}
	if loading.Overdue(ctx, e.g) {
		return true // it waits for what does not come
	}
	// It says that it loads, and something that it asked for failed.
	return load.LoadingText != "" && (len(log.Exceptions()) > 0 || slices.ContainsFunc(log.Requests(), missing))
}
