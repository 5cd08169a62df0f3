package explore

import (
	"context"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"playtest"
	"playtest/qa/cause"
	"playtest/qa/discover"
	"playtest/qa/game"
	"playtest/qa/words"
)

// candidate is a control with the ways to operate it. Members of a group, such
// as the cells of a board, take turns: the same cell may take only one stone.
type candidate struct {
	control playtest.Control
	inputs  []game.Input
	before  []game.Input // to be done each time, such as a click into a text field
	group   bool
	aimed   int // how many of the inputs are at places that the code knows
}

const (
	leastIdle   = 4 // windows without input before the first with one
	maxWindows  = 5 // windows per control before it is left undecided
	maxTrials   = 9
	trialBudget = 20 * time.Second
)

// tryControls finds out which controls the game answers to, each against
// idling and against inputs that nothing listens to.
func (e *Explorer) tryControls(ctx context.Context) error {
	if !e.scanned {
		e.scanned = true
		if err := discover.Keyboard(ctx, e.g, discover.Likely); err != nil {
			return err
		}
		if _, err := e.recover(ctx); err != nil {
			return err
		}
		if e.rec.Start.Started {
			// That took some seconds, and a game that was just begun has more to show now.
			if err := discover.Inventory(ctx, e.g); err != nil {
				return err
			}
		}
	}
	list := e.candidates()
	e.lastCandidates = list
	if e.responsive() {
		return nil // as was known
	}
	until := time.Now().Add(e.patience(trialBudget))
	steps := []func() (began bool, err error){
		func() (bool, error) { return e.tryEach(ctx, list, 2, until) },
		func() (bool, error) {
			before := time.Now()
			began, err := e.replay(ctx, list)
			until = until.Add(time.Since(before)) // the others still have their time
			return began, err
		},
	}
	if !e.still() && !e.throws(1) {
		// On a still screen a look or two at each control tells, and so it does where
		// inputs end in errors; in a moving game that takes longer than playing the
		// same seconds again.
		slices.Reverse(steps)
	}
	steps = append(steps,
		func() (bool, error) {
			if e.rec.Start.Started || e.stirs(list) {
				return false, nil
			}
			// Nothing but handlers ran: the game may wait for its start.
			return e.usualGestures(ctx)
		},
		func() (bool, error) {
			list = e.late(ctx, list)
			e.aim(ctx, list)
			sort.SliceStable(list, func(i, j int) bool { return e.promise(list[i]) > e.promise(list[j]) })
			return e.tryEach(ctx, list, maxWindows, until)
		})
	for _, step := range steps {
		if hopeless, err := e.hopeless(ctx); err != nil || hopeless {
			return err
		}
		began, err := step()
		if err != nil {
			return err
		}
		if began {
			return e.again(ctx)
		}
		if e.responsive() || e.lost || time.Now().After(until) {
			return nil
		}
	}
	return nil
}

// tryEach tries controls one after the other until one answers or the game
// begins because of one.
func (e *Explorer) tryEach(ctx context.Context, list []candidate, windows int, until time.Time) (began bool, err error) {
	for i := range list {
		began, err := e.try(ctx, &list[i], windows, until)
		if err != nil || began || e.responsive() || e.throws(sureThrows) {
			return began, err
		}
	}
	e.eachTried = true
	return false, nil
}

// late adds the controls that have come since the others were listed: a ship flies
// in before it can be steered.
func (e *Explorer) late(ctx context.Context, list []candidate) []candidate {
	if err := discover.Inventory(ctx, e.g); err != nil {
		return list
	}
	var added []candidate
	for _, c := range e.candidates() {
		if !slices.ContainsFunc(list, func(have candidate) bool { return have.control.ID == c.control.ID }) {
			added = append(added, c)
		}
	}
	list = append(added, list...)
	e.lastCandidates = list
	return list
}

// again looks for controls anew after the game began.
func (e *Explorer) again(ctx context.Context) error {
	if err := e.refresh(ctx); err != nil {
		return err
	}
	return e.begin(ctx)
}

