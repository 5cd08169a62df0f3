package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/record"
)

// evidence is what speaks for the controls.
type evidence struct {
	rule      string // empty when nothing does
	inputs    []record.Input
	effects   int // inputs that changed what can be seen
	moves     int // of them, those that led to another screen
	restarts  int // and those that loaded the page again
	relapses  int // of these, those that are no button for it
	dialogs   int // and those that showed a dialog and nothing else
	hovers    int // and those of a pointer that only moved
	switches  int // and buttons that switch something, or do it once
	unhandled int // and those that only the browser answered
	throws    int // inputs that threw without an effect
	torn      int // and those that threw and had an effect
	threw     string
	tried     int
	handled   int // inputs that the game drew for, though nothing could be seen to differ

	told   bool // what they brought is what dialogs said
	partly bool // what would speak for them ended in an error each time
}

const (
	// leastPlaces is how many places of their own inputs must change for a board,
	// leastSwitches how many if they go back when pressed again, as settings do.
	leastPlaces, leastSwitches = 3, 6
	// grown is how many times larger an effect is a second later if the game takes
	// another course.
	grown = 2
	// leastMoves is how many new screens make a story.
	leastMoves = 5
)

// kinds of effect.
type effect int

const (
	none      effect = iota
	transient        // it passes
	toggle           // the same input again takes it back
	once             // it stays, and the same input again leads to the same
	progress         // the same input goes on changing the screen
	move             // it leads to another screen
	restart          // it loads the page again
)

// kind tells what an input did.
func kind(o record.Observation) effect {
	switch {
	case !o.Effect():
		return none
	case o.Reloaded:
		return restart
	case o.Loaded && !o.Local() && len(o.Repeats) == 0:
		return move
	case o.From != o.To && (!o.Local() || len(o.Repeats) == 0 || (named(o) || o.Loaded) && o.Repeats[0].Pixels < record.LeastPixels):
		return move
	case o.Later == 0 && len(o.Repeats) > 0:
		return transient
	case len(o.Repeats) == 0:
		return once
	case o.Repeats[0].Back:
		return toggle
	case o.Repeats[0].Pixels < record.LeastPixels || o.Repeats[0].Same:
		return once
	case o.Repeats[len(o.Repeats)-1].Same:
		return once // it began a round, and begins it anew
	case named(o) && !o.Local() && !o.Repeats[0].New:
		return once // a button that begins anew may look a little different each time
	}
	return progress
}

// proof finds the strongest evidence that the game can be controlled. It is none where all
// that had an effect ended in an error: how far the game got then nobody can say.
func (f facts) proof() evidence {
	e := f.strongest()
	if e.rule != "" && e.torn == e.effects {
		e.rule, e.inputs, e.partly = "", nil, true
	}
	return e
}

