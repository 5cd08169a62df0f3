package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/record"
)

// maxFields bounds how many fields of a screen are filled in.
const maxFields = 6

// fill fills in the fields of the present screen, as a player does before pressing
// anything. What a field itself shows is no effect; where the game answers to what is
// written, that is followed like any other input.
func (s *searcher) fill(ctx context.Context) error {
	if s.at.filled || len(s.now.Fields) == 0 {
		return nil
	}
	s.at.filled = true
	for i, f := range s.now.Fields {
		in := s.filling(f, i, 0)
		if i >= maxFields {
			break
		}
		ob := s.observation(in, screen.Field)
		ob.Noise = s.stray
		o, err := s.try(ctx, in, false)
		if err != nil {
			return err
		}
		if o.fill(&ob); o.effect() && o.left == "" {
			return s.followUp(ctx, screen.Offer{ID: "fill:" + f.Selector, Source: screen.Field, Input: in}, ob, o)
		}
		if err := s.catchUp(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// filling is what a player writes into the nth field that is filled in, or chooses there, after
// some guesses.
func (s *searcher) filling(f probe.Element, n, guesses int) record.Input {
	answers := screen.Answers(f, n+guesses)
	text, guess := screen.Guess(screen.Answers(f, n)[min(s.wording, len(answers)-1)], guesses)
	if !guess {
		text = answers[min(s.wording, len(answers)-1)]
	}
	in := record.Input{Kind: record.InputFill, Text: text, Label: f.Text, At: record.Point{X: f.CX, Y: f.CY}}
	if f.Tag == "select" {
		in.Kind = record.InputChoose
	}
	return in
}

// reword presses again what was answered by a dialog alone, with something else in the fields:
// what was written there may not be what the game wants.
func (s *searcher) reword(ctx context.Context, offer screen.Offer) error {
	const wordings = 4 // a name, a letter, a number, a code
	effects, id := s.effects, offer.ID
	for s.wording < wordings-1 {
		s.wording++
		for i, f := range s.now.Fields[:min(len(s.now.Fields), maxFields)] {
			if f.Tag == "select" || len(screen.Answers(f, i)) <= s.wording {
				continue
			}
			if err := s.sync(ctx, s.filling(f, i, 0)); err != nil {
				return err
			}
		}
		offer.ID = fmt.Sprintf("%s:%d", id, s.wording)
		if err := s.attempt(ctx, offer); err != nil || s.effects > effects {
			return err
		}
	}
	return nil
}

// tryFilled makes an input after chance began anew. If that is a click that does nothing to
// be seen, it is made once more with the fields filled in that the game has emptied since:
// another guess is written for each turn.
func (s *searcher) tryFilled(ctx context.Context, in record.Input, picture bool) (outcome, error) {
	o, err := s.trySeeded(ctx, in, picture)
	if err != nil || o.effect() || o.loaded || o.left != "" || in.Kind != record.InputClick || !s.at.filled {
		return o, err
	}
	fields := s.now.Fields[:min(len(s.now.Fields), maxFields)]
	empty := func(f probe.Element) bool { return f.Tag != "select" && s.played.Empty(ctx, f.Selector) }
	if !slices.ContainsFunc(fields, empty) {
		return o, nil
	}
	if o.trace {
		if err := s.catchUp(ctx, in); err != nil {
			return o, err
		}
	}
	for i, f := range fields {
		if !empty(f) {
			continue
		}
		s.refills++
		if err := s.sync(ctx, s.filling(f, i, s.refills)); err != nil {
			return o, err
		}
	}
	return s.trySeeded(ctx, in, picture)
}
