package discover

import (
	"context"
	"slices"
	"sort"

	"playtest"
	"playtest/browser/coverage"
	"playtest/qa/game"
)

// HotSpots asks the game's code where on its canvas a pointer means something.
// The pointer is moved over a grid of places, then the rare ones are clicked:
// code that runs here and at few other places marks a button, a piece, a tile.
func HotSpots(ctx context.Context, g *game.Game) ([]playtest.Point, error) {
	grid := places(g)
	if len(grid) == 0 {
		return nil, nil
	}
	var inputs []game.Input
	inputs = append(inputs, game.Input{Kind: game.Idle}, game.Input{Kind: game.Idle})
	kind := game.Hover
	if l := g.Record.Load.Listens; !slices.Contains(l, "mousemove") && !slices.Contains(l, "pointermove") {
		kind = game.Click // only a press tells
	}
	for _, p := range grid {
		inputs = append(inputs, game.Input{Kind: kind, At: p, Why: "ask the code where the pointer means something"})
	}
	windows, err := g.Scan(ctx, inputs, 0)
	if err != nil {
		return nil, err
	}
	var samples []coverage.Sample
	idle := coverage.Sample{}
	for _, w := range windows {
		if w.Input == "" {
			idle.Union(w.Code)
		} else {
			samples = append(samples, w.Code)
		}
	}
	usual := ranInMoreThan(samples, len(samples)/3)
	usual.Union(idle)
	type spot struct {
		at   playtest.Point
		size int
	}
	var spots []spot
	for i, s := range samples {
		if i >= len(grid) {
			break
		}
		if rare := s.Subtract(usual); !rare.Empty() {
			spots = append(spots, spot{grid[i], rare.Size()})
		}
	}
	sort.SliceStable(spots, func(i, j int) bool { return spots[i].size > spots[j].size })
	var out []playtest.Point
	for _, s := range spots {
		if len(out) == maxHotSpots {
			break
		}
		out = append(out, s.at)
	}
	return out, nil
}

const maxHotSpots = 6

// places is a grid over the game's canvas, fine enough for a button.
func places(g *game.Game) []playtest.Point {
	const cols, rows = 7, 6
	var out []playtest.Point
	for y := range rows {
		for x := range cols {
			out = append(out, playtest.Point{
				X: g.Field.X + g.Field.Width*(float64(x)+0.5)/cols,
				Y: g.Field.Y + g.Field.Height*(float64(y)+0.5)/rows,
			})
		}
	}
	return out
}
