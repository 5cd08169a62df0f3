package explore

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// keyRank orders keys by how likely they play the game and how little harm
// they do, both directions early: a snake does not turn back. Keys that are not
// listed come in the middle.
var keyRank = map[string]int{
	"ArrowLeft": 1, "ArrowUp": 2, "ArrowRight": 3, "Space": 4, "ArrowDown": 5,
	"KeyA": 6, "KeyW": 7, "KeyD": 8, "KeyS": 9, "Enter": 40, "KeyR": 60, "KeyM": 70, "KeyP": 80, "Escape": 90, "Tab": 95, "Backspace": 96,
}

// anyKey is the control of a game that does not ask which key was pressed.
const anyKey = "key:any"

func anyKeyControl() record.Control {
	return record.Control{ID: anyKey, Type: record.ControlKey, Keys: []string{"Space"}, Confidence: 0.3, Description: "any key", Sources: []string{"default"}}
}

// Ranks of keys: from otherKey on they move nothing in most games, from menuKey on
// they are at home in menus, too.
const (
	otherKey = 10
	menuKey  = 40
)

// sideKey is the rank from which keys lie beside the game: restart, mute, pause.
const sideKey = 60

func rank(key string) int {
	if r, ok := keyRank[key]; ok {
		return r
	}
	return 20
}

// candidates lists the controls to be tried, the most telling first.
func (e *Explorer) candidates() []candidate {
	keys := e.keyCandidates()
	pointers := e.pointerCandidates()
	var out []candidate
	// Keys and pointers take turns, so that neither uses up the time. Keys of which
	// nothing is known come one at a time.
	for len(keys)+len(pointers) > 0 && len(out) < maxTrials {
		n := 2
		if len(keys) > 0 && !known(keys[0].control) && len(pointers) > 0 {
			n = 1
		}
		if n = min(n, len(keys)); n > 0 {
			out, keys = append(out, keys[:n]...), keys[n:]
		}
		if len(pointers) > 0 {
			out, pointers = append(out, pointers[0]), pointers[1:]
		}
	}
	// What lies beside the game proves nothing and may lead away from it.
	slices.SortStableFunc(out, func(a, b candidate) int { return order(aside(a.control), aside(b.control)) })
	return out
}

func (e *Explorer) keyCandidates() []candidate {
	var found []record.Control
	for _, c := range e.g.Record.Discover.Controls {
		if c.Type == record.ControlKey && (discover.ListensToKeys(e.g.Record.Load.Listens) || !onlyDeclared(c)) {
			found = append(found, c)
		}
	}
	if discover.ListensToKeys(e.g.Record.Load.Listens) && (len(found) == 0 || e.g.Record.Discover.AnyKey && !steered(found)) {
		// A handler that does not ask which key it was, or looks it up in a table,
		// runs the same code for all of them.
		if !slices.ContainsFunc(found, plays) {
			found = append(found, anyKeyControl())
		}
		for _, k := range []string{"ArrowLeft", "ArrowRight", "Space", "ArrowUp"} {
			if !slices.ContainsFunc(found, func(c record.Control) bool { return c.ID == "key:"+k }) {
				found = append(found, record.Control{ID: "key:" + k, Type: record.ControlKey, Keys: []string{k}, Confidence: 0.3, Description: "the key " + record.KeyLabel(k), Sources: []string{"default"}})
			}
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i], found[j]
		if a.Critical != b.Critical {
			return a.Critical
		}
		if (a.Declared != "") != (b.Declared != "") {
			return a.Declared != ""
		}
		if (a.ID == anyKey) != (b.ID == anyKey) {
			return a.ID == anyKey
		}
		if known(a) != known(b) && max(rank(a.Keys[0]), rank(b.Keys[0])) < menuKey {
			return known(a)
		}
		return rank(a.Keys[0]) < rank(b.Keys[0])
	})
	var out []candidate
	for _, c := range found {
		out = append(out, candidate{control: c, inputs: keyInputs(c.Keys[0])})
	}
	typed := slices.Clone(e.g.Record.Discover.Controls)
	if !slices.ContainsFunc(typed, plays) && discover.ListensToKeys(e.g.Record.Load.Listens) {
		// It listens to keys and knows none that moves anything: it may be typed at.
		typed = append(typed, record.Control{ID: "type:letters", Type: record.ControlTyping, Confidence: 0.3, Description: "typing letters", Sources: []string{"default"}})
	}
	for _, c := range typed {
		if c.Type != record.ControlTyping {
			continue
		}
		var inputs []game.Input
		var before []game.Input
		if c.Box != nil {
			inputs, before = e.inField(c)
		} else {
			for _, s := range []string{"etaoinshrdlu", "cmwfgypbvkjxqz", "re", "on"} {
				inputs = append(inputs, game.Input{Kind: game.Typing, Text: s})
			}
		}
		typing := candidate{control: c, inputs: inputs, before: before}
		if c.Box == nil && slices.ContainsFunc(found, func(k record.Control) bool { return moves(k) || !known(c) && known(k) && rank(k.Keys[0]) < menuKey }) {
			out = slices.Insert(out, min(2, len(out)), typing) // letters that are keys of their own are no words
		} else {
			out = append([]candidate{typing}, out...)
		}
	}
	return out
}

