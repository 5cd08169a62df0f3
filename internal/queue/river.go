package queue

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/playtest-dev/playtest/internal/store"
)

// riverEngine is the engine over many machines. For each run that is queued
// there is a job, inserted in the same transaction. A job is a turn, not tied
// to a run: whoever gets it claims the best run there is. So a run that has to
// wait for its host keeps no other from being played, and a job too many does
// no harm.
type riverEngine struct {
	store  *store.Store
	insert *river.Client[pgx.Tx]
	log    *slog.Logger
}

// turnArgs is the job. It says nothing.
type turnArgs struct{}

// Kind names the job in River's tables.
func (turnArgs) Kind() string { return "playtest_turn" }

const (
	// patience is how long a turn that finds nothing playable stays, since a
	// host may become free at any moment.
	patience = 2 * time.Second
	// abandoned is when River itself takes a job for lost. Runs are rescued by
	// their heartbeats long before; what is left of the old job then finds
	// nothing to do and is cleaned away. River rescues only jobs that have a
	// time limit, so they get one that no run reaches.
	abandoned = 6 * time.Hour
	unreached = abandoned - time.Hour
	// kept is how long finished jobs stay in River's table. Runs have their own.
	kept = time.Hour
	// mendAtOnce bounds how many turns one sweep adds.
	mendAtOnce = 1000
)

func openRiver(ctx context.Context, s *store.Store, log *slog.Logger) (*riverEngine, error) {
	driver := riverpgxv5.New(s.Pool())
	err := s.Exclusively(ctx, func() error {
		m, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: quiet(log)})
		if err != nil {
			return err
		}
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("bring the queue's tables up to date: %w", err)
	}
	client, err := river.NewClient(driver, &river.Config{Logger: quiet(log)})
	if err != nil {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	return &riverEngine{store: s, insert: client, log: log}, nil
}

// quiet keeps River's chatter out of the log.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && w.Handler.Enabled(ctx, l)
}

func (e *riverEngine) announce(ctx context.Context, tx *store.Tx, n int, delay time.Duration) error {
	opts := &river.InsertOpts{}
	if delay > 0 {
		opts.ScheduledAt = time.Now().Add(delay)
	}
	jobs := make([]river.InsertManyParams, n)
	for i := range jobs {
		jobs[i] = river.InsertManyParams{Args: turnArgs{}, InsertOpts: opts}
	}
	err := tx.Pgx(func(under pgx.Tx) error {
		_, err := e.insert.InsertManyFastTx(ctx, under, jobs)
		return err
	})
	if err != nil {
		return fmt.Errorf("queue jobs: %w", err)
	}
	return nil
}

// announced has nothing to do: River tells the workers of what was inserted.
func (e *riverEngine) announced() {}

// mend makes good for turns that were lost with a worker before it had claimed
// a run: when runs are due and no turn waits, there are new ones.
func (e *riverEngine) mend(ctx context.Context, tx *store.Tx) error {
	var due int
	err := tx.Pgx(func(under pgx.Tx) error {
		return under.QueryRow(ctx, mendQuery, turnArgs{}.Kind(), mendAtOnce).Scan(&due)
	})
	if err != nil {
		return fmt.Errorf("compare runs with jobs: %w", err)
	}
	if due == 0 {
		return nil
	}
	return e.announce(ctx, tx, due, 0)
}

// mendQuery stops at the first turn it finds, so it costs nothing while all is
// well. Turns that were put off for a moment count as waiting.
const mendQuery = `SELECT CASE WHEN EXISTS (
		SELECT 1 FROM river_job
		WHERE kind = $1 AND state IN ('available', 'retryable', 'scheduled') AND scheduled_at < now() + interval '30 seconds'
	) THEN 0 ELSE (SELECT count(*) FROM (
		SELECT 1 FROM test_runs
		WHERE status = 'queued' AND run_after <= extract(epoch FROM clock_timestamp()) * 1000 LIMIT $2
	) due) END`

func (e *riverEngine) work(ctx, over context.Context, slots int, take turn) error {
	workers := river.NewWorkers()
	river.AddWorker(workers, &taker{take: take, taking: ctx, store: e.store})
	client, err := river.NewClient(riverpgxv5.New(e.store.Pool()), &river.Config{
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: slots}},
		Workers:                     workers,
		JobTimeout:                  unreached, // a run has limits of its own
		RescueStuckJobsAfter:        abandoned,
		CompletedJobRetentionPeriod: kept,
		Logger:                      quiet(e.log),
	})
	if err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	// Draining is ours: River is only told to stop fetching and to wait.
	lasting := context.WithoutCancel(ctx)
	if err := client.Start(lasting); err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	<-ctx.Done()
	if err := client.Stop(over); err != nil && over.Err() == nil {
		return fmt.Errorf("stop the queue: %w", err)
	}
	return nil
}

// taker does the turns.
type taker struct {
	river.WorkerDefaults[turnArgs]
	take   turn
	taking context.Context // ends when no more runs are to be taken up
	store  *store.Store
}

// Work is a turn. It returns only when a run was played to its end, or when
// there is nothing to play.
func (t *taker) Work(ctx context.Context, _ *river.Job[turnArgs]) error {
	until := time.Now().Add(patience)
	for t.taking.Err() == nil {
		if t.take() {
			return nil
		}
		waiting, err := t.store.Waiting(ctx)
		if err != nil || waiting && time.Now().After(until) {
			return river.JobSnooze(soon())
		}
		if !waiting {
			return nil
		}
		select {
		case <-t.taking.Done():
		case <-time.After(poll):
		}
	}
	// Shutting down: the turn is for another worker.
	return river.JobSnooze(0)
}

// soon spreads those that wait for the same host.
func soon() time.Duration { return time.Second + rand.N(2*time.Second) }
