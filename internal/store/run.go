package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// Status is how far a run got.
type Status string

// The states of a run. Parked runs have failed too often: a person looks at
// them and retries them.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	Parked    Status = "parked"
)

// Statuses lists the states in the order of a run's life.
var Statuses = []Status{Queued, Running, Completed, Failed, Cancelled, Parked}

// Ended reports whether nothing more happens to the run by itself.
func (s Status) Ended() bool { return s != Queued && s != Running }

// Run is a row of test_runs. Times are by the database's clock; those that
// have not come yet are zero.
type Run struct {
	Seq             int64          `json:"seq"`
	ID              string         `json:"id"`
	Status          Status         `json:"status"`
	URL             string         `json:"url"`
	Host            string         `json:"host"`
	Mode            record.Mode    `json:"mode"`
	Priority        int            `json:"priority"`
	Key             string         `json:"idempotencyKey,omitempty"`
	Attempts        int            `json:"attempts"`
	MaxAttempts     int            `json:"maxAttempts"`
	Lease           int64          `json:"lease"`
	Worker          string         `json:"worker,omitempty"`
	Phase           string         `json:"phase,omitempty"`
	CancelRequested bool           `json:"cancelRequested,omitempty"`
	Created         time.Time      `json:"created"`
	After           time.Time      `json:"after"`
	Started         time.Time      `json:"started,omitzero"`
	Heartbeat       time.Time      `json:"heartbeat,omitzero"`
	Finished        time.Time      `json:"finished,omitzero"`
	Verdict         record.Verdict `json:"verdict,omitempty"`
	Playability     *int           `json:"playabilityScore,omitempty"`
	Overall         *float64       `json:"overallScore,omitempty"`
	Confidence      *float64       `json:"confidence,omitempty"`
	Summary         string         `json:"summary,omitempty"`
	Error           string         `json:"error,omitempty"`
	Pruned          time.Time      `json:"pruned,omitzero"`
	// Evidence is the attempt whose evidence is the run's, 0 when none is; Manifest
	// is the SHA-256 of its manifest.
	Evidence int64  `json:"evidenceAttempt,omitempty"`
	Manifest string `json:"evidenceManifest,omitempty"`
	// EvidenceBytes is how large that attempt's evidence is.
	EvidenceBytes int64 `json:"evidenceBytes,omitempty"`
	// Project is whom the run belongs to, Batch what it was submitted with.
	Project string `json:"project"`
	Batch   string `json:"batch,omitempty"`
}

func scanRun(row scanner) (Run, error) {
	var r Run
	var key, worker, phase, verdict, summary, message, manifest, batch sql.NullString
	var cancel int
	var created, after, started, heartbeat, finished, pruned, attempt sql.NullInt64
	err := row.Scan(&r.Seq, &r.ID, &r.Status, &r.URL, &r.Host, &r.Mode, &r.Priority, &key, &r.Attempts, &r.MaxAttempts, &r.Lease, &worker, &phase, &cancel,
		&created, &after, &started, &heartbeat, &finished, &verdict, &r.Playability, &r.Overall, &r.Confidence, &summary, &message, &pruned, &attempt, &manifest, &r.Project, &batch, &r.EvidenceBytes)
	r.Key, r.Worker, r.Phase, r.Verdict, r.Summary, r.Error = key.String, worker.String, phase.String, record.Verdict(verdict.String), summary.String, message.String
	r.CancelRequested = cancel != 0
	r.Evidence, r.Manifest, r.Batch = attempt.Int64, manifest.String, batch.String
	r.Created, r.After, r.Started, r.Heartbeat, r.Finished, r.Pruned = at(created), at(after), at(started), at(heartbeat), at(finished), at(pruned)
	return r, err
}

// Get returns a run by its id.
func (s *Store) Get(ctx context.Context, id string) (Run, error) {
	return one(scanRun(s.row(ctx, "run_get", id)))
}

func one(r Run, err error) (Run, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return r, ErrNotFound
	}
	if err != nil {
		return r, fmt.Errorf("read a run: %w", err)
	}
	return r, nil
}

// ListOptions narrow a list of runs.
type ListOptions struct {
	// Status and Host, empty for all.
	Status Status
	Host   string
	// Before is the Seq of the last run of the page before, 0 for the newest.
	Before int64
	// Limit is 50 when zero.
	Limit int
}

