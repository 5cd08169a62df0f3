package qa

import (
	"context"
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
	// every second time it is held longer, because games tell taps from holds.
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
	plan := turns(r.rec, g.Rect)
	if len(plan) == 0 || g.Page.Crashed() || r.rec.Health.Hung != nil || r.rec.Health.Left != nil {
		return nil
	}
	p := &player{run: r, g: g, plan: plan, address: address(g.Page.URL()), rec: &record.PlayRecord{Controls: []record.PressCount{}}}
	r.rec.Explore.Play = p.rec
	limit := r.rec.Target.PlayFor()
	most := 2 * limit
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)-parting)
	}
	began := time.Now()
	err := p.play(ctx, min(limit, most), most)
	took := time.Since(began)
	p.rec.Seconds, p.rec.States = record.Seconds(took), p.screens.Count()
	r.rec.Explore.Played += took
	return err
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

// play makes the inputs in turn until the limit. A machine that is slow makes fewer of
// them in that time: it goes on until each control was tapped and held, or until most.
func (p *player) play(ctx context.Context, limit, most time.Duration) error {
	began, looked, told := time.Now(), time.Time{}, time.Time{}
	for n := 0; time.Since(began) < limit || n < 2*len(p.plan) && time.Since(began) < most; n++ {
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
			p.g.Progress(int(time.Since(began).Seconds()), int(limit.Seconds()), "playing, %d controls in turn", len(p.plan))
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
		if t.used%2 == 1 {
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

// turns are the actions of the metadata and the controls of the game that were shown
// to work. What pauses or ends a game, or lies beside it, is not played with.
func turns(rec *record.Record, rect record.Rect) []turn {
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
	works := false
	for _, c := range rec.Discover.Controls {
		if !proven[c.ID] || words.IsAside(c.Text) {
			continue
		}
		works = true
		if t, ok := turnOf(c, rect); ok {
			out = add(out, t)
		}
	}
	if !works {
		return nil
	}
	return out
}

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