// moves: the game's code was seen to know this key, and it moves something in most games.
func moves(c record.Control) bool { return known(c) && rank(c.Keys[0]) < otherKey }

// steered: at least two of the keys steer in most games, as Space does not.
func steered(found []record.Control) bool {
	n := 0
	for _, c := range found {
		if c.Keys[0] != "Space" && rank(c.Keys[0]) < otherKey {
			n++
		}
	}
	return n >= 2
}

// margin: at the very top or bottom of the window pages put what is not the game.
func (e *Explorer) margin(c record.Control) bool {
	const share = 0.06
	if c.Box == nil || c.Box.Height > share*e.g.Viewport.Height {
		return false
	}
	y := c.Box.Center().Y
	return y < share*e.g.Viewport.Height || y > (1-share)*e.g.Viewport.Height
}

// plays: a key that moves something in most games, or letters that are typed.
func plays(c record.Control) bool {
	return c.Type == record.ControlTyping || c.Type == record.ControlKey && rank(c.Keys[0]) < otherKey
}

// nth is what tells one cell of a board from the next: its place, or a number in
// its name.
var nth = regexp.MustCompile(`:nth-of-type\(\d+\)|\\3\d ?\d*|\d+`)

// group names elements of the same make: the cells of one board.
func group(c record.Control) string {
	size := ""
	if c.Box != nil {
		size = sizeOf(c)
	}
	return string(c.Type) + nth.ReplaceAllString(c.Selector, "") + size
}

