package qa

import (
	"context"
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
