package qa

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/onlooker"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

const (
	// playEvery lies between two inputs of play, playHold is how long a key is down;
	// every third time it is held longer, because games tell taps from holds.
	playEvery, playHold, playLonger = 150 * time.Millisecond, 80 * time.Millisecond, 450 * time.Millisecond
	// lookEvery is how often play is looked at.
	lookEvery = time.Second
	// stalled is after how many looks without anything new another round is begun.
	stalled = 4
	// otherScreen is the share of a picture that stays where a change is no
	// significant one; maxChanges bounds the pictures of such, changesApart keeps
	// them apart.
	otherScreen, maxChanges, changesApart = 0.75, 12, 1500 * time.Millisecond
	// parting is left of the run's time for what comes after play.
	parting = 10 * time.Second
	// maxPointed bounds the places that take turns.
	maxPointed = 24
	// smallBox is the side of what is one place to click at.
	smallBox = 160
)

// turn is a control, or an action of the metadata, when it is played.
type turn struct {
	name   string
	inputs []game.Input
	keys   bool
	used   int
}

// playOn plays a game whose controls are known until it was played for as long as
// the target asks: every control that was shown to work and every action of the
// metadata in turn. A game of which nothing works cannot be played.
func (r *run) playOn(ctx context.Context, g *game.Game) error {
	plan := turns(r.rec, g.Rect, g.Sent)
	if len(plan) == 0 || g.Page.Crashed() || r.rec.Health.Hung != nil || r.rec.Health.Left != nil {
		return nil
	}
	p := &player{run: r, g: g, plan: plan, address: address(g.Page.URL()), rec: &record.PlayRecord{Controls: []record.PressCount{}}}
	p.rec.Seconds, p.rec.Controls = before(r.rec.Actions)
	r.rec.Explore.Play = p.rec
	limit := r.rec.Target.PlayFor()
	left := limit - time.Duration(p.rec.Seconds*float64(time.Second))
	if deadline, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(deadline)-parting)
	}
	began := time.Now()
	err := p.play(ctx, left, limit)
	took := time.Since(began)
	p.rec.Seconds = record.Seconds(time.Duration(p.rec.Seconds*float64(time.Second)) + took)
	p.rec.States = p.screens.Count()
	r.rec.Explore.Played += took
	if errors.Is(err, game.ErrGone) {
		return nil // an incident of the game, written down
	}
	if err == nil {
		p.lastPicture(ctx)
	}
	return err
}

// before is the play that there was while the controls were tried.
func before(actions []record.Action) (seconds float64, presses []record.PressCount) {
	presses = []record.PressCount{}
	var first, last time.Time
	for _, a := range actions {
		if a.Reasoning != reasonPlay || !a.Success {
			continue
		}
		if first.IsZero() {
			first = a.Time
		}
		last = a.Time.Add(a.Took)
		presses = count(presses, a.Target)
	}
	return record.Seconds(last.Sub(first)), presses
}

// reasonPlay is what actions of play give as their reason.
const reasonPlay = "play"

func count(presses []record.PressCount, name string) []record.PressCount {
	for i := range presses {
		if presses[i].Input == name {
			presses[i].Count++
			return presses
		}
	}
	return append(presses, record.PressCount{Input: name, Count: 1})
}

// player is play under way.
type player struct {
	run     *run
	g       *game.Game
	plan    []turn
	address string // where the game is
	rec     *record.PlayRecord
	screens onlooker.Screens
	last    *game.Picture
	dull    int // looks in a row without anything new
	changes int
}

