package explore

import (
	"context"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/record"
)

const (
	// leastPictures is how many pictures a run keeps at least, as long as there
	// is a page to take them of.
	leastPictures = 5
	// shotEvery is when another picture is due, whatever happens: soon enough for
	// none to be more than ten seconds after the last.
	shotEvery = 8 * time.Second
	// shotApart keeps pictures of a lively game apart.
	shotApart = 1500 * time.Millisecond
	// maxChanges bounds the pictures of significant changes.
	maxChanges = 12
)

// photograph keeps a picture where the story of the run needs one: after the
// first input, when much of the picture changes that used to rest, and when
// the last is long ago.
func (e *Explorer) photograph(ctx context.Context, w cause.Window) {
	acted := w.Input != "" && !slices.Contains(discover.Unbound, w.Input)
	switch {
	case acted && !e.has(record.StageAfterInteraction):
		e.g.Screenshot(ctx, record.StageAfterInteraction, "phase3-after-interaction", "after "+w.Input)
	case acted && e.changes < maxChanges && e.g.SinceShot() > shotApart && w.Novelty(e.idle...) > otherScreen:
		e.changes++
		e.g.Screenshot(ctx, "change", "phase3-change", "much changed with "+w.Input)
	default:
		e.due(ctx, "exploring", "phase3-exploring", "while its controls are tried")
	}
}

// due keeps a picture when the last is long ago.
func (e *Explorer) due(ctx context.Context, stage, name, note string) {
	if e.g.SinceShot() > shotEvery {
		e.g.Screenshot(ctx, stage, name, note)
	}
}

// meanwhile keeps pictures that become due while something else is done, which
// must leave the game alone.
func (e *Explorer) meanwhile(ctx context.Context, do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for {
		due := time.NewTimer(max(0, shotEvery-e.g.SinceShot()) + 100*time.Millisecond)
		select {
		case <-done:
			due.Stop()
			return
		case <-due.C:
		}
		if e.g.Screenshot(ctx, "exploring", "phase3-exploring", "while the same seconds are played again elsewhere") != "" {
			continue
		}
		// There is nobody to keep it, or this one could not be taken: the next is
		// due as if it had been.
		select {
		case <-done:
			return
		case <-time.After(shotEvery):
		}
	}
}

func (e *Explorer) has(stage string) bool {
	return slices.ContainsFunc(e.g.Record.Screenshots, func(s record.Screenshot) bool { return s.Stage == stage })
}

// lastPictures keeps the final picture, and before it what is missing to the
// least number and to the stages that every report shows.
func (e *Explorer) lastPictures(ctx context.Context) {
	if !e.has(record.StageAfterInteraction) {
		e.g.Screenshot(ctx, record.StageAfterInteraction, "phase3-after-interaction", "after all inputs")
	}
	for range leastPictures {
		if len(e.g.Record.Screenshots) >= leastPictures-1 || ctx.Err() != nil {
			break
		}
		e.g.Pause(ctx, 300*time.Millisecond)
		if e.g.Screenshot(ctx, "playing", "phase3-playing", "towards the end") == "" {
			break // there is nobody to keep it, or nothing to be seen
		}
	}
	e.g.Screenshot(ctx, record.StageFinalState, "phase3-final-state", "at the end")
}
