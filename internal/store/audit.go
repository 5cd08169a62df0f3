package store

import (
	"context"
	"database/sql"
	"math"
	"time"
)

// Audit is something that somebody did through a door.
type Audit struct {
	ID      int64     `json:"id"`
	At      time.Time `json:"at"`
	Actor   string    `json:"actor"`
	Action  string    `json:"action"`
	Subject string    `json:"subject"`
	Detail  string    `json:"detail,omitempty"`
}

// Note keeps what somebody did in the project.
func (p *Project) Note(ctx context.Context, a Audit) error {
	return p.s.Update(ctx, func(t *Tx) error {
		_, err := t.exec(ctx, "audit_insert", p.id, a.Actor, a.Action, a.Subject, a.Detail)
		return err
	})
}

// Noted returns up to limit notes before one, newest first; before 0 begins with
// the newest.
func (p *Project) Noted(ctx context.Context, before int64, limit int) ([]Audit, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	return rows(ctx, p.s, func(row scanner) (Audit, error) {
		var a Audit
		var ms sql.NullInt64
		err := row.Scan(&a.ID, &ms, &a.Actor, &a.Action, &a.Subject, &a.Detail)
		a.At = at(ms)
		return a, err
	}, "audit_list", p.id, before, limit)
}
