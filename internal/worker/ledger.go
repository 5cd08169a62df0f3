package worker

import (
	"context"
	"log/slog"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/model"
)

// keepLedger stores what the models of a run were asked and what that cost.
// Models without a ledger are for tests.
func keepLedger(h *queue.Held, m model.Model, log *slog.Logger) {
	run, ok := m.(*model.Run)
	if !ok || run == nil {
		return
	}
	var calls []store.Expense
	for _, e := range run.Ledger().Entries() {
		c := store.Expense{
			Time: e.Time, Purpose: e.Purpose, Model: e.Model, InputTokens: int64(e.Usage.In()), OutputTokens: int64(e.Usage.Out()),
			Latency: e.Latency, Error: e.Error,
		}
		if e.Cost.Known {
			nano := int64(e.Cost.Amount)
			c.Nano = &nano
		}
		calls = append(calls, c)
	}
	if len(calls) == 0 {
		return
	}
	// Money was spent whatever becomes of the run.
	ctx, cancel := context.WithTimeout(context.Background(), telling)
	defer cancel()
	if err := h.Spend(ctx, calls); err != nil {
		log.Warn("keep the ledger", "error", err)
	}
}
