package adapt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/playtest-dev/playtest/internal/qa/decide"
)

// stuckness is how long nothing came of what was done, and what was tried
// about it: an alternative, then another strategy, then nothing more.
type stuckness struct {
	// turns since something last came of an action.
	turns int
	// rung of the ladder: 0 as usual, 1 an alternative was tried, 2 another
	// strategy is.
	rung int
	// futile are actions without an effect, by screen.
	futile map[string]map[string]bool
	skip   map[string]bool
	// visits are the last few actions of the pointer that had an effect but
	// brought nothing; keys do not count, games want the same ones again and
	// again.
	visits []visit
	// claims counts how often the goal was said to be reached, lost the turns
	// in a row in which no layer knew what to do.
	claims, lost int
	spare        []decide.Alternative
	layer        string
}

// patience is how many turns without an effect are normal: more where the
// picture moves by itself, since there an effect is hard to see.
func patience(moves bool) int {
	if moves {
		return 6
	}
	return 3
}

// cycle is how many pointer actions are looked at for going in circles.
const cycle = 6

// turn takes in what came of an action on a screen.
func (s *stuckness) turn(mark string, t Turn, moves bool) {
	fruitful := t.Effect != ""
	if fruitful && len(t.Progress) == 0 && !t.Action.Keyed() && t.Action.Kind != decide.Wait {
		s.visits = append(s.visits, visit{mark, t.Action})
		if len(s.visits) > cycle {
			s.visits = s.visits[1:]
		}
		fruitful = !s.circling()
	}
	if len(t.Progress) > 0 {
		s.visits = nil
	}
	if fruitful {
		s.turns, s.rung, s.skip, s.spare = 0, 0, nil, nil
		return
	}
	s.turns++
	if t.Action.Keyed() && moves {
		return // the same key may well work the next time
	}
	if s.futile == nil {
		s.futile = map[string]map[string]bool{}
	}
	if s.futile[mark] == nil {
		s.futile[mark] = map[string]bool{}
	}
	s.futile[mark][t.Action.Key()] = true
}

// visit is an action on a screen.
type visit struct {
	mark   string
	action decide.Action
}

// same reports whether two visits did the same on the same screen, give or
// take some pixels.
func (v visit) same(o visit) bool {
	const near = 40
	a, b := v.action, o.action
	if v.mark != o.mark || a.Kind != b.Kind || (a.At == nil) != (b.At == nil) {
		return false
	}
	if a.At == nil {
		return a.Key() == b.Key()
	}
	return math.Hypot(a.At.X-b.At.X, a.At.Y-b.At.Y) < near
}

// circling reports whether the last pointer actions were the same two or
// fewer, on the same screens, over and over.
func (s *stuckness) circling() bool {
	if len(s.visits) < cycle {
		return false
	}
	var kinds []visit
	for _, v := range s.visits {
		if !slices.ContainsFunc(kinds, v.same) {
			kinds = append(kinds, v)
		}
	}
	return len(kinds) <= 2
}

// choose decides what to do, and climbs the ladder when nothing comes of it.
// instead says why the first choice of the layers was not taken.
func (p *player) choose(ctx context.Context, s *decide.State) (d decide.Decision, instead string, err error) {
	if p.stuck.turns < patience(p.idle.moves) {
		d, err = p.brain.Next(ctx, s)
		var crash *decide.CrashError
		if errors.As(err, &crash) {
			return p.unsure(s, crash)
		}
		p.stuck.remember(d)
		return d, "", err
	}
	p.stuck.turns = 0
	switch p.stuck.rung++; p.stuck.rung {
	case 1:
		if alt, ok := p.stuck.alternative(s); ok {
			return p.take(alt, p.stuck.layer), "nothing came of the first choice", nil
		}
		fallthrough
	case 2:
		p.stuck.rung = 2
		p.stuck.skip = map[string]bool{p.stuck.layer: true}
		s.Skip, s.Stuck = p.stuck.skip, 0
		p.g.Decide("another strategy", fmt.Sprintf("nothing comes of what %s decides", p.stuck.layer), 0)
		d, err = p.brain.Next(ctx, s)
		var crash *decide.CrashError
		if errors.As(err, &crash) {
			return p.unsure(s, crash)
		}
		p.stuck.remember(d)
		return d, "another strategy", err
	}
	return d, "", &decide.CrashError{Said: append(d.Said, decide.Said{
		Layer: p.stuck.layer, Err: errors.New("stuck: alternatives and another strategy were tried and nothing came of them"),
	})}
}

// remember keeps the second choices for later. Those of an earlier decision are
// about an earlier screen, and of another layer perhaps.
func (s *stuckness) remember(d decide.Decision) {
	if d.Layer == "" {
		return
	}
	s.layer, s.spare = d.Layer, d.Alternatives
}

// alternative is the surest second choice that was not in vain already.
func (s *stuckness) alternative(state *decide.State) (decide.Alternative, bool) {
	for i, a := range s.spare {
		if a.Confidence > sureEnough && !state.Futile[a.Action.Key()] && a.Action.Kind != decide.Complete {
			s.spare = s.spare[i+1:]
			return a, true
		}
	}
	return decide.Alternative{}, false
}

// sureEnough is how sure an alternative must be, in percent.
const sureEnough = 50

// unsure is what is done when no layer is sure: the surest answer, as long as
// it was not in vain on this screen, and then the crash that it is.
func (p *player) unsure(s *decide.State, crash *decide.CrashError) (decide.Decision, string, error) {
	best, ok := crash.Best()
	if !ok || best.Confidence <= sureEnough || s.Futile[best.Action.Key()] || best.Action.Kind == decide.Complete {
		return decide.Decision{}, "", crash
	}
	d := p.take(decide.Alternative{Action: best.Action, Confidence: best.Confidence, Reason: best.Reason}, best.Layer)
	d.Threshold = best.Threshold
	return d, "no layer is sure; this is the surest answer", nil
}

func (p *player) take(a decide.Alternative, layer string) decide.Decision {
	return decide.Decision{Proposal: decide.Proposal{Action: a.Action, Confidence: a.Confidence, Reason: a.Reason}, Layer: layer, Threshold: sureEnough}
}
