package search

import (
	"context"
	"slices"

	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

const (
	// beforeStop is how many frames before the last one that drew the code is looked at that
	// may have decided to stop.
	beforeStop = 3
	// running is which part of the code that ran at the end, one in so many, must go on running
	// if the game goes on: less than all, since nothing is drawn.
	running = 4
)

// autopsy finds out when the inputs stopped making a difference, and whether
// something new was shown then.
func (s *searcher) autopsy(ctx context.Context, inputs []record.Input, alive *screen.Screen, base, script []record.Step, began int) error {
	a := &s.rec.Alive
	good, dead := began, began+int(a.Seconds*twin.FramesPerSecond)
	a.DeadAt = float64(dead) / twin.FramesPerSecond
	var err error
	if a.Inert, err = s.inert(ctx, inputs, script, dead); err != nil {
		return err
	}
	if !a.Inert {
		if a.Ended, err = s.respondsAfter(ctx, inputs, base, dead); err != nil || a.Ended {
			return err
		}
	}
	upTo := func(frame int) []record.Step {
		return slices.DeleteFunc(slices.Clone(script), func(st record.Step) bool { return st.Frame >= frame })
	}
	ended := s.now
	// narrow finds out to within some frames when they stopped.
	narrow := func(precise int) error {
		for dead-good > precise {
			mid := (good + dead) / 2
			if err := s.reopen(ctx, upTo(mid), mid); err != nil {
				return err
			}
			if err := s.enter(ctx, byItself); err != nil {
				return err
			}
			now := s.now
			ok, err := s.responds(ctx, inputs)
			if err != nil {
				return err
			}
			if ok {
				good, alive = mid, now
			} else {
				dead, ended = mid, now
			}
		}
		return nil
	}
	if err := narrow(16 * twin.FramesPerSecond); err != nil {
		return err
	}
	a.DeadAt = float64(dead) / twin.FramesPerSecond
	if a.Ended = over(alive, ended); a.Ended || a.Inert {
		return nil
	}
	// Left alone until then, does the game still answer? Then the way it was played ended it.
	if a.Ended, err = s.respondsAfter(ctx, inputs, base, dead+twin.FramesPerSecond); err != nil || a.Ended {
		return err
	}
	// If not, would it have stopped at the same time without the controls?
	untouched := slices.Clone(base)
	for len(untouched) > 0 && slices.ContainsFunc(inputs, func(in record.Input) bool { return in.String() == untouched[len(untouched)-1].Input.String() }) {
		untouched = untouched[:len(untouched)-1]
	}
	if err := s.reopen(ctx, untouched, began+int(a.Seconds*twin.FramesPerSecond)); err != nil {
		return err
	}
	s.traces(ctx)
	if drew := s.alone.Drew; s.alone.Frame-drew > idleWindow {
		a.StillAlone = float64(drew) / twin.FramesPerSecond
		if a.Exceptions == 0 && !a.EndedByPlay() {
			a.Decided, a.Runs, err = s.decides(ctx, untouched, max(0, drew-beforeStop), drew)
			if a.Ended = a.Decided; err != nil || a.Ended {
				return err
			}
		}
	}
	if len(untouched) < len(base) {
		if err := s.enter(ctx, byItself); err != nil {
			return err
		}
		if a.Ended, err = s.responds(ctx, inputs); err != nil || a.Ended {
			return err
		}
	}
	if a.Exceptions > 0 || a.StillAlone > 0 {
		return nil
	}
	// It goes on drawing. Was it its own code that ended the round?
	if err := narrow(2 * twin.FramesPerSecond); err != nil {
		return err
	}
	a.DeadAt = float64(dead) / twin.FramesPerSecond
	a.Decided, _, err = s.decides(ctx, upTo(dead), good, dead)
	a.Ended = a.Decided
	return err
}

// inert reports whether none of the game's own code runs any more at the end, by itself or for
// the inputs that it answered to: it has no handler left that could begin another round.
func (s *searcher) inert(ctx context.Context, inputs []record.Input, script []record.Step, frame int) (bool, error) {
	if s.rec.Alive.StillPlayed == 0 {
		return false, nil
	}
	opts := s.options()
	opts.Code = true
	t, err := s.newTwin(ctx, opts)
	defer func() { closeTwin(ctx, t) }()
	if err != nil {
		return false, err
	}
	if err := t.Replay(ctx, script, frame); err != nil {
		return false, err
	}
	if _, err := t.Code.Take(ctx); err != nil {
		return false, err
	}
	for _, in := range inputs {
		if err := t.Take(ctx, in); err != nil {
			return false, err
		}
		if err := t.Pass(ctx, twin.FramesPerSecond); err != nil {
			return false, err
		}
	}
	ran, err := t.Code.Take(ctx)
	return err == nil && ran.Own().Empty(), err
}

// cleared finds out whether a game that shows nothing any more cleared its picture by its own
// decision, with the last that it drew.
func (s *searcher) cleared(ctx context.Context, script []record.Step) error {
	a := &s.rec.Alive
	if !a.Blank && !a.Gone || a.Decided || a.StillPlayed == 0 || a.Exceptions > 0 {
		return nil
	}
	last := int(a.StillPlayed * twin.FramesPerSecond)
	var err error
	a.Decided, _, err = s.decides(ctx, script, max(0, last-beforeStop), last)
	return err
}

// decides reports whether the game's own code took a turn between two frames, or soon after,
// that it had never taken before: then it decided to stop, as at the end of a round. What
// breaks runs nothing new. It reports as well whether the code went on running as it had:
// then nothing stopped it.
func (s *searcher) decides(ctx context.Context, steps []record.Step, from, to int) (decided, runs bool, err error) {
	const after = twin.FramesPerSecond * 2 / 3 // the step of a slow game
	opts := s.options()
	opts.Code = true
	t, err := s.newTwin(ctx, opts)
	defer func() { closeTwin(ctx, t) }()
	if err != nil {
		return false, false, err
	}
	first := slices.IndexFunc(steps, func(st record.Step) bool { return st.Frame >= from })
	if first < 0 {
		first = len(steps)
	}
	if err := t.Replay(ctx, steps[:first], from); err != nil {
		return false, false, err
	}
	ran, err := t.Code.Take(ctx)
	if err != nil {
		return false, false, err
	}
	if err := t.Replay(ctx, steps, to+after); err != nil {
		return false, false, err
	}
	last, err := t.Code.Take(ctx)
	if err != nil {
		return false, false, err
	}
	if err := t.Replay(ctx, steps, to+after+twin.FramesPerSecond); err != nil {
		return false, false, err
	}
	then, err := t.Code.Take(ctx)
	if err != nil {
		return false, false, err
	}
	was := last.Own()
	still := then.Intersect(was).Size()
	return was.Turns(ran), still > 0 && running*still >= was.Size(), nil
}

// respondsAfter reports whether the inputs make a difference in a game that was left alone
// until a frame after some steps.
func (s *searcher) respondsAfter(ctx context.Context, inputs []record.Input, steps []record.Step, frame int) (bool, error) {
	if err := s.reopen(ctx, steps, frame); err != nil {
		return false, err
	}
	if err := s.enter(ctx, byItself); err != nil {
		return false, err
	}
	return s.responds(ctx, inputs)
}
