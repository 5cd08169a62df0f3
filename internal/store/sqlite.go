package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// readers is how many readers may look at a SQLite file at a time. They see the
// state of the last commit and do not wait for the writer.
const readers = 4

// patience is how long a connection waits for others to let go of the file.
const patience = 15 * time.Second

func openSQLite(ctx context.Context, address string) (*Store, error) {
	name := strings.TrimPrefix(strings.TrimPrefix(address, "sqlite://"), "sqlite:")
	if name == "" {
		return nil, fmt.Errorf("open the database: the address %q names no file", address)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("make a folder for the database: %w", err)
	}
	if err := private(path); err != nil {
		return nil, fmt.Errorf("make the database: %w", err)
	}
	s := &Store{dialect: sqlite, path: path}
	// Writers take their lock when they begin: a transaction that reads first
	// and writes later would fail instead of waiting for its turn. A commit is
	// on the disk when it returns.
	if s.write, err = sql.Open("sqlite", dsn(path, "_txlock", "immediate", "_pragma", "journal_mode(WAL)", "_pragma", synchronous)); err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	s.write.SetMaxOpenConns(1)
	// The writer comes first and makes the file what readers expect.
	if err := connect(ctx, s.write); err != nil {
		s.write.Close()
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	if s.read, err = sql.Open("sqlite", dsn(path, "_pragma", "query_only(1)")); err != nil {
		s.write.Close()
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	return s, nil
}

// connect opens the first connection. Turning a new file to its journal needs
// the file alone, and two programs that both began to read it would wait for
// each other for ever: SQLite tells one of them at once that the file is busy,
// without the wait that it was given, and that one has to begin again.
func connect(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := db.PingContext(ctx)
		var busy *driver.Error
		if !errors.As(err, &busy) || busy.Code()&0xff != sqlite3.SQLITE_BUSY {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// private makes the file when it is missing, for its owner alone to read: it
// tells which games were played. SQLite gives the files beside it the same
// rights. Those of a file that is there are its owner's matter.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func dsn(path string, pairs ...string) string {
	wait := fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds())
	q := url.Values{"_pragma": {wait, "foreign_keys(1)"}}
	for i := 0; i < len(pairs); i += 2 {
		q.Add(pairs[i], pairs[i+1])
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}
	return u.String()
}
