package qa

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// memoryLimit bounds what looking up and keeping may take: a run does not wait
// for a database that is away.
const memoryLimit = 10 * time.Second

// recollect recognises the game, where there is a book to look it up in.
func (r *run) recollect(ctx context.Context, g *game.Game) {
	if r.opts.Book == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, memoryLimit)
	defer cancel()
	m, err := adapt.Recollect(ctx, g, r.opts.Book)
	if err != nil {
		r.forgetful("what is known of the game could not be looked up", err)
		return
	}
	r.memory = m
}

// hints are what earlier runs found out about the game, as inputs to try first: what
// started it, and what it was controlled with.
func (r *run) hints(ctx context.Context) []record.Input {
	if r.memory == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, memoryLimit)
	defer cancel()
	starts, err := r.memory.Starts(ctx)
	if err != nil {
		r.forgetful("what is known of the game could not be looked up", err)
		return nil
	}
	controls, err := r.memory.Controls(ctx)
	if err != nil {
		r.forgetful("what is known of the game could not be looked up", err)
		return nil
	}
	r.knownStarts = starts[:min(len(starts), maxKnown)]
	r.knownControls = nil
	for _, id := range controls {
		if key, ok := strings.CutPrefix(id, "key:"); ok && len(r.knownControls) < maxKnown {
			r.knownControls = append(r.knownControls, record.Input{Kind: record.InputKey, Key: key})
		}
	}
	return slices.Concat(r.knownStarts, r.knownControls)
}

// maxKnown bounds how many known starts, and how many known controls, are tried first.
const maxKnown = 2

// concludeHints notes which of the hints were of no use, for the next run.
func (r *run) concludeHints() {
	worked := func(in record.Input) bool {
		return slices.ContainsFunc(r.rec.Twins.Observations, func(o record.Observation) bool {
			return o.Effect() && o.Input.String() == in.String()
		})
	}
	attempts := &r.rec.Explore.Start.Attempts
	for i, in := range r.knownStarts {
		a := record.StartAttempt{Gesture: gesture(in), Tier: adapt.TierKnown, Hit: true, Effect: worked(in)}
		if a.Effect {
			a.Proof = "with the input the game looks different from the same moment without it"
		}
		*attempts = slices.DeleteFunc(*attempts, func(b record.StartAttempt) bool { return b.Gesture == a.Gesture })
		*attempts = slices.Insert(*attempts, min(i, len(*attempts)), a)
	}
	for _, in := range r.knownControls {
		if !worked(in) {
			r.memory.InVain("key:" + in.Key)
		}
	}
}

// learn keeps what the run found out. The adaptive loop does that itself, with
// what it learned from playing.
func (r *run) learn(ctx context.Context) {
	if r.memory == nil || r.rec.Target.Mode == record.ModeAdaptive {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), memoryLimit)
	defer cancel()
	if err := r.memory.Learn(ctx); err != nil {
		r.forgetful("what was learned could not be kept", err)
	}
}

func (r *run) forgetful(what string, err error) {
	r.opts.Log.Warn(what, "run", r.rec.RunID, "error", err)
	r.emit(record.EventWarning, "%s", what)
}
