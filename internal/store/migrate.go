package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the tables' history. Steps only go forward: an old
// playtest refuses a newer database rather than taking things away from it.
type migration struct {
	version int64
	text    string
}

// migrations reads the embedded steps: the number before the _ is the version.
func migrations() []migration {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is constant
	}
	var out []migration
	for _, name := range names {
		number, _, _ := strings.Cut(path.Base(name), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		data, readErr := migrationFiles.ReadFile(name)
		if err != nil || readErr != nil {
			panic(fmt.Sprintf("embedded migration %s: %v %v", name, err, readErr))
		}
		out = append(out, migration{version, string(data)})
	}
	return out
}

// migrate applies the steps that are missing. Each is one transaction, so a
// process that dies on the way leaves the tables as one of the versions.
func (s *Store) migrate(ctx context.Context, steps []migration) error {
	return s.Exclusively(ctx, func() error {
		var list []*goose.Migration
		for _, m := range steps {
			text := s.dialect.spell(m.text)
			list = append(list, goose.NewGoMigration(m.version, &goose.GoFunc{
				RunTx: func(ctx context.Context, tx *sql.Tx) error {
					_, err := tx.ExecContext(ctx, text)
					return err
				},
			}, nil))
		}
		dialect := goose.DialectSQLite3
		if s.pool != nil {
			dialect = goose.DialectPostgres
		}
		p, err := goose.NewProvider(dialect, s.write, nil, goose.WithGoMigrations(list...), goose.WithDisableGlobalRegistry(true))
		if err != nil {
			return fmt.Errorf("prepare the database's tables: %w", err)
		}
		// The provider is not closed: it would close the database with it.
		now, target, err := p.GetVersions(ctx)
		if err != nil {
			return fmt.Errorf("read the version of the database's tables: %w", err)
		}
		if now > target {
			return fmt.Errorf("%w: its tables have version %d, this one knows %d", ErrNewer, now, target)
		}
		if _, err := p.Up(ctx); err != nil {
			return fmt.Errorf("bring the database's tables up to date: %w", err)
		}
		return nil
	})
}
