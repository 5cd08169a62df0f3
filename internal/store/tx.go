package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Tx is a transaction that writes.
type Tx struct {
	s    *Store
	conn *sql.Conn
	tx   *sql.Tx
}

// Update runs do in a transaction: all of it is kept, or nothing when do
// returns an error.
func (s *Store) Update(ctx context.Context, do func(*Tx) error) error {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	if err := do(&Tx{s, conn, tx}); err != nil {
		if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			err = errors.Join(err, fmt.Errorf("take a transaction back: %w", back))
		}
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit a transaction: %w", err)
	}
	return nil
}

// exec runs a named query and says how many rows it changed.
func (t *Tx) exec(ctx context.Context, name string, args ...any) (int64, error) {
	res, err := t.tx.ExecContext(ctx, t.s.queries[name], storables(args)...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

// held runs a named query that changes the row of a leased run.
func (t *Tx) held(ctx context.Context, name string, args ...any) error {
	n, err := t.exec(ctx, name, args...)
	if err == nil && n == 0 {
		return ErrLost
	}
	return err
}

func (t *Tx) row(ctx context.Context, name string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(ctx, t.s.queries[name], storables(args)...)
}

// row is the same on the reading side.
func (s *Store) row(ctx context.Context, name string, args ...any) *sql.Row {
	return s.read.QueryRowContext(ctx, s.queries[name], storables(args)...)
}

// hold makes sure that the lease is the run's until the transaction ends, for
// writes that do not change the run's own row.
func (t *Tx) hold(ctx context.Context, l Lease) error {
	var one int
	err := t.row(ctx, "lease_hold", l.RunID, l.Number).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrLost
	}
	if err != nil {
		return fmt.Errorf("lease_hold: %w", err)
	}
	return nil
}

// each prepares a named query and runs it for every i below n with what args
// returns.
func (t *Tx) each(ctx context.Context, name string, n int, args func(i int) []any) error {
	if n == 0 {
		return nil
	}
	stmt, err := t.tx.PrepareContext(ctx, t.s.queries[name])
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer stmt.Close()
	for i := range n {
		if _, err := stmt.ExecContext(ctx, storables(args(i))...); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// rows runs a named query on the reading side and collects what scan makes of
// each row.
func rows[T any](ctx context.Context, s *Store, scan func(scanner) (T, error), name string, args ...any) ([]T, error) {
	found, err := s.read.QueryContext(ctx, s.queries[name], storables(args)...)
	return collect(found, err, scan, name)
}

func collect[T any](found *sql.Rows, err error, scan func(scanner) (T, error), name string) ([]T, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer found.Close()
	out := []T{}
	for found.Next() {
		v, err := scan(found)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, v)
	}
	if err := found.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

type scanner interface{ Scan(...any) error }

// at is the time that a column of milliseconds means; null is the zero time.
func at(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// text keeps an empty string as null.
func text(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