// List returns runs, newest first.
func (s *Store) List(ctx context.Context, opts *ListOptions) ([]Run, error) {
	o := ListOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Before <= 0 {
		o.Before = math.MaxInt64
	}
	if o.Limit <= 0 {
		o.Limit = 50
	}
	out := []Run{}
	for {
		page, err := s.page(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, r := range page {
			// Marked runs are few and soon gone. Leaving them out here keeps the
			// query one that every planner answers from an index.
			if r.Pruned.IsZero() && len(out) < o.Limit {
				out = append(out, r)
			}
		}
		if len(page) < o.Limit || len(out) == o.Limit {
			return out, nil
		}
		o.Before = page[len(page)-1].Seq
	}
}

// page reads the next rows of a list, marked runs among them.
func (s *Store) page(ctx context.Context, o ListOptions) ([]Run, error) {
	name, args := "run_list", []any{o.Before, o.Limit}
	switch {
	case o.Host != "" && o.Status != "":
		name, args = "run_list_both", append(args, o.Host, string(o.Status))
	case o.Host != "":
		name, args = "run_list_host", append(args, o.Host)
	case o.Status != "":
		name, args = "run_list_status", append(args, string(o.Status))
	}
	return rows(ctx, s, scanRun, name, args...)
}

// Active counts the runs that wait and those that are being played.
func (s *Store) Active(ctx context.Context) (queued, running int, err error) {
	type count struct {
		status Status
		n      int
	}
	counts, err := rows(ctx, s, func(row scanner) (c count, err error) { return c, row.Scan(&c.status, &c.n) }, "run_active")
	for _, c := range counts {
		if c.status == Queued {
			queued = c.n
		} else {
			running = c.n
		}
	}
	return queued, running, err
}

// Target is what a run plays.
func (s *Store) Target(ctx context.Context, id string) (record.Target, error) {
	var t record.Target
	var config string
	switch err := s.row(ctx, "run_config", id).Scan(&config); {
	case errors.Is(err, sql.ErrNoRows):
		return t, ErrNotFound
	case err != nil:
		return t, fmt.Errorf("read a run's target: %w", err)
	}
	if err := json.Unmarshal([]byte(config), &t); err != nil {
		return t, fmt.Errorf("read a run's target: %w", err)
	}
	return t, nil
}

// Attempt is one time that a worker took a run up.
type Attempt struct {
	Lease   int64     `json:"lease"`
	Worker  string    `json:"worker"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	// Outcome is a status, or one of those below; empty while it lasts.
	Outcome string `json:"outcome,omitempty"`
	// Phase is how far it got.
	Phase string `json:"phase,omitempty"`
	Error string `json:"error,omitempty"`
}

// How an attempt ends that does not end the run.
const (
	OutcomeLost   = "lost"
	OutcomeFailed = "failed"
	OutcomeBack   = "handed back"
	// OutcomeSpared is a failure that may have been another run's doing, and that
	// is not counted.
	OutcomeSpared = "failed, not counted"
)

// Attempts lists who took a run up and what became of that, oldest first.
func (s *Store) Attempts(ctx context.Context, id string) ([]Attempt, error) {
	return rows(ctx, s, func(row scanner) (Attempt, error) {
		var a Attempt
		var started, ended sql.NullInt64
		var outcome, phase, message sql.NullString
		err := row.Scan(&a.Lease, &a.Worker, &started, &ended, &outcome, &phase, &message)
		a.Started, a.Ended, a.Outcome, a.Phase, a.Error = at(started), at(ended), outcome.String, phase.String, message.String
		return a, err
	}, "run_attempts", id)
}

// Checkpoint says that an attempt has a phase behind it.
type Checkpoint struct {
	Lease   int64     `json:"lease"`
	Phase   string    `json:"phase"`
	Reached time.Time `json:"reached"`
}

// Checkpoints lists the phases that the attempts at a run have behind them.
func (s *Store) Checkpoints(ctx context.Context, id string) ([]Checkpoint, error) {
	return rows(ctx, s, func(row scanner) (Checkpoint, error) {
		var c Checkpoint
		var reached sql.NullInt64
		err := row.Scan(&c.Lease, &c.Phase, &reached)
		c.Reached = at(reached)
		return c, err
	}, "run_checkpoints", id)
}
