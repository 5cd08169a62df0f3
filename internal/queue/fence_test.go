package queue_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// A worker that was stopped and comes back when its run is another's learns so
// from whatever it writes next, before its next heartbeat.
func TestReturningWorkerIsFenced(t *testing.T) {
	t.Parallel()
	// No heartbeat comes in between: it is as if the process had been stopped.
	each(t, queue.Options{Heartbeat: time.Hour, Silence: 200 * time.Millisecond}, func(t *testing.T, q *queue.Queue) {
		id := submit(t, q, "http://h/")[0]
		first := true
		work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
			if !first {
				return result(h)
			}
			first = false
			if err := h.Fence(ctx); err != nil {
				t.Errorf("while the run is ours: %v", err)
			}
			rescueAll(t, q)
			// Asked is the database when the last sign of the lease is old.
			wait(t, "a fence", func() bool { return errors.Is(h.Fence(ctx), store.ErrLost) })
			if cause := context.Cause(ctx); !errors.Is(cause, store.ErrLost) {
				t.Errorf("the player is told %v", cause)
			}
			if err := h.Events(context.WithoutCancel(ctx), []record.Event{{Kind: record.EventPhase, Message: "late"}}); !errors.Is(err, store.ErrLost) {
				t.Errorf("an event: %v", err)
			}
			rec, rep, _ := result(h)
			rep.Status = record.Fail
			return rec, rep, nil
		}, queue.WorkOptions{Slots: 1})
		if r := get(t, q, id); r.Status != store.Completed || r.Verdict != record.Pass || r.Attempts != 2 {
			t.Errorf("ended as %+v", r)
		}
		if events, err := q.Store().Events(t.Context(), id, 0, 10); err != nil || len(events) != 0 {
			t.Errorf("events %+v, %v", events, err)
		}
	})
}

// A worker does not rescue a run that it is playing, however long it was
// suspended or however far the clock jumped.
func TestOwnRunIsNotRescued(t *testing.T) {
	t.Parallel()
	each(t, queue.Options{Heartbeat: time.Hour, Silence: time.Nanosecond}, func(t *testing.T, q *queue.Queue) {
		id := submit(t, q, "http://h/")[0]
		work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
			wait(t, "a run that seems silent", func() bool {
				var silent []store.Run
				err := q.Store().Update(ctx, func(tx *store.Tx) (err error) {
					silent, err = tx.Stale(ctx, time.Nanosecond)
					return err
				})
				return err == nil && len(silent) == 1
			})
			if n, err := q.Rescue(ctx); n != 0 || err != nil {
				t.Errorf("rescued %d, %v", n, err)
			}
			return result(h)
		}, queue.WorkOptions{Slots: 1})
		if r := get(t, q, id); r.Status != store.Completed || r.Attempts != 1 {
			t.Errorf("ended as %+v", r)
		}
	})
}

// A result that the database refuses is kept aside, the run says so and is not
// played again and again, and its slot is free for others.
func TestRefusedResultIsKeptAside(t *testing.T) {
	t.Parallel()
	aside := t.TempDir()
	each(t, queue.Options{Aside: aside}, func(t *testing.T, q *queue.Queue) {
		id := submit(t, q, "http://h/")[0]
		began := time.Now()
		work(t, q, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
			rec, rep, err := result(h)
			rep.OverallScore = math.NaN()
			return rec, rep, err
		}, queue.WorkOptions{Slots: 1})
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("it took %s", took)
		}
		r := get(t, q, id)
		if r.Status != store.Failed || r.Attempts != 1 || !strings.Contains(r.Error, "could not be stored") || !strings.Contains(r.Error, id) {
			t.Errorf("ended as %+v", r)
		}
		for _, name := range []string{"record.json", "report.json.txt", "why.txt"} {
			if data, err := os.ReadFile(filepath.Join(aside, id+"-1", name)); err != nil || len(data) == 0 {
				t.Errorf("%s holds %d bytes, %v", name, len(data), err)
			}
		}
	})
}

// Told to stop, a worker ends within its grace: when a player does not listen,
// and when the database is away and a result cannot be stored. That result is
// kept aside.
func TestEndsWithinGrace(t *testing.T) {
	t.Parallel()
	const grace = 2 * time.Second
	t.Run("player does not listen", func(t *testing.T) {
		t.Parallel()
		each(t, queue.Options{}, func(t *testing.T, q *queue.Queue) {
			submit(t, q, "http://h/")
			let := make(chan struct{})
			t.Cleanup(func() { close(let) })
			endsWithin(t, q, grace, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
				<-let
				return result(h)
			})
		})
	})
	t.Run("database away", func(t *testing.T) {
		t.Parallel()
		w, address := wired(t)
		aside := t.TempDir()
		s, err := store.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		q, err := queue.Open(t.Context(), s, &queue.Options{Aside: aside, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		id := submit(t, q, "http://h/")[0]
		endsWithin(t, q, grace, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
			w.setCut(true)
			return result(h)
		})
		if _, err := os.Stat(filepath.Join(aside, id+"-1", "report.json")); err != nil {
			t.Errorf("the result is not kept aside: %v", err)
		}
		// What River left behind ends by itself when the database is back; a process
		// that exits would not wait for it.
		w.setCut(false)
		wait(t, "River to stop", func() bool {
			stacks := make([]byte, 8<<20)
			return !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "StopAllParallel")
		})
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// endsWithin runs a worker, tells it to stop when it plays, and looks how long
// that takes.
func endsWithin(t *testing.T, q *queue.Queue, grace time.Duration, play queue.Player) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	told := make(chan time.Time, 1)
	err := q.Work(ctx, func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		told <- time.Now()
		stop()
		return play(ctx, h)
	}, &queue.WorkOptions{Grace: grace, Slots: 1})
	took := time.Since(<-told)
	if err != nil {
		t.Errorf("the worker ended with %v", err)
	}
	if took > grace+500*time.Millisecond { // a busy machine may be late
		t.Errorf("the worker took %s to end, its grace is %s", took, grace)
	}
}
