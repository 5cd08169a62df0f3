package main

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
)

// Nothing that is kept of a run that was played is missing of one that was copied, and
// only its name and its times are others.
func TestCopiesAreWhole(t *testing.T) {
	storetest.Each(t, os.Getenv(storetest.Variable), func(t *testing.T, address string) {
		ctx := t.Context()
		db := storetest.Open(t, address)
		const runs, period = 23, 10
		if err := copied(ctx, db, address, runs, period); err != nil {
			t.Fatal(err)
		}
		list, err := db.List(ctx, &store.ListOptions{Limit: 100})
		if err != nil || len(list) != runs {
			t.Fatalf("%d runs, %v", len(list), err)
		}
		for i, run := range list {
			n := runs - 1 - i // the newest first
			if want := name(n/period, n%period); run.ID != want {
				t.Fatalf("run %d is %s, not %s", n, run.ID, want)
			}
			if i > 0 && list[i-1].Created.Sub(run.Created) != apart {
				t.Errorf("%s is asked for at %s, the next at %s", run.ID, run.Created, list[i-1].Created)
			}
			kept, copied := rows(t, db, name(0, n%period), 0), rows(t, db, run.ID, time.Duration(n/period*period)*apart)
			if !reflect.DeepEqual(kept, copied) {
				t.Errorf("kept of %s:\n%v\nof its copy %s:\n%v", name(0, n%period), kept, run.ID, copied)
			}
		}
	})
}

// rows are all that is kept of a run, without its name and as much earlier as it is late.
func rows(t *testing.T, db *store.Store, id string, late time.Duration) map[string][]map[string]any {
	t.Helper()
	dump, err := db.Dump(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]map[string]any{}
	for _, row := range dump {
		var columns map[string]any
		if err := json.Unmarshal(row.Data, &columns); err != nil {
			t.Fatal(err)
		}
		for _, c := range []string{"created_at", "run_after", "started_at", "finished_at", "ended_at", "reached_at", "saved_at"} {
			if ms, ok := columns[c].(float64); ok {
				columns[c] = ms - float64(late.Milliseconds())
			}
		}
		delete(columns, "run_id")
		if row.Table == "test_runs" {
			delete(columns, "id")
		}
		out[row.Table] = append(out[row.Table], columns)
	}
	return out
}
