package search

import (
	"context"
	"slices"

	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// early tries the most promising inputs in the game's first moments, if it does
// something then, and before it stood still: what begins by itself, at once or after a
// countdown, may be over before the first look at it.
func (s *searcher) early(ctx context.Context) error {
	later, last, frame := s.seen.alone, 0, 0
	if s.alone != nil && len(s.prefix) == len(s.base) {
		last, frame = s.alone.Drew, s.alone.Frame
	}
	if err := s.openAt(ctx, s.base, 0); err != nil {
		return err
	}
	if twin.Compare(s.seen.alone, later, s.mask).Pixels < record.LeastPixels {
		return nil
	}
	s.emit("trying inputs in the first moments of the game")
	offers := s.screens[0].best(earlyTries)
	settled := twin.Frames(settleFor)
	// Some games do not listen before they have moved for the first time.
	spans := []moments{{0, settled}, {twin.FramesPerSecond, settled}}
	if last > settled && frame-last > settled {
		spans = append(spans, moments{max(settled, last-twin.Frames(lastMoments)), last}, moments{last - 3*follow, last})
	}
	for _, span := range spans {
		if err := s.within(ctx, s.base, span, offers); err != nil || s.proven {
			return err
		}
	}
	return ctx.Err()
}

// start is an input that had an effect, and where it led.
type start struct {
	prefix []record.Step // with the input
	at     *known
}

// afresh tries the most promising inputs right after those that began something which is over
// by itself soon: when all else had been tried it was over.
func (s *searcher) afresh(ctx context.Context) error {
	for _, start := range s.starts[:min(len(s.starts), maxStarts)] {
		last := start.prefix[len(start.prefix)-1]
		span := moments{begin: last.Frame + 2*follow, end: last.Frame + 2*follow + twin.Frames(settleFor)}
		over, err := s.over(ctx, start.prefix, span)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if !over {
			continue
		}
		s.emit("trying inputs right after %s", last.Input)
		s.at = start.at
		offers := slices.DeleteFunc(start.at.best(earlyTries), func(o screen.Offer) bool { return same(o.Input, last.Input) })
		if err := s.within(ctx, start.prefix, span, offers); err != nil || s.proven {
			return err
		}
	}
	return ctx.Err()
}

// over reports whether the game moves by itself after a prefix and stands still soon.
func (s *searcher) over(ctx context.Context, prefix []record.Step, span moments) (bool, error) {
	if err := s.openAt(ctx, prefix, span.begin); err != nil {
		return false, err
	}
	if s.played.Frame != span.begin {
		return false, nil
	}
	before := s.seen.alone
	moved := false
	for range roundsEnd {
		was := s.seen.alone
		if err := s.pass(ctx, span.end-span.begin); err != nil {
			return false, err
		}
		if err := s.look(ctx, false); err != nil {
			return false, err
		}
		moved = moved || twin.Compare(before, s.seen.alone, s.mask).Pixels >= record.LeastPixels
		if twin.Compare(was, s.seen.alone, s.mask).Pixels < record.LeastPixels {
			return moved, nil
		}
	}
	return false, nil
}

// moments are frames in which inputs are tried.
type moments struct{ begin, end int }

// within tries offers one after the other in moments after a prefix, which come again as often
// as that takes.
func (s *searcher) within(ctx context.Context, prefix []record.Step, span moments, offers []screen.Offer) error {
	for next := 0; next < len(offers) && ctx.Err() == nil; {
		if err := s.openAt(ctx, prefix, span.begin); err != nil {
			return err
		}
		for ; next < len(offers) && s.played.Frame < span.end; next++ {
			offer, frame := offers[next], s.played.Frame
			o, err := s.try(ctx, offer.Input, offer.Styled)
			if err != nil {
				return err
			}
			if !o.effect() {
				if err := s.glance(ctx, prefix, offer, o, span.begin); err != nil || s.proven {
					return err
				}
				continue
			}
			err = s.choices(ctx, prefix, frame, append([]screen.Offer{offer}, alternatives(offer)...))
			if err != nil || s.proven {
				return err
			}
			// What plays the game has an effect at another moment, too.
			if err := s.choices(ctx, prefix, apart(frame, span.begin), []screen.Offer{offer}); err != nil || s.proven {
				return err
			}
			next++
			break
		}
	}
	return nil
}

// apart is another moment, more than half a second from a frame, among those that begin at
// another frame.
func apart(frame, begin int) int {
	const distance = twin.FramesPerSecond * 2 / 3
	if frame > begin+distance {
		return frame - distance
	}
	return frame + distance
}

// glance looks at an input while it is held that the game drew something for in such a moment
// which is gone now.
func (s *searcher) glance(ctx context.Context, prefix []record.Step, offer screen.Offer, o outcome, frame int) error {
	if !o.trace || s.flashes >= maxFlashes {
		return nil
	}
	if err := s.openAt(ctx, prefix, frame); err != nil {
		return err
	}
	s.prefix = prefix
	ob := s.observation(offer.Input, offer.Source)
	ob.Trace = true
	_, err := s.flash(ctx, offer, ob)
	return err
}
