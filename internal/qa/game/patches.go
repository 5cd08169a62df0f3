package game

import (
	"cmp"
	"image"
	"slices"

	"github.com/playtest-dev/playtest/record"
)

const (
	// leastPatch is how many pixels of the small picture a patch has at least, mostPatch
	// the share of the picture it may fill: less is a letter, more is ground.
	leastPatch = 24
	mostPatch  = 0.04
	// solid is how much of the box around it a patch fills.
	solid = 0.4
)

// Patches are the middles of what has one colour in the picture and is neither a
// letter nor ground, as shares of its width and height, at most so many. Those come
// first of which there are few alike, since what a player moves is seldom one of many.
func (p *Picture) Patches(most int) []record.Point {
	if p == nil {
		return nil
	}
	w, h := float64(p.image.Rect.Dx()), float64(p.image.Rect.Dy())
	var out []record.Point
	for _, r := range p.ordered() {
		if len(out) == most {
			break
		}
		out = append(out, record.Point{X: float64(r.Min.X+r.Max.X) / 2 / w, Y: float64(r.Min.Y+r.Max.Y) / 2 / h})
	}
	return out
}

// patch is a connected piece of one colour.
type patch struct {
	box    image.Rectangle
	colour uint16
	size   int
}

// alike: of the same colour and make.
func (a patch) alike(b patch) bool {
	near := func(a, b int) bool { return max(a, b)-min(a, b) <= 2 }
	return a.colour == b.colour && near(a.box.Dx(), b.box.Dx()) && near(a.box.Dy(), b.box.Dy())
}

// ordered are the boxes of the patches, one for each kind before the others of the
// kind.
func (p *Picture) ordered() []image.Rectangle {
	all := p.patches()
	var kinds [][]patch
	for _, t := range all {
		i := slices.IndexFunc(kinds, func(k []patch) bool { return k[0].alike(t) })
		if i < 0 {
			kinds = append(kinds, []patch{t})
			continue
		}
		kinds[i] = append(kinds[i], t)
	}
	slices.SortStableFunc(kinds, func(a, b []patch) int {
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

// patches finds connected pixels of nearly the same colour.
func (p *Picture) patches() []patch {
	w, h := p.image.Rect.Dx(), p.image.Rect.Dy()
	colours := make([]uint16, w*h)
	for y := range h {
		row := p.image.Pix[y*p.image.Stride:]
		for x := range w {
			c := row[x*4:]
			colours[y*w+x] = uint16(c[0]>>4)<<8 | uint16(c[1]>>4)<<4 | uint16(c[2]>>4)
		}
	}
	var out []patch
	regions(colours, w, func(at []int) {
		t := patch{colour: colours[at[0]], size: len(at)}
		for _, i := range at {
			t.box = t.box.Union(image.Rect(i%w, i/w, i%w+1, i/w+1))
		}
		if t.size >= leastPatch && float64(t.size) <= mostPatch*float64(w*h) && float64(t.size) >= solid*float64(t.box.Dx()*t.box.Dy()) {
			out = append(out, t)
		}
	})
	return out
}
