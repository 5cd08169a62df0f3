package adapt

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// Memory is what a book knows of one game. It is asked what to try first, and
// taught what came of it. What it says changes the order in which things are
// tried and nothing else.
type Memory struct {
	g     *game.Game
	book  *knowledge.Book
	print knowledge.Fingerprint
	// rect is where the game lay on its first screen.
	rect record.Rect
	// vain are controls that were tried first in this run and not seen to work.
	vain map[string]bool
}

// Recollect recognises a game by its first screen.
func Recollect(ctx context.Context, g *game.Game, book *knowledge.Book) (*Memory, error) {
	m := &Memory{g: g, book: book, rect: g.Rect, vain: map[string]bool{}}
	items, err := m.look(ctx)
	if err != nil {
		return nil, fmt.Errorf("recognise the game: %w", err)
	}
	var small *game.Picture
	if !g.Slow() { // where a frame takes long, its picture does, too
		small = g.Picture(ctx)
	}
	m.print = fingerprint(g, items, small)
	genre, _ := decide.Recognise(g.Record.Target.Metadata, g.Record.Discover.Controls, items)
	m.print.Genre = string(genre)
	return m, nil
}

func (m *Memory) look(ctx context.Context) ([]decide.Item, error) {
	snap, err := snapshot.New(m.g.Page, &snapshot.Options{Probe: m.g.Probe}).Capture(ctx)
	if err != nil {
		return nil, err
	}
	return things(snap), nil
}

// Starts are the gestures that started this game, or games like it, as they
// would be made on its first screen: those at things that are there by name
// first, then keys and places.
func (m *Memory) Starts(ctx context.Context) ([]record.Input, error) {
	offers, err := m.book.Offers(ctx, m.print, knowledge.Situation{}, knowledge.Starting)
	if err != nil || len(offers) == 0 {
		return nil, err
	}
	var items []decide.Item
	if slices.ContainsFunc(offers, func(o knowledge.Offer) bool { return !keyed(o) }) {
		if items, err = m.look(ctx); err != nil {
			return nil, fmt.Errorf("look for known starts: %w", err)
		}
	}
	state := &decide.State{Items: items, Game: m.g.Rect, Viewport: m.g.Viewport}
	var named, placed []record.Input
	for _, o := range offers {
		a, err := decide.Remembered(o.Do, state)
		if err != nil || o.Confidence <= decide.KnowledgeThreshold || a.Check(m.g.Viewport) != nil {
			continue
		}
		in, ok := asInput(a)
		if !ok {
			continue
		}
		switch _, shown := state.Labelled(a.Label); {
		case byName(a) && shown:
			named = append(named, in)
		case !byName(a):
			placed = append(placed, in)
		}
	}
	return append(named, placed...), nil
}

// keyed: it can be done whatever is on the screen.
func keyed(o knowledge.Offer) bool {
	var a decide.Action
	return json.Unmarshal(o.Do, &a) == nil && a.Keyed()
}

// asInput is an action as an input, for the kinds that start games.
func asInput(a decide.Action) (in record.Input, ok bool) {
	in.Label = a.Label
	switch {
	case a.Kind == decide.Click && a.At != nil:
		in.Kind, in.At = record.InputClick, *a.At
	case a.Kind == decide.DoubleClick && a.At != nil:
		in.Kind, in.At = record.InputDoubleClick, *a.At
	case a.Kind == decide.Keypress:
		in.Kind, in.Key = record.InputKey, a.Keys[0]
	default:
		return in, false
	}
	return in, true
}

// Controls are those that this game, or games like it, answered to, by their names in
// a record, the surest first.
func (m *Memory) Controls(ctx context.Context) ([]string, error) {
	offers, err := m.book.Offers(ctx, m.print, knowledge.Situation{}, knowledge.Control)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, o := range offers {
		var c controlMemory
		if json.Unmarshal(o.Do, &c) == nil && c.Control != "" && o.Confidence > decide.KnowledgeThreshold {
			out = append(out, c.Control)
		}
	}
	return out, nil
}

