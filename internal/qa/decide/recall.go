package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/record"
)

// Recall is the third layer: what brought games like this one further on
// screens like this one.
type Recall struct {
	book *knowledge.Book
}

// NewRecall makes the layer of a book.
func NewRecall(book *knowledge.Book) *Recall { return &Recall{book: book} }

// Name is Memory.
func (*Recall) Name() string { return Memory }

// Threshold is KnowledgeThreshold.
func (*Recall) Threshold() float64 { return KnowledgeThreshold }

// errNothingKnown is what the layer says about a game unlike all others.
var errNothingKnown = errors.New("nothing is known of games like this one")

// Propose offers the habit that is surest to work, unless it was tried on this
// screen already.
func (r *Recall) Propose(ctx context.Context, s *State) (Proposal, error) {
	offers, err := r.book.Offers(ctx, s.Print, s.Situation, knowledge.Progress)
	if err != nil {
		return Proposal{}, err
	}
	var best Proposal
	found := false
	for _, o := range offers {
		a, err := Remembered(o.Do, s)
		if err != nil || s.Futile[a.Key()] || a.Check(s.Viewport) != nil {
			continue
		}
		if tries, hits := s.fruits(a); tries >= 2 && hits == 0 {
			continue // it leads nowhere here
		}
		if found {
			best.Alternatives = append(best.Alternatives, Alternative{a, o.Confidence, o.Why})
			if len(best.Alternatives) == 3 {
				break
			}
			continue
		}
		found = true
		best = Proposal{Action: a, Confidence: o.Confidence, Reason: o.Why}
	}
	if !found {
		return best, errNothingKnown
	}
	return best, nil
}

// memory is an action as it is remembered: places are shares of the game's
// rectangle, so that they hold on another screen.
type memory struct {
	Action
	Within bool `json:"within"`
}

// Memorise writes an action down so that it can be done again elsewhere.
func Memorise(a Action, rect record.Rect) (json.RawMessage, error) {
	m := memory{Action: a, Within: true}
	m.Action = move(a, func(p record.Point) record.Point {
		return record.Point{X: (p.X - rect.X) / max(rect.Width, 1), Y: (p.Y - rect.Y) / max(rect.Height, 1)}
	})
	data, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("memorise %s: %w", a, err)
	}
	return data, nil
}

// Remembered is a memorised action on the present screen: at the thing that
// bears its label, or else at the same place of the game.
func Remembered(data json.RawMessage, s *State) (Action, error) {
	var m memory
	if err := json.Unmarshal(data, &m); err != nil {
		return Action{}, fmt.Errorf("remember: %w", err)
	}
	a := m.Action
	if m.Within {
		a = move(a, func(p record.Point) record.Point {
			return record.Point{X: s.Game.X + p.X*s.Game.Width, Y: s.Game.Y + p.Y*s.Game.Height}
		})
	}
	if it, ok := s.Labelled(a.Label); ok && a.At != nil {
		at := it.Box.Center()
		a.At = &at
	}
	return a, nil
}

// move is the action with every place put somewhere else.
func move(a Action, to func(record.Point) record.Point) Action {
	if a.At != nil {
		at := to(*a.At)
		a.At = &at
	}
	path := make([]record.Point, 0, len(a.Path))
	for _, p := range a.Path {
		path = append(path, to(p))
	}
	steps := make([]Action, 0, len(a.Steps))
	for _, st := range a.Steps {
		steps = append(steps, move(st, to))
	}
	if len(path) > 0 {
		a.Path = path
	}
	if len(steps) > 0 {
		a.Steps = steps
	}
	return a
}