func (e *Explorer) pointerCandidates() []candidate {
	groups := map[string][]record.Control{}
	var names []string
	for _, c := range e.g.Record.Discover.Controls {
		if c.Box == nil || c.Confidence < 0.3 || c.Type == record.ControlTyping || !e.inView(*c.Box) {
			continue
		}
		g := group(c)
		if c.Selector == "" && !ofScene(c) || aside(c) {
			g = c.ID
		}
		if groups[g] == nil {
			names = append(names, g)
		}
		groups[g] = append(groups[g], c)
	}
	var out []candidate
	for _, n := range alike(groups, names) {
		members := groups[n]
		e.rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		c := members[0]
		if len(members) > 1 {
			// Not by how many there are: a board with fewer free cells is the same board.
			c.ID = fmt.Sprintf("%s:%s like %s", c.Type, sizeOf(c), nth.ReplaceAllString(cmp.Or(c.Selector, c.Text), ""))
			c.Description = fmt.Sprintf("a %s on one of %d alike", c.Type, len(members))
		}
		cand := candidate{control: c, group: len(members) > 1}
		if c.Type == record.ControlDrag {
			cand.inputs = e.drags(members)
		} else {
			if len(members) >= 2*leastCells {
				members = e.likely(members)
				writing(members)
			}
			for _, m := range members[:min(len(members), maxMembers)] {
				cand.inputs = append(cand.inputs, e.hit(m))
			}
			if len(members) == 1 && e.large(*c.Box) {
				// A whole scene may be one element, which asks where it was hit.
				for _, at := range over(*c.Box)[1:] {
					cand.inputs = append(cand.inputs, game.Input{Kind: game.Click, At: at, Label: c.Text})
				}
			}
		}
		out = append(out, cand)
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i].control, out[j].control
		if aside(a) != aside(b) {
			return !aside(a)
		}
		// A board counts for more than a lone button, a lone button with a listener for more than a cell without.
		if e.margin(a) != e.margin(b) {
			return !e.margin(a)
		}
		return a.Confidence+0.3*float64(min(len(out[i].inputs), 4)) > b.Confidence+0.3*float64(min(len(out[j].inputs), 4))
	})
	// What an engine says can be hit comes before places that are only guessed.
	list := slices.DeleteFunc(slices.Clone(out), func(c candidate) bool { return !ofScene(c.control) || aside(c.control) })
	list = slices.Concat(list, e.pulls(list), e.canvasCandidates())
	if !slices.ContainsFunc(out, func(c candidate) bool { return !aside(c.control) }) {
		list = append(list, e.anywhere()...)
	}
	return append(list, slices.DeleteFunc(out, func(c candidate) bool { return ofScene(c.control) && !aside(c.control) })...)
}

// pulls drag the few things of an engine's scene that can be clicked: engines know
// what can be hit, but seldom whether it is meant to be held.
func (e *Explorer) pulls(clicks []candidate) []candidate {
	if !discover.Hovers(e.g) {
		return nil
	}
	var out []candidate
	for _, c := range clicks {
		if c.group || c.control.Type != record.ControlClick || len(out) == maxPulls {
			continue
		}
		from, mid := c.control.Box.Center(), e.g.Field.Center()
		pull := c.control
		pull.ID, pull.Type, pull.Description = "drag:"+strings.TrimPrefix(pull.ID, "click:"), record.ControlDrag, "dragging "+pull.Text
		var ways []game.Input
		for _, far := range []float64{0.3, 0.6} {
			to := record.Point{X: from.X + far*(mid.X-from.X), Y: from.Y + far*(mid.Y-from.Y) + far*c.control.Box.Height}
			half := record.Point{X: (from.X + to.X) / 2, Y: (from.Y + to.Y) / 2}
			ways = append(ways, game.Input{Kind: game.Drag, Path: []record.Point{from, half, to}, Label: pull.Text})
		}
		out = append(out, candidate{control: pull, inputs: ways})
	}
	return out
}

// maxPulls bounds the things of a scene that are dragged on suspicion.
const maxPulls = 2

// ofScene: a thing of an engine's scene.
func ofScene(c record.Control) bool { return slices.Contains(c.Sources, "engine") }

func (e *Explorer) inView(r record.Rect) bool {
	p := r.Center()
	return p.X > 0 && p.Y > 0 && p.X < e.g.Viewport.Width && p.Y < e.g.Viewport.Height
}

// large: an element takes up a good part of the window.
func (e *Explorer) large(r record.Rect) bool {
	const share = 0.2
	return r.Width*r.Height > share*e.g.Viewport.Width*e.g.Viewport.Height
}

// maxMembers bounds how many of a group are operated.
const maxMembers = 8

// drags are ways to drag things: onto one another, onto what is of their size,
// and a little aside. What holds a board is dragged by the cells in it.
func (e *Explorer) drags(things []record.Control) []game.Input {
	if len(things) == 1 {
		if cells := e.cells(*things[0].Box); cells != nil {
			e.rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
			return e.onBoard(cells, cells)
		}
	}
	places := append(slices.Clone(things), e.squares(things[0])...)
	for _, c := range e.g.Record.Discover.Controls {
		if c.Box != nil && sizeOf(c) == sizeOf(things[0]) {
			places = append(places, c)
		}
	}
	return e.onBoard(things, places)
}