// InVain takes in that a control was tried first and not seen to work.
func (m *Memory) InVain(id string) { m.vain[id] = true }

// Learn teaches the book what was measured in the run: what started the game
// and what did not, which controls it answers to and which not. A loop that had
// the memory has taught that already.
func (m *Memory) Learn(ctx context.Context) error {
	return m.book.Learn(ctx, m.print, append(m.startLessons(), m.controlLessons()...))
}

// controlMemory is a control as it is remembered.
type controlMemory struct {
	Control string `json:"control"`
}

// controlLessons are about the controls of the game itself: that its sound can
// be switched off tells nothing the next time either.
func (m *Memory) controlLessons() []knowledge.Lesson {
	rec := m.g.Record
	beside := map[string]bool{}
	for _, c := range rec.Discover.Controls {
		beside[c.ID] = c.Aside
	}
	var out []knowledge.Lesson
	add := func(id string, worked bool) {
		if do, err := json.Marshal(controlMemory{Control: id}); err == nil && !beside[id] {
			out = append(out, knowledge.Lesson{Purpose: knowledge.Control, Do: do, Says: id, Worked: worked})
		}
	}
	for _, t := range rec.Explore.Trials {
		if !m.vain[t.ControlID] {
			add(t.ControlID, t.Outcome == record.Responsive)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.vain)) {
		add(id, false) // known wrongly, whatever it did later
	}
	return out
}

// startLessons are about the gestures that were to start the game; those that
// begin another round are none, nor are keys and places that were tried when it
// was begun already. What was tried more than once worked if it ever did, but
// what was tried for being known and did nothing was known wrongly.
func (m *Memory) startLessons() []knowledge.Lesson {
	var out []knowledge.Lesson
	place, wrong := map[string]int{}, map[string]bool{}
	begun := false
	for _, t := range m.g.Record.Explore.Start.Attempts {
		a, ok := gesture(t.Gesture)
		if !ok || t.Tier == record.TierAgain || words.SaysAgain(a.Label) || begun && !byName(a) {
			continue
		}
		begun = begun || t.Effect
		l, ok := lesson(knowledge.Starting, a, m.rect, knowledge.Situation{}, t.Effect)
		if !ok {
			continue
		}
		wrong[l.Says] = wrong[l.Says] || t.Tier == TierKnown && !t.Effect
		i, again := place[l.Says]
		switch {
		case !again:
			place[l.Says], out = len(out), append(out, l)
		case l.Worked && !wrong[l.Says]:
			out[i] = l
		}
	}
	return out
}

// placeNames are labels that do not name what stands there but say where it is.
var placeNames = []string{"canvas", "the middle", "a place that the code knows"}

// byName: the gesture is made at something that bears a name.
func byName(a decide.Action) bool {
	return a.At != nil && a.Label != "" && !slices.Contains(placeNames, a.Label)
}

// lesson is about an action. What cannot be written down cannot be remembered.
func lesson(purpose knowledge.Purpose, a decide.Action, rect record.Rect, on knowledge.Situation, worked bool) (knowledge.Lesson, bool) {
	do, err := decide.Memorise(a, rect)
	says := string(a.Kind) + " " + a.Label
	if a.Label == "" {
		says = a.String()
	}
	return knowledge.Lesson{Purpose: purpose, Do: do, Says: says, On: on, Worked: worked}, err == nil
}

var pointed = regexp.MustCompile(`^(click|doubleclick)(?: "(.*)")? at (\d+),(\d+)$`)

// gesture reads a gesture of a record back.
func gesture(text string) (decide.Action, bool) {
	if m := pointed.FindStringSubmatch(text); m != nil {
		x, _ := strconv.Atoi(m[3]) // digits, by the pattern
		y, _ := strconv.Atoi(m[4])
		return decide.Action{Kind: decide.Kind(m[1]), At: &record.Point{X: float64(x), Y: float64(y)}, Label: m[2]}, true
	}
	if k, ok := browser.LookupKey(text); ok && k.Code == text {
		return decide.Action{Kind: decide.Keypress, Keys: []string{k.Code}}, true
	}
	return decide.Action{}, false
}