// play makes the inputs in turn for as long as is left of the limit.
func (p *player) play(ctx context.Context, left, limit time.Duration) error {
	began, looked, told := time.Now(), time.Time{}, time.Time{}
	for n := 0; time.Since(began) < left; n++ {
		if err := ctx.Err(); err != nil {
			p.rec.Ended = "the time was up"
			return err
		}
		if err := p.input(ctx, &p.plan[n%len(p.plan)]); err != nil {
			return err
		}
		if time.Since(looked) >= lookEvery {
			looked = time.Now()
			if err := p.look(ctx); err != nil || p.rec.Ended != "" {
				return err
			}
		}
		if time.Since(told) >= 5*time.Second {
			told = time.Now()
			done := limit - left + time.Since(began)
			p.g.Progress(int(done.Seconds()), int(limit.Seconds()), "playing, %d controls in turn", len(p.plan))
		}
	}
	return nil
}

func (p *player) input(ctx context.Context, t *turn) error {
	in := t.inputs[t.used%len(t.inputs)]
	in.Why = reasonPlay
	hold := time.Duration(0)
	if t.keys {
		hold = playHold
		if t.used%3 == 2 {
			in.Kind, hold = game.KeyHold, playLonger
		}
	}
	t.used++
	if err := p.g.Do(ctx, in, hold); err != nil {
		return p.g.Alive(ctx) // one input that could not be made is not the end of play
	}
	p.rec.Controls = count(p.rec.Controls, t.name)
	p.g.Pause(ctx, playEvery)
	return nil
}

// look sees whether the game is still there and what it shows.
func (p *player) look(ctx context.Context) error {
	if err := p.g.Alive(ctx); err != nil {
		return err
	}
	if now := address(p.g.Page.URL()); now != p.address {
		p.rec.Ended = "an input led to another address"
		return nil
	}
	p.g.Weigh(ctx)
	p.run.indicators.Look(ctx)
	now := p.g.Picture(ctx)
	fresh := p.screens.Add(now)
	same := game.Same(p.last, now)
	switch {
	case p.last != nil && now != nil && same < otherScreen && p.changes < maxChanges && p.g.SinceShot() > changesApart:
		p.changes++
		p.g.Screenshot(ctx, "change", "phase3-change", "much changed in play")
	case p.g.SinceShot() > shotEvery:
		p.g.Screenshot(ctx, "playing", "phase3-playing", "while playing")
	}
	p.last = now
	if p.dull++; fresh || same < 1 {
		p.dull = 0
	}
	if p.dull >= stalled {
		p.dull = 0
		return p.again(ctx)
	}
	return nil
}

// again begins another round in the ways in which one began before: nothing that is
// played changes anything any more.
func (p *player) again(ctx context.Context) error {
	made := 0
	for _, a := range slices.Backward(p.run.rec.Explore.Start.Attempts) {
		in, ok := p.g.Sent(a.Gesture)
		if !a.Effect || !ok || in.Kind == game.Other || made >= 3 {
			continue
		}
		made++
		in.Why = "begin another round"
		if err := p.g.Do(ctx, in, playHold); err != nil {
			return p.g.Alive(ctx)
		}
		p.g.Pause(ctx, 2*playEvery)
		if now := p.g.Picture(ctx); game.Same(p.last, now) < 1 {
			p.last = now
			return nil
		}
	}
	return nil
}

// lastPicture keeps the picture at the end of play as the final one. What was final
// before is not any more.
func (p *player) lastPicture(ctx context.Context) {
	shots := p.run.rec.Screenshots
	for i := range shots {
		if shots[i].Stage == record.StageFinalState {
			shots[i].Stage, shots[i].Note = "explored", "when its controls were known"
		}
	}
	p.g.Screenshot(ctx, record.StageFinalState, "phase3-final-state", "at the end")
}

