package discover

import (
	"context"
	"slices"

	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
)

// chordOf is how many keys are pressed together when few of them are expected to
// do anything.
const chordOf = 6

// AskRare is Ask for keys of which a game uses few or none: they are pressed
// several at a time, and only of a group for which code ran that runs for no
// unbound key is each asked for alone.
func AskRare(ctx context.Context, g *game.Game, keys []string) (found int, err error) {
	if g.Code == nil || !ListensToKeys(g.Record.Load.Listens) {
		return 0, nil
	}
	groups := chords(keys)
	windows, err := g.Scan(ctx, struck(groups), holdFor(ctx, g))
	if err != nil {
		return 0, err
	}
	if game.Left(windows) {
		if err := comeBack(ctx, g); err != nil {
			return 0, err
		}
	}
	unbound := background(windows)
	var suspects []string
	for _, group := range groups {
		i := slices.IndexFunc(windows, func(w cause.Window) bool { return w.Input == chord(group).String() })
		if i < 0 || !windows[i].Code.Subtract(unbound).Empty() {
			suspects = append(suspects, group...) // or a group before it led away
		}
	}
	g.Record.Discover.KeysTried += len(keys) - len(suspects)
	if len(suspects) == 0 {
		return 0, nil
	}
	return Ask(ctx, g, suspects)
}

// chords puts keys into groups. Those that change what others mean stay alone.
func chords(keys []string) [][]string {
	var out [][]string
	var group []string
	for _, k := range keys {
		if k == "ShiftLeft" || k == "ControlLeft" {
			out = append(out, []string{k})
			continue
		}
		if group = append(group, k); len(group) == chordOf {
			out, group = append(out, group), nil
		}
	}
	if len(group) > 0 {
		out = append(out, group)
	}
	return out
}

func chord(keys []string) game.Input {
	return game.Input{Kind: game.Chord, Keys: keys, Why: "ask the code whether it knows any of these keys"}
}

// struck are the groups with idling and unbound keys between them.
func struck(groups [][]string) []game.Input {
	var out []game.Input
	for i, group := range groups {
		if i%2 == 0 {
			out = append(out, game.Input{Kind: game.Idle}, unboundKey(i/2))
		}
		out = append(out, chord(group))
	}
	return append(out, unboundKey(len(groups)), game.Input{Kind: game.Idle})
}
