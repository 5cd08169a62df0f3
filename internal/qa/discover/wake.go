package discover

import (
	"context"
	"fmt"

	"github.com/playtest-dev/playtest/internal/qa/game"
)

const (
	// muchCode is how much never-run code a key must reach that no game binds for
	// it to be looked at again. Most handlers are shorter.
	muchCode = 400
	// otherCode is how much code must run by itself ever since.
	otherCode = 100
)

// wake presses a key that no game binds and reports whether that began the game:
// the screen waited for any key, whatever it shows. Then the code does by itself
// what it did not do before, or ran for the first such key what it does not run
// for the second.
func wake(ctx context.Context, g *game.Game) (bool, error) {
	if g.Code == nil || !ListensToKeys(g.Record.Load.Listens) {
		return false, nil
	}
	press := func(key string) game.Input {
		return game.Input{Kind: game.KeyPress, Key: key, Why: "does any key begin the game?"}
	}
	idle := game.Input{Kind: game.Idle}
	before, err := g.Scan(ctx, []game.Input{idle, idle}, HoldFor)
	if err != nil || game.Left(before) {
		return false, leftBy(ctx, g, err)
	}
	fresh, at := g.Fresh(), g.SinceLoad()
	first, err := g.Scan(ctx, []game.Input{press(Unbound[0])}, HoldFor)
	if err != nil || game.Left(first) {
		return false, leftBy(ctx, g, err)
	}
	own := first[0].Code.Own()
	if g.Fresh()-fresh < muchCode {
		if own.Subtract(background(before)).Size() > 0 {
			// A first screen may be gone all the same, which it must be wherever the
			// game is played again.
			g.Cleared = append(g.Cleared, game.Timed{Input: press(Unbound[0]), At: at})
		}
		return false, nil
	}
	after, err := g.Scan(ctx, []game.Input{idle, press(Unbound[1]), idle}, HoldFor)
	if err != nil || game.Left(after) {
		return false, leftBy(ctx, g, err)
	}
	since := after[0].Code.Intersect(after[2].Code).Own().Subtract(background(before)).Size()
	once := own.Subtract(background(append(before, after...))).Size()
	var proof string
	switch {
	case since > otherCode:
		proof = fmt.Sprintf("%d characters of the game's code run by themselves since", since)
	case once > muchCode:
		proof = fmt.Sprintf("%d characters of the game's code ran for the first key and for no other", once)
	default:
		return false, nil
	}
	g.Woken = &game.Woken{Timed: game.Timed{Input: press(Unbound[0]), At: at}, Proof: proof}
	return true, nil
}

// leftBy opens the game again if a key led away from it.
func leftBy(ctx context.Context, g *game.Game, err error) error {
	if err != nil {
		return err
	}
	return comeBack(ctx, g)
}
