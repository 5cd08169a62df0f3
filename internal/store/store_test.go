package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/playtest-dev/playtest/internal/qa/knowledge/knowledgetest"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// each runs a test over every database.
func each(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	storetest.Each(t, os.Getenv(storetest.Variable), func(t *testing.T, address string) {
		test(t, storetest.Open(t, address))
	})
}

func update(t *testing.T, s *store.Store, do func(*store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), do); err != nil {
		t.Fatal(err)
	}
}

func submit(t *testing.T, s *store.Store, subs ...store.Submission) []store.Accepted {
	t.Helper()
	var out []store.Accepted
	update(t, s, func(tx *store.Tx) (err error) {
		out, err = tx.Submit(t.Context(), subs)
		return err
	})
	return out
}

func claim(t *testing.T, s *store.Store, perHost int) (store.Run, error) {
	t.Helper()
	var r store.Run
	err := s.Update(t.Context(), func(tx *store.Tx) (err error) {
		r, err = tx.Claim(t.Context(), "tester", perHost)
		return err
	})
	return r, err
}

func game(url string) store.Submission {
	return store.Submission{Target: record.Target{URL: url, Seed: 7}, MaxAttempts: 3}
}

func sample(id string) (*record.Record, *record.Report) {
	now := time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)
	rec := &record.Record{Version: record.RecordVersion, RunID: id, Started: now, Finished: now.Add(20 * time.Second)}
	rec.Actions = []record.Action{{Time: now, Phase: "explore", Kind: "keypress", Target: "ArrowLeft", Success: true, Effect: "moved", Took: 90 * time.Millisecond}}
	rec.Decisions = []record.Decision{{Time: now, Phase: "explore", Layer: "heuristic", What: "press ArrowLeft", Why: "it is listened to", Confidence: 85, Threshold: 80}}
	rec.Discover.Controls = []record.Control{{ID: "key:ArrowLeft", Type: record.ControlKey, Keys: []string{"ArrowLeft"}, Description: "left", Confidence: 0.9}}
	rep := &record.Report{Version: record.ReportVersion, Status: record.Pass, Summary: "It works.", PlayabilityScore: 100, OverallScore: 91.5, Confidence: 0.8, Timestamp: now}
	for _, name := range metadata.MetricNames {
		rep.Metrics = append(rep.Metrics, record.Metric{Name: name, Score: 90, Weight: 0.2, Justification: "Because."})
	}
	return rec, rep
}

