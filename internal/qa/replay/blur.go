package replay

import "image"

// blur is where pictures that should be alike were not: what moves there a
// little out of step says nothing about an input.
type blur struct {
	tiles map[image.Point]bool
}

// blurTile is the size of the squares in which it is remembered; each counts with
// those around it.
const blurTile = 8

func (b *blur) at(x, y int) bool { return b.tiles[image.Pt(x/blurTile, y/blurTile)] }

// add remembers where two pictures differ.
func (b *blur) add(one, other *image.RGBA) {
	w, h := min(one.Rect.Dx(), other.Rect.Dx()), min(one.Rect.Dy(), other.Rect.Dy())
	for y := range h {
		p, q := one.Pix[y*one.Stride:], other.Pix[y*other.Stride:]
		for x := range w {
			if i := x * 4; differs(p[i:i+3], q[i:i+3]) {
				b.mark(x/blurTile, y/blurTile)
			}
		}
	}
}

// addAll remembers where any of three pictures differ.
func (b *blur) addAll(pictures [3]*image.RGBA) {
	b.add(pictures[0], pictures[1])
	b.add(pictures[0], pictures[2])
}

func (b *blur) mark(x, y int) {
	if b.tiles == nil {
		b.tiles = map[image.Point]bool{}
	}
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			b.tiles[image.Pt(x+dx, y+dy)] = true
		}
	}
}
