package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// QuotaError says which of its limits a project has reached, in a sentence.
type QuotaError struct{ Reason string }

func (e *QuotaError) Error() string { return e.Reason }

// Bounded calls do, which queues runs of a project and returns how many, and
// returns a QuotaError when the project has more then than it may. What queues
// runs of one project this way waits for each other, in every process: two that
// count at once would both find room.
func (t *Tx) Bounded(ctx context.Context, project string, do func() (added int, err error)) error {
	info, err := scanProject(t.row(ctx, "project_hold", project))
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNoProject
	}
	if err != nil {
		return fmt.Errorf("read a project: %w", err)
	}
	added, err := do()
	if err != nil || added == 0 {
		return err
	}
	return t.room(ctx, info, added)
}

// room looks whether a project keeps its limits with the runs that were added.
func (t *Tx) room(ctx context.Context, p ProjectInfo, added int) error {
	l := p.Limits
	if l.Queued == 0 && l.EvidenceBytes == 0 && l.DollarsPerDay == 0 {
		return nil
	}
	u, err := usage(ctx, t.row, p.ID, l.EvidenceBytes > 0 || l.DollarsPerDay > 0)
	switch {
	case err != nil:
		return err
	case l.Queued > 0 && u.Queued > l.Queued:
		return &QuotaError{fmt.Sprintf("The project has %d runs waiting and may have %d.", u.Queued-added, l.Queued)}
	case l.EvidenceBytes > 0 && u.EvidenceBytes >= l.EvidenceBytes:
		return &QuotaError{fmt.Sprintf("The project keeps %d bytes of evidence and may keep %d: remove old runs first.", u.EvidenceBytes, l.EvidenceBytes)}
	case l.DollarsPerDay > 0 && u.DollarsToday >= l.DollarsPerDay:
		return &QuotaError{fmt.Sprintf("The project's models cost $%.2f in the last 24 hours and may cost $%.2f.", u.DollarsToday, l.DollarsPerDay)}
	}
	return nil
}

// Usage is what a project uses now.
type Usage struct {
	Queued        int     `json:"queued"`
	Running       int     `json:"running"`
	EvidenceBytes int64   `json:"evidenceBytes"`
	DollarsToday  float64 `json:"dollarsToday"`
}

// Usage counts what waits and what is being played; with all, also the bytes of
// evidence and what models cost in the last 24 hours, which takes longer.
func (p *Project) Usage(ctx context.Context, all bool) (Usage, error) {
	return usage(ctx, p.s.row, p.id, all)
}

func usage(ctx context.Context, row func(ctx context.Context, name string, args ...any) *sql.Row, project string, all bool) (Usage, error) {
	var u Usage
	if err := row(ctx, "project_usage", project).Scan(&u.Queued, &u.Running); err != nil {
		return u, fmt.Errorf("count a project's runs: %w", err)
	}
	if !all {
		return u, nil
	}
	if err := row(ctx, "project_evidence", project).Scan(&u.EvidenceBytes); err != nil {
		return u, fmt.Errorf("weigh a project's evidence: %w", err)
	}
	var spent int64
	if err := row(ctx, "project_spent", project).Scan(&spent); err != nil {
		return u, fmt.Errorf("add up a project's costs: %w", err)
	}
	u.DollarsToday = float64(spent) / nano
	return u, nil
}