func TestRunFromSubmissionToReport(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		sub := game("http://Games.example:8080/a/")
		sub.Priority = 3
		id := submit(t, s, sub)[0].ID
		queued, err := s.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if queued.Status != store.Queued || queued.Host != "games.example:8080" || queued.Mode != record.ModeStandard || queued.Priority != 3 || queued.Created.IsZero() {
			t.Errorf("as submitted: %+v", queued)
		}
		target, err := s.Target(ctx, id)
		if err != nil || target.Seed != 7 {
			t.Errorf("target %+v, %v", target, err)
		}
		run, err := claim(t, s, 0)
		if err != nil || run.ID != id || run.Status != store.Running || run.Attempts != 1 {
			t.Fatalf("claimed %+v, %v", run, err)
		}
		l := store.Lease{RunID: id, Number: run.Lease}
		rec, rep := sample(id)
		update(t, s, func(tx *store.Tx) error { return tx.Checkpoint(ctx, l, record.PhaseLoad, rec, false) })
		if _, complete, err := s.Record(ctx, id); complete || err != nil {
			t.Errorf("a record after the first phase is complete %v, %v", complete, err)
		}
		if err := s.AddEvents(ctx, l, []record.Event{{Time: rec.Started, RunID: id, Phase: "load", Kind: record.EventPhase, Message: "opening"}, {Time: rec.Finished, RunID: id, Phase: "load", Kind: record.EventProgress, Message: "waiting", Done: 1, Total: 4}}); err != nil {
			t.Fatal(err)
		}
		cost := int64(1_500_000)
		for _, call := range []store.Expense{
			{Time: rec.Started, Purpose: "decide", Model: "a/b", InputTokens: 10, OutputTokens: 2, Nano: &cost, Latency: time.Second},
			{Time: rec.Started, Purpose: "decide", Model: "a/c", Error: "timeout"},
		} {
			row, err := s.Reserve(ctx, l, nil, call)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Settle(ctx, id, row, call); err != nil {
				t.Fatal(err)
			}
		}
		update(t, s, func(tx *store.Tx) error {
			return tx.Finish(ctx, l, store.Completed, store.Result{Record: rec, Report: rep, Manifest: "abc"})
		})

		ended, err := s.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if ended.Status != store.Completed || ended.Verdict != record.Pass || ended.Overall == nil || *ended.Overall != 91.5 || ended.Finished.IsZero() || ended.Worker != "" || ended.Evidence != run.Lease || ended.Manifest != "abc" {
			t.Errorf("as ended: %+v", ended)
		}
		gotRec, complete, err := s.Record(ctx, id)
		if err != nil || !complete {
			t.Fatalf("record complete %v, %v", complete, err)
		}
		if diff := cmp.Diff(rec, gotRec, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("record (-kept +got):\n%s", diff)
		}
		gotRep, err := s.Report(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rep, gotRep, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("report (-kept +got):\n%s", diff)
		}
		scores, err := s.Scores(ctx, id)
		if err != nil || len(scores) != 6 {
			t.Errorf("%d scores, %v", len(scores), err)
		}
		events, err := s.Events(ctx, id, 0, 10)
		if err != nil || len(events) != 2 || events[1].Done != 1 || !events[0].Time.Equal(rec.Started) {
			t.Errorf("events %+v, %v", events, err)
		}
		if later, err := s.Events(ctx, id, events[0].ID, 10); err != nil || len(later) != 1 {
			t.Errorf("events after the first: %+v, %v", later, err)
		}
		ledger, err := s.Ledger(ctx, id)
		if err != nil || len(ledger) != 2 || ledger[0].Nano == nil || *ledger[0].Nano != 1_500_000 || ledger[1].Nano != nil {
			t.Errorf("ledger %+v, %v", ledger, err)
		}
		attempts, err := s.Attempts(ctx, id)
		if err != nil || len(attempts) != 1 || attempts[0].Outcome != string(store.Completed) || attempts[0].Ended.IsZero() {
			t.Errorf("attempts %+v, %v", attempts, err)
		}
		checkpoints, err := s.Checkpoints(ctx, id)
		if err != nil || len(checkpoints) != 2 {
			t.Errorf("checkpoints %+v, %v", checkpoints, err)
		}
	})
}

// A worker that was thought dead must not spoil what its successor does.
func TestOldLeaseWritesNothing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		id := submit(t, s, game("http://h/"))[0].ID
		first, err := claim(t, s, 0)
		if err != nil {
			t.Fatal(err)
		}
		old := store.Lease{RunID: id, Number: first.Lease}
		update(t, s, func(tx *store.Tx) error { return tx.Requeue(ctx, old, store.OutcomeLost, "", 0, true) })
		second, err := claim(t, s, 0)
		if err != nil || second.Lease == first.Lease || second.Attempts != 2 {
			t.Fatalf("second claim %+v, %v", second, err)
		}
		rec, rep := sample(id)
		writes := map[string]func(*store.Tx) error{
			"checkpoint": func(tx *store.Tx) error { return tx.Checkpoint(ctx, old, record.PhaseLoad, rec, true) },
			"finish": func(tx *store.Tx) error {
				return tx.Finish(ctx, old, store.Completed, store.Result{Record: rec, Report: rep})
			},
			"requeue": func(tx *store.Tx) error { return tx.Requeue(ctx, old, "x", "", 0, true) },
			"end":     func(tx *store.Tx) error { return tx.End(ctx, old, store.Failed, "x", "") },
		}
		for name, write := range writes {
			if err := s.Update(ctx, write); !errors.Is(err, store.ErrLost) {
				t.Errorf("%s under the old lease: %v", name, err)
			}
		}
		if _, err := s.Heartbeat(ctx, old); !errors.Is(err, store.ErrLost) {
			t.Errorf("heartbeat under the old lease: %v", err)
		}
		if err := s.AddEvents(ctx, old, []record.Event{{Time: time.Now(), Kind: record.EventPhase}}); !errors.Is(err, store.ErrLost) {
			t.Errorf("events under the old lease: %v", err)
		}
		if _, err := s.Reserve(ctx, old, nil, store.Expense{Time: time.Now()}); !errors.Is(err, store.ErrLost) {
			t.Errorf("a call of a model under the old lease: %v", err)
		}
		if _, _, err := s.Record(ctx, id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the old lease left a record: %v", err)
		}
		now := store.Lease{RunID: id, Number: second.Lease}
		update(t, s, func(tx *store.Tx) error {
			return tx.Finish(ctx, now, store.Completed, store.Result{Record: rec, Report: rep})
		})
		if err := s.Update(ctx, func(tx *store.Tx) error {
			return tx.Finish(ctx, now, store.Completed, store.Result{Record: rec, Report: rep})
		}); !errors.Is(err, store.ErrLost) {
			t.Errorf("a second report: %v", err)
		}
	})
}

