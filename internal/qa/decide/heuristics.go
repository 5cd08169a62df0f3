package decide

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// Heuristics is the first layer: free, fast, and sure only of what it has
// seen often: menus, and the plain way to play a genre with controls that are
// known to work, and what brought this very game further on this very screen.
// The longer nothing comes of it, the less sure it is, and once its play got the
// game no further it is not sure of it any more: that a game answers to a control
// does not say that the control is wanted now.
type Heuristics struct {
	// Book remembers earlier runs of the game. Nil remembers nothing.
	Book *knowledge.Book
}

// Name is Heuristic.
func (Heuristics) Name() string { return Heuristic }

// Threshold is HeuristicThreshold.
func (Heuristics) Threshold() float64 { return HeuristicThreshold }

// Propose does as the last time if there was one, follows a menu if there is
// one, and otherwise the genre's pattern.
func (h Heuristics) Propose(ctx context.Context, s *State) (Proposal, error) {
	if p, ok := h.again(ctx, s); ok {
		return p, nil
	}
	if p, ok := menu(s); ok {
		return p, nil
	}
	pattern := patterns[s.Genre]
	if pattern == nil {
		pattern = generic
	}
	list := pattern(s)
	if s.Genre != Generic && s.Genre != "" {
		list = append(list, discount(generic(s), 20)...)
	}
	kept := list[:0]
	for _, p := range list {
		if !s.Futile[p.Action.Key()] {
			p.Confidence = p.tempered(s)
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return Proposal{Action: Action{Kind: Wait, For: time.Second}, Confidence: 10, Reason: "no pattern fits this screen"}, nil
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].Confidence > kept[j].Confidence })
	best := kept[0]
	for _, p := range kept[1:min(len(kept), 4)] {
		best.Alternatives = append(best.Alternatives, Alternative{p.Action, p.Confidence, p.Reason})
	}
	if n := s.fruitless(Heuristic); n >= enoughInVain && best.Confidence > HeuristicThreshold {
		best.Confidence = HeuristicThreshold // the order of what it would do stays
		best.Reason += fmt.Sprintf("; but %d turns like it got the game no further", n)
	}
	return best, nil
}

// enoughInVain is after how many turns of its own in a row that got the game no
// further the layer leaves it to the next one, for as long as there is one that
// knows better.
const enoughInVain = 3

// asLastTime is how sure the layer is of what never failed on this screen of
// this game. Of another game it is as much less sure as they are less alike, so
// that only a twin is played without asking.
const asLastTime = 86

// again is what worked on this screen of this game, or of one that hardly
// differs, and never failed there.
func (h Heuristics) again(ctx context.Context, s *State) (Proposal, bool) {
	if h.Book == nil || s.Situation.Empty() || s.Stuck > 0 {
		return Proposal{}, false
	}
	offers, err := h.Book.Offers(ctx, s.Print, s.Situation, knowledge.Progress)
	if err != nil {
		return Proposal{}, false // without a memory it plays as if it were the first time
	}
	for _, o := range offers {
		sure := asLastTime * o.Similarity
		if sure <= HeuristicThreshold || o.Failed > 0 || o.Confidence <= KnowledgeThreshold {
			continue
		}
		a, err := Remembered(o.Do, s)
		if err != nil || s.Futile[a.Key()] || a.Check(s.Viewport) != nil {
			continue
		}
		// Levels look alike: what was done once today solved another one.
		if tries, hits := s.fruits(a); tries > hits || s.done(a) && !a.Keyed() {
			continue
		}
		return Proposal{Action: a, Confidence: sure, Reason: "as the last time: " + o.Why}, true
	}
	return Proposal{}, false
}

// tempered is the confidence after what became of the same before: less for
// every turn that nothing came of, and for an action that never did anything.
func (p Proposal) tempered(s *State) float64 {
	c := p.Confidence - 15*float64(s.Stuck)
	if tries, hits := s.fruits(p.Action); tries >= 2 && hits == 0 {
		c -= 20
	} else if tries >= 6 {
		c -= 3 * float64(tries-5) // a change does no harm
	}
	return min(max(c, 0), 100)
}

func discount(list []Proposal, by float64) []Proposal {
	for i := range list {
		list[i].Confidence -= by
	}
	return list
}

// menus are the meanings of labels that lead on, in the order in which they
// are followed where several are on the screen.
var menus = []struct {
	match      func(string) bool
	confidence float64
	reason     string
}{
	{words.IsStart, 95, "it begins the game"},
	{words.IsAgain, 90, "it begins another round"},
	{words.IsContinue, 92, "it leads on"},
	{words.IsConsent, 88, "it is in the way"},
}

