// Package decide chooses the next action in a game from three layers, the
// cheapest first: heuristics by genre, a model that looks at the picture, and
// what worked on games like this one. A layer's answer is taken when it is
// surer than the layer's threshold; otherwise the next one is asked.
//
// The package touches no browser. It is given a [State] and answers with a
// [Decision] or with a [*CrashError] that names what each layer said.
package decide

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Thresholds in percent. An answer is taken when its confidence is greater;
// one that is equal goes to the next layer.
const (
	HeuristicThreshold = 80
	VisionThreshold    = 70
	// KnowledgeThreshold is lower because its confidence is counted, not felt:
	// one success on the same game is worth 75, on a distant sibling less.
	KnowledgeThreshold = 60
)

// The layers' names, in their order.
const (
	Heuristic = "heuristic"
	Sight     = "vision"
	Memory    = "knowledge"
)

// Layer is one way to choose an action.
type Layer interface {
	// Name is what the layer is called in logs.
	Name() string
	// Threshold is the confidence in percent that an answer must exceed.
	Threshold() float64
	// Propose offers an action. An error, like an unsure answer, sends the
	// question to the next layer.
	Propose(ctx context.Context, state *State) (Proposal, error)
}

// Thinker is a layer that takes seconds, during which a real-time game would
// go on without its player.
type Thinker interface {
	Layer
	Thinks() bool
}

// Proposal is what a layer would do.
type Proposal struct {
	Action Action
	// Confidence in percent, 0 to 100.
	Confidence float64
	Reason     string
	// Saw is what is on the screen, in the words of a model that looked at it.
	Saw string
	// Alternatives are what it would do instead, surest first.
	Alternatives []Alternative
}

// Alternative is a second choice.
type Alternative struct {
	Action     Action
	Confidence float64
	Reason     string
}

// Said is what one layer answered, taken or not. Every decision leaves one for
// each layer that was asked.
type Said struct {
	Time  time.Time
	Layer string
	// Number is the layer's place, from 1.
	Number     int
	Action     Action
	Confidence float64
	Threshold  float64
	Reason     string
	Saw        string
	Err        error
	Taken      bool
	Took       time.Duration
}

// String is the answer as a line of a log.
func (s Said) String() string {
	switch {
	case s.Err != nil:
		return fmt.Sprintf("layer %d, %s, failed: %v", s.Number, s.Layer, s.Err)
	case s.Taken:
		return fmt.Sprintf("layer %d, %s: %s, sure by %.0f, more than %.0f: %s", s.Number, s.Layer, s.Action, s.Confidence, s.Threshold, s.Reason)
	}
	return fmt.Sprintf("layer %d, %s: %s, sure by %.0f, not more than %.0f: %s", s.Number, s.Layer, s.Action, s.Confidence, s.Threshold, s.Reason)
}

// Decision is the action that was chosen, by which layer and after which others.
type Decision struct {
	Proposal
	Layer     string
	Number    int
	Threshold float64
	Said      []Said
}

// ErrGameCrash is what a decision ends with when no layer is sure of anything:
// whatever is on the screen, it cannot be played.
var ErrGameCrash = errors.New("no layer knows what to do next; the game may have crashed")

// CrashError is an ErrGameCrash with what each layer said.
type CrashError struct{ Said []Said }

func (e *CrashError) Error() string {
	parts := make([]string, len(e.Said))
	for i, s := range e.Said {
		parts[i] = s.String()
	}
	if len(parts) == 0 {
		return ErrGameCrash.Error()
	}
	return ErrGameCrash.Error() + ": " + strings.Join(parts, "; ")
}

// Unwrap makes it an ErrGameCrash, and whatever the layers failed with.
func (e *CrashError) Unwrap() []error {
	errs := []error{ErrGameCrash}
	for _, s := range e.Said {
		if s.Err != nil {
			errs = append(errs, s.Err)
		}
	}
	return errs
}

// Best is the surest answer that was not taken, if any layer gave one.
func (e *CrashError) Best() (Said, bool) {
	var best Said
	found := false
	for _, s := range e.Said {
		if s.Err == nil && s.Confidence > 0 && (!found || s.Confidence > best.Confidence) {
			best, found = s, true
		}
	}
	return best, found
}

// Options of a Strategy.
type Options struct {
	// Log is told of every answer as it comes. It must not block.
	Log func(Said)
	// Around is called before a layer that thinks is asked, and what it
	// returns after it has answered: the game can be held still in between.
	Around func(ctx context.Context, layer string) (done func())
}

// Strategy asks its layers in order.
type Strategy struct {
	layers []Layer
	opts   Options
}

// New makes a strategy of layers, the one to ask first first.
func New(layers []Layer, opts *Options) *Strategy {
	s := &Strategy{layers: layers}
	if opts != nil {
		s.opts = *opts
	}
	return s
}

// Next decides what to do. Layers named in the state's Skip are not asked. The
// error is a *CrashError when no layer is sure, or the context's.
func (s *Strategy) Next(ctx context.Context, state *State) (Decision, error) {
	var d Decision
	for i, l := range s.layers {
		if state.Skip[l.Name()] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return d, err
		}
		said, p := s.ask(ctx, i+1, l, state)
		d.Said = append(d.Said, said)
		if s.opts.Log != nil {
			s.opts.Log(said)
		}
		if said.Taken {
			d.Proposal, d.Layer, d.Number, d.Threshold = p, l.Name(), i+1, l.Threshold()
			return d, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return d, err
	}
	return d, &CrashError{Said: d.Said}
}

func (s *Strategy) ask(ctx context.Context, number int, l Layer, state *State) (Said, Proposal) {
	if t, ok := l.(Thinker); ok && t.Thinks() && s.opts.Around != nil {
		defer s.opts.Around(ctx, l.Name())()
	}
	said := Said{Time: time.Now(), Layer: l.Name(), Number: number, Threshold: l.Threshold()}
	p, err := propose(ctx, l, state)
	said.Took, said.Saw = time.Since(said.Time), p.Saw
	if err == nil {
		err = p.check(state)
	}
	if err != nil {
		said.Err = err
		return said, Proposal{}
	}
	said.Action, said.Confidence, said.Reason = p.Action, p.Confidence, p.Reason
	said.Taken = p.Confidence > l.Threshold()
	return said, p
}

// propose keeps a layer that panics from ending the run.
func propose(ctx context.Context, l Layer, state *State) (p Proposal, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it broke down: %v", r)
		}
	}()
	return l.Propose(ctx, state)
}

// check refuses an answer that cannot be carried out, and drops such
// alternatives.
func (p *Proposal) check(state *State) error {
	if p.Confidence < 0 || p.Confidence > 100 || p.Confidence != p.Confidence {
		return fmt.Errorf("a confidence of %v is not between 0 and 100", p.Confidence)
	}
	if err := p.Action.Check(state.Viewport); err != nil {
		return err
	}
	kept := p.Alternatives[:0]
	for _, a := range p.Alternatives {
		if a.Action.Check(state.Viewport) == nil {
			kept = append(kept, a)
		}
	}
	p.Alternatives = kept
	return nil
}
