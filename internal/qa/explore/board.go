package explore

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

const (
	// leastCells is how many boxes of one size make a board.
	leastCells = 4
	// leastBare is the share of a cell in its main colour below which something stands
	// on it, about how much less than the barest of all it may be.
	leastBare, about = 0.9, 0.03
	// near is how far the next cells are, in sides of a cell: those across a corner, too.
	near = 1.6
)

// alike joins cells that are named one by one, such as the squares of a chess
// board: many boxes of one size that say little are one board.
func alike(groups map[string][]record.Control, names []string) []string {
	bySize := map[string][]string{}
	for _, n := range names {
		c := groups[n][0]
		if c.Type != record.ControlClick || c.Selector == "" || len(c.Text) > 2 || aside(c) {
			continue
		}
		bySize[sizeOf(c)] = append(bySize[sizeOf(c)], n)
	}
	for _, same := range bySize {
		n := 0
		for _, name := range same {
			n += len(groups[name])
		}
		if len(same) < 2 || n < 2*leastCells {
			continue
		}
		for _, name := range same[1:] {
			groups[same[0]] = append(groups[same[0]], groups[name]...)
			names = slices.DeleteFunc(names, func(have string) bool { return have == name })
		}
	}
	return names
}

func sizeOf(c record.Control) string {
	return fmt.Sprintf("%.0fx%.0f", c.Box.Width/8, c.Box.Height/8)
}

// cells are the boxes of one size within a larger one, the most there are.
func (e *Explorer) cells(within record.Rect) []record.Control {
	sizes := map[string][]record.Control{}
	var most []record.Control
	for _, c := range e.g.Record.Discover.Controls {
		if c.Box == nil || c.Box.Width*c.Box.Height*leastCells > within.Width*within.Height || !within.Contains(c.Box.Center()) {
			continue
		}
		size := sizeOf(c)
		sizes[size] = append(sizes[size], c)
		if len(sizes[size]) > len(most) {
			most = sizes[size]
		}
	}
	if len(most) < leastCells {
		return nil
	}
	return slices.Clone(most)
}

// onBoard are drags from cell to cell. Rules refuse most of them, so those come
// first that are allowed in most games: onto a cell on which nothing stands, next
// to the one it comes from, the player's side being the lower one.
func (e *Explorer) onBoard(pieces, cells []record.Control) []game.Input {
	type way struct {
		from record.Control
		to   []record.Point
	}
	var free, others []way
	bare := e.ground(cells)
	for _, p := range pieces {
		w := way{from: p, to: room(p, cells, bare)}
		if len(w.to) > 0 && !bare(*p.Box) {
			free = append(free, w)
		} else {
			others = append(others, w)
		}
	}
	sort.SliceStable(free, func(i, j int) bool {
		a, b := free[i], free[j]
		if straight(a.from, a.to[0]) != straight(b.from, b.to[0]) {
			return straight(a.from, a.to[0])
		}
		if len(a.to) != len(b.to) {
			return len(a.to) > len(b.to) // in the front line
		}
		return a.from.Box.Y > b.from.Box.Y+b.from.Box.Height/2
	})
	zones := e.zones()
	var out []game.Input
	for i, w := range append(free, others...) {
		to := nearest(w.from, cells)
		if len(w.to) > 0 {
			to = w.to[i%len(w.to)] // straight on in some games, across the corner in others
		}
		isZone := func(z record.Rect) bool { return z.Contains(to) }
		if len(zones) > 0 && !slices.Contains(w.from.Sources, discover.Drop) && !(len(w.to) > 0 && slices.ContainsFunc(zones, isZone)) {
			to = zones[i%len(zones)].Center()
		}
		out = append(out, game.Input{Kind: game.Drag, Path: []record.Point{w.from.Box.Center(), to}, Label: w.from.Text})
		if i%2 == 1 || len(pieces) == 1 {
			out = append(out, click(*w.from.Box, w.from.Text)) // what can be grabbed may also be meant to be hit
		}
		if i+1 == maxMembers {
			break
		}
	}
	return out
}

