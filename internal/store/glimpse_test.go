package store_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/record"
)

// Pictures go to those who watch while they watch, from the worker that holds the run.
func TestGlimpses(t *testing.T) {
	storetest.Each(t, os.Getenv(storetest.Variable), func(t *testing.T, address string) {
		ctx := t.Context()
		s := storetest.Open(t, address)
		var run store.Run
		err := s.Update(ctx, func(tx *store.Tx) error {
			if _, err := tx.Submit(ctx, []store.Submission{{Target: record.Target{URL: "http://a.example/"}}}); err != nil {
				return err
			}
			var err error
			run, err = tx.Claim(ctx, "tester", 0)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		lease := store.Lease{RunID: run.ID, Number: run.Lease}
		wanted := func(want bool) {
			t.Helper()
			if got, err := s.GlimpsesWanted(ctx, run.ID); err != nil || got != want {
				t.Fatalf("wanted %v, %v", got, err)
			}
		}
		put := func(l store.Lease, g record.Glimpse) {
			t.Helper()
			if err := s.PutGlimpse(ctx, l, &g); err != nil {
				t.Fatal(err)
			}
		}
		var last int64
		see := func(key string) {
			t.Helper()
			n, body, err := s.Glimpse(ctx, run.ID, last)
			if key == "" {
				if !errors.Is(err, store.ErrNotFound) {
					t.Fatalf("there is %s, %v", body, err)
				}
				return
			}
			var g record.Glimpse
			if err != nil || json.Unmarshal(body, &g) != nil || len(g.Keys) != 1 || g.Keys[0] != key || string(g.JPEG) != "jpeg" {
				t.Fatalf("there is %s, %v", body, err)
			}
			last = n
		}
		glimpse := func(key string) record.Glimpse { return record.Glimpse{Keys: []string{key}, JPEG: []byte("jpeg")} }

		wanted(false)
		put(lease, glimpse("KeyA")) // nobody watches
		see("")
		if err := s.WantGlimpses(ctx, run.ID, time.Hour); err != nil {
			t.Fatal(err)
		}
		wanted(true)
		see("")
		put(lease, glimpse("KeyB"))
		see("KeyB")
		see("")
		put(store.Lease{RunID: run.ID, Number: run.Lease - 1}, glimpse("KeyC")) // another's
		see("")
		if err := s.PutGlimpse(ctx, lease, &record.Glimpse{JPEG: make([]byte, 1<<20)}); !errors.Is(err, store.ErrGlimpse) {
			t.Errorf("a huge one: %v", err)
		}
		if err := s.WantGlimpses(ctx, run.ID, 0); err != nil {
			t.Fatal(err)
		}
		wanted(false)
		if err := s.DropGlimpses(ctx, run.ID); err != nil {
			t.Fatal(err)
		}
		last = 0
		see("")
		err = s.Update(ctx, func(tx *store.Tx) error { return tx.End(ctx, lease, store.Failed, "over", "") })
		if err != nil {
			t.Fatal(err)
		}
		if err := s.WantGlimpses(ctx, run.ID, time.Hour); err != nil {
			t.Fatal(err)
		}
		wanted(false) // there is nothing to see any more
	})
}
