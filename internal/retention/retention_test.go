package retention_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/retention"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/record"
)

var now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func TestPick(t *testing.T) {
	day := 24 * time.Hour
	ended := map[string]time.Time{
		"new": now.Add(-time.Hour), "week": now.Add(-7 * day), "month": now.Add(-31 * day), "old": now.Add(-400 * day),
		"open": {}, "future": now.Add(day), // another machine's clock
	}
	tests := []struct {
		name   string
		policy retention.Policy
		want   []string
	}{
		{"keep all", retention.Policy{}, nil},
		{"by age", retention.Policy{MaxAge: 30 * day}, []string{"old", "month"}},
		{"exactly that age is kept", retention.Policy{MaxAge: 31 * day}, []string{"old"}},
		{"by number", retention.Policy{MaxRuns: 2}, []string{"old", "month", "week"}},
		{"fewer than that", retention.Policy{MaxRuns: 10}, nil},
		{"both", retention.Policy{MaxAge: 30 * day, MaxRuns: 4}, []string{"old", "month"}},
		{"the stricter one", retention.Policy{MaxAge: 300 * day, MaxRuns: 3}, []string{"old", "month"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := retention.Pick(ended, tt.policy, now); !slices.Equal(got, tt.want) {
				t.Errorf("picked %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 720 * time.Hour, "2w": 336 * time.Hour, "36h": 36 * time.Hour, "1h30m": 90 * time.Minute,
		"": 0, "d": 0, "-3d": 0, "0d": 0, "30": 0, "3x": 0, "1.5d": 0, "999999999999d": 0, "100001d": 0, "-1h": 0,
	} {
		got, err := retention.ParseAge(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
}

// installation is a database with runs and their evidence.
type installation struct {
	db    *store.Store
	files *evidence.Folder
}

func install(t *testing.T, address string, runs int) installation {
	t.Helper()
	files, err := evidence.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	in := installation{storetest.Open(t, address), files}
	for i := range runs {
		id := fmt.Sprintf("run-%d", i)
		in.put(t, id)
		rec := &record.Record{Version: record.RecordVersion, RunID: id, Target: record.Target{URL: "http://localhost/"}}
		err := in.db.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Add(t.Context(), store.Played{Worker: "test", Result: store.Result{Record: rec, Report: &record.Report{Status: record.Pass}}})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return in
}

func (in installation) put(t *testing.T, run string) {
	t.Helper()
	if _, err := in.files.Put(t.Context(), run, "a.log", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
}

// left tells what is there: runs in the database, and runs with evidence.
func (in installation) left(t *testing.T) (rows, files []string) {
	t.Helper()
	list, err := in.db.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		rows = append(rows, r.ID)
	}
	for run, err := range in.files.Runs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, run)
	}
	slices.Sort(rows)
	slices.Sort(files)
	return rows, files
}

func TestPrune(t *testing.T) {
	storetest.Each(t, os.Getenv(storetest.Variable), func(t *testing.T, address string) {
		in := install(t, address, 5)
		in.put(t, "orphan")
		later := time.Now().Add(2 * time.Hour)
		keepTwo := retention.Policy{MaxRuns: 2}

		would, err := retention.Prune(t.Context(), in.db, in.files, keepTwo, &retention.PruneOptions{Now: later, DryRun: true, Orphans: true})
		if err != nil || len(would.Runs) != 3 || !slices.Equal(would.Orphans, []string{"orphan"}) {
			t.Errorf("would remove %+v, %v", would, err)
		}
		if rows, files := in.left(t); len(rows) != 5 || len(files) != 6 {
			t.Errorf("a dry run left %q, %q", rows, files)
		}

		res, err := retention.Prune(t.Context(), in.db, in.files, keepTwo, nil)
		if err != nil || !slices.Equal(res.Runs, would.Runs) || res.Orphans != nil {
			t.Errorf("removed %+v, %v", res, err)
		}
		rows, files := in.left(t)
		if len(rows) != 2 || !slices.Equal(files, append([]string{"orphan"}, rows...)) {
			t.Errorf("left %q, %q", rows, files)
		}

		// Evidence that somebody may just be importing is left alone.
		if res, err := retention.Prune(t.Context(), in.db, in.files, retention.Policy{}, &retention.PruneOptions{Orphans: true}); err != nil || len(res.Orphans) > 0 {
			t.Errorf("swept %+v, %v", res, err)
		}
		res, err = retention.Prune(t.Context(), in.db, in.files, retention.Policy{MaxAge: time.Hour}, &retention.PruneOptions{Now: later, Orphans: true})
		if err != nil || len(res.Runs) != 2 || !slices.Equal(res.Orphans, []string{"orphan"}) {
			t.Errorf("removed %+v, %v", res, err)
		}
		if rows, files := in.left(t); len(rows)+len(files) != 0 {
			t.Errorf("left %q, %q", rows, files)
		}
	})
}

var errCrash = errors.New("the machine went down")

// crashing fails at its n-th call and ever after, as if the process had died.
type crashing struct {
	retention.Rows
	retention.Evidence
	left int
}

func (c *crashing) step() error {
	if c.left--; c.left < 0 {
		return errCrash
	}
	return nil
}

func (c *crashing) MarkRuns(ctx context.Context, ids []string) error {
	if err := c.step(); err != nil {
		return err
	}
	return c.Rows.MarkRuns(ctx, ids)
}

func (c *crashing) DeleteRuns(ctx context.Context, ids []string) error {
	if err := c.step(); err != nil {
		return err
	}
	return c.Rows.DeleteRuns(ctx, ids)
}

func (c *crashing) Delete(ctx context.Context, run string) error {
	if err := c.step(); err != nil {
		return err
	}
	return c.Evidence.Delete(ctx, run)
}

// TestPruneSurvivesCrashes stops pruning at every step. At each of them no run
// may be in the list without its evidence, and the next Prune must finish.
func TestPruneSurvivesCrashes(t *testing.T) {
	for steps := range 6 {
		t.Run(fmt.Sprintf("after %d steps", steps), func(t *testing.T) {
			in := install(t, storetest.SQLite(t), 4)
			c := &crashing{Rows: in.db, Evidence: in.files, left: steps}
			_, err := retention.Prune(t.Context(), c, c, retention.Policy{MaxRuns: 1}, nil)
			if done := steps >= 5; done != (err == nil) {
				t.Errorf("pruned: %v", err)
			}
			rows, files := in.left(t)
			for _, run := range rows {
				if !slices.Contains(files, run) {
					t.Errorf("%s is in the list and has no evidence", run)
				}
			}
			if _, err := retention.Prune(t.Context(), in.db, in.files, retention.Policy{MaxRuns: 1}, nil); err != nil {
				t.Error(err)
			}
			if rows, files := in.left(t); len(rows) != 1 || !slices.Equal(rows, files) {
				t.Errorf("the next one left %q, %q", rows, files)
			}
		})
	}
}

// failing cannot delete the evidence of one run.
type failing struct {
	*evidence.Folder
	run string
}

func (f failing) Delete(ctx context.Context, run string) error {
	if run == f.run {
		return errors.New("access denied")
	}
	return f.Folder.Delete(ctx, run)
}

func TestPruneGoesOnPastOneRun(t *testing.T) {
	in := install(t, storetest.SQLite(t), 4)
	ended, err := in.db.Ended(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	picked := retention.Pick(ended, retention.Policy{MaxRuns: 1}, time.Now())
	res, err := retention.Prune(t.Context(), in.db, failing{in.files, picked[1]}, retention.Policy{MaxRuns: 1}, nil)
	if err == nil || !strings.Contains(err.Error(), picked[1]) || len(res.Runs) != 2 {
		t.Errorf("removed %+v, %v", res, err)
	}
	if res, err = retention.Prune(t.Context(), in.db, in.files, retention.Policy{}, nil); err != nil || !slices.Equal(res.Runs, picked[1:2]) {
		t.Errorf("the next time removed %+v, %v", res, err)
	}
}
