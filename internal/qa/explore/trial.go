package explore

import (
	"context"
	"regexp"
	"slices"
	"sort"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// candidate is a control with the ways to operate it. Members of a group, such
// as the cells of a board, take turns: the same cell may take only one stone.
type candidate struct {
	control record.Control
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
	if !e.showsEnough() {
		if err := e.scan(ctx); err != nil {
			return err
		}
	}
	e.things = e.standing(ctx)
	list := e.worthTrying(e.candidates())
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
			if e.rec.Start.Started || e.stirs(list) || slices.ContainsFunc(list, func(c candidate) bool { return e.promise(c) == promising }) {
				return false, nil
			}
			// Nothing but handlers ran: the game may wait for its start.
			return e.usualGestures(ctx)
		},
		func() (bool, error) {
			if err := e.scan(ctx); err != nil {
				return false, err
			}
			if err := e.askOthers(ctx); err != nil {
				return false, err
			}
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
		if e.responsive() || e.lost {
			return nil
		}
		if time.Now().After(until) {
			break
		}
	}
	if began, err := e.persist(ctx, list); err != nil || !began {
		return err
	}
	return e.again(ctx)
}

// tryEach tries controls one after the other until one answers or the game
// begins because of one.
func (e *Explorer) tryEach(ctx context.Context, list []candidate, windows int, until time.Time) (began bool, err error) {
	for i := range list {
		if i > 0 {
			if began, err := e.asksAnew(ctx); err != nil || began {
				return began, err
			}
		}
		began, err := e.try(ctx, &list[i], windows, until)
		if err == nil && !began && e.promise(list[i]) == promising {
			// It seems to answer: a few more windows tell, sooner than anything else would.
			began, err = e.try(ctx, &list[i], maxWindows, until)
		}
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
	for _, c := range e.worthTrying(e.candidates()) {
		// A button that counts says something else each time.
		same := func(have candidate) bool {
			return have.control.ID == c.control.ID || !c.group && !have.group && c.control.Selector != "" && have.control.Selector == c.control.Selector && have.control.Type == c.control.Type
		}
		if !slices.ContainsFunc(list, same) {
			added = append(added, c)
		}
	}
	list = append(added, list...)
	e.lastCandidates = list
	return list
}

// worthTrying leaves out what lies beside a game that has begun: a pause, a mute
// button, a way out tell nothing about it and keep others from telling. So does a door
// that was taken often enough.
func (e *Explorer) worthTrying(list []candidate) []candidate {
	list = slices.DeleteFunc(list, func(c candidate) bool { return e.doorsTaken[c.control.ID] >= maxTaken })
	beside := func(c candidate) bool { return aside(c.control) }
	if rest := slices.DeleteFunc(slices.Clone(list), beside); e.rec.Start.Started && len(rest) > 0 {
		return rest
	}
	return list
}

// again looks for controls anew after the game began.
func (e *Explorer) again(ctx context.Context) error {
	e.eachTried = false
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

// promising is the promise of a control that the game seems to answer to.
const promising = 3

// promise orders controls by what was seen of them so far.
func (e *Explorer) promise(c candidate) int {
	r := e.results[c.control.ID]
	switch {
	case r == nil:
		return 0
	case r.trial.Reacted, leans(r.trial.Signals) && e.standsOut(r.trial.Signals):
		return promising
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
		if res.trial.Outcome == record.Responsive || time.Now().After(until) {
			return false, nil
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		// Some moves can be made only once, so what they are compared with comes first.
		for again := n > 0 && n%2 == 0; again || len(e.idle) < leastIdle; again = false {
			if err := e.negative(ctx, res); err != nil {
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
		if n == 1 && res.trial.Outcome == record.Unresponsive && !res.seen() {
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

func (e *Explorer) result(c record.Control) *result {
	r := e.results[c.ID]
	if r == nil {
		r = &result{control: c, trial: record.Trial{ControlID: c.ID, Outcome: record.Undecided}}
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

// negative opens a window with nothing, as long as those of the control are, or
// with an input of the same kind that nothing listens to.
func (e *Explorer) negative(ctx context.Context, res *result) error {
	in := game.Input{Kind: game.Idle}
	for _, w := range res.windows {
		in.For = max(in.For, w.Sending)
	}
	c := res.control
	if c.Type == record.ControlKey && c.ID != anyKey && len(e.idle)%2 == 1 && discover.ListensToKeys(e.g.Record.Load.Listens) {
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
	awake := e.awaken(ctx, c, res)
	in := e.turn(ctx, c, res)
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
	if len(res.windows) == 0 {
		res.first, _ = e.g.LastPictures()
	}
	res.windows = append(res.windows, w)
	if awake && e.disabled(ctx, c.control) && !w.Code.Empty() {
		res.rested++
	}
	return e.confirmed(ctx, res)
}

// turn is the input whose turn it is. Of the things of a group on a still screen
// those come first that look as they did before any was operated: where a stone
// lies none can be put, neither on one's own nor on the opponent's.
func (e *Explorer) turn(ctx context.Context, c *candidate, res *result) game.Input {
	i := len(res.windows) % len(c.inputs)
	if !c.group || i == 0 || res.first == nil || !e.still() {
		return c.inputs[i]
	}
	now := e.g.Picture(ctx)
	for j := i; j < len(c.inputs); j++ {
		if e.g.Unchanged(res.first, now, c.inputs[j].Begins()) {
			c.inputs[i], c.inputs[j] = c.inputs[j], c.inputs[i]
			break
		}
	}
	return c.inputs[i]
}

// reaches writes the code that a control reaches into the record.
func (e *Explorer) reaches(id string, places []record.CodePlace) {
	for i := range e.g.Record.Discover.Controls {
		if c := &e.g.Record.Discover.Controls[i]; c.ID == id {
			c.Reaches = places
		}
	}
}

// aside reports whether a control lies beside the game: sound, settings, links,
// what begins a round, and the keys for these.
func aside(c record.Control) bool {
	if slices.ContainsFunc(c.Reaches, func(p record.CodePlace) bool { return asideCode.MatchString(p.Function) }) {
		return true
	}
	switch c.Type {
	case record.ControlClick, record.ControlDrag:
		if ofScene(c) && (words.NamesStart(c.Text) || words.NamesAgain(c.Text) || asideThing.MatchString(c.Text)) {
			return true // its picture is named for what it does
		}
		return words.IsAside(c.Text) || words.IsAgain(c.Text) || words.IsStart(c.Text) || c.Text == "" && asideID.MatchString(c.Selector)
	case record.ControlKey:
		return rank(keyOf(c)) >= sideKey
	case record.ControlTyping:
		return slices.Contains(c.Sources, discover.Setting)
	}
	return false
}

var (
	// asideCode are functions that halt a game or its sound, asideID elements and
	// asideThing things of a scene for that.
	asideCode  = regexp.MustCompile(`(?i)^(un|re|toggle|on|do|game|set)?_?(pause|mute|sound|music|full_?screen)_?(d|game|toggle|off|on)?$`)
	asideID    = regexp.MustCompile(`(?i)[#.][\w-]*(pause|mute|sound|music|volume|full-?screen|setting|share|help|side-?bar|drawer|hamburger|about|credits|privacy)[\w-]*$|[#.][\w-]*(mute|volume|full-?screen|scroll-?bar|dragger|resizer|splitter)[\w-]*(>\S*)?$`)
	asideThing = regexp.MustCompile(`(?i)^([a-z]+[-_. ]?)?(pause|mute|sounds?|music|volume|full-?screen|settings?|share|help|hint|how-?to(-?play)?|about|credits|privacy|facebook|twitter)([-_. ]?(btn|button|icon|img|image|on|off))?\d*$`)
)