func TestIdempotencyKey(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		sub := game("http://h/a")
		sub.Key = "build 17"
		first := submit(t, s, sub)[0]
		again := submit(t, s, sub)[0]
		if first.Repeated || !again.Repeated || again.ID != first.ID {
			t.Errorf("first %+v, again %+v", first, again)
		}
		other := game("http://h/b")
		other.Key = "build 17"
		err := s.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Submit(t.Context(), []store.Submission{other})
			return err
		})
		if !errors.Is(err, store.ErrKeyTaken) {
			t.Errorf("the key for another target: %v", err)
		}

		var wg sync.WaitGroup
		sub.Key = "build 18"
		ids := make([]string, 8)
		for i := range ids {
			wg.Go(func() {
				err := s.Update(t.Context(), func(tx *store.Tx) error {
					a, err := tx.Submit(t.Context(), []store.Submission{sub})
					if err == nil {
						ids[i] = a[0].ID
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		slices.Sort(ids)
		if len(slices.Compact(ids)) != 1 {
			t.Errorf("one key at once gave several runs: %v", ids)
		}
	})
}

func TestClaimOrder(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		late := game("http://late/")
		late.Delay = time.Hour
		high := game("http://a/3")
		high.Priority = 5
		low := game("http://a/4")
		low.Priority = -1
		submit(t, s, late, low, game("http://a/1"), game("http://a/2"), high, game("http://b/1"))
		var got []string
		for {
			r, err := claim(t, s, 2)
			if errors.Is(err, store.ErrNotFound) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r.URL)
		}
		// Two of host a, the highest first; then its turn is over, b is played;
		// the delayed one is not due.
		if want := []string{"http://a/3", "http://a/1", "http://b/1"}; !slices.Equal(got, want) {
			t.Errorf("claimed %v, want %v", got, want)
		}
	})
}

// Claims at the same time count what the others have claimed.
func TestHostLimitHoldsUnderConcurrency(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		var subs []store.Submission
		for range 20 {
			subs = append(subs, game("http://one/"))
		}
		submit(t, s, subs...)
		var wg sync.WaitGroup
		var mu sync.Mutex
		claimed := map[string]int{}
		for range 10 {
			wg.Go(func() {
				r, err := claim(t, s, 3)
				if err != nil && !errors.Is(err, store.ErrNotFound) {
					t.Error(err)
				}
				if err == nil {
					mu.Lock()
					claimed[r.ID]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(claimed) != 3 {
			t.Errorf("%d runs of one host claimed, want 3", len(claimed))
		}
		for id, n := range claimed {
			if n > 1 {
				t.Errorf("%s claimed %d times", id, n)
			}
		}
	})
}

func TestCancelAndRetry(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		cancel := func(id string) (st store.Status) {
			t.Helper()
			update(t, s, func(tx *store.Tx) (err error) { st, err = tx.Cancel(ctx, id); return err })
			return st
		}
		retry := func(id string) (ok bool) {
			t.Helper()
			update(t, s, func(tx *store.Tx) (err error) { ok, err = tx.Retry(ctx, id); return err })
			return ok
		}
		id := submit(t, s, game("http://h/"))[0].ID
		if retry(id) {
			t.Error("a queued run was retried")
		}
		if st := cancel(id); st != store.Cancelled {
			t.Errorf("cancelling a queued run: %s", st)
		}
		if _, err := claim(t, s, 0); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a cancelled run was claimed: %v", err)
		}
		if !retry(id) {
			t.Error("a cancelled run was not retried")
		}
		run, err := claim(t, s, 0)
		if err != nil {
			t.Fatal(err)
		}
		l := store.Lease{RunID: id, Number: run.Lease}
		if st := cancel(id); st != store.Running {
			t.Errorf("cancelling a running run: %s", st)
		}
		if asked, err := s.Heartbeat(ctx, l); !asked || err != nil {
			t.Errorf("the holder learns of it: %v, %v", asked, err)
		}
		rec, rep := sample(id)
		update(t, s, func(tx *store.Tx) error {
			return tx.Finish(ctx, l, store.Cancelled, store.Result{Record: rec, Report: rep})
		})
		if !retry(id) {
			t.Error("a run that was cancelled while running was not retried")
		}
		if _, err := s.Report(ctx, id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the report of the cancelled run is still there: %v", err)
		}
		run, err = claim(t, s, 0)
		if err != nil {
			t.Fatal(err)
		}
		l.Number = run.Lease
		update(t, s, func(tx *store.Tx) error {
			return tx.Finish(ctx, l, store.Completed, store.Result{Record: rec, Report: rep})
		})
		if retry(id) {
			t.Error("a completed run was retried")
		}
		if st := cancel(id); st != store.Completed {
			t.Errorf("cancelling a completed run: %s", st)
		}
		if err := s.Update(ctx, func(tx *store.Tx) error { _, err := tx.Cancel(ctx, "nobody"); return err }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("cancelling a run that is not there: %v", err)
		}
	})
}

