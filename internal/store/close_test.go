package store_test

import (
	"os"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
)

// Closing does not wait for a query that gets no answer: a process that has to
// end would hang in it.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	server := os.Getenv(storetest.Variable)
	if server == "" {
		t.Skipf("no Postgres: %s is not set", storetest.Variable)
	}
	s, err := store.Open(t.Context(), storetest.Postgres(t, server))
	if err != nil {
		t.Fatal(err)
	}
	busy, err := s.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Release()
	began := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}
