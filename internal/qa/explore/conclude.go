package explore

import (
	"context"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// confirmed draws the conclusion from the windows so far. Games change by
// themselves, so in a moving one an answer must hold against how it is now, too.
func (e *Explorer) confirmed(ctx context.Context, res *result) error {
	before := res.trial.Outcome
	a, b := e.g.LastPictures()
	e.conclusion(res)
	if res.trial.Outcome != record.Responsive || before == record.Responsive {
		return nil
	}
	if !e.still() && res.replayed == nil {
		for range freshLooks {
			if err := e.negative(ctx, res); err != nil {
				return err
			}
		}
		if e.conclusion(res); res.trial.Outcome != record.Responsive {
			return nil
		}
	}
	e.answered(res, a, b)
	return nil
}

// freshLooks is how many windows without an input confirm an answer.
const freshLooks = 3

// concluded weighs the windows of a control and reports whether it is now known
// to work.
func (e *Explorer) concluded(res *result) bool {
	before := res.trial.Outcome
	e.conclusion(res)
	if res.trial.Outcome != record.Responsive {
		return false
	}
	if before != record.Responsive {
		a, b := e.g.LastPictures()
		e.answered(res, a, b)
	}
	return true
}

// answered says that a control works and keeps the pictures before and after.
func (e *Explorer) answered(res *result, a, b *game.Picture) {
	e.g.Emit(record.EventControl, "%s: the game answers", res.control.Description)
	if a == nil || b == nil {
		return
	}
	name := game.FileName(res.control.ID)
	res.trial.Before = e.g.Keep("control", "phase3-"+name+"-before", "before "+res.control.Description, a.PNG())
	res.trial.After = e.g.Keep("control", "phase3-"+name+"-after", "after "+res.control.Description, b.PNG())
}

// conclusion weighs the windows of a control.
func (e *Explorer) conclusion(res *result) {
	negatives := e.idle
	if res.control.ID == anyKey {
		negatives = e.leftAlone()
	}
	eff := effect(res, negatives)
	t := &res.trial
	t.Windows, t.Negatives = len(res.windows), len(negatives)
	t.Recognised, t.Reacted, t.Visible, t.Signals = eff.Recognised, eff.Reacted, eff.Visible, eff.Signals
	t.NegativeControl = "idling for as long"
	if res.control.Type == record.ControlKey && res.control.ID != anyKey {
		t.NegativeControl += " and the keys F8 and F9, which nothing listens to"
	}
	t.Delivered = 0
	throws := 0
	reads := false
	for _, w := range res.windows {
		t.Delivered += w.Delivered
		reads = reads || w.Reads > 0
		if w.Throws > 0 {
			throws++
			if t.Threw == "" {
				t.Threw = w.Threw
			}
		}
	}
	if throws == 0 || e.idleThrows() {
		t.Threw = ""
	}
	if res.control.Reaches == nil && eff.Recognised {
		res.control.Reaches = discover.Reaches(eff.Specific)
		e.reaches(res.control.ID, res.control.Reaches)
	}
	blind := e.g.Code == nil || e.g.Record.Discover.WASM
	if eff.Visible && e.unlikely(res, eff.Signals) {
		eff.Visible, t.Visible = false, false
	}
	switch {
	case t.Threw != "" && throws == len(res.windows) && e.lacksOwnScript() && !changesMuch(eff.Signals):
		// What is done before the error, a line of text perhaps, is not what was meant.
		t.Outcome, t.Visible, t.Reason = record.Unresponsive, false, "operating it ends in an error: "+t.Threw
	case res.replayed != nil:
		t.Outcome, t.Visible, t.Reason = record.Responsive, true, res.replayed.Detail
		if len(res.windows) == 0 {
			t.Signals = nil // the other instruments saw nothing of it
		}
		t.Signals = append([]record.Signal{*res.replayed}, t.Signals...)
		t.NegativeControl += ", and the same seconds of the game without it, twice"
		t.Windows, t.Negatives = t.Windows+1, t.Negatives+2
	case eff.Visible && (eff.Recognised || eff.Reacted || known(res.control) && !belied(res, eff.Signals)):
		t.Outcome, t.Reason = record.Responsive, "its code ran and the picture changed because of it"
	case e.typedWell(res, eff.Recognised):
		t.Outcome, t.Visible, t.Reason = record.Responsive, true, "its code ran, and what stands still otherwise changed because of it"
	case eff.Recognised && rests(res, eff.Signals):
		t.Outcome, t.Reason = record.Responsive, "its code ran each time and changed the document"
	case res.tires():
		t.Outcome, t.Recognised, t.Visible, t.Reason = record.Responsive, true, true, "its code ran each time, and it rested afterwards as what was used does"
	case e.someAnswer(res):
		t.Outcome, t.Recognised, t.Visible, t.Reason = record.Responsive, true, true, "the code of some of them ran and changed the picture, which stands still otherwise"
	case eff.Visible && blind && len(res.windows) >= 2:
		t.Outcome, t.Reason = record.Responsive, "the picture changed because of it"
	case eff.Reacted && eff.Recognised && e.moved && !e.still() && len(res.windows) >= 3 && (reads && res.control.Type != record.ControlKey || known(res.control)):
		t.Outcome, t.Reason = record.Responsive, "the game's loop ran other code while it was operated; the picture moves too much to single its effect out"
	case t.Delivered == 0 && len(res.windows) > 0 && res.control.Type != record.ControlDrag:
		t.Outcome, t.Reason = record.Undecided, "the input did not arrive in the page"
	case t.Threw != "" && throws*2 >= len(res.windows) && !eff.Visible:
		t.Outcome, t.Reason = record.Unresponsive, "operating it ends in an error: "+t.Threw
	case eff.Recognised || eff.Reacted || len(res.control.Reaches) > 0 || known(res.control) && len(res.windows) < e.enough(res.control):
		t.Outcome, t.Reason = record.Undecided, "the game's code knows it, but nothing was seen to change"
	case leans(eff.Signals):
		t.Outcome, t.Reason = record.Undecided, "code ran with it that did not run without it, too few times to be sure"
	case len(res.windows) >= 2:
		t.Outcome, t.Reason = record.Unresponsive, "no code ran for it and nothing changed"
	default:
		t.Outcome, t.Reason = record.Undecided, "tried too few times"
	}
}

// unlikely: the game seems to wait for a start whose button did nothing, and a
// replay showed that the control does nothing either. What moves by itself may seem
// to answer where many controls are tried often, so little is no answer there.
func (e *Explorer) unlikely(res *result, signals []record.Signal) bool {
	shut := func(a record.StartAttempt) bool { return a.Tier == tierDoor && !a.Effect }
	if e.rec.Start.Started || e.rec.Start.Dead == "" && !slices.ContainsFunc(e.rec.Start.Attempts, shut) || e.standsOut(signals) {
		return false
	}
	return slices.ContainsFunc(res.windows, func(w cause.Window) bool { return e.inVain[w.Input] })
}

// someAnswer: of things alike, on a screen at rest, not all may be moved. Where two
// answered and nothing ever stirs by itself it does not matter how many did not.
func (e *Explorer) someAnswer(res *result) bool {
	const enough = 2
	if !e.still() || len(e.idle) < leastIdle || res.control.Type != record.ControlClick {
		return false
	}
	alone := coverage.Sample{}
	for _, w := range e.idle {
		alone.Union(w.Code)
	}
	answered := map[string]bool{}
	for _, w := range res.windows {
		if w.Changed() > 0 && w.Mutations+w.Draws > 0 && w.Throws == 0 && w.Navigations == 0 && !w.Code.Subtract(alone).Empty() {
			answered[w.Input] = true
		}
	}
	return len(answered) >= enough
}

// effect holds the windows of a control against those without it. A thing that
// is dragged at one time and clicked at another may know only one of the two.
func effect(res *result, negatives []cause.Window) cause.Effect {
	best := cause.Compare(res.windows, negatives)
	if res.control.Type != record.ControlDrag {
		return best
	}
	dragged := func(w cause.Window) bool { return strings.HasPrefix(w.Input, string(game.Drag)) }
	drags := slices.DeleteFunc(slices.Clone(res.windows), func(w cause.Window) bool { return !dragged(w) })
	clicks := slices.DeleteFunc(slices.Clone(res.windows), dragged)
	for _, part := range [][]cause.Window{drags, clicks} {
		if len(part) == 0 || len(part) == len(res.windows) {
			continue
		}
		eff := cause.Compare(part, negatives)
		if strength(eff) > strength(best) || strength(eff) == strength(best) && leans(eff.Signals) {
			best = eff
		}
	}
	return best
}

// strength orders effects by what they prove.
func strength(e cause.Effect) int {
	n := 0
	for i, holds := range []bool{e.Reacted, e.Recognised, e.Visible} {
		if holds {
			n += 1 << i
		}
	}
	return n
}

// leans: code of its own ran for the input more often than not. That is no proof
// yet, but it is not silence either.
func leans(signals []record.Signal) bool {
	return slices.ContainsFunc(signals, func(s record.Signal) bool { return s.Name == "code" && s.With >= 0.5 && s.With > s.Without })
}

// standsOut: far more of the picture changed with the input than without. Where
// nothing moves otherwise little is enough.
func (e *Explorer) standsOut(signals []record.Signal) bool {
	least := 0.01
	if e.still() {
		least = 0.002
	}
	return slices.ContainsFunc(signals, func(s record.Signal) bool { return s.Name == "picture" && s.With > least && s.With > 10*s.Without })
}

// changesMuch: the input changed more of the picture than a line of text does.
func changesMuch(signals []record.Signal) bool {
	return slices.ContainsFunc(signals, func(s record.Signal) bool { return s.Name == "picture" && s.With > 0.01 })
}

// rests: one thing was pressed again and again, its code ran each time, and the
// document changed more than otherwise, though not each time for all to see: many
// buttons rest between two uses. That a pointer comes over it happens only once.
func rests(res *result, signals []record.Signal) bool {
	const least = 4
	if res.control.Type != record.ControlClick || len(res.windows) < least {
		return false
	}
	holds := func(name string) bool {
		return slices.ContainsFunc(signals, func(s record.Signal) bool { return s.Name == name && s.Holds && s.With > s.Without })
	}
	elsewhere := func(w cause.Window) bool { return w.Input != res.windows[0].Input }
	return holds("code") && holds("document") && !slices.ContainsFunc(res.windows, elsewhere)
}

// belied: the game's code was found to know the control, but of the code that ran
// in its windows none was its own. Something else ran when the code was asked.
func belied(res *result, signals []record.Signal) bool {
	if slices.Contains(res.control.Sources, "metadata") || len(res.windows) < 2 {
		return false
	}
	ran := slices.ContainsFunc(res.windows, func(w cause.Window) bool { return !w.Code.Empty() })
	own := slices.ContainsFunc(signals, func(s record.Signal) bool { return (s.Name == "code" || s.Name == "loop") && s.With > 0 })
	return ran && !own
}

// known: the control was found by more than a guess, so that its trials are not
// the only witness.
func known(c record.Control) bool {
	if c.Type != record.ControlKey && c.Type != record.ControlTyping {
		return false
	}
	for _, s := range c.Sources {
		if s == "coverage" || s == "metadata" {
			return true
		}
	}
	return false
}

func (e *Explorer) idleThrows() bool {
	for _, w := range e.idle {
		if w.Throws > 0 && w.Input == "" {
			return true
		}
	}
	return false
}
