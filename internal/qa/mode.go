package qa

import (
	"context"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/agentmode"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/onlooker"
	"github.com/playtest-dev/playtest/record"
)

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
	watch := onlooker.New(ctx, g, record.ModeAgent, r.indicators)
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
				g.Decided(d)
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
