package explore

import (
	"context"

	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// Begin starts the game as Run does and lists the controls that it has then, keys
// included, without trying or playing any. The record says how it was started.
func Begin(ctx context.Context, g *game.Game) error {
	g.Phase = record.PhaseExplore
	e := explorer(g, nil)
	if err := e.watchIdle(ctx, 1); err != nil {
		return err
	}
	e.rememberTexts(ctx)
	if err := e.start(ctx); err != nil {
		return err
	}
	if err := e.scan(ctx); err != nil {
		return err
	}
	if err := discover.Inventory(ctx, g); err != nil {
		return err
	}
	e.report()
	discover.Finish(ctx, g)
	// Among the rest are keys that leave the game, so what it shows is listed by now.
	err := e.restOfKeyboard(ctx)
	discover.Summarise(g)
	return err
}