// strongest tries the rules one after the other and counts what the inputs did.
func (f facts) strongest() evidence {
	var e evidence
	by := map[effect][]record.Observation{}
	for _, o := range f.twins.Observations {
		if o.Stage != "search" {
			continue
		}
		e.tried++
		k := kind(o)
		if k == none && o.Dialog && o.Left == "" {
			// The player sees the dialog, in place of a change of the page.
			e.effects++
			e.dialogs++
			continue
		}
		if k == none {
			if o.Threw != "" {
				e.throws++
				e.threw = o.Threw
			}
			if o.Trace {
				e.handled++
			}
			continue
		}
		e.effects++
		if o.Threw != "" {
			e.torn++
			e.threw = o.Threw
		}
		if k == restart && !(o.Loaded && o.Offer == "element") {
			e.relapses++
		}
		if k != move && o.Input.Kind == record.InputHover {
			e.hovers++
		} else if k != move && o.Unhandled {
			e.unhandled++
		} else if (k == toggle || k == once) && o.Offer == "element" {
			e.switches++
		}
		by[k] = append(by[k], o)
	}
	e.moves, e.restarts = len(by[move]), len(by[restart])
	// Of a press that the browser itself answers nobody knows whether the game did.
	pressed := func(list []record.Observation) (out []record.Observation) {
		for _, o := range list {
			if o.Input.Kind != record.InputHover && !o.Unhandled {
				out = append(out, o)
			}
		}
		return out
	}
	prove := func(rule string, list []record.Observation) evidence {
		e.rule = rule
		for _, o := range list {
			e.inputs = append(e.inputs, o.Input)
		}
		return e
	}
	if list := pressed(by[progress]); len(list) > 0 && f.on(RuleProgress) {
		return prove(RuleProgress, list)
	}
	if list := steered(pressed(by[once])); len(list) > 0 && f.on(RuleFuture) {
		return prove(RuleFuture, list)
	}
	if list := again(append(pressed(by[once]), pressed(by[transient])...)); len(list) > 0 && f.on(RuleAgain) {
		return prove(RuleAgain, list)
	}
	if list := choices(pressed(by[once])); len(list) > 0 && f.on(RuleChoices) {
		return prove(RuleChoices, list)
	}
	if list := judged(pressed(by[once])); list != nil && f.on(RuleChoices) {
		return prove(RuleChoices, list)
	}
	if list := replied(f.twins.Observations); list != nil && f.on(RuleChoices) {
		e.told = true
		return prove(RuleChoices, list)
	}
	if list := board(pressed(by[once]), leastPlaces); list != nil && f.on(RulePlaces) {
		return prove(RulePlaces, list)
	}
	if list := board(append(pressed(by[toggle]), pressed(by[once])...), leastSwitches); list != nil && f.on(RulePlaces) {
		return prove(RulePlaces, list)
	}
	if list := combined(pressed(by[once])); list != nil && f.on(RuleCombined) {
		return prove(RuleCombined, list)
	}
	if list := enabled(f.twins.Observations); len(list) >= leastPlaces && f.on(RuleCombined) {
		return prove(RuleCombined, list)
	}
	if list := story(f.told(by[move])); list != nil && f.on(RuleStory) {
		return prove(RuleStory, list)
	}
	if list := pressed(by[transient]); f.on(RuleTransient) && (len(list) >= 2 || len(list) == 1 && repeated(list[0]) && list[0].Offer != "element") {
		return prove(RuleTransient, list)
	}
	if list := hovers(append(by[progress], append(by[once], by[transient]...)...)); len(list) >= 2 && f.on(RuleHover) && e.hovers == e.effects-e.moves {
		return prove(RuleHover, list)
	}
	if list := followed(by[once]); len(list) >= leastPlaces && f.on(RuleHover) {
		return prove(RuleHover, list)
	}
	return e
}

// hovers are the inputs of a pointer that only moved.
func hovers(list []record.Observation) (out []record.Observation) {
	for _, o := range list {
		if o.Input.Kind == record.InputHover {
			out = append(out, o)
		}
	}
	return out
}

// followed are places that something came to when the pointer rested there, each with a
// picture that had not been seen before.
func followed(list []record.Observation) (out []record.Observation) {
	for _, o := range list {
		known := func(p record.Observation) bool { return p.Input.String() == o.Input.String() }
		if o.Input.Kind == record.InputHover && o.New && o.Local() && !slices.ContainsFunc(out, known) {
			out = append(out, o)
		}
	}
	return out
}

// steered are inputs with a small effect that grew by itself in a game that went on
// without them, too: it takes another course because of the input.
func steered(list []record.Observation) (out []record.Observation) {
	for _, o := range list {
		if o.Itself >= record.LeastPixels && o.Local() && o.Later >= grown*o.Pixels {
			out = append(out, o)
		}
	}
	return out
}

// choices are keys that brought something else than another one did at the same moment:
// the game goes where the player says.
func choices(list []record.Observation) (out []record.Observation) {
	for _, o := range list {
		if o.Input.Keyed() && o.Offer == "key" && o.Other >= record.LeastPixels {
			out = append(out, o)
		}
	}
	return out
}

