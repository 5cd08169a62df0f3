package queue_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// benchEach runs a benchmark over every database.
func benchEach(b *testing.B, bench func(b *testing.B, q *queue.Queue)) {
	open := func(b *testing.B, address string) *queue.Queue {
		q, err := queue.Open(b.Context(), storetest.Open(b, address), nil)
		if err != nil {
			b.Fatal(err)
		}
		return q
	}
	b.Run("sqlite", func(b *testing.B) { bench(b, open(b, storetest.SQLite(b))) })
	b.Run("postgres", func(b *testing.B) {
		server := os.Getenv(storetest.Variable)
		if server == "" {
			b.Skipf("no Postgres: %s is not set", storetest.Variable)
		}
		bench(b, open(b, storetest.Postgres(b, server)))
	})
}

func manyGames(n int) []store.Submission {
	subs := make([]store.Submission, n)
	for i := range subs {
		subs[i].Target = record.Target{URL: fmt.Sprintf("https://games%d.example/%d/", i%100, i), Seed: int64(i)}
	}
	return subs
}

// BenchmarkSubmit accepts 10,000 runs at once: target under 10 s.
func BenchmarkSubmit(b *testing.B) {
	benchEach(b, func(b *testing.B, q *queue.Queue) {
		subs := manyGames(10_000)
		for b.Loop() {
			if _, err := q.Submit(b.Context(), subs...); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkStored asks a store with 100,000 runs: target under 50 ms.
func BenchmarkStored(b *testing.B) {
	benchEach(b, func(b *testing.B, q *queue.Queue) {
		s, ctx := q.Store(), b.Context()
		accepted, err := q.Submit(ctx, manyGames(100_000)...)
		if err != nil {
			b.Fatal(err)
		}
		for range 1000 {
			finishOne(b, s)
		}
		shown := accepted[0].ID
		asks := []struct {
			name string
			ask  func() error
		}{
			{"list", func() error { _, err := s.List(ctx, nil); return err }},
			{"list-status", func() error {
				_, err := s.List(ctx, &store.ListOptions{Status: store.Completed})
				return err
			}},
			{"list-host", func() error {
				_, err := s.List(ctx, &store.ListOptions{Host: "games7.example", Status: store.Queued})
				return err
			}},
			{"show", func() error {
				if _, err := s.Get(ctx, shown); err != nil {
					return err
				}
				if _, err := s.Attempts(ctx, shown); err != nil {
					return err
				}
				if _, err := s.Events(ctx, shown, 0, 1000); err != nil {
					return err
				}
				_, err := s.Report(ctx, shown)
				return err
			}},
			{"claim", func() error {
				return s.Update(ctx, func(tx *store.Tx) error {
					r, err := tx.Claim(ctx, "bench", 4)
					if err != nil {
						return err
					}
					return tx.Requeue(ctx, store.Lease{RunID: r.ID, Number: r.Lease}, store.OutcomeBack, "", 0, false)
				})
			}},
		}
		for _, a := range asks {
			b.Run(a.name, func(b *testing.B) {
				for b.Loop() {
					if err := a.ask(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// finishOne completes the next run with a report of the usual size.
func finishOne(b *testing.B, s *store.Store) {
	b.Helper()
	ctx := b.Context()
	err := s.Update(ctx, func(tx *store.Tx) error {
		r, err := tx.Claim(ctx, "bench", 0)
		if err != nil {
			return err
		}
		rec := &record.Record{Version: record.RecordVersion, RunID: r.ID, Target: record.Target{URL: r.URL}}
		for i := range 60 {
			rec.Actions = append(rec.Actions, record.Action{Time: time.Now(), Phase: record.PhaseExplore, Kind: "keypress", Target: "ArrowLeft", Success: true, Reasoning: fmt.Sprintf("window %d of the trial of the left arrow", i)})
		}
		rep := &record.Report{Status: record.Pass, Metadata: record.ReportMetadata{ActionHistory: record.Reported(rec.Actions)}}
		for _, name := range metadata.MetricNames {
			rep.Metrics = append(rep.Metrics, record.Metric{Name: name, Score: 90, Weight: 0.2, Justification: "Two or three sentences of justification that cite the evidence."})
		}
		return tx.Finish(ctx, store.Lease{RunID: r.ID, Number: r.Lease}, store.Completed, store.Result{Record: rec, Report: rep})
	})
	if err != nil {
		b.Fatal(err)
	}
}