// The silence of a worker is measured by the database's clock alone.
func TestStaleByTheDatabasesClock(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		submit(t, s, game("http://h/"))
		if _, err := claim(t, s, 0); err != nil {
			t.Fatal(err)
		}
		stale := func(silence time.Duration) (n int) {
			update(t, s, func(tx *store.Tx) error {
				runs, err := tx.Stale(t.Context(), silence)
				n = len(runs)
				return err
			})
			return n
		}
		if n := stale(time.Minute); n != 0 {
			t.Errorf("%d runs stale that were claimed just now", n)
		}
		if n := stale(-time.Minute); n != 1 {
			t.Errorf("%d runs stale a minute from now, want 1", n)
		}
	})
}

func TestList(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		submit(t, s, game("http://a/1"), game("http://b/1"), game("http://a/2"), game("http://a/3"))
		if _, err := claim(t, s, 0); err != nil {
			t.Fatal(err)
		}
		tests := []struct {
			name string
			opts *store.ListOptions
			want []string
		}{
			{"all", nil, []string{"http://a/3", "http://a/2", "http://b/1", "http://a/1"}},
			{"by host", &store.ListOptions{Host: "a"}, []string{"http://a/3", "http://a/2", "http://a/1"}},
			{"by status", &store.ListOptions{Status: store.Running}, []string{"http://a/1"}},
			{"by both", &store.ListOptions{Host: "a", Status: store.Queued}, []string{"http://a/3", "http://a/2"}},
			{"a page", &store.ListOptions{Limit: 2}, []string{"http://a/3", "http://a/2"}},
		}
		for _, tt := range tests {
			runs, err := s.List(ctx, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range runs {
				got = append(got, r.URL)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
			if tt.name == "a page" {
				next, err := s.List(ctx, &store.ListOptions{Limit: 2, Before: runs[1].Seq})
				if err != nil || len(next) != 2 || next[0].URL != "http://b/1" {
					t.Errorf("the next page: %+v, %v", next, err)
				}
			}
		}
		if queued, running, err := s.Active(ctx); queued != 3 || running != 1 || err != nil {
			t.Errorf("active: %d queued, %d running, %v", queued, running, err)
		}
	})
}

func TestKnowledge(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) { knowledgetest.Run(t, s) })
}

// What is known of somebody's games is nobody else's business.
func TestFilesArePrivate(t *testing.T) {
	path := storetest.SQLite(t)
	s := storetest.Open(t, path)
	if err := s.ChangeKnowledge(t.Context(), "a", func([]byte) ([]byte, error) { return []byte("{}"), nil }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v", filepath.Base(name), info.Mode())
		}
	}
}

// Processes that start at once wait for each other and find the same tables.
func TestOpenedManyTimesAtOnce(t *testing.T) {
	storetest.Each(t, os.Getenv(storetest.Variable), func(t *testing.T, address string) {
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				s, err := store.Open(context.Background(), address)
				if err != nil {
					t.Error(err)
					return
				}
				s.Close()
			})
		}
		wg.Wait()
	})
}

