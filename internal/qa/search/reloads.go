package search

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// manyLoads is how many documents in the minute make one ask who loads them, aloneFor
// is for how much game time the game is left alone to find out.
const manyLoads, aloneFor = 3, 20 * time.Second

// leftAlone finds out whether the game leaves or loads itself again without any input.
func (s *searcher) leftAlone(ctx context.Context, base []record.Step) error {
	a := &s.rec.Alive
	if a.Left == "" && a.Loads < manyLoads {
		return nil
	}
	left := a.Left
	a.Left = ""
	frames := twin.Frames(aloneFor)
	if left != "" {
		frames = twin.Frames(time.Duration(a.Seconds * float64(time.Second)))
	}
	if err := s.countReloads(ctx, base, s.played.Frame-twin.Frames(time.Duration(a.Seconds*float64(time.Second))), frames); err != nil {
		return err
	}
	if s.alone.Left() != "" {
		a.Left = left
	}
	return nil
}

// countReloads counts how often the page loads itself again in so many frames after others, while
// it is left alone. A load that a dialog comes before is the end of a round, which it told.
func (s *searcher) countReloads(ctx context.Context, steps []record.Step, frame, frames int) error {
	if err := s.reopen(ctx, steps, frame); err != nil {
		return err
	}
	told := func() int { return s.alone.Page.Log().Counts().Dialogs }
	loads, dialogs := unforced(s.alone), told()
	if err := s.pass(ctx, frames); err != nil {
		return err
	}
	s.rec.Alive.Reloads = max(0, unforced(s.alone)-loads-(told()-dialogs))
	return nil
}

// unforced is how many documents a page loaded that no loop of the game had decided on.
func unforced(t *twin.Twin) int { return t.Loads() - t.Decided() }

// restless finds out whether a page loads itself again and again, once it was seen to do so
// without an input. Then there is nothing to search for.
func (s *searcher) restless(ctx context.Context) (bool, error) {
	if s.leftToItself || s.alone == nil || s.alone.Reloads() == 0 || s.proven {
		return false, nil
	}
	s.leftToItself = true
	frame := s.played.Frame
	if err := s.countReloads(ctx, s.prefix, frame, twin.Frames(aloneFor)); err != nil {
		return false, err
	}
	if s.Enough(s.rec) {
		return true, nil
	}
	s.rec.Alive.Reloads = 0
	if err := s.reopen(ctx, s.prefix, frame); err != nil {
		return false, err
	}
	return false, s.enter(ctx, byItself)
}
