package store

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// Result is how an attempt ends a run that was judged.
type Result struct {
	Record *record.Record
	Report *record.Report
	// Manifest is the SHA-256 of the manifest of the attempt's evidence, "" when
	// it left none.
	Manifest string
}

// Played is a run that was played without a queue. Its times are by the clock
// of whoever played it.
type Played struct {
	Result
	// Worker names who played it.
	Worker   string
	Settings Settings
	// Created is when it was asked for. Started and Finished are the record's.
	Created time.Time
	Events  []record.Event
	Calls   []Expense
}

// Add stores a run that was played without a queue, all at once: nobody sees
// it waiting or under way.
func (t *Tx) Add(ctx context.Context, p Played) error {
	rec := p.Record
	if _, err := t.Submit(ctx, []Submission{{ID: rec.RunID, Target: rec.Target, Settings: p.Settings}}); err != nil {
		return err
	}
	r, err := one(scanRun(t.row(ctx, "lease_take", rec.RunID, p.Worker)))
	if err != nil {
		return err
	}
	l := Lease{r.ID, r.Lease}
	if _, err := t.exec(ctx, "lease_open", l.RunID, l.Number, p.Worker); err != nil {
		return err
	}
	if err := t.events(ctx, l, p.Events); err != nil {
		return err
	}
	if err := t.spend(ctx, l, p.Calls); err != nil {
		return err
	}
	status := Completed
	if rec.Interrupted == "cancelled" {
		status = Cancelled
	}
	if err := t.Finish(ctx, l, status, p.Result); err != nil {
		return err
	}
	return t.date(ctx, l, p)
}

// date replaces the times of storing by those of playing, where they are known.
func (t *Tx) date(ctx context.Context, l Lease, p Played) error {
	started, finished := p.Record.Started, p.Record.Finished
	if started.IsZero() || finished.IsZero() {
		return nil
	}
	created := p.Created
	if created.IsZero() {
		created = started
	}
	for i, name := range []string{"run_date", "run_date_attempt"} {
		args := []any{l.RunID, started.UnixMilli(), finished.UnixMilli()}
		if i == 0 {
			args = append(args, created.UnixMilli())
		}
		if _, err := t.exec(ctx, name, args...); err != nil {
			return err
		}
	}
	return t.each(ctx, "run_date_checkpoint", len(p.Record.Phases), func(i int) []any {
		ph := p.Record.Phases[i]
		return []any{l.RunID, l.Number, ph.Phase, ph.Started.Add(ph.Duration).UnixMilli()}
	})
}
