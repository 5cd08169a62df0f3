// Package queue is durable work: runs are submitted, taken up by workers,
// checkpointed, and end with a result, whatever dies on the way.
//
// The truth about a run is its row in the store. A worker that takes a run up
// holds a lease and says every few seconds that it lives; when it falls silent
// the run is rescued: queued again, or parked when it was taken up too often.
// What differs between one machine and many is only how workers learn that
// there is something to do (see engine): in process for SQLite, by River's jobs
// for Postgres.
package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"github.com/playtest-dev/playtest/internal/store"
)

// Options of a queue. Zero values mean the defaults.
type Options struct {
	// PerHost is how many runs may be under way on one registrable domain at a
	// time, over all workers; where there is none, as with addresses of machines,
	// on one host. Default 4; negative for no limit.
	PerHost int
	// MaxAttempts is how often a run is taken up before it is parked. Default 3.
	MaxAttempts int
	// Heartbeat is how often a worker says that it lives, Silence how long it
	// may be silent before its runs are rescued. Defaults 5 and 30 seconds.
	Heartbeat, Silence time.Duration
	// Sweep is how often silent workers are looked for. Default 10 seconds.
	Sweep time.Duration
	// Backoff is how long a run waits after its nth failed attempt. The default
	// doubles from 10 seconds to 10 minutes.
	Backoff func(attempt int) time.Duration
	// Worker names this process in attempts. Default host and process id.
	Worker string
	// Aside is a folder for results that the database does not take. Empty keeps
	// none.
	Aside string
	// Log gets what nobody waits for. Nil discards it.
	Log *slog.Logger
}

func (o *Options) resolved() Options {
	r := Options{}
	if o != nil {
		r = *o
	}
	if r.PerHost == 0 {
		r.PerHost = 4
	}
	if r.MaxAttempts <= 0 {
		r.MaxAttempts = 3
	}
	setDefault(&r.Heartbeat, 5*time.Second)
	setDefault(&r.Silence, 30*time.Second)
	setDefault(&r.Sweep, 10*time.Second)
	if r.Backoff == nil {
		r.Backoff = backoff
	}
	if r.Worker == "" {
		name, err := os.Hostname()
		if err != nil {
			name = "worker"
		}
		r.Worker = fmt.Sprintf("%s/%d", name, os.Getpid())
	}
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	return r
}

func setDefault(d *time.Duration, value time.Duration) {
	if *d <= 0 {
		*d = value
	}
}

func backoff(attempt int) time.Duration {
	wait := min(10*time.Second<<min(attempt-1, 10), 10*time.Minute)
	return wait + rand.N(wait/4) // so that what failed together is not tried together
}

// engine is how workers learn that there is something to do.
type engine interface {
	// announce is called in the transaction that queues n runs.
	announce(ctx context.Context, tx *store.Tx, n int, delay time.Duration) error
	// announced is called when that transaction is committed.
	announced()
	// mend is called in the transaction of a sweep, to make good for
	// announcements that were lost with a worker.
	mend(ctx context.Context, tx *store.Tx) error
	// work calls turn again and again, slots at a time, until ctx ends, and
	// returns when the last turn has, or when over ends.
	work(ctx, over context.Context, slots int, turn turn) error
}

// turn claims a run and plays it to its end. It reports whether there was one.
type turn func() bool

// Queue is durable work over a store.
type Queue struct {
	store  *store.Store
	opts   Options
	engine engine
	mine   leases
}

// Open makes a queue over a store: in process for SQLite, with River for
// Postgres, whose tables it brings up to date.
func Open(ctx context.Context, s *store.Store, opts *Options) (*Queue, error) {
	q := &Queue{store: s, opts: opts.resolved()}
	if s.Pool() == nil {
		q.engine = newEmbedded()
		return q, nil
	}
	r, err := openRiver(ctx, s, q.opts.Log)
	if err != nil {
		return nil, err
	}
	q.engine = r
	return q, nil
}

// Store is what the queue stands on.
func (q *Queue) Store() *store.Store { return q.store }

// chunk bounds a transaction of many submissions, so that others get a turn.
const chunk = 500

