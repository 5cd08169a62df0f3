package explore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

const (
	// declaredBudget bounds the time for controls that the metadata declares,
	// beyond what finding the first that answers took.
	declaredBudget = 25 * time.Second
	// quickWindows is how often each is tried before any is tried more: a tap
	// and two holds.
	quickWindows = 3
	// maxAlternatives bounds the keys that are tried of those that do the same, as
	// the letters of a game of words.
	maxAlternatives = 4
	// maxPointers bounds the things that are pointed at for a declared control
	// that only names the pointer.
	maxPointers = 3
)

// tryDeclared tries every control that the metadata declares, critical ones
// first, each direction of an axis, by taps and by holds. Those that pause or
// end the game come after play.
func (e *Explorer) tryDeclared(ctx context.Context) error {
	bindings := e.g.Record.Target.Metadata.Bindings()
	if len(bindings) == 0 || e.lost {
		return nil
	}
	e.g.Emit(record.EventProgress, "trying the %d controls that the metadata declares", len(bindings))
	until := time.Now().Add(declaredBudget)
	if !e.responsive() {
		until = time.Now().Add(declaredBudget / 3) // it may not even have begun
	}
	for _, windows := range []int{quickWindows, maxWindows} {
		for _, b := range bindings {
			if late(b) {
				continue
			}
			if err := e.tryBinding(ctx, b, windows, until); err != nil {
				return err
			}
		}
	}
	return nil
}

// tryLate tries the declared controls that lie beside the game, when nothing can
// be spoilt any more.
func (e *Explorer) tryLate(ctx context.Context) error {
	if _, err := e.recover(ctx); err != nil {
		return err
	}
	until := time.Now().Add(declaredBudget / 2)
	for _, b := range e.g.Record.Target.Metadata.Bindings() {
		if !late(b) {
			continue
		}
		if err := e.tryBinding(ctx, b, quickWindows, until); err != nil {
			return err
		}
	}
	return nil
}

// late: the control pauses, restarts or leaves the game, by its keys or by name.
func late(b metadata.Binding) bool {
	if len(b.Keys) > 0 && !slices.ContainsFunc(b.Keys, func(k string) bool { return rank(k) < sideKey }) {
		return true
	}
	return words.IsAside(b.Name) || words.IsAgain(b.Name)
}

func (e *Explorer) tryBinding(ctx context.Context, b metadata.Binding, windows int, until time.Time) error {
	for _, keys := range alternatives(b) {
		if windows > quickWindows && slices.ContainsFunc(keys, e.keyWorks) {
			continue // one of them is enough to know that the control works
		}
		for _, k := range keys[:min(len(keys), maxAlternatives)] {
			if err := e.tryUnsettled(ctx, e.keyCandidate(k), windows, until); err != nil {
				return err
			}
		}
	}
	if b.AnyKey {
		c := candidate{control: anyKeyControl(), inputs: []game.Input{{Kind: game.KeyPress, Key: "Space"}, {Kind: game.KeyPress, Key: "Enter"}}}
		if err := e.tryUnsettled(ctx, c, windows, until); err != nil {
			return err
		}
	}
	if !b.Pointer {
		return nil
	}
	for _, c := range e.pointers(b.Name) {
		if err := e.tryUnsettled(ctx, c, windows, until); err != nil {
			return err
		}
		if e.works(c.control.ID) {
			return nil // one way to use the pointer will do
		}
	}
	return nil
}

// alternatives are the keys of a binding, together those that do the same: all
// of an action, those of one direction of an axis.
func alternatives(b metadata.Binding) [][]string {
	if b.Kind != metadata.BindAxis {
		return [][]string{b.Keys}
	}
	var out [][]string
	for _, d := range b.Directions {
		out = append(out, d.Keys)
	}
	return out
}

func (e *Explorer) keyWorks(key string) bool { return e.works("key:" + key) }

// works reports whether a control was shown to work.
func (e *Explorer) works(id string) bool {
	r := e.results[id]
	return r != nil && r.trial.Outcome == record.Responsive
}

// tryUnsettled tries a control about which not enough is known yet. When the
// game begins because of it, it is tried again in the game.
func (e *Explorer) tryUnsettled(ctx context.Context, c candidate, windows int, until time.Time) error {
	for range 2 {
		if r := e.results[c.control.ID]; r != nil && r.trial.Outcome == record.Unresponsive && len(r.windows) >= quickWindows {
			return nil
		}
		began, err := e.try(ctx, &c, windows, until)
		if err != nil || !began {
			return err
		}
		if err := e.refresh(ctx); err != nil {
			return err
		}
	}
	return nil
}

// keyCandidate is a key as it was discovered, with the ways to press it.
func (e *Explorer) keyCandidate(key string) candidate {
	c := record.Control{ID: "key:" + key, Type: record.ControlKey, Keys: []string{key}, Confidence: 1, Description: "the key " + record.KeyLabel(key), Sources: []string{"metadata"}}
	for _, have := range e.g.Record.Discover.Controls {
		if have.ID == c.ID {
			c = have
		}
	}
	return candidate{control: c, inputs: keyInputs(key)}
}

// keyInputs are the ways to press a key, taps and holds.
func keyInputs(key string) []game.Input {
	tap, hold := game.Input{Kind: game.KeyPress, Key: key}, game.Input{Kind: game.KeyHold, Key: key}
	return []game.Input{tap, hold, hold, tap}
}

// pointers are what a declared pointer control may mean: what bears its name, or
// else what the pointer can be used on.
func (e *Explorer) pointers(name string) []candidate {
	var named, others []candidate
	for _, c := range e.pointerCandidates() {
		switch {
		case strings.EqualFold(strings.TrimSpace(c.control.Text), name):
			named = append(named, c)
		case !aside(c.control) && len(others) < maxPointers:
			others = append(others, c)
		}
	}
	if len(named) > 0 {
		return named
	}
	return others
}

// enough is how many windows it takes until silence is an answer. A key that
// only the metadata names has no code that speaks for it.
func (e *Explorer) enough(c record.Control) int {
	blind := e.g.Code == nil || e.g.Record.Discover.WASM
	if !blind && onlyDeclared(c) {
		return quickWindows
	}
	return maxWindows
}

// onlyDeclared: the metadata names the control and nothing else speaks for it.
func onlyDeclared(c record.Control) bool {
	return slices.Contains(c.Sources, "metadata") && !slices.Contains(c.Sources, "coverage")
}

// tapAndHold is how often a declared move is made before others get their turn.
const tapAndHold = 2

// owed: the move is declared and was not both tapped and held yet.
func (m move) owed() bool { return m.declared && m.used < tapAndHold }

// declaredFirst puts the moves that the metadata declares first, in its order.
func (e *Explorer) declaredFirst(plan []move) []move {
	place := map[string]int{}
	for _, b := range e.g.Record.Target.Metadata.Bindings() {
		for _, k := range b.Keys {
			if _, ok := place["key:"+k]; !ok {
				place["key:"+k] = len(place) + 1
			}
		}
	}
	for i := range plan {
		m := &plan[i]
		if m.declared = place[m.control.ID] > 0; !m.declared {
			continue
		}
		if r := e.results[m.control.ID]; r != nil {
			m.used = min(len(r.windows), tapAndHold) // the trials tap first, then hold
		}
	}
	slices.SortStableFunc(plan, func(a, b move) int {
		pa, pb := place[a.control.ID], place[b.control.ID]
		switch {
		case pa == 0 && pb == 0:
			return 0
		case pa == 0:
			return 1
		case pb == 0:
			return -1
		}
		return pa - pb
	})
	return plan
}
