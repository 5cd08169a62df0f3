package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// Lease is the right to work on a run, and the only one to write about it.
type Lease struct {
	RunID string
	// Number grows with each lease on the run.
	Number int64
}

// Claim takes up a run that is due: of the project with the fewest under way,
// those with as many taking turns, and of its runs the highest priority, then the
// oldest, of a site that has fewer than perSite under way (0 for no limit). It
// returns ErrNotFound when there is none.
func (t *Tx) Claim(ctx context.Context, worker string, perSite int) (Run, error) {
	if err := t.lockClaims(ctx); err != nil {
		return Run{}, fmt.Errorf("claim a run: %w", err)
	}
	found, err := t.tx.QueryContext(ctx, t.s.queries["lease_projects"])
	projects, err := collect(found, err, func(row scanner) (id string, err error) { return id, row.Scan(&id) }, "lease_projects")
	if err != nil {
		return Run{}, err
	}
	for _, project := range projects {
		r, err := one(scanRun(t.row(ctx, "lease_claim", worker, perSite, project)))
		if errors.Is(err, ErrNotFound) {
			continue // its sites have enough under way
		}
		if err != nil {
			return r, err
		}
		if _, err := t.exec(ctx, "lease_turn", project); err != nil {
			return r, err
		}
		_, err = t.exec(ctx, "lease_open", r.ID, r.Lease, worker)
		return r, err
	}
	return Run{}, ErrNotFound
}

// Waiting reports whether any run is queued, due or not.
func (s *Store) Waiting(ctx context.Context) (bool, error) {
	var n int
	if err := s.read.QueryRowContext(ctx, s.queries["lease_queued"]).Scan(&n); err != nil {
		return false, fmt.Errorf("look for queued runs: %w", err)
	}
	return n > 0, nil
}

// Heartbeat says that the holder lives, and learns whether somebody wants the
// run cancelled.
func (s *Store) Heartbeat(ctx context.Context, l Lease) (cancel bool, err error) {
	var asked int
	switch err := s.write.QueryRowContext(ctx, s.queries["lease_heartbeat"], l.RunID, l.Number).Scan(&asked); {
	case errors.Is(err, sql.ErrNoRows):
		return false, ErrLost
	case err != nil:
		return false, fmt.Errorf("heartbeat: %w", err)
	}
	return asked != 0, nil
}

// Checkpoint notes that a phase is behind the run. A record that is given is
// kept as the run's; with complete nothing is left but to judge it.
func (t *Tx) Checkpoint(ctx context.Context, l Lease, phase string, rec *record.Record, complete bool) error {
	if err := t.held(ctx, "lease_phase", l.RunID, l.Number, phase); err != nil {
		return err
	}
	if _, err := t.exec(ctx, "lease_checkpoint", l.RunID, l.Number, phase); err != nil {
		return err
	}
	if rec == nil {
		return nil
	}
	body, err := pack(rec)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "lease_record", l.RunID, l.Number, flag(complete), body)
	return err
}

// Requeue gives a run back to be taken up again after a delay. Counted says
// that the attempt counts; outcome is what the attempt's row shall say.
func (t *Tx) Requeue(ctx context.Context, l Lease, outcome, message string, delay time.Duration, counted bool) error {
	if err := t.held(ctx, "lease_requeue", l.RunID, l.Number, max(0, delay.Milliseconds()), flag(!counted), text(message)); err != nil {
		return err
	}
	_, err := t.exec(ctx, "lease_close", l.RunID, l.Number, outcome, text(message))
	return err
}

// End closes a run without a report. Manifest is the SHA-256 of the manifest of
// the evidence that this attempt left, "" when it left none: from here on that
// is the run's evidence, and no other attempt's.
func (t *Tx) End(ctx context.Context, l Lease, status Status, message, manifest string) error {
	if err := t.held(ctx, "lease_end", l.RunID, l.Number, string(status), text(message), text(manifest)); err != nil {
		return err
	}
	if err := t.notify(ctx, l.RunID); err != nil {
		return err
	}
	_, err := t.exec(ctx, "lease_close", l.RunID, l.Number, string(status), text(message))
	return err
}

// Weigh notes how many bytes of evidence the attempt has left.
func (t *Tx) Weigh(ctx context.Context, l Lease, bytes int64) error {
	return t.held(ctx, "lease_weigh", l.RunID, l.Number, bytes)
}

// Stale lists running runs that have not been heard of for so long by the
// database's clock, and that nobody else is rescuing.
func (t *Tx) Stale(ctx context.Context, silence time.Duration) ([]Run, error) {
	found, err := t.tx.QueryContext(ctx, t.s.queries["lease_stale"], silence.Milliseconds())
	return collect(found, err, scanRun, "lease_stale")
}

// Cancel ends a queued run at once and asks the holder of a running one to
// stop. Of a run that has ended it returns what became of it and changes
// nothing.
func (t *Tx) Cancel(ctx context.Context, id string) (Status, error) {
	if n, err := t.exec(ctx, "run_cancel_queued", id); err != nil {
		return "", err
	} else if n > 0 {
		return Cancelled, t.notify(ctx, id)
	}
	if n, err := t.exec(ctx, "run_cancel_running", id); err != nil || n > 0 {
		return Running, err
	}
	r, err := t.get(ctx, id)
	return r.Status, err
}

// Retry queues a run again that failed, was cancelled or was parked, and
// forgets its report. It reports whether the run was one of these.
func (t *Tx) Retry(ctx context.Context, id string) (bool, error) {
	n, err := t.exec(ctx, "run_retry", id)
	if err != nil {
		return false, err
	}
	if n == 0 {
		_, err := t.get(ctx, id)
		return false, err
	}
	for _, name := range []string{"run_forget_report", "run_forget_scores", "run_forget_actions", "run_forget_controls", "run_forget_decisions", "run_forget_record"} {
		if _, err := t.exec(ctx, name, id); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (t *Tx) get(ctx context.Context, id string) (Run, error) {
	return one(scanRun(t.row(ctx, "run_get", id)))
}
