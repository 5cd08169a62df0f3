package model_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// thinker is a model that spends so many tokens on thinking, whatever the
// bound, and answers if there is room left for it.
func thinker(name string, caps model.Capabilities, thoughts int, answer string) *modeltest.Fake {
	return modeltest.NewFake(name, &caps, func(_ context.Context, _ int, req *model.Request) (*model.Response, error) {
		if req.Limit() < thoughts+len(answer) {
			return &model.Response{Message: model.Message{Role: model.Assistant}, Stop: model.StopLength, Usage: model.Usage{Thinking: req.Limit()}}, nil
		}
		return modeltest.Say(answer, model.Usage{Thinking: thoughts, Output: 20}), nil
	})
}

// TestBoundsSurviveThinking: an answer of a thousand tokens must not be lost to
// a model that thinks for three thousand first.
func TestBoundsSurviveThinking(t *testing.T) {
	levels := []model.Effort{model.LowEffort, model.MediumEffort, model.HighEffort}
	const answer = `{"key":"Space","confidence":90}`
	for _, tc := range []struct {
		name     string
		caps     model.Capabilities
		thoughts int
		limit    int
		effort   model.Effort
		// wantEffort and wantBound are those of the first call.
		wantEffort model.Effort
		wantBound  int
		calls      int
		kind       error
	}{
		{name: "a model that does not think gets what was asked for", caps: model.Capabilities{}, limit: 500, wantBound: 500, calls: 1},
		{name: "a small question gets low effort and room", caps: model.Capabilities{Thinks: true, Efforts: levels}, thoughts: 3000, limit: 500, wantEffort: model.LowEffort, wantBound: 4596, calls: 1},
		{name: "a large one is left to the model", caps: model.Capabilities{Thinks: true, Efforts: levels}, thoughts: 12000, limit: 16000, wantBound: 32384, calls: 1},
		{name: "an effort that was asked for stays", caps: model.Capabilities{Thinks: true, Efforts: levels}, thoughts: 20000, limit: 500, effort: model.HighEffort, wantEffort: model.HighEffort, wantBound: 25076, calls: 1},
		{name: "a model that cannot be told gets room all the same", caps: model.Capabilities{Thinks: true}, thoughts: 7000, limit: 500, wantBound: 8692, calls: 1},
		{name: "the vendor's limit holds", caps: model.Capabilities{Thinks: true, Efforts: levels, Output: 2000}, limit: 500, wantEffort: model.LowEffort, wantBound: 2000, calls: 1},
		{name: "a cut answer is asked for once more with a larger bound", caps: model.Capabilities{}, thoughts: 1200, limit: 500, wantBound: 500, calls: 2},
		{name: "and not twice", caps: model.Capabilities{}, thoughts: 9000, limit: 500, wantBound: 500, calls: 2, kind: model.ErrLength},
		{name: "nor when the model has no more", caps: model.Capabilities{Output: 500}, thoughts: 9000, limit: 500, wantBound: 500, calls: 1, kind: model.ErrLength},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.caps.Structured = model.Native
			m := thinker("a/one", tc.caps, tc.thoughts, answer)
			run := gatewayOf(t, nil, m).Run(nil)
			req := hello("")
			req.MaxTokens, req.Effort = tc.limit, tc.effort
			got, resp, err := model.Decode[move](t.Context(), run, req)
			if !errors.Is(err, tc.kind) || err == nil && got.Key != "Space" {
				t.Fatalf("got %+v, %v", got, err)
			}
			sent := m.Requests()
			if len(sent) != tc.calls || sent[0].Effort != tc.wantEffort || sent[0].Limit() != tc.wantBound {
				t.Errorf("%d calls, the first with effort %q and a bound of %d", len(sent), sent[0].Effort, sent[0].Limit())
			}
			if tc.calls == 2 && sent[1].Limit() != 4*tc.wantBound {
				t.Errorf("the second bound is %d", sent[1].Limit())
			}
			if tc.calls == 2 && err == nil && resp.Usage.Thinking != tc.limit+tc.thoughts {
				t.Errorf("the first call is not on the books: %+v", resp.Usage)
			}
		})
	}
}

// Words without a schema are cut off as well when thinking takes it all.
func TestNothingButThoughtsIsAskedAgain(t *testing.T) {
	m := thinker("a/one", model.Capabilities{}, 1500, "ready")
	req := hello("")
	req.MaxTokens = 500
	resp, err := gatewayOf(t, nil, m).Run(nil).Generate(t.Context(), req)
	if err != nil || resp.Text() != "ready" || len(m.Requests()) != 2 {
		t.Errorf("got %v, %v after %d calls", resp, err, len(m.Requests()))
	}
}

// TestDeadlinesGrowWithTheBound: sixteen thousand tokens take more than a
// minute to write. What a user has set holds as it is.
func TestDeadlinesGrowWithTheBound(t *testing.T) {
	for _, tc := range []struct {
		name    string
		purpose string
		limit   int
		set     map[string][]time.Duration
		takes   time.Duration
		fails   bool
	}{
		{name: "a usual bound", limit: 4096, takes: 59 * time.Second},
		{name: "a large one", limit: 16000, takes: 5 * time.Minute},
		{name: "not for ever", limit: 16000, takes: 10 * time.Minute, fails: true},
		{name: "not for decisions", purpose: "decision", limit: 16000, takes: 6 * time.Second, fails: true},
		{name: "not against the user's will", limit: 16000, set: map[string][]time.Duration{"": {time.Minute}}, takes: 2 * time.Minute, fails: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := modeltest.NewFake("a/one", nil, func(ctx context.Context, _ int, _ *model.Request) (*model.Response, error) {
					select {
					case <-time.After(tc.takes):
						return modeltest.Say("done", model.Usage{}), nil
					case <-ctx.Done():
						return nil, model.TransportError("a/one", ctx.Err())
					}
				})
				req := hello(tc.purpose)
				req.MaxTokens = tc.limit
				_, err := gatewayOf(t, &model.Options{Deadlines: tc.set}, m).Run(nil).Generate(t.Context(), req)
				if (err != nil) != tc.fails || err != nil && !errors.Is(err, model.ErrTimeout) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// TestTimeoutsAreRetriedOnce: where nobody else can be asked.
func TestTimeoutsAreRetriedOnce(t *testing.T) {
	for _, tc := range []struct {
		name    string
		purpose string
		errs    []error
		chain   bool
		calls   int
		fails   bool
	}{
		{name: "a hang is tried once more", errs: []error{errHang}, calls: 2},
		{name: "and not twice", errs: []error{errHang, errHang}, calls: 2, fails: true},
		{name: "another provider goes first", errs: []error{errHang}, chain: true, calls: 1},
		{name: "a decision is not waited for", purpose: "decision", errs: []error{errHang}, calls: 1, fails: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := scripted("a/one", tc.errs...)
				chain := []model.Model{m}
				if tc.chain {
					chain = append(chain, scripted("b/two"))
				}
				_, err := gatewayOf(t, nil, chain...).Run(nil).Generate(t.Context(), hello(tc.purpose))
				if (err != nil) != tc.fails || len(m.Requests()) != tc.calls {
					t.Errorf("%v after %d calls", err, len(m.Requests()))
				}
			})
		})
	}
}
