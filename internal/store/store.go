// Package store keeps runs and what was found in them, in SQLite or Postgres.
//
// A run is a row in test_runs with a status. Whoever works on a run holds a
// lease on it: a number that grows each time the run is taken up. Every write
// about a running run names its lease and changes nothing when another has
// been given out since, so a worker that was thought dead cannot spoil what
// its successor does.
//
// The two databases share their migrations and their queries; what they spell
// differently is a handful of words (see dialect).
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// What callers tell apart.
var (
	// ErrNotFound: there is no such run.
	ErrNotFound = errors.New("no such run")
	// ErrLost: the lease is not, or no longer, the run's.
	ErrLost = errors.New("the run is no longer held under this lease")
	// ErrNewer: the database was made by a newer playtest.
	ErrNewer = errors.New("the database was made by a newer playtest")
	// ErrKeyTaken: an idempotency key was used for another target before.
	ErrKeyTaken = errors.New("the idempotency key belongs to a run of another target")
)

// Store is an open database. Safe for use by many goroutines.
type Store struct {
	dialect dialect
	queries map[string]string
	write   *sql.DB
	read    *sql.DB
	pool    *pgxpool.Pool // Postgres only
	path    string        // SQLite only
}

// Open opens the database at an address and brings its tables up to date:
// postgres://user@host/name, or the name of a SQLite file, with or without
// sqlite: before it. The file and its folder are made when they are missing.
func Open(ctx context.Context, address string) (*Store, error) {
	var s *Store
	var err error
	if IsPostgres(address) {
		s, err = openPostgres(ctx, address)
	} else {
		s, err = openSQLite(ctx, address)
	}
	if err != nil {
		return nil, err
	}
	if s.queries, err = loadQueries(s.dialect); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.migrate(ctx, migrations()); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// IsPostgres tells the address of a server from the name of a file.
func IsPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// Pool is the pool of connections behind a Postgres store, nil for SQLite.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// Path is the file behind a SQLite store, "" for Postgres.
func (s *Store) Path() string { return s.path }

// closeLimit bounds how long Close waits for queries under way.
const closeLimit = time.Second

// Close gives the connections back.
func (s *Store) Close() error {
	err := s.write.Close()
	if s.read != s.write {
		err = errors.Join(err, s.read.Close())
	}
	if s.pool != nil {
		// The pool waits for whoever still asks: not for ever, when a server is gone.
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			s.pool.Close()
		}()
		select {
		case <-closed:
		case <-time.After(closeLimit):
		}
	}
	if err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	return nil
}
