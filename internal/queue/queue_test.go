package queue_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/record"
)

// These tests wait for polls and rhythms nearly all the time, so more of them
// run side by side than there are processors.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// long bounds what a test waits for; it is only reached when something is broken.
const long = 90 * time.Second

// each runs a test over every engine, with rhythms made for tests.
func each(t *testing.T, opts queue.Options, test func(t *testing.T, q *queue.Queue)) {
	t.Helper()
	storetest.Each(t, os.Getenv(storetest.Variable), func(t *testing.T, address string) {
		t.Parallel()
		test(t, open(t, storetest.Open(t, address), opts))
	})
}

func open(t *testing.T, s *store.Store, opts queue.Options) *queue.Queue {
	t.Helper()
	if opts.Heartbeat == 0 {
		opts.Heartbeat = 50 * time.Millisecond
	}
	if opts.Sweep == 0 {
		opts.Sweep = 100 * time.Millisecond
	}
	if opts.Backoff == nil {
		opts.Backoff = func(int) time.Duration { return 10 * time.Millisecond }
	}
	opts.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	q, err := queue.Open(t.Context(), s, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func submit(t *testing.T, q *queue.Queue, urls ...string) []string {
	t.Helper()
	var subs []store.Submission
	for _, u := range urls {
		subs = append(subs, store.Submission{Target: record.Target{URL: u}})
	}
	accepted, err := q.Submit(t.Context(), subs...)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, a := range accepted {
		ids = append(ids, a.ID)
	}
	return ids
}

func result(h *queue.Held) (*record.Record, *record.Report, error) {
	rec := &record.Record{Version: record.RecordVersion, RunID: h.Run.ID, Target: h.Target}
	return rec, &record.Report{Status: record.Pass, Summary: "played"}, nil
}

// work runs a worker until nothing is left to do.
func work(t *testing.T, q *queue.Queue, play queue.Player, opts queue.WorkOptions) {
	t.Helper()
	opts.Idle = true
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	if err := q.Work(ctx, play, &opts); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatal("the worker did not get everything done in time")
	}
}

func get(t *testing.T, q *queue.Queue, id string) store.Run {
	t.Helper()
	r, err := q.Store().Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wait(t *testing.T, what string, cond func() bool) {
	t.Helper()
	deadline := time.After(long)
	for !cond() {
		select {
		case <-deadline:
			t.Fatalf("waited in vain for: %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestEachRunIsPlayedOnce(t *testing.T) {
	t.Parallel()
	each(t, queue.Options{PerHost: -1}, func(t *testing.T, q *queue.Queue) {
		var urls []string
		for i := range 60 {
			urls = append(urls, fmt.Sprintf("http://host%d/", i%7))
		}
		ids := submit(t, q, urls...)
		var mu sync.Mutex
		played := map[string]int{}
		work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
			mu.Lock()
			played[h.Run.ID]++
			mu.Unlock()
			return result(h)
		}, queue.WorkOptions{Slots: 4})
		for _, id := range ids {
			if played[id] != 1 {
				t.Errorf("%s was played %d times", id, played[id])
			}
			if r := get(t, q, id); r.Status != store.Completed || r.Verdict != record.Pass {
				t.Errorf("%s ended as %+v", id, r)
			}
		}
	})
}

func TestHostsAreTreatedPolitely(t *testing.T) {
	t.Parallel()
	each(t, queue.Options{PerHost: 2}, func(t *testing.T, q *queue.Queue) {
		var urls []string
		for i := range 24 {
			urls = append(urls, fmt.Sprintf("http://host%d/", i%2))
		}
		submit(t, q, urls...)
		var mu sync.Mutex
		now, most := map[string]int{}, map[string]int{}
		work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
			mu.Lock()
			now[h.Run.Host]++
			most[h.Run.Host] = max(most[h.Run.Host], now[h.Run.Host])
			mu.Unlock()
			select {
			case <-ctx.Done():
			case <-time.After(30 * time.Millisecond): // so that there is something to overlap
			}
			mu.Lock()
			now[h.Run.Host]--
			mu.Unlock()
			return result(h)
		}, queue.WorkOptions{Slots: 8})
		for host, n := range most {
			if n > 2 {
				t.Errorf("%d runs at a time on %s", n, host)
			}
		}
	})
}

// An attempt that another run may have spoilt is played again at once and does
// not count; those that count are as many as ever.
func TestSparedAttemptsAreNotCounted(t *testing.T) {
	t.Parallel()
	each(t, queue.Options{}, func(t *testing.T, q *queue.Queue) {
		id := submit(t, q, "http://h/")[0]
		lost := errors.New("the browser was lost")
		var calls atomic.Int32
		work(t, q, func(context.Context, *queue.Held) (*record.Record, *record.Report, error) {
			if calls.Add(1) <= 2 {
				return nil, nil, &queue.Spared{Err: lost}
			}
			return nil, nil, lost
		}, queue.WorkOptions{})
		if r := get(t, q, id); r.Status != store.Parked || r.Attempts != 3 || calls.Load() != 5 {
			t.Errorf("%s after %d attempts and %d calls", r.Status, r.Attempts, calls.Load())
		}
		attempts, err := q.Store().Attempts(t.Context(), id)
		if err != nil || len(attempts) != 5 || attempts[1].Outcome != store.OutcomeSpared || attempts[2].Outcome != store.OutcomeFailed {
			t.Errorf("attempts %+v, %v", attempts, err)
		}
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	broken := errors.New("the browser did not start")
	tests := []struct {
		name     string
		play     func(attempt int) error
		status   store.Status
		attempts int
		message  string
	}{
		{"heals", func(n int) error { return map[bool]error{true: broken}[n < 3] }, store.Completed, 3, ""},
		{"poison is parked", func(int) error { return broken }, store.Parked, 3, broken.Error()},
		{"no use in trying again", func(int) error { return &queue.Permanent{Err: errors.New("no such mode")} }, store.Failed, 1, "no such mode"},
		{"panics", func(int) error { panic("oops") }, store.Parked, 3, "playtest made a mistake while playing the game"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			each(t, queue.Options{}, func(t *testing.T, q *queue.Queue) {
				id := submit(t, q, "http://h/")[0]
				work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
					if err := tt.play(h.Run.Attempts); err != nil {
						return nil, nil, err
					}
					return result(h)
				}, queue.WorkOptions{})
				r := get(t, q, id)
				if r.Status != tt.status || r.Attempts != tt.attempts || r.Error != tt.message {
					t.Errorf("ended %s after %d attempts with %q, want %s, %d, %q", r.Status, r.Attempts, r.Error, tt.status, tt.attempts, tt.message)
				}
				if tt.status == store.Completed {
					return
				}
				if err := q.Retry(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) { return result(h) }, queue.WorkOptions{})
				if r := get(t, q, id); r.Status != store.Completed {
					t.Errorf("after a retry: %+v", r)
				}
				if err := q.Retry(t.Context(), id); !errors.Is(err, queue.ErrNotRetryable) {
					t.Errorf("retrying a completed run: %v", err)
				}
			})
		})
	}
}

