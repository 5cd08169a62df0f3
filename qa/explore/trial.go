package explore

import (
	"context"
	"regexp"
	"sort"
	"strings"
	"time"

	"playtest"
	"playtest/browser/probe"
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
	before  []game.Input // to be done once, such as a click into a text field
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
	}
	list := e.candidates(ctx)
	e.lastCandidates = list
	until := time.Now().Add(trialBudget)
	// A look at each first: on a still screen two windows are enough. What
	// stays open is tried more often, the most promising first.
	for _, windows := range []int{2, maxWindows} {
		for i := range list {
			if err := e.try(ctx, &list[i], windows, until); err != nil {
				return err
			}
			if e.responsive() || time.Now().After(until) {
				return nil
			}
		}
		sort.SliceStable(list, func(i, j int) bool { return e.promise(list[i]) > e.promise(list[j]) })
	}
	return nil
}

// promise orders controls by what was seen of them so far.
func (e *Explorer) promise(c candidate) int {
	r := e.results[c.control.ID]
	switch {
	case r == nil:
		return 0
	case r.trial.Reacted:
		return 3
	case r.trial.Recognised:
		return 2
	case r.trial.Visible:
		return 1
	}
	return 0
}

// try operates a control until the answer is clear, windows without it in
// between.
func (e *Explorer) try(ctx context.Context, c *candidate, windows int, until time.Time) error {
	res := e.result(c.control)
	for n := len(res.windows); n < windows; n++ {
		if res.trial.Outcome == playtest.Responsive || time.Now().After(until) {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		// Some moves can be made only once, so what they are compared with comes first.
		for again := n > 0 && n%2 == 0; again || len(e.idle) < leastIdle; again = false {
			if err := e.negative(ctx, c.control.Type); err != nil {
				return err
			}
		}
		if err := e.operate(ctx, c, res, n); err != nil {
			return err
		}
		if _, err := e.recover(ctx); err != nil {
			return err
		}
		if n == 1 && res.trial.Outcome == playtest.Unresponsive && !res.seen() {
			return nil // neither code nor picture stirred twice
		}
	}
	return nil
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
func (e *Explorer) negative(ctx context.Context, kind playtest.ControlType) error {
	in := game.Input{Kind: game.Idle}
	if kind == playtest.ControlKey && len(e.idle)%2 == 1 && discover.ListensToKeys(e.g.Record.Load.Listens) {
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
func (e *Explorer) operate(ctx context.Context, c *candidate, res *result, pass int) error {
	if len(c.inputs) == 0 {
		return nil
	}
	if pass == 0 {
		for _, in := range c.before {
			if err := e.g.Do(ctx, in, 0); err != nil {
				return err
			}
		}
	}
	in := c.inputs[len(res.windows)%len(c.inputs)]
	if in.Kind == game.Typing && c.control.Box == nil {
		in.Text = e.word(ctx, in.Text)
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
	before := res.trial.Outcome
	e.conclusion(res)
	if res.trial.Outcome == playtest.Responsive && before != playtest.Responsive {
		e.evidence(res)
		e.g.Emit(playtest.EventProgress, "%s: the game answers", c.control.Description)
	}
	return nil
}

var plainWord = regexp.MustCompile(`^\p{L}{2,12}$`)

// word picks a word that stands on the screen, which is what typing games want
// to be typed, or else what was planned.
func (e *Explorer) word(ctx context.Context, planned string) string {
	r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true})
	if err != nil {
		return planned
	}
	var words []string
	add := func(text string) {
		for _, w := range strings.Fields(text) {
			if plainWord.MatchString(w) && len(strings.Fields(text)) <= 2 {
				words = append(words, strings.ToLower(w))
			}
		}
	}
	for _, t := range r.Texts() {
		add(t.Text)
	}
	if texts, err := e.documentTexts(ctx); err == nil {
		for _, t := range texts {
			add(t)
		}
	}
	if len(words) == 0 {
		return planned
	}
	return words[e.rng.IntN(len(words))]
}

// evidence keeps the pictures before and after.
func (e *Explorer) evidence(res *result) {
	a, b := e.g.LastPictures()
	if a == nil || b == nil {
		return
	}
	name := game.FileName(res.control.ID)
	res.trial.Before = e.g.Keep("control", "phase3-"+name+"-before", "before "+res.control.Description, a.PNG())
	res.trial.After = e.g.Keep("control", "phase3-"+name+"-after", "after "+res.control.Description, b.PNG())
}

// conclusion weighs the windows of a control.
func (e *Explorer) conclusion(res *result) {
	eff := cause.Compare(res.windows, e.idle)
	t := &res.trial
	t.Windows, t.Negatives = len(res.windows), len(e.idle)
	t.Recognised, t.Reacted, t.Visible, t.Signals = eff.Recognised, eff.Reacted, eff.Visible, eff.Signals
	t.NegativeControl = "idling for as long"
	if res.control.Type == playtest.ControlKey {
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
	case eff.Visible && (eff.Recognised || eff.Reacted || known(res.control)):
		t.Outcome, t.Reason = playtest.Responsive, "its code ran and the picture changed because of it"
	case eff.Visible && blind && len(res.windows) >= 2:
		t.Outcome, t.Reason = playtest.Responsive, "the picture changed because of it"
	case eff.Reacted && eff.Recognised && e.moved && !e.still() && len(res.windows) >= 3 && (reads && res.control.Type != playtest.ControlKey || known(res.control)):
		t.Outcome, t.Reason = playtest.Responsive, "the game's loop ran other code while it was operated; the picture moves too much to single its effect out"
	case t.Delivered == 0 && len(res.windows) > 0 && res.control.Type != playtest.ControlDrag:
		t.Outcome, t.Reason = playtest.Undecided, "the input did not arrive in the page"
	case t.Threw != "" && throws*2 >= len(res.windows) && !eff.Visible:
		t.Outcome, t.Reason = playtest.Unresponsive, "operating it ends in an error: "+t.Threw
	case eff.Recognised || eff.Reacted:
		t.Outcome, t.Reason = playtest.Undecided, "the game's code knows it, but nothing was seen to change"
	case len(res.windows) >= 2:
		t.Outcome, t.Reason = playtest.Unresponsive, "no code ran for it and nothing changed"
	default:
		t.Outcome, t.Reason = playtest.Undecided, "tried too few times"
	}
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
// and what begins a round.
func aside(c playtest.Control) bool {
	return c.Type == playtest.ControlClick && (words.IsAside(c.Text) || words.IsAgain(c.Text) || words.IsStart(c.Text))
}
