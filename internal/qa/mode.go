package qa

import (
	"context"

	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/agentmode"
	"github.com/playtest-dev/playtest/internal/qa/explore"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// exploring says how a game is explored: what is measured is the same in every
// mode; who plays after the controls are known, and who may help to find the
// start, differs.
func (r *run) exploring(ctx context.Context, g *game.Game) *explore.Options {
	opts := &explore.Options{Known: r.known(ctx)}
	if r.rec.Target.Mode != record.ModeAgent {
		opts.Starts = r.starts(g) // an agent finds it itself
	}
	switch r.rec.Target.Mode {
	case record.ModeAdaptive:
		opts.Play = func(ctx context.Context) error {
			_, err := adapt.Play(ctx, g, &adapt.Options{Model: r.opts.Model, Book: r.opts.Book, Memory: r.memory, Budget: r.opts.Budget})
			return err
		}
	case record.ModeAgent:
		opts.Play = func(ctx context.Context) error { return r.handOver(ctx, g) }
	}
	return opts
}

// starts are the ways to find a start that ask a model.
func (r *run) starts(g *game.Game) []explore.Start {
	if r.opts.Model == nil {
		return nil
	}
	return []explore.Start{
		{Tier: adapt.TierWords, Find: func(ctx context.Context, try explore.Try) error {
			_, err := adapt.StartByWords(ctx, g, r.opts.Model, try)
			return err
		}},
		{Tier: adapt.TierSight, Find: func(ctx context.Context, try explore.Try) error {
			_, err := adapt.StartBySight(ctx, g, r.opts.Model, try)
			return err
		}},
	}
}

// handOver lets an agent play. What it does is written down as it does it; an
// agent that fails is an error, and nobody takes over.
func (r *run) handOver(ctx context.Context, g *game.Game) error {
	turns := 0
	opts := &agentmode.Options{
		Probe: g.Probe,
		Picture: func(ctx context.Context, note string) string {
			return g.Screenshot(ctx, record.StageAfterInteraction, "phase3-agent", note)
		},
		OnAction: func(a record.Action) { g.Record.Actions = append(g.Record.Actions, a) },
		OnDecision: func(d record.Decision) {
			turns++
			g.Record.Decisions = append(g.Record.Decisions, d)
			g.Progress(turns, agentmode.Steps, "%s", d.What)
		},
	}
	if d := r.rec.Target.Metadata.PlayFor(); d > 0 {
		opts.Time = d
	}
	var played *agentmode.Played
	var err error
	if r.opts.Computer != nil {
		played, err = agentmode.Operate(ctx, g.Page, r.opts.Computer, r.rec.Target.Metadata, opts)
	} else {
		played, err = agentmode.Play(ctx, g.Page, r.opts.Model, r.rec.Target.Metadata, opts)
	}
	g.Record.Explore.Agent = played.Verdict()
	if gone := g.Alive(ctx); gone != nil {
		return gone
	}
	return err
}
