package store_test

import (
	"slices"
	"testing"

	"github.com/playtest-dev/playtest/internal/store"
)

// A database may be named in several ways, and may be several servers.
func TestServers(t *testing.T) {
	for address, want := range map[string][]string{
		"postgres://user:pass@db.example/runs":              {"db.example:5432"},
		"postgresql://db.example:6000/runs?sslmode=disable": {"db.example:6000"},
		"postgres://a.example:1,b.example:2/runs":           {"a.example:1", "b.example:2"},
		"postgres:///runs?host=10.0.0.5&port=6000":          {"10.0.0.5:6000"},
		"postgres://[2001:db8::1]/runs":                     {"[2001:db8::1]:5432"},
		"postgres:///runs?host=/var/run/postgresql":         nil,
		"runs.db":        nil,
		"postgres://%%%": nil,
	} {
		if got := store.Servers(address); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
