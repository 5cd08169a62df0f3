package qa

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/explore"
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

// known is what earlier runs found out about the game.
func (r *run) known(ctx context.Context) *explore.Known {
	if r.memory == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, memoryLimit)
	defer cancel()
	controls, err := r.memory.Controls(ctx)
	if err != nil {
		r.forgetful("what is known of the game could not be looked up", err)
		return nil
	}
	return &explore.Known{Starts: r.memory.Starts, Controls: controls, InVain: r.memory.InVain}
}

// hints is what earlier runs found out about the game, as inputs for the twins to try
// first.
type hints struct{ starts, controls []record.Input }

func (h hints) inputs() []record.Input { return slices.Concat(h.starts, h.controls) }

// maxHints bounds how many known starts, and how many known controls, are tried first.
const maxHints = 2

// hints are what started the game and what it was controlled with.
func (r *run) hints(ctx context.Context) (h hints) {
	known := r.known(ctx)
	if known == nil {
		return h
	}
	ctx, cancel := context.WithTimeout(ctx, memoryLimit)
	defer cancel()
	starts, err := known.Starts(ctx, false)
	if err != nil {
		r.forgetful("what is known of the game could not be looked up", err)
	}
	for _, in := range starts[:min(len(starts), maxHints)] {
		out := record.Input{Kind: record.InputClick, At: in.At, Label: in.Label}
		switch in.Kind {
		case game.KeyPress:
			out = record.Input{Kind: record.InputKey, Key: in.Key}
		case game.DoubleClick:
			out.Kind = record.InputDoubleClick
		}
		h.starts = append(h.starts, out)
	}
	for _, c := range known.Controls {
		if key, ok := strings.CutPrefix(c.ID, "key:"); ok && len(h.controls) < maxHints {
			h.controls = append(h.controls, record.Input{Kind: record.InputKey, Key: key})
		}
	}
	return h
}

// conclude notes which of the hints were of use, for the next run.
func (r *run) conclude(h hints) {
	worked := func(in record.Input) bool {
		return slices.ContainsFunc(r.rec.Twins.Observations, func(o record.Observation) bool {
			return o.Effect() && o.Input.String() == in.String()
		})
	}
	attempts := &r.rec.Explore.Start.Attempts
	for i, in := range h.starts {
		a := record.StartAttempt{Gesture: gesture(in), Tier: explore.TierKnown, Hit: true, Effect: worked(in)}
		if a.Effect {
			a.Proof = "with the input the game looks different from the same moment without it"
		}
		*attempts = slices.DeleteFunc(*attempts, func(b record.StartAttempt) bool { return b.Gesture == a.Gesture })
		*attempts = slices.Insert(*attempts, min(i, len(*attempts)), a)
	}
	for _, in := range h.controls {
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