// Submit accepts runs. What it returns is stored and will be played; when it
// fails midway, what was accepted until then is returned with the error.
func (q *Queue) Submit(ctx context.Context, subs ...store.Submission) ([]store.Accepted, error) {
	if err := q.prepare(subs); err != nil {
		return nil, err
	}
	var out []store.Accepted
	for len(subs) > 0 {
		n := min(chunk, len(subs))
		var accepted []store.Accepted
		err := q.store.Update(ctx, func(tx *store.Tx) (err error) {
			accepted, _, err = q.submit(ctx, tx, subs[:n])
			return err
		})
		if err != nil {
			return out, err
		}
		q.engine.announced()
		out = append(out, accepted...)
		subs = subs[n:]
	}
	return out, nil
}

// Admit is Submit for those whom the limits of their project bind: all runs are
// accepted, or none with a store.QuotaError. Runs that were accepted before, by
// their keys, are so again, also when the project is full.
func (q *Queue) Admit(ctx context.Context, project string, subs ...store.Submission) (accepted []store.Accepted, err error) {
	for i := range subs {
		subs[i].Project = project
	}
	if err := q.prepare(subs); err != nil {
		return nil, err
	}
	err = q.store.Update(ctx, func(tx *store.Tx) error {
		return tx.Bounded(ctx, project, func() (added int, err error) {
			accepted, added, err = q.submit(ctx, tx, subs)
			return added, err
		})
	})
	if err != nil {
		return nil, err
	}
	q.engine.announced()
	return accepted, nil
}

// prepare checks submissions and fills in what they leave open.
func (q *Queue) prepare(subs []store.Submission) error {
	for i, s := range subs {
		if err := s.Target.Validate(); err != nil {
			return err
		}
		if s.MaxAttempts == 0 {
			subs[i].MaxAttempts = q.opts.MaxAttempts
		}
	}
	return nil
}

// submit stores and announces runs. Added are those that were not there before.
func (q *Queue) submit(ctx context.Context, tx *store.Tx, subs []store.Submission) (accepted []store.Accepted, added int, err error) {
	if accepted, err = tx.Submit(ctx, subs); err != nil {
		return nil, 0, err
	}
	delays := map[time.Duration]int{}
	for i, a := range accepted {
		if !a.Repeated {
			delays[subs[i].Delay]++
			added++
		}
	}
	for delay, n := range delays {
		if err := q.engine.announce(ctx, tx, n, delay); err != nil {
			return nil, 0, err
		}
	}
	return accepted, added, nil
}

// ErrEnded: the run has ended, so what was asked for cannot be done.
var ErrEnded = errors.New("the run has ended")

// Cancel ends a queued run, or asks the worker of a running one to stop; that
// takes until its next heartbeat.
func (q *Queue) Cancel(ctx context.Context, id string) error {
	var was store.Status
	err := q.store.Update(ctx, func(tx *store.Tx) (err error) {
		was, err = tx.Cancel(ctx, id)
		return err
	})
	if err == nil && was.Ended() && was != store.Cancelled {
		return fmt.Errorf("%w: it is %s", ErrEnded, was)
	}
	return err
}

// ErrNotRetryable: only runs that failed, were cancelled or were parked can be
// queued again.
var ErrNotRetryable = errors.New("only a failed, cancelled or parked run can be queued again")

// Retry queues a run again, with all its attempts before it.
func (q *Queue) Retry(ctx context.Context, id string) error {
	return q.again(ctx, func(tx *store.Tx) error { return q.retry(ctx, tx, id) })
}

// Readmit is Retry for those whom the limits of their project bind.
func (q *Queue) Readmit(ctx context.Context, project, id string) error {
	return q.again(ctx, func(tx *store.Tx) error {
		return tx.Bounded(ctx, project, func() (int, error) { return 1, q.retry(ctx, tx, id) })
	})
}

func (q *Queue) retry(ctx context.Context, tx *store.Tx, id string) error {
	queued, err := tx.Retry(ctx, id)
	if err != nil {
		return err
	}
	if !queued {
		return ErrNotRetryable
	}
	return q.engine.announce(ctx, tx, 1, 0)
}

func (q *Queue) again(ctx context.Context, do func(*store.Tx) error) error {
	err := q.store.Update(ctx, do)
	if err == nil {
		q.engine.announced()
	}
	return err
}
