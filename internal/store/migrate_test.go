package store

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func openRaw(t *testing.T) *Store {
	t.Helper()
	s, err := Open(context.Background(), filepath.Join(t.TempDir(), "runs.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A step that stops halfway leaves nothing of itself, and is taken again.
func TestInterruptedMigration(t *testing.T) {
	s := openRaw(t)
	ctx := t.Context()
	next := append(migrations(), migration{99, "CREATE TABLE extra (x TEXT); INSERT INTO nowhere VALUES (1);"})
	if err := s.migrate(ctx, next); err == nil {
		t.Fatal("a broken step was taken")
	}
	if _, err := s.write.Exec("SELECT x FROM extra"); err == nil {
		t.Error("half of the step was kept")
	}
	if err := s.migrate(ctx, migrations()); err != nil {
		t.Errorf("the database is of no use any more: %v", err)
	}
	next[len(next)-1].text = "CREATE TABLE extra (x TEXT)"
	if err := s.migrate(ctx, next); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec("INSERT INTO extra VALUES ('y')"); err != nil {
		t.Error(err)
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	s := openRaw(t)
	next := append(migrations(), migration{99, "CREATE TABLE extra (x TEXT)"})
	if err := s.migrate(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	err := s.migrate(t.Context(), migrations())
	if !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("a newer database: %v", err)
	}
}

func TestEveryQueryIsPrepared(t *testing.T) {
	s := openRaw(t)
	for name, query := range s.queries {
		stmt, err := s.write.PrepareContext(t.Context(), query)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		stmt.Close()
	}
}
