package qa

import (
	"context"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/agentmode"
	"github.com/playtest-dev/playtest/internal/qa/explore"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/onlooker"
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
			r.indicators = onlooker.NewIndicators(g)
			_, err := adapt.Play(ctx, g, &adapt.Options{
				Model: r.opts.Model, Book: r.opts.Book, Memory: r.memory, Budget: r.opts.Budget,
				MaxDuration: r.rec.Target.Metadata.PlayFor(), Indicators: r.indicators,
			})
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

// shotEvery is when a picture of an agent's play is due though it has done nothing:
// soon enough for none to be more than ten seconds after the last.
const shotEvery = 8 * time.Second

// handOver lets an agent play. What it does is written down as it does it, and an
// onlooker measures what it brings about; an agent that fails is an error, and
// nobody takes over.
func (r *run) handOver(ctx context.Context, g *game.Game) error {
	// The agent's turns and the pictures that are due while it thinks are not on one
	// goroutine.
	var mu sync.Mutex
	locked := func(do func()) {
		mu.Lock()
		defer mu.Unlock()
		do()
	}
	watch := onlooker.New(ctx, g, record.ModeAgent)
	turns := 0
	opts := &agentmode.Options{
		Probe: g.Probe, Tools: r.tools,
		Before: func(ctx context.Context, input string, keyed bool) {
			locked(func() { watch.Before(ctx, input, keyed) })
		},
		After: func(ctx context.Context) { locked(func() { watch.After(ctx) }) },
		Picture: func(ctx context.Context, note string) (path string) {
			locked(func() { path = g.Screenshot(ctx, record.StageAfterInteraction, "phase3-agent", note) })
			return path
		},
		OnAction: func(a record.Action) {
			locked(func() { g.Record.Actions = append(g.Record.Actions, a) })
		},
		OnDecision: func(d record.Decision) {
			locked(func() {
				turns++
				g.Record.Decisions = append(g.Record.Decisions, d)
				g.Progress(turns, agentmode.Steps, "%s", d.What)
			})
		},
	}
	if d := r.rec.Target.Metadata.PlayFor(); d > 0 {
		opts.Time = d
	}
	stop := every(ctx, time.Second, func(ctx context.Context) {
		locked(func() {
			watch.Look(ctx)
			if g.SinceShot() > shotEvery {
				g.Screenshot(ctx, "playing", "phase3-agent-thinks", "while the agent thinks")
			}
		})
	})
	var played *agentmode.Played
	var err error
	if r.opts.Computer != nil {
		played, err = agentmode.Operate(ctx, g.Page, r.opts.Computer, r.rec.Target.Metadata, opts)
	} else {
		played, err = agentmode.Play(ctx, g.Page, r.opts.Model, r.rec.Target.Metadata, opts)
	}
	stop()
	r.indicators = watch.Indicators
	g.Record.Explore.Agent, g.Record.Explore.Achieved = played.Verdict(), watch.Result()
	if gone := g.Alive(ctx); gone != nil {
		return gone
	}
	return err
}

// every does something again and again until stop, which waits for its end.
func every(ctx context.Context, d time.Duration, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(d)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				do(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