// turns are the actions of the metadata and the controls of the game that were shown
// to work, those of the pointer and what is typed as they were played before: one
// control may be many places of a board or many words. What pauses or ends a game is not played with.
func turns(rec *record.Record, rect record.Rect, sent func(string) (game.Input, bool)) []turn {
	proven := map[string]bool{}
	for _, t := range rec.Explore.Trials {
		proven[t.ControlID] = t.Outcome == record.Responsive
	}
	var out []turn
	for _, b := range rec.Target.Metadata.Bindings() {
		if words.IsAside(b.Name) || words.IsAgain(b.Name) {
			continue
		}
		for _, k := range b.Keys {
			out = add(out, key(k))
		}
	}
	works, pointed := false, 0
	for _, a := range rec.Actions {
		in, ok := sent(a.Target)
		if a.Reasoning == reasonPlay && ok && in.Kind != game.KeyPress && in.Kind != game.KeyHold && pointed < maxPointed {
			had := len(out)
			out = add(out, turn{name: a.Target, inputs: []game.Input{in}})
			pointed += len(out) - had
		}
	}
	for _, c := range rec.Discover.Controls {
		if !proven[c.ID] || c.Aside {
			continue
		}
		works = true
		if len(c.Keys) == 0 && pointed > 0 {
			continue
		}
		if t, ok := turnOf(c, rect); ok {
			out = add(out, t)
		}
	}
	if !works {
		return nil
	}
	// Keys that the game's code was seen to know were not all tried one by one.
	tried := func(id string) bool { _, ok := proven[id]; return ok }
	for _, c := range rec.Discover.Controls {
		if c.Type == record.ControlKey && len(c.Reaches) > 0 && !tried(c.ID) && !c.Aside && !slices.Contains(sideKeys, c.Keys[0]) {
			out = add(out, key(c.Keys[0]))
		}
	}
	return out
}

// sideKeys pause, mute or leave most games, or do what the browser does with them.
var sideKeys = []string{"Escape", "Tab", "Backspace", "Delete", "KeyP", "KeyM", "KeyR", "KeyQ", "KeyN"}

func add(plan []turn, t turn) []turn {
	if slices.ContainsFunc(plan, func(had turn) bool { return had.name == t.name }) {
		return plan
	}
	return append(plan, t)
}

func key(code string) turn {
	return turn{name: code, keys: true, inputs: []game.Input{{Kind: game.KeyPress, Key: code}}}
}

// turnOf says how a control is played, false where that is not known.
func turnOf(c record.Control, rect record.Rect) (turn, bool) {
	if len(c.Keys) > 0 {
		return key(c.Keys[0]), true
	}
	t := turn{name: c.Description}
	each := func(kind game.Kind, at ...record.Point) {
		for _, p := range at {
			t.inputs = append(t.inputs, game.Input{Kind: kind, At: p, Label: c.Text})
		}
	}
	box := rect
	if c.Box != nil {
		box = *c.Box
	}
	switch c.Type {
	case record.ControlTyping:
		for _, letter := range strings.Split("etaoinshrdlu", "") {
			t.inputs = append(t.inputs, game.Input{Kind: game.Typing, Text: letter})
		}
	case record.ControlClick:
		each(game.Click, places(box)...)
	case record.ControlTouch:
		each(game.Tap, places(box)...)
	case record.ControlHover:
		each(game.Hover, places(box)...)
	case record.ControlDrag:
		if len(c.Path) > 1 {
			t.inputs = append(t.inputs, game.Input{Kind: game.Drag, Path: c.Path, Label: c.Text})
			break
		}
		at := places(box)
		for i := range len(at) - 1 {
			t.inputs = append(t.inputs, game.Input{Kind: game.Drag, Path: []record.Point{at[i], at[i+1]}, Label: c.Text})
		}
	}
	return t, len(t.inputs) > 0
}

// places are where something of that size is clicked: in the middle, and all over
// what is large, a board or a field.
func places(box record.Rect) []record.Point {
	if box.Width <= smallBox && box.Height <= smallBox {
		return []record.Point{box.Center()}
	}
	var out []record.Point
	const rows = 5
	for i := range rows * rows {
		// Not row by row: neighbours in time lie apart.
		n := i * 7 % (rows * rows)
		out = append(out, box.At(record.Point{X: (float64(n%rows) + 0.5) / rows, Y: (float64(n/rows) + 0.5) / rows}))
	}
	return out
}

// address is where a page is, without the part that a page may change as it likes.
func address(url string) string {
	at, _, _ := strings.Cut(url, "#")
	return at
}
