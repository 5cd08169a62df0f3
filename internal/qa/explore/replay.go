package explore

import (
	"context"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

const (
	// maxReplayed bounds the inputs that one replay tries, perControl those of
	// one control where there are several.
	maxReplayed = 10
	perControl  = 2
	// slowLoad is the loading time beyond which three more loads are too much.
	slowLoad = 15 * time.Second
	// longLoad is one that may be a screen of the game, with a clock of its own.
	longLoad = 3 * time.Second
	// fewPixels is how many may differ because one page was late.
	fewPixels = 400
	// countdown is how long games may count down before they listen.
	countdown = 4 * time.Second
	// slowLead bounds the waiting before a start where each frame takes long.
	slowLead = time.Second
	// replayLimit is how long a replay may take. Most take a fifth of it on a machine
	// that has nothing else to do.
	replayLimit = 40 * time.Second
)

// repeats are what was played again.
type repeats struct {
	replays   int             // how often
	inVain    map[string]bool // inputs that made no difference
	doubted   map[string]bool // inputs that made one which the game itself does not show
	persisted bool            // inputs were made again and again
	tooSlow   bool            // one took longer than it may
	renewed   bool            // the game was loaded again to be begun by a key
}

// replay settles what looking leaves open: the same seconds are played with the inputs and without
// them. It reports whether the game began because of one of them.
func (e *Explorer) replay(ctx context.Context, list []candidate) (began bool, err error) {
	if e.replays >= maxReplays || !e.replayable() {
		return false, nil
	}
	scroll := e.scrolled(ctx)
	plan := e.plan()
	var owners []*candidate // nil for gestures that may start the game
	listed := map[string]bool{}
	add := func(c *candidate, in game.Input) {
		if len(plan.Tries) < maxReplayed && !listed[in.String()] {
			listed[in.String()] = true
			plan.Tries, owners = append(plan.Tries, replay.Try{Input: in, Scroll: scroll}), append(owners, c)
		}
	}
	if c, in := e.asBegun(list); c != nil {
		add(c, in)
	}
	unbound := func() {
		if discover.ListensToKeys(e.g.Record.Load.Listens) {
			c := candidate{control: anyKeyControl(), inputs: []game.Input{{Kind: game.KeyPress, Key: "Space"}}}
			add(&c, game.Input{Kind: game.KeyPress, Key: discover.Unbound[0]})
		}
	}
	// A round that is soon over leaves time for what the code knows, and for little else.
	brief := len(e.overs) > 0 && e.knowsPlay()
	if !brief {
		unbound()
	}
	if e.g.Record.Load.Kind != "dom" && !e.rec.Start.Started {
		// A button that lies over a canvas is likelier to start the game than anything else.
		for _, in := range e.loneButtons(ctx) {
			add(nil, in)
		}
	}
	// One way to operate each control, then what usually starts a game, then the other ways.
	for way := range max(perControl, maxReplayed/max(1, len(list))) {
		for i := range list {
			c := &list[i]
			if e.rec.Start.Started && words.IsAgain(c.control.Text) {
				continue // it would begin anew what it is to be seen in
			}
			if c.before == nil && way < ways(c) {
				add(c, c.inputs[way])
			}
		}
		for _, in := range e.usual() {
			if way == 0 && !e.rec.Start.Started {
				add(nil, in)
			}
		}
		unbound()
	}
	plan.Tries, owners = e.untried(plan, owners)
	if len(plan.Tries) == 0 {
		return false, nil
	}
	e.replays++
	return e.compare(ctx, plan, owners)
}

// replayable reports whether a replay is worth its time.
func (e *Explorer) replayable() bool {
	return !e.tooSlow && e.g.Fresh() > 0 && e.g.Record.Load.ReadyAfter <= slowLoad
}

// plan leads from a fresh page to where the game is.
func (e *Explorer) plan() replay.Plan {
	plan := replay.Plan{URL: e.g.Record.Target.URL, View: e.g.Rect, Focus: e.g.Focus, Later: countdown}
	for _, c := range e.g.Cleared {
		if e.g.Slow() && c.Input.Keyed() {
			continue // it costs more than it is likely to have cleared
		}
		plan.Start = append(plan.Start, replay.Try{Input: c.Input, At: c.At})
	}
	plan.Start = append(plan.Start, e.startedBy...)
	switch ready := e.g.Record.Load.ReadyAfter; {
	case e.g.Slow():
		plan.MaxLead, plan.Later = slowLead, 0
	case ready > longLoad:
		plan.Ready = ready
	}
	return plan
}

// beginAfresh presses a key on the game loaded again that does something on a fresh
// page and nothing here: asking for the keys may have pressed it, so that this page
// is past its first screen.
func (e *Explorer) beginAfresh(ctx context.Context, in game.Input) (bool, error) {
	if e.renewed || in.Kind != game.KeyPress || e.g.Record.Discover.KeysTried == 0 {
		return false, nil
	}
	e.renewed = true
	e.g.Emit(record.EventProgress, "%s begins the game where no key was asked for; loading it afresh", in)
	if err := e.afresh(ctx); err != nil {
		return false, err
	}
	return e.tryStart(ctx, gesture{input: in, tier: "replay", hit: true})
}

// asBegun is what led into the game as a way to play it, which it is in games of one
// button. These are soon over where nothing is done, so it comes before all others: the
// key itself, or a click on the canvas. One where the start was may only begin
// another round.
func (e *Explorer) asBegun(list []candidate) (*candidate, game.Input) {
	if len(e.startedBy) == 0 {
		return nil, game.Input{}
	}
	in := e.startedBy[len(e.startedBy)-1].Input
	for i := range list {
		switch c := &list[i]; {
		case in.Kind == game.KeyPress && c.control.ID == "key:"+in.Key && c.before == nil && !aside(c.control):
			return c, in
		case in.Kind == game.Click && c.control.ID == canvasClick:
			return c, c.inputs[0]
		}
	}
	return nil, game.Input{}
}

// credit writes down that a gesture which was made before began the game.
func (e *Explorer) credit(ctx context.Context, t replay.Try, proof string) {
	for i := range e.rec.Start.Attempts {
		if a := &e.rec.Start.Attempts[i]; a.Gesture == t.Input.String() && !a.Effect {
			a.Effect, a.Proof = true, proof
			break
		}
	}
	if e.rec.Start.Dead == t.Input.Label {
		e.rec.Start.Dead = ""
	}
	e.rec.Start.Needed = true
	e.opened(ctx, t, proof)
}

// shows looks whether what a replay showed is seen in the game itself, where that
// can be told: on a screen that stands still. A clock that stands still there runs
// in a replay.
func (e *Explorer) shows(ctx context.Context, in game.Input) (bool, error) {
	if !e.still() {
		return true, nil
	}
	in.Why = "does it do here what it does in a replay?"
	w, err := e.observe(ctx, in)
	if err != nil || w.Changed() > 0 || w.Redrawn || w.Navigations > 0 || w.Dialogs > 0 {
		return err == nil, err
	}
	e.g.Decide("go on without a replay", "what differed there does not change here", 0.7)
	return false, nil
}

// twice reports whether an input that made a difference makes one again when all
// pages have had it before, at the age at which it did. A control does; what only
// wakes the page, or ends its first screen sooner, does not.
func (e *Explorer) twice(ctx context.Context, plan replay.Plan, answer replay.Answer) bool {
	answer, err := replay.Compare(ctx, e.g.NewContext, plan.Twice(answer))
	return err == nil && answer.Cause >= 0
}

// ways is how many ways to operate a control a replay tells apart.
func ways(c *candidate) int {
	switch {
	case slices.Contains(c.control.Sources, discover.Form):
		return 0
	case c.control.Type == record.ControlKey:
		return 1 // a key is held for some frames whether it is a press or not
	}
	return len(c.inputs)
}

// untried are the tries of a plan that no replay from the same beginning has
// shown to do nothing: it would show the same again.
func (e *Explorer) untried(plan replay.Plan, owners []*candidate) ([]replay.Try, []*candidate) {
	var tries []replay.Try
	var left []*candidate
	for i, t := range plan.Tries {
		if name := e.named(t.Input); !e.inVain[name] && !e.doubted[name] {
			tries, left = append(tries, t), append(left, owners[i])
		}
	}
	return tries, left
}

// named names an input together with the gestures that began the game.
func (e *Explorer) named(in game.Input) string {
	name := ""
	for _, s := range e.startedBy {
		name += s.Input.String() + ", "
	}
	return name + in.String()
}

// opensGame clicks a lone button of the page that a replay showed to work, and
// reports whether that was the door to the game: the button is gone, or another
// screen came and much of the game's code ran for the first time.
func (e *Explorer) opensGame(ctx context.Context, c *candidate, in game.Input, proof string) (bool, error) {
	if c.control.Type != record.ControlClick || c.control.Selector == "" && !ofScene(c.control) || c.group || e.promoted >= maxPromoted || words.IsAside(c.control.Text) {
		return false, nil
	}
	e.g.Take(ctx)
	fresh := e.g.Fresh()
	in.Why = "is it a start or a control?"
	w, err := e.observe(ctx, in)
	if err != nil {
		return false, err
	}
	another := e.g.Fresh()-fresh > beginning && w.Novelty(e.idle...) > otherScreen
	if !another && (e.wordless(c.control) || !e.vanished(ctx, c.control)) {
		return false, nil
	}
	e.promote(ctx, c, in, e.onlyIn(w), proof)
	return true, nil
}

// maxReplays bounds how often a run may load the game three times more.
const maxReplays = 2

// settled writes down that a replay showed a control to work.
func (e *Explorer) settled(c *candidate, answer replay.Answer, proof string) {
	res := e.result(c.control)
	res.replayed = &record.Signal{Name: record.SignalReplay, With: float64(answer.Pixels), Without: float64(answer.Chance), Holds: true, Detail: proof}
	e.conclusion(res)
	t := &res.trial
	name := game.FileName(res.control.ID)
	t.Before = e.g.Keep("control", "phase3-"+name+"-without", "without "+res.control.Description, game.NewPicture(answer.Without).PNG())
	t.After = e.g.Keep("control", "phase3-"+name+"-with", "with "+res.control.Description, game.NewPicture(answer.With).PNG())
	e.g.Emit(record.EventControl, "%s: the game answers", res.control.Description)
}

// scrolled is how far the page is scrolled.
func (e *Explorer) scrolled(ctx context.Context) record.Point {
	r, err := e.g.Read(ctx, nil)
	if err != nil || len(r.Frames) == 0 {
		return record.Point{}
	}
	return record.Point{X: r.Frames[0].ScrollX, Y: r.Frames[0].ScrollY}
}
