package game

import (
	"cmp"
	"context"
	"image"
	"slices"

	"playtest"
)

const (
	// leastThing is how many pixels of the small picture a thing has at least, mostThing
	// the share of the picture it may fill: less is a letter, more is ground.
	leastThing = 24
	mostThing  = 0.04
	// solid is how much of the box around it a thing fills.
	solid = 0.4
)

// Things are the middles of what stands out from the ground in a picture of the
// game: pieces of one colour, neither letters nor background. Those come first of
// which there are few alike, since what a player moves is seldom one of many.
func (g *Game) Things(ctx context.Context) []playtest.Point {
	p := g.PictureOf(ctx, g.Field)
	if p == nil {
		return nil
	}
	var out []playtest.Point
	for _, r := range p.things() {
		out = append(out, playtest.Point{
			X: g.Field.X + float64(r.Min.X+r.Max.X)/2/pictureScale,
			Y: g.Field.Y + float64(r.Min.Y+r.Max.Y)/2/pictureScale,
		})
	}
	return out
}

// thing is a connected piece of one colour.
type thing struct {
	box    image.Rectangle
	colour uint16
	size   int
}

// alike: of the same colour and make.
func (a thing) alike(b thing) bool {
	near := func(a, b int) bool { return max(a, b)-min(a, b) <= 2 }
	return a.colour == b.colour && near(a.box.Dx(), b.box.Dx()) && near(a.box.Dy(), b.box.Dy())
}

// things are the boxes of what stands out in the picture, one for each kind before
// the others of the kind.
func (p *Picture) things() []image.Rectangle {
	all := p.pieces()
	var kinds [][]thing
	for _, t := range all {
		i := slices.IndexFunc(kinds, func(k []thing) bool { return k[0].alike(t) })
		if i < 0 {
			kinds = append(kinds, []thing{t})
			continue
		}
		kinds[i] = append(kinds[i], t)
	}
	slices.SortStableFunc(kinds, func(a, b []thing) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(b[0].size, a[0].size))
	})
	var out []image.Rectangle
	for n := 0; len(out) < len(all); n++ {
		for _, k := range kinds {
			if n < len(k) {
				out = append(out, k[n].box)
			}
		}
	}
	return out
}

// pieces finds connected pixels of nearly the same colour.
func (p *Picture) pieces() []thing {
	w, h := p.image.Rect.Dx(), p.image.Rect.Dy()
	colours := make([]uint16, w*h)
	for y := range h {
		row := p.image.Pix[y*p.image.Stride:]
		for x := range w {
			c := row[x*4:]
			colours[y*w+x] = uint16(c[0]>>4)<<8 | uint16(c[1]>>4)<<4 | uint16(c[2]>>4)
		}
	}
	seen := make([]bool, w*h)
	var out []thing
	var next []int
	for i := range colours {
		if seen[i] {
			continue
		}
		seen[i] = true
		t := thing{colour: colours[i], box: image.Rect(i%w, i/w, i%w+1, i/w+1)}
		for next = append(next[:0], i); len(next) > 0; {
			at := next[len(next)-1]
			next = next[:len(next)-1]
			x, y := at%w, at/w
			t.size++
			t.box = t.box.Union(image.Rect(x, y, x+1, y+1))
			for _, n := range [4]int{at - 1, at + 1, at - w, at + w} {
				if n < 0 || n >= w*h || (n == at-1 && x == 0) || (n == at+1 && x == w-1) || seen[n] || colours[n] != t.colour {
					continue
				}
				seen[n] = true
				next = append(next, n)
			}
		}
		if t.size >= leastThing && float64(t.size) <= mostThing*float64(w*h) && float64(t.size) >= solid*float64(t.box.Dx()*t.box.Dy()) {
			out = append(out, t)
		}
	}
	return out
}