func TestCancelWhilePlaying(t *testing.T) {
	t.Parallel()
	each(t, queue.Options{}, func(t *testing.T, q *queue.Queue) {
		id := submit(t, q, "http://h/")[0]
		work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
			if err := q.Cancel(context.WithoutCancel(ctx), id); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			if cause := context.Cause(ctx); !errors.Is(cause, queue.ErrCancelled) {
				t.Errorf("the player is told %v", cause)
			}
			return result(h)
		}, queue.WorkOptions{})
		if r := get(t, q, id); r.Status != store.Cancelled || r.Verdict == "" {
			t.Errorf("cancelled with what was found: %+v", r)
		}
		if err := q.Cancel(t.Context(), id); err != nil {
			t.Errorf("cancelling again: %v", err)
		}
		if err := q.Cancel(t.Context(), "nobody"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("cancelling a run that is not there: %v", err)
		}
	})
}

// A worker that is told to stop hands its runs back, and they do not count
// that as an attempt.
func TestDrain(t *testing.T) {
	t.Parallel()
	for _, grace := range []struct {
		name     string
		duration time.Duration
		status   store.Status
	}{
		{"hands back", time.Second, store.Queued},
		{"finishes", long, store.Completed},
	} {
		t.Run(grace.name, func(t *testing.T) {
			t.Parallel()
			each(t, queue.Options{}, func(t *testing.T, q *queue.Queue) {
				id := submit(t, q, "http://h/")[0]
				ctx, stop := context.WithCancel(t.Context())
				err := q.Work(ctx, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
					stop()
					if grace.status == store.Queued {
						<-ctx.Done()
						if cause := context.Cause(ctx); !errors.Is(cause, queue.ErrDraining) {
							t.Errorf("the player is told %v", cause)
						}
						return nil, nil, ctx.Err()
					}
					return result(h)
				}, &queue.WorkOptions{Grace: grace.duration})
				if err != nil {
					t.Fatal(err)
				}
				r := get(t, q, id)
				if r.Status != grace.status {
					t.Errorf("the run is %s, want %s", r.Status, grace.status)
				}
				if grace.status == store.Completed {
					return
				}
				if r.Attempts != 0 {
					t.Errorf("%d attempts counted", r.Attempts)
				}
				work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) { return result(h) }, queue.WorkOptions{})
				if r := get(t, q, id); r.Status != store.Completed || r.Attempts != 1 {
					t.Errorf("the next worker: %+v", r)
				}
			})
		})
	}
}