// likely puts the cells of a board first on which a click is likely to be allowed:
// things that have room to move, in turn with room beside things.
func (e *Explorer) likely(cells []record.Control) []record.Control {
	var things, empty, rest []record.Control
	bare := e.ground(cells)
	free := map[string]int{}
	for _, c := range cells {
		free[c.ID] = len(room(c, cells, bare))
		switch {
		case !bare(*c.Box) && free[c.ID] > 0:
			things = append(things, c)
		case bare(*c.Box) && free[c.ID] < len(beside(c, cells)):
			empty = append(empty, c)
		default:
			rest = append(rest, c)
		}
	}
	sort.SliceStable(things, func(i, j int) bool {
		a, b := things[i], things[j]
		if free[a.ID] != free[b.ID] {
			return free[a.ID] > free[b.ID]
		}
		return a.Box.Y > b.Box.Y+b.Box.Height/2
	})
	var out []record.Control
	for i := range max(len(things), len(empty)) {
		out = append(out, things[min(i, len(things)):min(i+1, len(things))]...)
		out = append(out, empty[min(i, len(empty)):min(i+1, len(empty))]...)
	}
	return append(out, rest...)
}

// squares are the cells on which things stand: boxes of one size, somewhat larger
// than the things, of which one lies around a thing.
func (e *Explorer) squares(thing record.Control) []record.Control {
	size := ""
	for _, c := range e.g.Record.Discover.Controls {
		if c.Box == nil || !c.Box.Contains(thing.Box.Center()) || c.ID == thing.ID {
			continue
		}
		if holds := c.Box.Width / thing.Box.Width; holds >= 1 && holds < 3 {
			size = sizeOf(c)
		}
	}
	var out []record.Control
	for _, c := range e.g.Record.Discover.Controls {
		if c.Box != nil && sizeOf(c) == size {
			out = append(out, c)
		}
	}
	return out
}

// zones are the places where things can be dropped, in any order.
func (e *Explorer) zones() []record.Rect {
	var out []record.Rect
	for _, c := range e.g.Record.Discover.Controls {
		if c.Box != nil && slices.Contains(c.Sources, discover.Drop) && e.inView(*c.Box) {
			out = append(out, *c.Box)
		}
	}
	e.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// room are the cells beside one on which nothing stands, those ahead first, and of
// these the nearest.
func room(c record.Control, cells []record.Control, bare func(record.Rect) bool) []record.Point {
	from := c.Box.Center()
	var out []record.Point
	for _, m := range beside(c, cells) {
		if bare(*m.Box) {
			out = append(out, m.Box.Center())
		}
	}
	ahead := func(p record.Point) bool { return p.Y < from.Y-c.Box.Height/2 }
	sort.SliceStable(out, func(i, j int) bool {
		if ahead(out[i]) != ahead(out[j]) {
			return ahead(out[i])
		}
		return apart(from, out[i]) < apart(from, out[j])-1
	})
	return out
}

// beside are the cells around one.
func beside(c record.Control, cells []record.Control) []record.Control {
	from, side := c.Box.Center(), math.Max(c.Box.Width, c.Box.Height)
	if d := apart(from, nearest(c, cells)); d < 2*side {
		side = math.Max(side, d) // there are gaps between the cells
	}
	var out []record.Control
	for _, m := range cells {
		if d := apart(from, m.Box.Center()); d > 1 && d < near*side && !m.Box.Contains(from) {
			out = append(out, m)
		}
	}
	return out
}

// nearest is the middle of the next cell, or a place beside it where there is none.
func nearest(c record.Control, cells []record.Control) record.Point {
	from := c.Box.Center()
	best, dist := record.Point{X: from.X + c.Box.Width*1.2, Y: from.Y}, math.Inf(1)
	for _, m := range cells {
		p := m.Box.Center()
		if d := apart(from, p); d > 1 && d < dist && !m.Box.Contains(from) {
			best, dist = p, d
		}
	}
	return best
}

// straight: the place lies beside, above or below, not across the corner.
func straight(c record.Control, p record.Point) bool {
	from := c.Box.Center()
	return math.Abs(p.X-from.X) < c.Box.Width/2 || math.Abs(p.Y-from.Y) < c.Box.Height/2
}

func apart(a, b record.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// ground tells whether nothing stands in a box, as far as the last picture shows:
// it is about as bare as the barest of the cells.
func (e *Explorer) ground(cells []record.Control) func(record.Rect) bool {
	_, last := e.g.LastPictures()
	least := leastBare
	for _, c := range cells {
		least = math.Max(least, e.g.Plain(last, *c.Box)-about)
	}
	return func(box record.Rect) bool { return e.g.Plain(last, box) >= least }
}