// judged are texts of which some brought the same and others something else at the same
// moment: the game does not repeat what is written, it looks whether that is right. Nil if
// there are none.
func judged(list []record.Observation) (out []record.Observation) {
	alike, differ := false, false
	for _, o := range list {
		if o.Offer != "field" || o.Other == 0 && !o.Alike {
			continue
		}
		alike, differ = alike || o.Alike, differ || o.Other >= record.LeastPixels
		out = append(out, o)
	}
	if !alike || !differ {
		return nil
	}
	return out
}

// replied are answers to one question, letters or numbers, of which some were followed by the
// same words and others by something else. Nil if there are none.
func replied(observations []record.Observation) []record.Observation {
	type question struct {
		asked   string
		seconds float64
		numbers bool
	}
	answers, replies := map[question][]record.Observation{}, map[question]map[int]bool{}
	for _, o := range observations {
		if o.Reply == 0 {
			continue
		}
		in := o.Input
		in.Text = ""
		q := question{in.String(), o.Seconds, strings.Trim(o.Input.Text, "0123456789") == ""}
		if replies[q] == nil {
			replies[q] = map[int]bool{}
		}
		replies[q][o.Reply] = true
		if answers[q] = append(answers[q], o); len(replies[q]) > 1 && len(answers[q]) > len(replies[q]) {
			return answers[q]
		}
	}
	return nil
}

// again are keys and places that had an effect at two moments of the game, of which one
// does not follow from the other. A button may lead to the same again and again; it must
// have brought something new at three.
func again(list []record.Observation) []record.Observation {
	const moments, ofButton, apart = 2, 3, 0.5
	for i, o := range list {
		if o.Offer == "field" || !o.Local() || !o.New {
			continue
		}
		at := []float64{o.Seconds}
		for _, p := range list[:i] {
			if alike(p.Input, o.Input) && p.New {
				at = append(at, p.Seconds)
			}
		}
		slices.Sort(at)
		at = slices.CompactFunc(at, func(a, b float64) bool { return math.Abs(a-b) <= apart })
		if len(at) >= ofButton || len(at) >= moments && o.Offer != "element" {
			return []record.Observation{o}
		}
	}
	return nil
}

// alike reports whether two inputs are the same, whatever was written at the place: the
// answer to the next question is where that to the last one was, and what lies there may
// have moved a little.
func alike(a, b record.Input) bool {
	const little = 4 // CSS pixels
	near := func(p, q record.Point) bool { return math.Hypot(p.X-q.X, p.Y-q.Y) <= little }
	if near(a.At, b.At) && slices.EqualFunc(a.Path, b.Path, near) {
		b.At, b.Path = a.At, a.Path
	}
	a.Label, b.Label = "", ""
	return a.String() == b.String()
}

// named reports whether the input presses a thing that the page or its engine names:
// a button is gone when it led elsewhere, a key or a place is not.
func named(o record.Observation) bool {
	switch o.Offer {
	case "element", "field", "object", "text", "image":
		return true
	}
	return false
}

// repeated: each repeat had the effect again.
func repeated(o record.Observation) bool {
	for _, r := range o.Repeats {
		if r.Pixels < record.LeastPixels {
			return false
		}
	}
	return len(o.Repeats) > 0
}

// board are inputs that change enough places of their own, nil if there are none. What
// was seen later does not take back what the first of them showed.
func board(list []record.Observation, least int) []record.Observation {
	for n := least; n <= len(list); n++ {
		if places := apart(list[:n]); len(places) >= least {
			return places
		}
	}
	return nil
}

// apart are the observations whose effects lie in small places of their own. A
// score beside the board may change with each of them, but of a choice of which
// only one can be made the next changes what the one before did. What lays out a new board
// changes more than the cells that are pressed then, and lies beside them.
func apart(list []record.Observation) (out []record.Observation) {
	times := map[int]int{}
	for _, o := range list {
		for _, c := range o.Cells {
			times[c]++
		}
	}
	type place struct {
		input record.Input
		drag  bool
		cells []int
		area  record.Rect
	}
	var before []place
	for _, o := range list {
		if !o.Local() {
			continue
		}
		here := place{input: o.Input, drag: o.Input.Kind == record.InputDrag && o.New && o.Offer != "element", area: o.Area}
		here.cells = slices.DeleteFunc(slices.Clone(o.Cells), func(c int) bool { return len(list) >= leastPlaces && 2*times[c] > len(list) })
		own := !slices.ContainsFunc(before, func(p place) bool {
			// What is dragged may come to where something else was: nobody chooses by dragging.
			return here.input.String() == p.input.String() || !(here.drag && p.drag) && (len(here.cells) == 0 || overlap(here.cells, p.cells)) &&
				(covers(here.area, p.area) || covers(p.area, here.area) && near(here.area, p.input))
		})
		before = append(before, here)
		if own {
			out = append(out, o)
		}
	}
	return out
}

