package explore

import (
	"context"

	"playtest"
	"playtest/qa/discover"
	"playtest/qa/game"
)

// Begin starts the game as Run does and lists the controls that it has then, keys
// included, without trying or playing any. The record says how it was started.
func Begin(ctx context.Context, g *game.Game) error {
	g.Phase = playtest.PhaseExplore
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
