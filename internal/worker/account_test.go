package worker_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/worker"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// vendor answers every call.
type vendor struct{ asked int }

func (v *vendor) Name() string { return "anthropic/claude-haiku-5-5" }

func (v *vendor) Generate(_ context.Context, _ *model.Request) (*model.Response, error) {
	v.asked++
	return &model.Response{Message: model.Message{Role: model.Assistant, Parts: []model.Part{model.Text("yes")}}, Usage: model.Usage{Input: 1000, Output: 100}}, nil
}

// What a worker spent that was killed in the middle of a call is spent: the
// run's next attempt has only what is left of the run's budget.
func TestAccountOutlivesTheWorker(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	accepted, err := r.Submit(t.Context(), store.Submission{Target: record.Target{URL: "http://localhost:1/"}})
	if err != nil {
		t.Fatal(err)
	}
	limit := model.Dollars(0.02)
	v := &vendor{}
	g, err := model.NewGateway([]model.Model{v}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := &model.Request{Purpose: "decision", Messages: []model.Message{model.UserText("well?")}, MaxTokens: 2000}
	lefts := []model.Money{}
	play := func(ctx context.Context, h *queue.Held) (rec *record.Record, rep *record.Report, err error) {
		account := worker.NewAccount(h, &limit, slog.New(slog.DiscardHandler))
		left, err := account.Left(ctx)
		if err != nil {
			return nil, nil, err
		}
		lefts = append(lefts, *left)
		run := g.Run(&model.RunOptions{Account: account})
		if h.Run.Attempts == 1 {
			if _, err := run.Generate(ctx, ask); err != nil {
				t.Error(err)
			}
			// SIGKILL in the middle of the next call: it is held and never settled.
			if _, err := account.Hold(ctx, model.Entry{Purpose: "decision", Model: v.Name()}, model.Dollars(0.005)); err != nil {
				t.Error(err)
			}
			return nil, nil, errors.New("killed")
		}
		for err == nil && v.asked < 100 {
			_, err = run.Generate(ctx, ask)
		}
		if !errors.Is(err, model.ErrBudget) {
			t.Errorf("the second attempt stops asking with %v after %d calls", err, v.asked)
		}
		return nil, nil, &queue.Permanent{Err: errors.New("that was all")}
	}
	if err := r.Work(t.Context(), play, &queue.WorkOptions{Idle: true}); err != nil {
		t.Fatal(err)
	}
	if len(lefts) != 2 || lefts[0] != limit || lefts[1] > limit-model.Dollars(0.005) {
		t.Errorf("the attempts had %v left", lefts)
	}
	spent, held, err := r.Store().Spent(t.Context(), accepted[0].ID)
	if err != nil || spent+held > int64(limit) || held != int64(model.Dollars(0.005)) {
		t.Errorf("spent %d, held %d of %d, %v", spent, held, int64(limit), err)
	}
}
