package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
)

// storage is the flags that say where runs and their evidence are kept.
type storage struct {
	db       string
	evidence string
}

func (s *storage) register(cmd *cobra.Command) {
	s.registerDB(cmd)
	cmd.Flags().StringVar(&s.evidence, "evidence", "", "where pictures and logs are kept: a `FOLDER` or s3://bucket/prefix (also $PLAYTEST_EVIDENCE; default a folder beside the database)")
	cmd.MarkFlagDirname("evidence")
}

// registerDB is register for commands that need no evidence.
func (s *storage) registerDB(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.db, "db", "", "database: the `NAME` of a SQLite file or postgres://user@host/name (also $PLAYTEST_DB; default a file in your data folder)")
	cmd.MarkFlagFilename("db", "db")
}

// named reports whether the user asked for storage at all.
func (s *storage) named() bool { return s.dbAddress() != "" || s.evidenceAddress() != "" }

func (s *storage) dbAddress() string {
	if s.db != "" {
		return s.db
	}
	return os.Getenv("PLAYTEST_DB")
}

func (s *storage) evidenceAddress() string {
	if s.evidence != "" {
		return s.evidence
	}
	return os.Getenv("PLAYTEST_EVIDENCE")
}

// dataFolder is where programs of this user keep what they must not lose.
func dataFolder() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "playtest"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", hint(errors.New("there is no home folder to keep runs in"), "name a database with --db and a place for pictures with --evidence")
	}
	return filepath.Join(home, ".local", "share", "playtest"), nil
}

// openStore opens the database.
func (s *storage) openStore(ctx context.Context) (*store.Store, error) {
	address := s.dbAddress()
	if address == "" {
		dir, err := dataFolder()
		if err != nil {
			return nil, err
		}
		address = filepath.Join(dir, "runs.db")
	}
	db, err := store.Open(ctx, address)
	if errors.Is(err, store.ErrNewer) {
		return nil, hint(err, "install the newest playtest, or name another database with --db")
	}
	return db, err
}

// openQueue opens the database and what runs are handed out by.
func (s *storage) openQueue(ctx context.Context, opts *queue.Options) (*queue.Queue, error) {
	db, err := s.openStore(ctx)
	if err != nil {
		return nil, err
	}
	q, err := queue.Open(ctx, db, opts)
	if err != nil {
		db.Close()
		return nil, err
	}
	return q, nil
}

// openEvidence opens the place for pictures and logs of the runs in db.
func (s *storage) openEvidence(db *store.Store) (evidence.Store, error) {
	address := s.evidenceAddress()
	if address == "" && db.Path() != "" {
		address = filepath.Join(filepath.Dir(db.Path()), "evidence")
	}
	if address == "" {
		// Workers of one Postgres may be on many machines.
		return nil, hint(errors.New("there is no place for the evidence"), "name a folder that every worker can reach, or a bucket: --evidence s3://bucket/prefix")
	}
	return evidence.Open(address, nil)
}

// unknownRun tells a person which run is not there.
func unknownRun(err error, id string) error {
	if errors.Is(err, store.ErrNotFound) {
		return hint(&noRunError{id, err}, "playtest runs list shows those that are there")
	}
	return err
}

type noRunError struct {
	id  string
	err error
}

func (e *noRunError) Error() string { return "there is no run " + e.id }
func (e *noRunError) Unwrap() error { return e.err }

// asideFolder is where a worker keeps results that the database does not take:
// beside a SQLite file, or in the data folder.
func (s *storage) asideFolder() (string, error) {
	if address := s.dbAddress(); address != "" && !store.IsPostgres(address) {
		file := strings.TrimPrefix(strings.TrimPrefix(address, "sqlite://"), "sqlite:")
		return filepath.Abs(filepath.Join(filepath.Dir(file), "unstored"))
	}
	dir, err := dataFolder()
	return filepath.Join(dir, "unstored"), err
}
