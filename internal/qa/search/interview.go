package search

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// maxInterviews is how many questions are answered in different ways to compare what follows.
const maxInterviews = 2

// interview answers a question that something opens with one text after the other, each in a
// fresh page, and compares what the dialogs say that follow: a game that is played in dialogs
// shows nothing else. Chance is the same in all of them.
func (s *searcher) interview(ctx context.Context, ob record.Observation, question string, ask func(context.Context, string) ([]string, error)) error {
	if s.interviews++; s.interviews > maxInterviews {
		return nil
	}
	s.emit("answering %q in different ways", question)
	for _, texts := range screen.Tests(question) {
		var heard []string
		for _, text := range texts {
			said, err := ask(ctx, text)
			if err != nil {
				return err
			}
			if len(said) == 0 {
				continue
			}
			what := without(strings.Join(said, "\n"), text)
			i := slices.Index(heard, what)
			if i < 0 {
				i, heard = len(heard), append(heard, what)
			}
			ob.Input.Text, ob.Dialog, ob.Reply = text, true, i+1
			if s.observe(ob); s.proven {
				return nil
			}
		}
	}
	return nil
}

// without is a text in which another one is not repeated where it stands for itself.
func without(text, answer string) string {
	return regexp.MustCompile(fmt.Sprintf(`(?i)(^|[^\pL\pN])%s($|[^\pL\pN])`, regexp.QuoteMeta(answer))).ReplaceAllString(text, "$1$2")
}

// asksWhenPressed asks by pressing what an offer presses, at a moment.
func (s *searcher) asksWhenPressed(offer screen.Offer, frame int) func(context.Context, string) ([]string, error) {
	return func(ctx context.Context, text string) ([]string, error) {
		t, err := s.fresh(ctx, s.spare(s.prefix, frame), s.prefix, frame)
		defer closeTwin(ctx, t)
		if err != nil {
			return nil, err
		}
		return t.Interview(ctx, offer.Input, text), nil
	}
}

// welcome answers the questions in different ways that the page asks while it loads.
func (s *searcher) welcome(ctx context.Context) error {
	question, asked := s.played.Asked(0)
	if !asked {
		return nil
	}
	return s.interview(ctx, record.Observation{Stage: "search", Input: record.Input{Kind: record.InputType}, Later: -1}, question, s.asksAtOnce)
}

// asksAtOnce asks by opening the page.
func (s *searcher) asksAtOnce(ctx context.Context, text string) ([]string, error) {
	opts := s.options()
	opts.Answer = twin.AnswerOnce(text)
	t, err := s.newTwin(ctx, opts)
	defer closeTwin(ctx, t)
	if t == nil || t.Page == nil || ctx.Err() != nil {
		return nil, err
	}
	return t.Said(0), nil // a page that asks for ever was not opened, and has said what it says
}
