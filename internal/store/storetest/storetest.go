// Package storetest gives tests databases of their own, of every kind that the
// store knows.
package storetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/playtest-dev/playtest/internal/store"
)

// Variable names the environment's variable that tells tests of a Postgres
// server; scripts/with-postgres sets it.
const Variable = "PLAYTEST_TEST_POSTGRES"

// Each runs a test on an empty SQLite file and, when there is the address of a
// Postgres server, in an empty schema there.
func Each(t *testing.T, server string, test func(t *testing.T, address string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) {
		if server == "" {
			t.Skipf("no Postgres: scripts/with-postgres go test ... starts one and sets %s", Variable)
		}
		test(t, Postgres(t, server))
	})
}

// SQLite returns the name of a file that does not exist yet.
func SQLite(t testing.TB) string { return filepath.Join(t.TempDir(), "runs.db") }

// Postgres makes a schema that lasts as long as the test and returns an
// address that leads into it.
func Postgres(t testing.TB, server string) string {
	t.Helper()
	b := make([]byte, 6)
	_, _ = rand.Read(b) // crypto/rand never fails
	schema := "test_" + hex.EncodeToString(b)
	exec(t, server, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { exec(t, server, "DROP SCHEMA "+schema+" CASCADE") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

func exec(t testing.TB, server, query string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, query); err != nil {
		t.Fatal(err)
	}
}

// Open opens a store that is closed with the test.
func Open(t testing.TB, address string) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
