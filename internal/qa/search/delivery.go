package search

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/record"
)

// modalities are the kinds of input, by the events that they cause.
var modalities = []struct {
	name  string
	types []string
}{
	{"keyboard", []string{"keydown", "keyup", "keypress"}},
	{"pointer", []string{"mousedown", "mouseup", "click", "pointerdown", "pointerup", "mousemove", "pointermove", "dblclick", "touchstart", "touchend", "dragstart"}},
}

// tallyLimit bounds how long a page is asked for what became of its inputs.
const tallyLimit = 2 * time.Second

// tally adds what became of the inputs that the played twin has got: whether they arrived
// where the game listens, whether its handlers looked at them, and whether another listener
// kept them from the game. Once a control is proven nobody asks any more.
func (s *searcher) tally(ctx context.Context) {
	if s.proven || s.now == nil || ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, tallyLimit)
	defer cancel()
	r, err := s.played.Probe.Read(ctx, s.played.Page, nil)
	if err != nil {
		return // one that does not answer any more has told nothing
	}
	if s.rec.Modalities == nil {
		for _, m := range modalities {
			s.rec.Modalities = append(s.rec.Modalities, record.Modality{Name: m.name})
		}
	}
	for i, m := range modalities {
		add(&s.rec.Modalities[i], r, s.now.Elements, m.types)
	}
}

func add(to *record.Modality, r *probe.Reading, els *probe.Elements, types []string) {
	to.Ran = to.Ran || r.Reads(types...)+r.Prevented(types...) > 0
	for i, f := range r.Frames {
		heard := func(t string) bool { return f.Hears(t) || i == 0 && handled(els, t) }
		pressed := slices.ContainsFunc(types, func(t string) bool { return !isMove(t) && heard(t) })
		for _, t := range types {
			if !heard(t) {
				continue // only what arrives where somebody listens can be held against the game
			}
			to.Listens = true
			to.Stopped += f.Stopped[t]
			if isMove(t) && pressed {
				to.Delivered += f.Stopped[t] // where a press comes first, moves before it are for nobody
				continue
			}
			to.Delivered += f.Delivered[t]
			if !isMove(t) {
				to.Presses += f.Delivered[t]
				to.StoppedPresses += f.Stopped[t]
			}
		}
	}
}

// isMove reports whether an event is of a pointer that moves.
func isMove(event string) bool { return strings.HasSuffix(event, "move") }

// handled reports whether something hears every event of the type by a handler that
// is a property.
func handled(els *probe.Elements, event string) bool {
	return slices.ContainsFunc(probe.HearsAll, func(all string) bool { return slices.Contains(els.Handlers, event+"|"+all) })
}

// arrivals is how many events of each type arrived in the frames of a page, and how many of them
// a listener above the game kept from it.
type arrivals map[string]struct{ given, stopped int }

// arrivals reads what became of the inputs of the played twin so far.
func (s *searcher) arrivals(ctx context.Context) arrivals {
	ctx, cancel := context.WithTimeout(ctx, tallyLimit)
	defer cancel()
	r, err := s.played.Probe.Read(ctx, s.played.Page, nil)
	if err != nil {
		return nil // one that does not answer any more has told nothing
	}
	all := arrivals{}
	for _, f := range r.Frames {
		for t, n := range f.Delivered {
			a := all[t]
			a.given += n
			a.stopped += f.Stopped[t]
			all[t] = a
		}
	}
	return all
}

// withheldSince reports whether all events of a kind that were made since then were kept from the
// game, though some had been let through before.
func (a arrivals) withheldSince(before arrivals) bool {
	for _, m := range modalities {
		for _, t := range m.types {
			now, was := a[t], before[t]
			if given := now.given - was.given; given > 0 && now.stopped-was.stopped == given && now.stopped < now.given {
				return true
			}
		}
	}
	return false
}
