package explore

import (
	"context"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// Pointer controls of a canvas as a whole.
const (
	canvasClick = "click:canvas"
	canvasHover = "hover:canvas"
	canvasDrag  = "drag:canvas"
	twice       = "doubleclick:game"
	// pageClick is one of a page on which nothing can be told from the rest.
	pageClick = "click:page"
)

// canvasCandidates are the ways to use a pointer on a canvas.
func (e *Explorer) canvasCandidates() []candidate {
	rec := e.g.Record.Load
	var out, double []candidate
	if slices.Contains(rec.Listens, "dblclick") {
		box := e.g.Field
		c := record.Control{ID: twice, Type: record.ControlClick, Box: &box, Confidence: 0.5, Description: "a double click", Sources: []string{"listener"}}
		double = append(double, candidate{control: c, group: true, inputs: pressesAt(game.DoubleClick, e.spread())})
	}
	if rec.Kind == "dom" || rec.Inside == "dom" || rec.Kind == "unknown" {
		return double
	}
	listens := func(types ...string) bool {
		return slices.ContainsFunc(types, func(t string) bool { return slices.Contains(rec.Listens, t) })
	}
	control := func(id string, kind record.ControlType, confidence float64, what string) record.Control {
		box := e.g.Field
		return record.Control{ID: id, Type: kind, Box: &box, Confidence: confidence, Description: what, Sources: []string{"listener"}}
	}
	press := listens("mousedown", "pointerdown", "click", "mouseup", "pointerup")
	move := listens("mousemove", "pointermove")
	switch {
	case press:
		out = append(out, candidate{control: control(canvasClick, record.ControlClick, 0.5, "a click on the canvas"), inputs: e.besideStart(pressesAt(game.Click, e.spread()))})
	case listens("touchstart"):
		out = append(out, candidate{control: control(canvasClick, record.ControlTouch, 0.5, "a click on the canvas"), inputs: e.besideStart(pressesAt(game.Tap, e.spread()))})
	}
	out = append(out, double...) // engines listen to them for games that do not
	if move {
		out = append(out, candidate{control: control(canvasHover, record.ControlHover, 0.4, "the pointer moving over the canvas"), inputs: e.sweeps()})
	}
	// Many listen to moves only from a press to its release.
	if press && (move || listens("touchmove", "mousedown", "pointerdown")) {
		out = append(out, candidate{control: control(canvasDrag, record.ControlDrag, 0.4, "a drag on the canvas"), inputs: e.besideStart(e.dragsOver())})
	}
	return out
}

// besideStart leaves out presses that meet the place of a button which led into the game.
// When a round is over one may lie there again, and says nothing about the game.
func (e *Explorer) besideStart(presses []game.Input) []game.Input {
	const width, height = 240, 90
	return slices.DeleteFunc(presses, func(in game.Input) bool {
		at := in.Begins()
		return slices.ContainsFunc(inputs(e.startedBy), func(start game.Input) bool {
			return start.Kind == game.Click && !NamesPlace(start.Label) && math.Abs(start.At.X-at.X) < width/2 && math.Abs(start.At.Y-at.Y) < height/2
		})
	})
}

// anywhere is a click on a page that listens to clicks as a whole, as stories do
// that are turned page by page.
func (e *Explorer) anywhere() []candidate {
	l := &e.g.Record.Load
	if l.Kind != "dom" && l.Inside != "dom" || !slices.ContainsFunc([]string{"click", "mousedown", "pointerdown", "mouseup", "pointerup"}, func(t string) bool { return slices.Contains(l.Listens, t) }) {
		return nil
	}
	box := e.g.Field
	c := record.Control{ID: pageClick, Type: record.ControlClick, Box: &box, Confidence: 0.4, Description: "a click on the page", Sources: []string{"listener"}}
	inputs := pressesAt(game.Click, e.spread())
	for i := range inputs {
		inputs[i].Label = "the page"
	}
	return []candidate{{control: c, group: true, inputs: inputs}}
}

// aim puts places that the code knows next in the clicks and drags on a canvas, or on a
// page of which nothing can be told from the rest, that had no effect so far. Asking the
// code costs seconds, and where only a press tells, presses, so it comes after the plain
// ones.
func (e *Explorer) aim(ctx context.Context, list []candidate) {
	if slices.ContainsFunc(list, func(c candidate) bool { return known(c.control) && !aside(c.control) }) {
		return // it is played with keys
	}
	for i := range list {
		c := &list[i]
		if c.control.ID != canvasClick && c.control.ID != canvasDrag && c.control.ID != pageClick {
			continue
		}
		if e.spotList == nil {
			e.spotList = e.hotSpots(ctx)
		}
		var aimed []game.Input
		switch {
		case len(e.spotList) == 0:
		case c.control.ID != canvasDrag:
			aimed = pressesAt(c.inputs[0].Kind, e.spotList)
		default:
			aimed = dragsBetween(append(slices.Clone(e.spotList), e.spread()...))
		}
		aimed = e.besideStart(aimed)
		done := min(len(c.inputs), len(e.result(c.control).windows))
		c.inputs, c.aimed = slices.Insert(c.inputs, done, aimed...), len(aimed)/2
	}
}

// hotSpots asks the game's code where on its canvas a click means something:
// code that runs for a click here and not for most other clicks.
func (e *Explorer) hotSpots(ctx context.Context) []record.Point {
	none := []record.Point{}
	if e.g.Code == nil || e.g.Slow() {
		return none
	}
	points, err := discover.HotSpots(ctx, e.g)
	if err != nil || points == nil {
		return none
	}
	return points
}

// spread are places all over the game, with the things that stand on its canvas in
// between.
func (e *Explorer) spread() []record.Point {
	var out []record.Point
	for i, p := range over(e.g.Field) {
		if i < len(e.things) {
			out = append(out, e.things[i])
		}
		out = append(out, p)
	}
	return out
}

// over are places all over a rectangle, its middle first.
func over(r record.Rect) []record.Point {
	var out []record.Point
	for _, f := range []record.Point{{X: .5, Y: .5}, {X: .35, Y: .4}, {X: .65, Y: .6}, {X: .3, Y: .7}, {X: .7, Y: .3}, {X: .5, Y: .75}, {X: .2, Y: .5}, {X: .8, Y: .5}} {
		out = append(out, r.At(f))
	}
	return out
}

// standing are the middles of small pictures and the shortest of texts that have stood in
// their places on a canvas for a while, and of what else stands out from its
// ground: tiles, pieces, cards, buttons. Much of what a canvas shows means nothing
// to a pointer, these things may.
func (e *Explorer) standing(ctx context.Context) []record.Point {
	const while, least, most = 300, 12, 0.4
	if e.g.Record.Load.Kind == "dom" {
		return nil
	}
	r, err := e.g.Read(ctx, nil)
	if err != nil {
		return nil
	}
	var out []record.Point
	add := func(box record.Rect, age float64) {
		p := box.Center()
		if age < while || min(box.Width, box.Height) < least || box.Width > most*e.g.Field.Width || box.Height > most*e.g.Field.Height || !e.g.Field.Contains(p) {
			return
		}
		near := func(q record.Point) bool { return math.Hypot(p.X-q.X, p.Y-q.Y) < 2*least }
		if !slices.ContainsFunc(out, near) {
			out = append(out, p)
		}
	}
	for _, f := range r.Frames {
		for _, i := range f.Images {
			add(record.Rect{X: i.X, Y: i.Y, Width: i.W, Height: i.H}, i.Age)
		}
	}
	for _, t := range r.Texts() {
		if utf8.RuneCountInString(t.Text) <= onPiece {
			add(record.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}, t.Age)
		}
	}
	e.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	if out = out[:min(len(out), maxStanding)]; len(out) < maxStanding && e.still() {
		for _, share := range e.g.PictureOf(ctx, e.g.Field).Things(maxStanding) {
			at := e.g.Field.At(share)
			add(record.Rect{X: at.X - least/2, Y: at.Y - least/2, Width: least, Height: least}, while)
		}
	}
	return out[:min(len(out), maxStanding)]
}

