package qa

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/record"
)

// attempt is one of several at a phase.
type attempt struct {
	number int
	// late: the one before it ran out of its time.
	late bool
	// instead is what it does differently because of what failed before, for the report.
	instead string
}

// attempt runs a phase with its limit and its retries, each of which is told what
// became of the one before it. It reports whether the page is there to go on with.
func (r *run) attempt(ctx context.Context, name string, limit time.Duration, do func(context.Context, *attempt) error) bool {
	late := false
	for i := 0; ; i++ {
		a := &attempt{number: i + 1, late: late}
		started := time.Now()
		pctx, cancel := context.WithTimeout(ctx, limit)
		err := do(pctx, a)
		late = err != nil && pctx.Err() != nil
		cancel()
		p := record.PhaseRun{Phase: name, Attempt: i + 1, Started: started, Duration: time.Since(started), Instead: a.instead}
		if err != nil {
			p.Error, p.Reason = err.Error(), r.failed(err, late, limit)
			r.opts.Log.Info("phase failed", "run", r.rec.RunID, "phase", name, "attempt", i+1, "error", err)
		}
		r.rec.Phases = append(r.rec.Phases, p)
		last := err == nil || errors.Is(err, game.ErrGone) || ctx.Err() != nil || i >= retries || !worthAnother(name, r.rec)
		if last {
			r.keepLogs()
			r.checkpoint(name)
			return err == nil || name != record.PhaseLoad
		}
		r.emit(record.EventWarning, "%s; trying again", p.Reason)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(backoff(i)):
		}
		if name == record.PhaseLoad {
			r.rec.Load = record.LoadRecord{Retries: r.rec.Load.Retries}
		}
	}
}

// failed says in words for people why an attempt at a phase failed.
func (r *run) failed(err error, late bool, limit time.Duration) string {
	var open *load.OpenError
	switch {
	case errors.As(err, &open):
		return open.Error()
	case late:
		return fmt.Sprintf("it was not done after %.0f seconds", limit.Seconds())
	}
	return "the page did not do what was asked of it"
}

// backoff grows with the attempts, and differs between runs of the same host.
func backoff(attempt int) time.Duration {
	wait := 250 * time.Millisecond << attempt
	return wait + rand.N(wait/2)
}

// worthAnother: a server that is busy or just starting may answer the next
// time; a page that is missing will not appear. Looking for controls can be
// repeated; a game that was played is another one by then.
func worthAnother(phase string, rec *record.Record) bool {
	switch phase {
	case record.PhaseLoad:
		f := rec.Load.Failure
		return f != nil && (f.Kind == "connection" || f.Kind == "status" && rec.Load.Status >= 500)
	case record.PhaseDiscover:
		return true
	}
	return len(rec.Explore.Trials) == 0 && unplayed(rec) == ""
}