// ended brings a run to its end.
func ended(t *testing.T, s *store.Store, url string) string {
	t.Helper()
	id := submit(t, s, game(url))[0].ID
	run, err := claim(t, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	l := store.Lease{RunID: id, Number: run.Lease}
	rec, rep := sample(id)
	if err := s.AddEvents(t.Context(), l, []record.Event{{Time: rec.Started, Phase: "load", Kind: record.EventPhase, Message: "opening"}}); err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx *store.Tx) error {
		return tx.Finish(t.Context(), l, store.Completed, store.Result{Record: rec, Report: rep})
	})
	return id
}

func TestPrune(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		id := ended(t, s, "http://h/1")
		queued := submit(t, s, game("http://h/2"))[0].ID
		candidates, err := s.Ended(ctx)
		if err != nil || len(candidates) != 1 || candidates[id].IsZero() {
			t.Fatalf("candidates %v, %v", candidates, err)
		}
		if err := s.MarkRuns(ctx, []string{id, queued}); err != nil {
			t.Fatal(err)
		}
		marked, err := s.MarkedRuns(ctx)
		if err != nil || !slices.Equal(marked, []string{id}) {
			t.Errorf("marked %v, %v: a queued run must not be", marked, err)
		}
		if runs, err := s.List(ctx, nil); err != nil || len(runs) != 1 || runs[0].ID != queued {
			t.Errorf("a marked run is listed: %+v, %v", runs, err)
		}
		if err := s.DeleteRuns(ctx, []string{id, queued}); err != nil {
			t.Fatal(err)
		}
		if has, err := s.HasRun(ctx, id); has || err != nil {
			t.Errorf("still there: %v, %v", has, err)
		}
		if has, err := s.HasRun(ctx, queued); !has || err != nil {
			t.Errorf("a run that was not marked is gone: %v, %v", has, err)
		}
		if events, err := s.Events(ctx, id, 0, 10); len(events) != 0 || err != nil {
			t.Errorf("its events are still there: %v, %v", events, err)
		}
		if scores, err := s.Scores(ctx, id); len(scores) != 0 || err != nil {
			t.Errorf("its scores are still there: %v, %v", scores, err)
		}
	})
}

// A run goes from any database to any other.
func TestDumpAndLoad(t *testing.T) {
	each(t, func(t *testing.T, from *store.Store) {
		id := ended(t, from, "http://h/")
		dump, err := from.Dump(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		queued := submit(t, from, game("http://h/"))[0].ID
		if _, err := from.Dump(t.Context(), queued); !errors.Is(err, store.ErrNotEnded) {
			t.Errorf("dumping a queued run: %v", err)
		}
		each(t, func(t *testing.T, to *store.Store) {
			ctx := t.Context()
			if err := to.Load(ctx, id, dump); err != nil {
				t.Fatal(err)
			}
			want, err := from.Report(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			got, err := to.Report(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("report (-there +here):\n%s", diff)
			}
			again, err := to.Dump(ctx, id)
			if err != nil || len(again) != len(dump) {
				t.Errorf("%d rows arrived of %d, %v", len(again), len(dump), err)
			}
			if err := to.Load(ctx, id, dump); err == nil {
				t.Error("the same run was loaded twice")
			}
		})
	})
}

func TestLoadRefuses(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	id := ended(t, s, "http://h/")
	dump, err := s.Dump(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		row  store.Row
	}{
		{"an unknown table", store.Row{Table: "sqlite_master", Data: []byte(`{"run_id":"` + id + `"}`)}},
		{"an unknown column", store.Row{Table: "ledger", Data: []byte(`{"run_id":"` + id + `","x) VALUES (1); --":1}`)}},
		{"another run", store.Row{Table: "ledger", Data: []byte(`{"run_id":"other"}`)}},
		{"an object as a value", store.Row{Table: "run_attempts", Data: []byte(`{"run_id":"` + id + `","worker":{}}`)}},
		{"no object", store.Row{Table: "ledger", Data: []byte(`[]`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			to := storetest.Open(t, storetest.SQLite(t))
			if err := to.Load(t.Context(), id, append(slices.Clone(dump), tt.row)); err == nil {
				t.Error("loaded")
			}
			if has, err := to.HasRun(t.Context(), id); has || err != nil {
				t.Errorf("something of it was kept: %v, %v", has, err)
			}
		})
	}
}
