package explore

import (
	"context"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/internal/qa/words"
)

const (
	// sureRounds is how many rounds in a row must end before anybody could act.
	sureRounds = 3
	// tooShort is a round that no player could have influenced.
	tooShort = 700 * time.Millisecond
	// maxEndings bounds how often rounds are timed, maxRevivers the ways to begin
	// one that are tried.
	maxEndings, maxRevivers = 2, 4
	// overLook is how often the screen is asked whether the round is over, lately
	// the milliseconds in which a game that runs has painted what it shows.
	overLook = 40 * time.Millisecond
	lately   = 120
)

// rounds are those of the game so far.
type rounds struct {
	overs, restarts []time.Time
	endings         int // how often they were timed
	soonOffered     int // how often another was offered right after one had begun
	// stuckOver is the text of an end from which no restart was found or is tried any more.
	stuckOver string
}

// ends finds out whether each round is over as soon as it begins: what begins
// another is done again, and the time is taken until the screen says so again. It
// reports whether it left the game in a round that lasts.
func (e *Explorer) ends(ctx context.Context, text string) (running bool, err error) {
	if e.endings >= maxEndings || e.g.Slow() || !words.SaysOver(text) || e.responsive() && !words.SaysGameOver(text) {
		return false, nil // in a game of chance a round may be lost at once
	}
	e.endings++
	list, err := e.againGestures(ctx)
	if err != nil {
		return false, err
	}
	for _, s := range list[:min(len(list), maxRevivers)] {
		var longest time.Duration
		rounds := 0
		for rounds < sureRounds {
			begun, lasted, err := e.round(ctx, s.input)
			if err != nil {
				return false, err
			}
			if begun && lasted >= tooShort {
				return true, nil // somebody could have acted in this one
			}
			if !begun {
				break
			}
			rounds, longest = rounds+1, max(longest, lasted)
		}
		if rounds == sureRounds {
			e.g.Record.Health.Ends = e.g.Incident("each round is over %.1f seconds after it begins, before anybody can act", longest.Seconds())
			e.lost = true
			return false, nil
		}
	}
	return false, nil
}

// round leaves the end of a round by a gesture, starts the game as it was
// started before if that leads to its first screen, and reports how long the new
// round lasted, at least tooShort if it was not over by then.
func (e *Explorer) round(ctx context.Context, in game.Input) (begun bool, lasted time.Duration, err error) {
	if over, err := e.becomes(ctx, true, 2*time.Second); err != nil || !over {
		return false, 0, err
	}
	for i, in := range append([]game.Input{in}, inputs(e.startedBy)...) {
		if i > 0 && !e.canClick(ctx, in) {
			continue // in the midst of a round it would be a move
		}
		in.Why = "how long does a round last?"
		at := time.Now()
		if err := e.g.Do(ctx, in, overLook); err != nil {
			return false, 0, e.g.Alive(ctx)
		}
		if begins, err := e.becomes(ctx, false, tooShort); err != nil || !begins {
			return false, 0, err
		}
		if over, err := e.becomes(ctx, true, tooShort-time.Since(at)); err != nil || over {
			return over, min(time.Since(at), tooShort-1), err
		}
	}
	return true, tooShort, nil
}

// canClick reports whether what was clicked once can be clicked now: its text is on
// the screen. Of other inputs nobody can tell.
func (e *Explorer) canClick(ctx context.Context, in game.Input) bool {
	if in.Kind != game.Click || NamesPlace(in.Label) {
		return true
	}
	if r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true, MaxAge: 400}); err == nil &&
		slices.ContainsFunc(r.Texts(), func(t probe.Text) bool { return t.Text == in.Label }) {
		return true
	}
	if engine, err := e.g.Probe.Engine(ctx, e.g.Page); err == nil &&
		slices.ContainsFunc(engine.Objects, func(o probe.Object) bool { return o.Text == in.Label }) {
		return true
	}
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(in.At))
	return err == nil && slices.ContainsFunc(els.Elements, func(el probe.Element) bool {
		return (el.Text == in.Label || el.Selector == in.Label) && el.InView && el.Hit
	})
}

func inputs(tries []replay.Try) []game.Input {
	var out []game.Input
	for _, t := range tries {
		out = append(out, t.Input)
	}
	return out
}

// becomes waits until the screen says that the round is over, or not over.
func (e *Explorer) becomes(ctx context.Context, over bool, patience time.Duration) (bool, error) {
	until := time.Now().Add(patience)
	for {
		e.mutations = -1 // the document is read each time, though it stayed as it was
		_, is, err := e.overWithin(ctx, lately)
		if err != nil || is == over {
			return is == over, err
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return false, ctx.Err()
		}
		e.g.Pause(ctx, overLook)
	}
}
