package snapshot

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
)

// recently is how long ago, in milliseconds, something may have been painted
// to count as still being there, and a drawing call to count as animation.
const recently = 500

// painted is what the probe knows of the page's canvases.
type painted struct {
	reading *probe.Reading
	engine  probe.Engine
}

func readPainted(ctx context.Context, p *probe.Probe, page *browser.Page) painted {
	var out painted
	var wait sync.WaitGroup
	wait.Go(func() {
		if r, err := p.Read(ctx, page, nil); err == nil {
			out.reading = r
		}
	})
	wait.Go(func() {
		if e, err := p.Engine(ctx, page); err == nil {
			out.engine = e
		}
	})
	wait.Wait()
	return out
}

func canvasesIn(root *Node) []*Node {
	var canvases []*Node
	root.Walk(func(n *Node) bool {
		if n.Role == "canvas" {
			canvases = append(canvases, n)
		}
		return true
	})
	return canvases
}

// place makes nodes of what is painted, below the canvas it is painted on.
func (p painted) place(canvases []*Node) {
	if p.reading == nil || len(canvases) == 0 {
		return
	}
	for _, s := range p.reading.Frames {
		animates := s.LastDraw > 0 && s.Now-s.LastDraw < recently && s.Turns > 3
		for _, c := range s.Canvases {
			if n := nearest(canvases, c); n != nil {
				n.Canvas.Kind = c.Kind
				n.Canvas.Width, n.Canvas.Height = c.Width, c.Height
				n.Canvas.Animates = animates
			}
		}
	}
	type spot struct {
		text string
		x, y int
	}
	known := make(map[spot]bool)
	add := func(role, name string, box browser.Rect) {
		x, y := box.X+box.Width/2, box.Y+box.Height/2
		name = clean(name)
		at := spot{name, int(x) / 8, int(y) / 8}
		if name == "" || known[at] {
			return
		}
		for i := len(canvases) - 1; i >= 0; i-- { // later ones lie on top
			c := canvases[i]
			if !contains(c.Box, x, y) {
				continue
			}
			known[at] = true
			c.add(&Node{
				Role: role, Name: name, Box: box, InView: c.InView, Interactive: true, doc: c.doc, index: c.index,
			})
			return
		}
	}
	for _, o := range p.engine.Objects {
		name := o.Text
		if name == "" {
			name = o.Kind
		}
		add("object", name, browser.Rect{X: o.X, Y: o.Y, Width: o.W, Height: o.H})
	}
	for _, f := range p.reading.Frames {
		for _, t := range f.Texts {
			if !stale(t, f) && !p.labels(t) {
				add("painted", t.Text, browser.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H})
			}
		}
	}
	if p.engine.Name != "" {
		for _, c := range canvases {
			c.Canvas.Engine = p.engine.Name
		}
	}
}

// labels reports whether a text is what one of the engine's objects says: one
// line for both is enough, and the object is what takes the click.
func (p painted) labels(t probe.Text) bool {
	return slices.ContainsFunc(p.engine.Objects, func(o probe.Object) bool {
		return clean(o.Text) == clean(t.Text) && contains(browser.Rect{X: o.X, Y: o.Y, Width: o.W, Height: o.H}, t.X+t.W/2, t.Y+t.H/2)
	})
}

// stale reports whether a text is there no more. One that was painted frame
// after frame and then not, while others go on being painted, has left with its
// screen; so has one whose place a newer text has taken. A text that was painted
// once stays: many canvases are painted on only where something changes.
func stale(t probe.Text, s *probe.State) bool {
	const often = 5
	slack := 3000 / min(max(s.FPS, 12), 60) // three frames
	if t.Count >= often && t.Last > s.Now-s.LastDraw+slack {
		return true
	}
	for _, other := range s.Texts {
		if other.Last < t.Last-slack && other.Text != t.Text &&
			contains(browser.Rect{X: other.X, Y: other.Y, Width: other.W, Height: other.H}, t.X+t.W/2, t.Y+t.H/2) {
			return true
		}
	}
	return false
}

// nearest is the canvas node that lies where the probe saw a canvas.
func nearest(canvases []*Node, c probe.Canvas) *Node {
	for _, n := range canvases {
		if math.Abs(n.Box.X-c.X) < 4 && math.Abs(n.Box.Y-c.Y) < 4 && math.Abs(n.Box.Width-c.W) < 6 {
			return n
		}
	}
	return nil
}
