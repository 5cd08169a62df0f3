package search

import (
	"context"

	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// unfold waits while a document that was come to shows more and more things to press, as one
// that lays out a board.
func (s *searcher) unfold(ctx context.Context) error {
	const stretches, each = 4, twin.FramesPerSecond / 2
	for range stretches {
		before := s.now.Things()
		if err := s.pass(ctx, each); err != nil {
			return err
		}
		s.traces(ctx)
		if err := s.read(ctx); err != nil {
			return err
		}
		if s.now.Things() <= before {
			return nil
		}
		if err := s.enter(ctx, byItself); err != nil {
			return err
		}
	}
	return nil
}

// await lets what the page is to do once, while it rests, come to pass, such as that a button
// appears or that another takes a turn.
func (s *searcher) await(ctx context.Context) error {
	const times = 4 // each may be followed by another
	for range times {
		frames := s.played.Due(ctx)
		if frames == 0 {
			return nil
		}
		if err := s.pass(ctx, frames); err != nil {
			return err
		}
		s.traces(ctx)
		if err := s.enter(ctx, byItself); err != nil {
			return err
		}
	}
	return nil
}

// rest waits while a screen that was seen before goes on changing by itself, as one does whose
// text appears slowly: what it comes to may be new.
func (s *searcher) rest(ctx context.Context) (fresh bool, err error) {
	const stretches, each = 8, twin.FramesPerSecond / 2
	before, moved := s.seen.played, false
	for range stretches {
		if err := s.pass(ctx, each); err != nil {
			return false, err
		}
		if err := s.look(ctx, false); err != nil {
			return false, err
		}
		if twin.Compare(before, s.seen.played, s.mask, s.fields).Pixels < record.LeastPixels {
			break
		}
		before, moved = s.seen.played, true
	}
	s.traces(ctx)
	how := byItself
	if fresh = moved && s.unseen(s.seen.played); fresh {
		how = byInput
	} else {
		s.rests++
	}
	return fresh, s.enter(ctx, how)
}