// onPiece is how many characters a card, a tile or a key of a painted keyboard
// bears. Longer texts are tried as buttons anyway, and score boards are none.
const onPiece = 3

// maxStanding bounds the things on a canvas that are pressed and dragged.
const maxStanding = 4

func pressesAt(kind game.Kind, spots []record.Point) []game.Input {
	var out []game.Input
	for _, p := range spots {
		out = append(out, game.Input{Kind: kind, At: p, Label: "canvas"})
	}
	return out
}

// dragsOver are drags all over the game and, in between, of the things that stand
// on its canvas.
func (e *Explorer) dragsOver() []game.Input {
	places := over(e.g.Field)
	ways := dragsBetween(places)
	ways = slices.Concat(ways[:1], ways[3:], ways[1:3]) // a short one, then long ones: short ones stay on one piece of a small board
	var out []game.Input
	for i, way := range ways {
		out = append(out, way)
		if i < len(e.things) {
			out = append(out, dragsBetween([]record.Point{e.things[i], places[i+1]})[0])
		}
	}
	return out
}

func dragsBetween(spots []record.Point) []game.Input {
	var out []game.Input
	for i := range min(6, len(spots)) {
		from, to := spots[i], spots[(i+1)%len(spots)]
		mid := record.Point{X: (from.X + to.X) / 2, Y: (from.Y + to.Y) / 2}
		out = append(out, game.Input{Kind: game.Drag, Path: []record.Point{from, mid, to}, Label: "canvas"})
	}
	return out
}

// sweeps move the pointer over the game, to and fro.
func (e *Explorer) sweeps() []game.Input {
	box := e.g.Field
	y := box.Y + box.Height*0.6
	var out []game.Input
	for i := range 4 {
		a, b := box.X+box.Width*0.25, box.X+box.Width*0.75
		if i%2 == 1 {
			a, b = b, a
		}
		out = append(out, game.Input{Kind: game.Hover, Path: []record.Point{{X: a, Y: y}, {X: (a + b) / 2, Y: box.Y + box.Height*0.4}}, At: record.Point{X: b, Y: y}, Label: "canvas"})
	}
	return out
}