// The lease of a worker that is cut off goes to another; what the first says
// later is not heard.
func TestLostLease(t *testing.T) {
	t.Parallel()
	each(t, queue.Options{MaxAttempts: 2}, func(t *testing.T, q *queue.Queue) {
		id := submit(t, q, "http://h/")[0]
		var plays atomic.Int32
		work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
			if plays.Add(1) == 1 {
				// As if the clock had jumped an hour ahead.
				rescueAll(t, q)
				<-ctx.Done()
				if cause := context.Cause(ctx); !errors.Is(cause, store.ErrLost) {
					t.Errorf("the player is told %v", cause)
				}
				rec, rep, _ := result(h)
				rep.Status = record.Fail
				return rec, rep, nil
			}
			return result(h)
		}, queue.WorkOptions{Slots: 1})
		r := get(t, q, id)
		if r.Status != store.Completed || r.Verdict != record.Pass || r.Attempts != 2 {
			t.Errorf("ended as %+v", r)
		}
		attempts, err := q.Store().Attempts(t.Context(), id)
		if err != nil || len(attempts) != 2 || attempts[0].Outcome != store.OutcomeLost {
			t.Errorf("attempts %+v, %v", attempts, err)
		}
	})
}

// rescueAll takes every running run for lost.
func rescueAll(t *testing.T, q *queue.Queue) {
	t.Helper()
	rescuer := open(t, q.Store(), queue.Options{Silence: time.Nanosecond})
	wait(t, "a rescue", func() bool {
		n, err := rescuer.Rescue(context.Background())
		if err != nil {
			t.Error(err)
		}
		return n > 0
	})
}

// Runs whose workers always die are given up, and say so.
func TestDeadlyRunIsParked(t *testing.T) {
	t.Parallel()
	each(t, queue.Options{MaxAttempts: 2}, func(t *testing.T, q *queue.Queue) {
		id := submit(t, q, "http://h/")[0]
		for attempt := 1; attempt <= 2; attempt++ {
			err := q.Store().Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Claim(t.Context(), "doomed", 0)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			rescueAll(t, q)
		}
		if r := get(t, q, id); r.Status != store.Parked || r.Error == "" {
			t.Errorf("after two dead workers: %+v", r)
		}
	})
}