// menu follows what a screen asks for. A label is followed once on a screen;
// where it did nothing, something else is wanted.
func menu(s *State) (Proposal, bool) {
	for _, m := range menus {
		for _, it := range s.saying(m.match) {
			a := it.click()
			if s.Futile[a.Key()] || words.IsAside(it.Text) || beside(s, it) {
				continue
			}
			return Proposal{Action: a, Confidence: m.confidence - 10*float64(min(s.Stuck, 2)), Reason: fmt.Sprintf("%q: %s", it.Text, m.reason)}, true
		}
	}
	for _, it := range s.Items {
		code, ok := words.NamedKey(it.Text)
		a := Action{Kind: Keypress, Keys: []string{code}}
		if ok && (words.SaysStart(it.Text) || words.SaysAgain(it.Text)) && !s.Futile[a.Key()] {
			return Proposal{Action: a, Confidence: 90 - 10*float64(min(s.Stuck, 2)), Reason: fmt.Sprintf("the screen says %q", it.Text)}, true
		}
	}
	// A choice between levels or modes, where it is all there is to press.
	if len(s.Controls) == 0 || !anyProven(s) {
		if list := s.saying(words.IsChoice); len(list) > 0 && !s.Futile[list[0].click().Key()] {
			return Proposal{Action: list[0].click(), Confidence: 84 - 10*float64(s.Stuck), Reason: fmt.Sprintf("%q leads into the game", list[0].Text)}, true
		}
	}
	return Proposal{}, false
}

// beside reports whether a label of a running game is better left alone: a
// restart button that is always there would end every round.
func beside(s *State, it Item) bool {
	if _, over := s.Over(); over || !anyProven(s) {
		return false
	}
	return words.IsAgain(it.Text) || words.IsStart(it.Text) && len(s.Progress) > 0
}

func anyProven(s *State) bool {
	for _, ok := range s.Proven {
		if ok {
			return true
		}
	}
	return false
}

// generic tries what was found, what is proven first and what was used little.
func generic(s *State) []Proposal {
	var out []Proposal
	for _, c := range s.Controls {
		c, shown := s.onScreen(c)
		a, ok := operate(c)
		if !ok || words.IsAside(c.Text) {
			continue
		}
		tries, hits := s.fruits(a)
		p := Proposal{Action: a, Confidence: 60 + 20*c.Confidence, Reason: "a control that was found: " + c.Description}
		switch {
		case !shown:
			p.Confidence, p.Reason = 55, fmt.Sprintf("a control of another screen, %q is not to be seen on this one: %s", c.Text, c.Description)
		case s.Proven[c.ID]:
			p.Confidence, p.Reason = 86, "the game answers to it: "+c.Description
		}
		if tries == 0 {
			p.Confidence += 3
		}
		p.Confidence -= float64(2*tries - hits)
		out = append(out, p)
	}
	return append(out, pressable(s)...)
}

// onScreen is a control where it is now, and whether it is to be seen at all. A
// game has several screens, and things move on them: a place where a thing with a
// label was once says nothing when the thing is gone or lies elsewhere. Where
// nothing can be read at all it may be there.
func (s *State) onScreen(c record.Control) (now record.Control, shown bool) {
	if c.Type == record.ControlKey || c.Text == "" || len(s.Items) == 0 {
		return c, true
	}
	it, ok := s.Labelled(c.Text)
	if !ok {
		return c, false
	}
	box := it.Box
	c.Box, c.Description = &box, fmt.Sprintf("%q", c.Text)
	if len(c.Path) > 0 {
		dx, dy := box.Center().X-c.Path[0].X, box.Center().Y-c.Path[0].Y
		c.Path = slices.Clone(c.Path)
		for i := range c.Path {
			c.Path[i].X += dx
			c.Path[i].Y += dy
		}
	}
	return c, true
}

// pressable are the things on the screen that a pointer can act on. A lone
// button is most likely meant to be pressed.
func pressable(s *State) []Proposal {
	var out []Proposal
	for _, it := range s.Items {
		if it.Interactive && !it.Disabled && !it.Box.Empty() && it.Role != "link" && !words.IsAside(it.Text) && s.Viewport.Contains(it.Box.Center()) {
			out = append(out, Proposal{Action: it.click(), Confidence: 62, Reason: "it can be pressed"})
		}
	}
	if len(out) == 1 {
		out[0].Confidence, out[0].Reason = 78, "it is the only thing that can be pressed"
	}
	return out
}

// operate makes an action of a control.
func operate(c record.Control) (Action, bool) {
	switch c.Type {
	case record.ControlKey:
		if len(c.Keys) > 0 {
			return Action{Kind: Hold, Keys: c.Keys[:1], For: 300 * time.Millisecond}, true
		}
	case record.ControlClick, record.ControlTouch:
		if c.Box != nil && !c.Box.Empty() {
			at := c.Box.Center()
			return Action{Kind: Click, At: &at, Label: c.Text}, true
		}
	case record.ControlDrag:
		if len(c.Path) > 1 {
			return Action{Kind: Drag, Path: c.Path, Label: c.Text}, true
		}
	}
	return Action{}, false
}