// stirs reports whether any of the controls moved the game.
func (e *Explorer) stirs(list []candidate) bool {
	return slices.ContainsFunc(list, func(c candidate) bool {
		r := e.results[c.control.ID]
		return r != nil && (r.trial.Reacted || r.trial.Visible)
	})
}

// promise orders controls by what was seen of them so far.
func (e *Explorer) promise(c candidate) int {
	r := e.results[c.control.ID]
	switch {
	case r == nil:
		return 0
	case r.trial.Reacted, leans(r.trial.Signals) && standsOut(r.trial.Signals):
		return 3
	case r.trial.Recognised:
		return 2
	case r.trial.Visible:
		return 1
	}
	return 0
}

// try operates a control until the answer is clear, windows without it in
// between. It stops when the game began because of it.
func (e *Explorer) try(ctx context.Context, c *candidate, windows int, until time.Time) (began bool, err error) {
	res := e.result(c.control)
	for n := len(res.windows); n < windows+c.aimed; n++ {
		if res.trial.Outcome == playtest.Responsive || time.Now().After(until) {
			return false, nil
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		// Some moves can be made only once, so what they are compared with comes first.
		for again := n > 0 && n%2 == 0; again || len(e.idle) < leastIdle; again = false {
			if err := e.negative(ctx, c.control); err != nil {
				return false, err
			}
		}
		fresh := e.g.Fresh()
		if err := e.operate(ctx, c, res); err != nil {
			return false, err
		}
		if e.wasStart(ctx, c, res, fresh) {
			return true, nil
		}
		if began, err := e.setOff(ctx, c, res); err != nil || began {
			return began, err
		}
		if _, err := e.recover(ctx); err != nil {
			return false, err
		}
		if n == 1 && res.trial.Outcome == playtest.Unresponsive && !res.seen() {
			return false, nil // neither code nor picture stirred twice
		}
	}
	return false, nil
}

// seen reports whether anything at all stirred in the windows of a control.
func (r *result) seen() bool {
	for _, w := range r.windows {
		if w.Reads > 0 || w.Changed() > 0 || w.Mutations > 0 {
			return true
		}
	}
	return false
}

func (e *Explorer) result(c playtest.Control) *result {
	r := e.results[c.ID]
	if r == nil {
		r = &result{control: c, trial: playtest.Trial{ControlID: c.ID, Outcome: playtest.Undecided}}
		e.results[c.ID] = r
		for _, id := range e.order {
			if id == c.ID {
				return r
			}
		}
		e.order = append(e.order, c.ID)
	}
	return r
}

// negative opens a window with nothing, or with an input of the same kind that
// nothing listens to.
func (e *Explorer) negative(ctx context.Context, c playtest.Control) error {
	in := game.Input{Kind: game.Idle}
	if c.Type == playtest.ControlKey && c.ID != anyKey && len(e.idle)%2 == 1 && discover.ListensToKeys(e.g.Record.Load.Listens) {
		in = game.Input{Kind: game.KeyPress, Key: discover.Unbound[e.rng.IntN(2)], Why: "an input that nothing listens to, for comparison"}
	}
	if e.still() || len(e.idle) == 0 {
		e.settle(ctx)
	}
	w, err := e.observe(ctx, in)
	if err != nil {
		return err
	}
	e.addIdle(w)
	return nil
}

// operate opens a window with the control and draws the conclusion so far.
func (e *Explorer) operate(ctx context.Context, c *candidate, res *result) error {
	if len(c.inputs) == 0 {
		return nil
	}
	for _, in := range c.before {
		if err := e.g.Do(ctx, in, 0); err != nil {
			return err
		}
	}
	in := c.inputs[len(res.windows)%len(c.inputs)]
	switch {
	case in.Kind != game.Typing:
	case c.control.Box == nil:
		in.Text = e.word(ctx, in.Text)
	case in.Label == shown:
		in.Text = e.asShown(ctx, in.Text)
	}
	in.Why = "does the game answer to " + c.control.Description + "?"
	w, err := e.observe(ctx, in)
	if err != nil {
		if res.trial.Threw == "" && w.Threw != "" {
			res.trial.Threw = w.Threw
		}
		return err
	}
	res.windows = append(res.windows, w)
	return e.confirmed(ctx, res)
}

// confirmed draws the conclusion from the windows so far. Games change by
// themselves, so in a moving one an answer must hold against how it is now, too.
func (e *Explorer) confirmed(ctx context.Context, res *result) error {
	before := res.trial.Outcome
	a, b := e.g.LastPictures()
	e.conclusion(res)
	if res.trial.Outcome != playtest.Responsive || before == playtest.Responsive {
		return nil
	}
	if !e.still() && res.replayed == nil {
		for range freshLooks {
			if err := e.negative(ctx, res.control); err != nil {
				return err
			}
		}
		if e.conclusion(res); res.trial.Outcome != playtest.Responsive {
			return nil
		}
	}
	e.answered(res, a, b)
	return nil
}

// freshLooks is how many windows without an input confirm an answer.
const freshLooks = 2

// concluded weighs the windows of a control and reports whether it is now known
// to work.
func (e *Explorer) concluded(res *result) bool {
	before := res.trial.Outcome
	e.conclusion(res)
	if res.trial.Outcome != playtest.Responsive {
		return false
	}
	if before != playtest.Responsive {
		a, b := e.g.LastPictures()
		e.answered(res, a, b)
	}
	return true
}

// answered says that a control works and keeps the pictures before and after.
func (e *Explorer) answered(res *result, a, b *game.Picture) {
	e.g.Emit(playtest.EventProgress, "%s: the game answers", res.control.Description)
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
	if res.control.Type == playtest.ControlKey && res.control.ID != anyKey {
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
	switch {
	case res.replayed != nil:
		t.Outcome, t.Visible, t.Reason = playtest.Responsive, true, res.replayed.Detail
		if len(res.windows) == 0 {
			t.Signals = nil // the other instruments saw nothing of it
		}
		t.Signals = append([]playtest.Signal{*res.replayed}, t.Signals...)
		t.NegativeControl += ", and the same seconds of the game without it, twice"
		t.Windows, t.Negatives = t.Windows+1, t.Negatives+2
	case eff.Visible && (eff.Recognised || eff.Reacted || known(res.control) && !belied(res, eff.Signals)):
		t.Outcome, t.Reason = playtest.Responsive, "its code ran and the picture changed because of it"
	case e.typedWell(res, eff.Recognised):
		t.Outcome, t.Visible, t.Reason = playtest.Responsive, true, "its code ran, and what stands still otherwise changed because of it"
	case eff.Recognised && rests(res, eff.Signals):
		t.Outcome, t.Reason = playtest.Responsive, "its code ran each time and changed the document"
	case eff.Visible && blind && len(res.windows) >= 2:
		t.Outcome, t.Reason = playtest.Responsive, "the picture changed because of it"
	case eff.Reacted && eff.Recognised && e.moved && !e.still() && len(res.windows) >= 3 && (reads && res.control.Type != playtest.ControlKey || known(res.control)):
		t.Outcome, t.Reason = playtest.Responsive, "the game's loop ran other code while it was operated; the picture moves too much to single its effect out"
	case t.Delivered == 0 && len(res.windows) > 0 && res.control.Type != playtest.ControlDrag:
		t.Outcome, t.Reason = playtest.Undecided, "the input did not arrive in the page"
	case t.Threw != "" && throws*2 >= len(res.windows) && !eff.Visible:
		t.Outcome, t.Reason = playtest.Unresponsive, "operating it ends in an error: "+t.Threw
	case eff.Recognised || eff.Reacted || len(res.control.Reaches) > 0 || known(res.control) && len(res.windows) < e.enough(res.control):
		t.Outcome, t.Reason = playtest.Undecided, "the game's code knows it, but nothing was seen to change"
	case leans(eff.Signals):
		t.Outcome, t.Reason = playtest.Undecided, "code ran with it that did not run without it, too few times to be sure"
	case len(res.windows) >= 2:
		t.Outcome, t.Reason = playtest.Unresponsive, "no code ran for it and nothing changed"
	default:
		t.Outcome, t.Reason = playtest.Undecided, "tried too few times"
	}
}

// effect holds the windows of a control against those without it. A thing that
// is dragged at one time and clicked at another may know only one of the two.
func effect(res *result, negatives []cause.Window) cause.Effect {
	best := cause.Compare(res.windows, negatives)
	if res.control.Type != playtest.ControlDrag {
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
func leans(signals []playtest.Signal) bool {
	return slices.ContainsFunc(signals, func(s playtest.Signal) bool { return s.Name == "code" && s.With >= 0.5 && s.With > s.Without })
}

// standsOut: far more of the picture changed with the input than without.
func standsOut(signals []playtest.Signal) bool {
	return slices.ContainsFunc(signals, func(s playtest.Signal) bool { return s.Name == "picture" && s.With > 0.01 && s.With > 10*s.Without })
}

// rests: one thing was pressed again and again, its code ran each time, and the
// document changed more than otherwise, though not each time for all to see: many
// buttons rest between two uses. That a pointer comes over it happens only once.
func rests(res *result, signals []playtest.Signal) bool {
	const least = 4
	if res.control.Type != playtest.ControlClick || len(res.windows) < least {
		return false
	}
	holds := func(name string) bool {
		return slices.ContainsFunc(signals, func(s playtest.Signal) bool { return s.Name == name && s.Holds && s.With > s.Without })
	}
	elsewhere := func(w cause.Window) bool { return w.Input != res.windows[0].Input }
	return holds("code") && holds("document") && !slices.ContainsFunc(res.windows, elsewhere)
}

// belied: the game's code was found to know the control, but of the code that ran
// in its windows none was its own. Something else ran when the code was asked.
func belied(res *result, signals []playtest.Signal) bool {
	if slices.Contains(res.control.Sources, "metadata") || len(res.windows) < 2 {
		return false
	}
	ran := slices.ContainsFunc(res.windows, func(w cause.Window) bool { return !w.Code.Empty() })
	own := slices.ContainsFunc(signals, func(s playtest.Signal) bool { return (s.Name == "code" || s.Name == "loop") && s.With > 0 })
	return ran && !own
}

// known: the control was found by more than a guess, so that its trials are not
// the only witness.
func known(c playtest.Control) bool {
	if c.Type != playtest.ControlKey && c.Type != playtest.ControlTyping {
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

// reaches writes the code that a control reaches into the record.
func (e *Explorer) reaches(id string, places []playtest.CodePlace) {
	for i := range e.g.Record.Discover.Controls {
		if c := &e.g.Record.Discover.Controls[i]; c.ID == id {
			c.Reaches = places
		}
	}
}

// aside reports whether a control lies beside the game: sound, settings, links,
// what begins a round, and the keys for these.
func aside(c playtest.Control) bool {
	if slices.ContainsFunc(c.Reaches, func(p playtest.CodePlace) bool { return asideCode.MatchString(p.Function) }) {
		return true
	}
	switch c.Type {
	case playtest.ControlClick, playtest.ControlDrag:
		if ofScene(c) && attrStart([]string{c.Text}) {
			return true // its picture is named for what it does
		}
		return words.IsAside(c.Text) || words.IsAgain(c.Text) || words.IsStart(c.Text) || c.Text == "" && asideID.MatchString(c.Selector)
	case playtest.ControlKey:
		return rank(keyOf(c)) >= sideKey
	}
	return false
}

var (
	// asideCode are functions that halt a game or its sound, asideID elements for that.
	asideCode = regexp.MustCompile(`(?i)^(un|re|toggle|on|do|game|set)?_?(pause|mute|sound|music|full_?screen)_?(d|game|toggle|off|on)?$`)
	asideID   = regexp.MustCompile(`(?i)[#.][\w-]*(pause|mute|sound|music|volume|full-?screen|setting|share|help|side-?bar|drawer|hamburger|about|credits|privacy)[\w-]*$`)
)
