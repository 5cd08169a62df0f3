package model_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// streamer says its pieces and ends with the error, or with an answer.
type streamer struct {
	*modeltest.Fake
	pieces []string
	err    error
}

func newStreamer(name string, err error, pieces ...string) *streamer {
	return &streamer{Fake: scripted(name), pieces: pieces, err: err}
}

func (s *streamer) Stream(context.Context, *model.Request) iter.Seq2[*model.Chunk, error] {
	return func(yield func(*model.Chunk, error) bool) {
		whole := ""
		for _, p := range s.pieces {
			whole += p
			if !yield(&model.Chunk{Text: p}, nil) {
				return
			}
		}
		if s.err != nil {
			yield(nil, s.err)
			return
		}
		yield(&model.Chunk{Response: modeltest.Say(whole, model.Usage{Input: 10, Output: 5})}, nil)
	}
}

func TestStreamThroughTheGateway(t *testing.T) {
	broken := fail(model.ErrBroken, 0)
	for _, tc := range []struct {
		name    string
		primary model.Model
		said    string
		final   string
		kind    error
	}{
		{"passes on", newStreamer("a/one", nil, "It ", "jumps."), "It jumps.", "It jumps.", nil},
		{"fails over before the first piece", newStreamer("a/one", broken), "from b/two", "from b/two", nil},
		{"does not after it", newStreamer("a/one", broken, "It "), "It ", "", model.ErrBroken},
		{"a model that cannot stream", scripted("a/one"), "from a/one", "from a/one", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				run := gatewayOf(t, nil, tc.primary, scripted("b/two")).Run(nil)
				said, final := "", ""
				var failed error
				for chunk, err := range run.Stream(t.Context(), hello("")) {
					if err != nil {
						failed = err
						break
					}
					said += chunk.Text
					if chunk.Response != nil {
						final = chunk.Response.Text()
					}
				}
				if said != tc.said || final != tc.final || (tc.kind == nil) != (failed == nil) || tc.kind != nil && !errors.Is(failed, tc.kind) {
					t.Errorf("said %q, final %q, error %v", said, final, failed)
				}
			})
		})
	}
}

func TestLeavingAStreamIsPaidFor(t *testing.T) {
	budget := model.NewBudget(model.Dollar)
	run := gatewayOf(t, nil, newStreamer("a/one", nil, "It ", "jumps.")).Run(&model.RunOptions{Budgets: []*model.Budget{budget}})
	for range run.Stream(t.Context(), hello("")) {
		break
	}
	entries := run.Ledger().Entries()
	if len(entries) != 1 || !entries[0].Uncertain || entries[0].Cost.Amount == 0 {
		t.Errorf("entries are %+v", entries)
	}
	if s := budget.State(); s.Reserved != 0 || s.Spent != entries[0].Cost.Amount {
		t.Errorf("state is %+v", s)
	}
}
