package qa

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// A phase ends at its limit, is tried again where that may help, and each attempt
// knows what became of the one before it.
func TestAttempts(t *testing.T) {
	broken := errors.New("Protocol error (Runtime.evaluate): -32000")
	busy := func(r *run) error {
		f := record.LoadFailure{Kind: "status", Message: "the server answered with status 503"}
		r.rec.Load.Status, r.rec.Load.Failure = 503, &f
		return &load.OpenError{Failure: f}
	}
	hangs := func(ctx context.Context, _ *run) error { <-ctx.Done(); return ctx.Err() }
	for _, tt := range []struct {
		name, phase string
		do          func(context.Context, *run) error
		tries       int
		goesOn      bool
		reason      string
		late        bool
	}{
		{"done at once", record.PhaseDiscover, func(context.Context, *run) error { return nil }, 1, true, "", false},
		{"a phase that hangs ends at its limit, three times", record.PhaseDiscover, hangs, 3, true, fmt.Sprintf("it was not done after %.0f seconds", discoverLimit.Seconds()), true},
		{"what the browser says is for the log", record.PhaseDiscover, func(context.Context, *run) error { return broken }, 3, true, "the page did not do what was asked of it", false},
		{"a server that is busy is asked again", record.PhaseLoad, func(_ context.Context, r *run) error { return busy(r) }, 3, false, "the server answered with status 503", false},
		{"a page that is missing is not", record.PhaseLoad, func(_ context.Context, r *run) error {
			f := record.LoadFailure{Kind: "status", Message: "the server answered with status 404"}
			r.rec.Load.Status, r.rec.Load.Failure = 404, &f
			return &load.OpenError{Failure: f}
		}, 1, false, "the server answered with status 404", false},
		{"a game that was tried is another one by then", record.PhaseExplore, func(_ context.Context, r *run) error {
			r.rec.Explore.Trials = []record.Trial{{}}
			return broken
		}, 1, true, "the page did not do what was asked of it", false},
		{"a page that is gone does not come back", record.PhaseDiscover, func(context.Context, *run) error {
			return fmt.Errorf("look: %w", game.ErrGone)
		}, 1, true, "the page did not do what was asked of it", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var warned []string
				r := &run{rec: &record.Record{}, opts: Options{Log: slog.New(slog.DiscardHandler), Emit: func(e record.Event) {
					warned = append(warned, e.Message)
				}}}
				var seen []attempt
				goesOn := r.attempt(t.Context(), tt.phase, discoverLimit, func(ctx context.Context, a *attempt) error {
					seen = append(seen, *a)
					return tt.do(ctx, r)
				})
				if goesOn != tt.goesOn || len(seen) != tt.tries || len(r.rec.Phases) != tt.tries || len(warned) != tt.tries-1 {
					t.Fatalf("goes on: %v, %d attempts, %d in the record, warnings %q", goesOn, len(seen), len(r.rec.Phases), warned)
				}
				for i, p := range r.rec.Phases {
					if p.Attempt != i+1 || p.Reason != tt.reason || seen[i].number != i+1 || i > 0 && seen[i].late != tt.late {
						t.Errorf("attempt %+v is recorded as %+v", seen[i], p)
					}
					if tt.late && p.Duration != discoverLimit {
						t.Errorf("attempt %d took %v", i+1, p.Duration)
					}
					if i > 0 {
						if pause := p.Started.Sub(r.rec.Phases[i-1].Started.Add(r.rec.Phases[i-1].Duration)); pause < backoff(i-1)/2 {
							t.Errorf("attempt %d came after %v", i+1, pause)
						}
					}
				}
				if slices.ContainsFunc(warned, func(w string) bool { return strings.Contains(w, "Protocol") || !strings.Contains(w, "; trying again") }) {
					t.Errorf("people are told %q", warned)
				}
			})
		})
	}
}

// A run that is stopped is not tried again.
func TestNoAttemptAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := &run{rec: &record.Record{}, opts: Options{Log: slog.New(slog.DiscardHandler)}}
	tries := 0
	r.attempt(ctx, record.PhaseDiscover, time.Minute, func(ctx context.Context, _ *attempt) error {
		tries++
		cancel()
		return ctx.Err()
	})
	if tries != 1 {
		t.Errorf("%d attempts", tries)
	}
}

// An attempt that ran out of time is not followed by one that asks the same models.
func TestModelsAreNotAskedAgain(t *testing.T) {
	p := &playing{run: &run{opts: Options{Model: modeltest.NewFake("test/model", nil, nil)}, rec: &record.Record{}}}
	for _, tt := range []struct {
		a    attempt
		asks bool
	}{{attempt{number: 1}, true}, {attempt{number: 2}, true}, {attempt{number: 2, late: true}, false}} {
		if asks := len(p.proposals(&tt.a)) > 0; asks != tt.asks {
			t.Errorf("attempt %+v asks a model: %v", tt.a, asks)
		}
	}
}
