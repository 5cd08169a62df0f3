// Package retention removes runs that are no longer wanted, rows and evidence
// together, in an order that survives a crash at any point:
//
//	mark the rows ── the run is out of sight, and known to be on its way out
//	delete the evidence
//	delete the rows
//
// The next Prune goes on where one was interrupted. Evidence without rows, as an
// interrupted import leaves it, is removed when that is asked for.
package retention

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
)

// Policy says which runs are kept. Zeros keep everything.
type Policy struct {
	// MaxAge is how long a run is kept after it has ended.
	MaxAge time.Duration
	// MaxRuns is how many of those that have ended are kept, the newest.
	MaxRuns int
}

// Pick chooses the runs to remove from when each of them ended. Those that have
// not ended (a zero time) are never chosen. Oldest first.
func Pick(ended map[string]time.Time, p Policy, now time.Time) []string {
	type run struct {
		id string
		at time.Time
	}
	var runs []run
	for id, at := range ended {
		if !at.IsZero() {
			runs = append(runs, run{id, at})
		}
	}
	slices.SortFunc(runs, func(a, b run) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	surplus := 0
	if p.MaxRuns > 0 {
		surplus = len(runs) - p.MaxRuns
	}
	var out []string
	for i, r := range runs {
		if i < surplus || p.MaxAge > 0 && now.Sub(r.at) > p.MaxAge {
			out = append(out, r.id)
		}
	}
	return out
}

// ParseAge reads an age such as 30d, 2w or 36h.
func ParseAge(text string) (time.Duration, error) {
	unit := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	var age time.Duration
	var err error
	if n := len(text) - 1; n > 0 && unit[text[n]] > 0 {
		var count int
		count, err = strconv.Atoi(text[:n])
		if count > 100_000 {
			err = strconv.ErrRange
		}
		age = time.Duration(count) * unit[text[n]]
	} else {
		age, err = time.ParseDuration(text)
	}
	if err != nil || age <= 0 {
		return 0, fmt.Errorf("%q is not an age: 30d, 2w and 36h are", text)
	}
	return age, nil
}

// Rows is the database. *store.Store is one.
type Rows interface {
	// Ended returns when each run ended that has, without those marked.
	Ended(ctx context.Context) (map[string]time.Time, error)
	// MarkRuns hides runs that are going to be removed. Those that have been
	// taken up again meanwhile stay.
	MarkRuns(ctx context.Context, ids []string) error
	MarkedRuns(ctx context.Context) ([]string, error)
	// DeleteRuns removes marked runs with all their rows.
	DeleteRuns(ctx context.Context, ids []string) error
	// HasRun reports whether there is such a run, marked or not.
	HasRun(ctx context.Context, id string) (bool, error)
}

// Evidence is where the files of runs are. Every evidence.Store is one.
type Evidence interface {
	Delete(ctx context.Context, run string) error
	List(ctx context.Context, run string) ([]evidence.File, error)
	Runs(ctx context.Context) iter.Seq2[string, error]
}

// PruneOptions of Prune.
type PruneOptions struct {
	// Now is the time that ages are counted from, the clock's if zero.
	Now time.Time
	// Orphans removes evidence that belongs to no run, too. Not for evidence
	// that several databases share.
	Orphans bool
	// DryRun only tells.
	DryRun bool
}

// Result is what Prune removed, or would.
type Result struct {
	Runs    []string
	Orphans []string
}

// batch is how many runs are marked and removed at a time.
const batch = 100

// settled is how long evidence without a run must have been left alone: an
// import that is under way writes its rows last.
const settled = time.Hour

// Prune removes what the policy does not keep. A run whose evidence cannot be
// removed now stays marked for the next time; the others are removed.
func Prune(ctx context.Context, rows Rows, files Evidence, p Policy, opts *PruneOptions) (Result, error) {
	if opts == nil {
		opts = &PruneOptions{}
	}
	now := opts.Now
	if now.IsZero() {
		now = time.Now()
	}
	var res Result
	var err error
	if res.Runs, err = choose(ctx, rows, p, now, opts.DryRun); err != nil {
		return Result{}, err
	}
	if !opts.DryRun {
		if res.Runs, err = remove(ctx, rows, files, res.Runs); err != nil {
			return res, err
		}
	}
	if opts.Orphans {
		res.Orphans, err = sweep(ctx, rows, files, now, opts.DryRun)
	}
	return res, err
}

// choose returns the runs to remove: those marked earlier and those that the
// policy picks, which are marked.
func choose(ctx context.Context, rows Rows, p Policy, now time.Time, dry bool) ([]string, error) {
	ended, err := rows.Ended(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for runs to remove: %w", err)
	}
	picked := Pick(ended, p, now)
	if !dry {
		for ids := range slices.Chunk(picked, batch) {
			if err := rows.MarkRuns(ctx, ids); err != nil {
				return nil, fmt.Errorf("mark runs to be removed: %w", err)
			}
		}
	}
	marked, err := rows.MarkedRuns(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for runs to remove: %w", err)
	}
	if dry {
		marked = append(marked, picked...)
	}
	return marked, nil
}

func remove(ctx context.Context, rows Rows, files Evidence, marked []string) (removed []string, err error) {
	var errs []error
	for ids := range slices.Chunk(marked, batch) {
		var done []string
		for _, id := range ids {
			if err := files.Delete(ctx, id); err != nil {
				errs = append(errs, fmt.Errorf("remove run %s: %w", id, err))
				if ctx.Err() != nil {
					break
				}
				continue
			}
			done = append(done, id)
		}
		if ctx.Err() != nil {
			return removed, errors.Join(errs...)
		}
		if err := rows.DeleteRuns(ctx, done); err != nil {
			return removed, errors.Join(append(errs, fmt.Errorf("remove runs: %w", err))...)
		}
		removed = append(removed, done...)
	}
	return removed, errors.Join(errs...)
}

func sweep(ctx context.Context, rows Rows, files Evidence, now time.Time, dry bool) ([]string, error) {
	var orphans []string
	var errs []error
	for run, err := range files.Runs(ctx) {
		if err != nil {
			return orphans, errors.Join(append(errs, err)...)
		}
		there, err := rows.HasRun(ctx, run)
		if err != nil {
			return orphans, errors.Join(append(errs, fmt.Errorf("look for the run of evidence: %w", err))...)
		}
		if there {
			continue
		}
		list, err := files.List(ctx, run)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if slices.ContainsFunc(list, func(f evidence.File) bool { return now.Sub(f.Modified) < settled }) {
			continue
		}
		if !dry {
			if err := files.Delete(ctx, run); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		orphans = append(orphans, run)
	}
	return orphans, errors.Join(errs...)
}