// A run whose record is complete is judged, not played again.
func TestExploredRecordIsKept(t *testing.T) {
	t.Parallel()
	each(t, queue.Options{}, func(t *testing.T, q *queue.Queue) {
		submit(t, q, "http://h/")
		var seen []string
		work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
			rec, _, err := h.Explored(ctx)
			if err != nil {
				t.Error(err)
			}
			if rec == nil {
				seen = append(seen, "played")
				made, _, _ := result(h)
				if err := h.Checkpoint(ctx, record.PhaseLoad, made, false); err != nil {
					t.Error(err)
				}
				if rec, _, err := h.Explored(ctx); rec != nil || err != nil {
					t.Errorf("a record after one phase counts as explored: %v, %v", rec, err)
				}
				if err := h.Checkpoint(ctx, record.PhaseExplore, made, true); err != nil {
					t.Error(err)
				}
				return nil, nil, errors.New("died while judging")
			}
			seen = append(seen, "judged")
			return result(h)
		}, queue.WorkOptions{})
		if want := []string{"played", "judged"}; !slices.Equal(seen, want) {
			t.Errorf("the run was %v, want %v", seen, want)
		}
	})
}

func TestDelayedRunWaits(t *testing.T) {
	t.Parallel()
	each(t, queue.Options{}, func(t *testing.T, q *queue.Queue) {
		const delay = 700 * time.Millisecond
		accepted, err := q.Submit(t.Context(), store.Submission{Target: record.Target{URL: "http://h/"}, Delay: delay})
		if err != nil {
			t.Fatal(err)
		}
		work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) { return result(h) }, queue.WorkOptions{})
		if r := get(t, q, accepted[0].ID); r.Status != store.Completed || r.Started.Sub(r.Created) < delay {
			t.Errorf("taken up %s after it was submitted", r.Started.Sub(r.Created))
		}
	})
}

func TestSubmissionsAreChecked(t *testing.T) {
	t.Parallel()
	each(t, queue.Options{}, func(t *testing.T, q *queue.Queue) {
		if _, err := q.Submit(t.Context(), store.Submission{Target: record.Target{URL: "ftp://h/"}}); err == nil {
			t.Error("an address that cannot be played was accepted")
		}
		if queued, _, err := q.Store().Active(t.Context()); queued != 0 || err != nil {
			t.Errorf("%d queued, %v", queued, err)
		}
	})
}

// Jobs can be lost with a worker that had fetched them and claimed nothing yet.
// The runs are found all the same.
func TestLostJobsAreMadeGood(t *testing.T) {
	t.Parallel()
	server := os.Getenv(storetest.Variable)
	if server == "" {
		t.Skipf("no Postgres: %s is not set", storetest.Variable)
	}
	q := open(t, storetest.Open(t, storetest.Postgres(t, server)), queue.Options{})
	ids := submit(t, q, "http://a/", "http://b/", "http://c/")
	if _, err := q.Store().Pool().Exec(t.Context(), "UPDATE river_job SET state = 'running', attempted_at = now()"); err != nil {
		t.Fatal(err)
	}
	work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) { return result(h) }, queue.WorkOptions{})
	for _, id := range ids {
		if r := get(t, q, id); r.Status != store.Completed {
			t.Errorf("ended as %+v", r)
		}
	}
}

// A SQLite file has one worker; others are told.
func TestTwoOwnersOfOneFile(t *testing.T) {
	t.Parallel()
	address := storetest.SQLite(t)
	q := open(t, storetest.Open(t, address), queue.Options{})
	submit(t, q, "http://h/")
	var played []string
	work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		played = append(played, h.Run.Host)
		if h.Run.Host == "other" {
			return result(h)
		}
		second := open(t, storetest.Open(t, address), queue.Options{})
		if err := second.Work(ctx, nil, nil); !errors.Is(err, store.ErrOwned) {
			t.Errorf("a second worker: %v", err)
		}
		submit(t, second, "http://other/")
		return result(h)
	}, queue.WorkOptions{})
	if want := []string{"h", "other"}; !slices.Equal(played, want) {
		t.Errorf("played %v, want %v: others may submit", played, want)
	}
}
