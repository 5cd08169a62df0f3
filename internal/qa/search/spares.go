package search

import (
	"context"
	"reflect"
	"slices"

	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// maxSpares is how many twins are made ready in advance: as many as a return replaces.
const maxSpares = 2

// spare is a twin that is made ready while the pair goes on: opened, and brought to where
// the pair was then. Most twins that are needed later go on from there.
type spare struct {
	steps []record.Step
	frame int
	made  chan opened
	stop  context.CancelFunc
}

type opened struct {
	twin *twin.Twin
	err  error
}

// fits reports whether a way leads through where the spare is.
func (s *spare) fits(steps []record.Step, frame int) bool {
	n := len(s.steps)
	if n > len(steps) || !reflect.DeepEqual(s.steps, steps[:n]) && n > 0 {
		return false
	}
	if n < len(steps) {
		frame = steps[n].Frame
	}
	return s.frame <= frame
}

// discard closes a spare as soon as it is made.
func (p *pair) discard(ctx context.Context, s *spare) {
	s.stop()
	p.discarding.Go(func() { closeTwin(ctx, (<-s.made).twin) })
}

// stock begins to make spares ready at the end of a prefix, in place of those that the pair
// has no use for from there on.
func (p *pair) stock(ctx context.Context, prefix []record.Step, frame int) {
	p.spares = slices.DeleteFunc(p.spares, func(s *spare) bool {
		if s.fits(prefix, frame) {
			return false
		}
		p.discard(ctx, s)
		return true
	})
	for len(p.spares) < maxSpares && !p.unused {
		making, stop := context.WithCancel(ctx)
		s := &spare{steps: slices.Clone(prefix), frame: frame, made: make(chan opened, 1), stop: stop}
		opts := p.options()
		go func() {
			t, err := p.newTwin(making, opts)
			if err == nil {
				err = t.Replay(making, s.steps, s.frame)
			}
			s.made <- opened{t, err}
		}()
		p.spares = append(p.spares, s)
	}
}

// spare takes a spare for a way, nil if none fits: one that is ready rather than one that is
// still being made, and then the one that is furthest on the way.
func (p *pair) spare(steps []record.Step, frame int) *spare {
	best := -1
	for i, s := range p.spares {
		if s.fits(steps, frame) && (best < 0 || s.before(p.spares[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	s := p.spares[best]
	p.spares = slices.Delete(p.spares, best, best+1)
	return s
}

func (s *spare) before(o *spare) bool {
	if ready := s.ready(); ready != o.ready() {
		return ready
	}
	return s.frame > o.frame
}

// ready reports whether the spare need not be waited for.
func (s *spare) ready() bool { return len(s.made) > 0 }

// fresh is a twin at the end of a prefix, made of the spare one if there is one.
func (p *pair) fresh(ctx context.Context, s *spare, prefix []record.Step, frame int) (*twin.Twin, error) {
	var o opened
	if s != nil {
		o = <-s.made
		s.stop()
	}
	if o.twin == nil || o.err != nil || o.twin.Paint != p.paint {
		closeTwin(ctx, o.twin)
		if o.twin, o.err = p.newTwin(ctx, p.options()); o.err != nil {
			return o.twin, o.err
		}
	}
	return o.twin, o.twin.Replay(ctx, prefix, frame)
}