// near reports whether an input was made in a rectangle or beside it. Keys are made nowhere.
func near(r record.Rect, in record.Input) bool {
	const margin = 20
	p := in.At
	return !in.Pressed() || p.X >= r.X-margin && p.X <= r.X+r.Width+margin && p.Y >= r.Y-margin && p.Y <= r.Y+r.Height+margin
}

// covers reports whether at least half of b lies in a.
func covers(a, b record.Rect) bool {
	w := min(a.X+a.Width, b.X+b.Width) - max(a.X, b.X)
	h := min(a.Y+a.Height, b.Y+b.Height) - max(a.Y, b.Y)
	return w >= 0 && h >= 0 && 2*w*h >= b.Width*b.Height
}

// overlap reports whether half of the cells of the smaller set are in the other.
func overlap(a, b []int) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	both := 0
	for _, c := range a {
		if slices.Contains(b, c) {
			both++
		}
	}
	return 2*both >= len(a)
}

// combined are inputs that led to more pictures than there are of them, each not seen
// before: what they do depends on what was done before, as on a board. Of choices of which
// one can be made at a time there are as many pictures as choices. Nil if there are none.
func combined(list []record.Observation) []record.Observation {
	const more = 2
	inputs := map[string]bool{}
	fresh := novel(list)
	var out []record.Observation
	for _, o := range fresh {
		if name := o.Input.String(); !inputs[name] {
			inputs[name] = true
			out = append(out, o)
		}
	}
	if len(inputs) < leastPlaces || len(fresh) < len(inputs)+more {
		return nil
	}
	return out
}

// enabled are things on the page that showed nothing at first, and something new after others
// had been pressed, as the squares of a board do once a piece is chosen.
func enabled(list []record.Observation) (out []record.Observation) {
	dead := map[string]bool{}
	for _, o := range list {
		name := o.Input.String()
		switch {
		case o.Stage != "search" || o.Offer != "element":
		case !o.Effect():
			dead[name] = true
		case dead[name] && kind(o) == once && o.New && o.Local() && !o.Unhandled:
			out = append(out, o)
			dead[name] = false
		}
	}
	return out
}

// told are moves of the page or of its code: that the browser scrolled is no part of a story,
// nor is that it followed a link to another document where the page lacks a script.
func (f facts) told(list []record.Observation) (out []record.Observation) {
	for _, o := range list {
		if o.Loaded && !f.twins.Lacking || !o.Loaded && !o.Unhandled {
			out = append(out, o)
		}
	}
	return out
}

// story are moves that led to pictures which had not been seen before, from enough screens
// or to enough of them: what leads from the end of a round to the next one is no story. Nil
// if there are not enough.
func story(list []record.Observation) []record.Observation {
	from, to := map[int]bool{}, map[int]bool{}
	list = novel(list)
	for _, o := range list {
		from[o.From], to[o.To] = true, true
	}
	if max(len(from), len(to)) < leastMoves {
		return nil
	}
	return list
}

// novel are the moves that led to a picture that had not been seen before.
func novel(list []record.Observation) (out []record.Observation) {
	for _, o := range list {
		if o.New {
			out = append(out, o)
		}
	}
	return out
}

// names lists inputs for a person.
func names(inputs []record.Input) string {
	var out []string
	for i, in := range inputs {
		if i == 3 {
			out = append(out, fmt.Sprintf("%d more", len(inputs)-3))
			break
		}
		out = append(out, in.String())
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}
