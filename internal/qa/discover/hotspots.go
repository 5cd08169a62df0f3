package discover

import (
	"context"
	"slices"
	"sort"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// HotSpots asks the game's code where on its canvas a pointer means something.
// The pointer is moved over a grid of places: code that runs here and at few
// other places marks a button, a piece, a tile. Then what stands out in the picture
// is pressed.
func HotSpots(ctx context.Context, g *game.Game) ([]record.Point, error) {
	if !Hovers(g) {
		return traced(ctx, g, game.Click, append(things(ctx, g), places(g)...))
	}
	found, err := traced(ctx, g, game.Hover, places(g))
	if err != nil {
		return nil, err
	}
	// What is held and moved is seldom known by moves alone.
	stand := things(ctx, g)
	if len(stand) == 0 {
		return found, nil
	}
	pressed, err := spots(ctx, g, game.Click, append(stand, ground(g)...))
	return append(pressed, found...), err
}

// traced are the spots of a grid and, before them, those on a line of the grid whose places
// reach more than others: code that asks whether x lies in a range goes on to ask for y
// only there, and what it looks for may be smaller than the grid.
func traced(ctx context.Context, g *game.Game, kind game.Kind, grid []record.Point) ([]record.Point, error) {
	found, err := spots(ctx, g, kind, grid)
	if err != nil {
		return nil, err
	}
	onLine, err := spots(ctx, g, kind, line(g, found))
	return first(append(onLine, found...)), err
}

// line are places close together on the vertical or horizontal line on which at least half
// of the spots lie, none where there is no such line.
func line(g *game.Game, spots []record.Point) []record.Point {
	const least, steps = 3, 28
	x, y := map[float64]int{}, map[float64]int{}
	for _, p := range spots {
		x[p.X]++
		y[p.Y]++
	}
	var out []record.Point
	for _, p := range spots {
		down, across := x[p.X], y[p.Y]
		if n := max(down, across); n < least || 2*n < len(spots) {
			continue
		}
		for i := range steps {
			share := (float64(i) + 0.5) / steps
			at := record.Point{X: p.X, Y: g.Field.Y + share*g.Field.Height}
			if across > down {
				at = record.Point{X: g.Field.X + share*g.Field.Width, Y: p.Y}
			}
			out = append(out, at)
		}
		break
	}
	return out
}

// things are places on what stands out in the picture.
func things(ctx context.Context, g *game.Game) []record.Point {
	p := g.PictureOf(ctx, g.Field)
	var out []record.Point
	for _, share := range append(p.Patches(maxThings), p.Things(maxThings/2)...) {
		out = append(out, g.Field.At(share))
	}
	return out
}

const maxThings = 10

// ground are some places all over the canvas, to compare others with.
func ground(g *game.Game) []record.Point {
	all := places(g)
	var out []record.Point
	for i := 3; i < len(all); i += 9 {
		out = append(out, all[i])
	}
	return out
}

// Buttons asks the game's code, by the pointer's moves alone, where on the middle
// line of its canvas a button may be: most title screens have theirs there.
func Buttons(ctx context.Context, g *game.Game) ([]record.Point, error) {
	return spots(ctx, g, game.Hover, middle(g))
}

// Hovers reports whether the page listens to a pointer that moves.
func Hovers(g *game.Game) bool {
	l := g.Record.Load.Listens
	return slices.Contains(l, "mousemove") || slices.Contains(l, "pointermove")
}

// spots are the places of a grid that reach code which few others reach, those
// that reach most of it first.
func spots(ctx context.Context, g *game.Game, kind game.Kind, grid []record.Point) ([]record.Point, error) {
	if len(grid) == 0 {
		return nil, nil
	}
	inputs := []game.Input{{Kind: game.Idle}, {Kind: game.Idle}}
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
		at   record.Point
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
	var out []record.Point
	for _, s := range spots {
		out = append(out, s.at)
	}
	return first(out), nil
}

func first(spots []record.Point) []record.Point { return spots[:min(len(spots), maxHotSpots)] }

const maxHotSpots = 6

// places is a grid over the game's canvas, fine enough for a button.
func places(g *game.Game) []record.Point {
	const cols, rows = 7, 6
	var out []record.Point
	for y := range rows {
		for x := range cols {
			out = append(out, g.Field.At(record.Point{X: (float64(x) + 0.5) / cols, Y: (float64(y) + 0.5) / rows}))
		}
	}
	return out
}

// middle are places down the middle line of the game's canvas, with some beside
// it for comparison.
func middle(g *game.Game) []record.Point {
	at := func(x, y float64) record.Point { return g.Field.At(record.Point{X: x, Y: y}) }
	var out []record.Point
	for y := 0.4; y < 0.9; y += 0.06 {
		out = append(out, at(0.5, y))
	}
	for _, x := range []float64{0.1, 0.3, 0.7, 0.9} {
		out = append(out, at(x, 0.2))
	}
	return out
}
