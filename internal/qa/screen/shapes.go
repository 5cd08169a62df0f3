package screen

import (
	"cmp"
	"fmt"
	"image"
	"slices"

	"github.com/playtest-dev/playtest/record"
)

const (
	// cell is the side of the squares in which edges are counted, in pixels of a picture
	// of half size.
	cell = 4
	// maxShapes bounds how many shapes of a picture are offered.
	maxShapes = 14
)

// contrasts are the differences between neighbouring pixels that make an edge: the first
// finds shapes on plain ground, the second those that stand out from a painted one.
var contrasts = []int{36, 96}

// AddShapes offers what stands out in the picture of the screen, given at half size:
// buttons may be painted in ways that tell no text and no place. What lies where something
// else is offered already is left out.
func (s *Screen) AddShapes(img *image.RGBA, viewport record.Rect) {
	var found []record.Rect
	for _, least := range contrasts {
		for _, box := range shapes(img, least) {
			if !slices.ContainsFunc(found, func(r record.Rect) bool { return near(r, box) }) {
				found = append(found, box)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b record.Rect) int {
		return cmp.Compare(standsOut(b, viewport), standsOut(a, viewport))
	})
	n := 0
	for _, box := range found {
		at := box.Center()
		if n == maxShapes || slices.ContainsFunc(s.Offers, func(o Offer) bool {
			return o.Source != Place && o.Source != Key && o.Source != Shape && o.Input.Pressed() && o.Box.Width < 2*box.Width+40 && o.Box.Contains(at)
		}) {
			continue
		}
		n++
		prior := 0.51
		if !slices.ContainsFunc(s.Canvases, func(c record.Rect) bool { return c.Contains(at) }) {
			prior = 0.33 // the document says itself what can be pressed
		}
		o := Offer{Source: Shape, Box: box, ID: fmt.Sprintf("shape:%.0f,%.0f", at.X/24, at.Y/24), Prior: prior - 0.005*float64(n),
			Input: record.Input{Kind: record.InputClick, At: at}}
		s.Offers = append(s.Offers, o)
		if s.Pressed {
			for _, p := range s.pulls(o, viewport) {
				p.Prior -= 0.15 // after what is pressed
				s.Offers = append(s.Offers, p)
			}
		}
	}
	s.order()
}

func near(a, b record.Rect) bool {
	const close = 14
	p, q := a.Center(), b.Center()
	return max(p.X-q.X, q.X-p.X) < close && max(p.Y-q.Y, q.Y-p.Y) < close
}

// standsOut is how early one looks at a shape: large ones in the middle come first.
func standsOut(box, viewport record.Rect) float64 {
	return size(box, viewport) + central(box, viewport)
}

// shapes are the places of a picture in which edges lie together, of the size of a
// button, in CSS pixels.
func shapes(img *image.RGBA, least int) []record.Rect {
	w, h := img.Rect.Dx()/cell, img.Rect.Dy()/cell
	busy := edges(img, w, h, least)
	seen := make([]bool, w*h)
	var out []record.Rect
	var stack []int
	for start := range busy {
		if !busy[start] || seen[start] {
			continue
		}
		box := image.Rectangle{}
		seen[start] = true
		stack = append(stack[:0], start)
		for len(stack) > 0 {
			c := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			x, y := c%w, c/w
			box = box.Union(image.Rect(x, y, x+1, y+1))
			// Letters of a word lie further apart than lines of text.
			for dy := -1; dy <= 1; dy++ {
				for dx := -2; dx <= 2; dx++ {
					nx, ny := x+dx, y+dy
					if nx < 0 || ny < 0 || nx >= w || ny >= h || seen[ny*w+nx] || !busy[ny*w+nx] {
						continue
					}
					seen[ny*w+nx] = true
					stack = append(stack, ny*w+nx)
				}
			}
		}
		const side = 2 * cell // in CSS pixels
		if r := (record.Rect{X: float64(box.Min.X * side), Y: float64(box.Min.Y * side), Width: float64(box.Dx() * side), Height: float64(box.Dy() * side)}); buttonSized(r, float64(w*side), float64(h*side)) {
			out = append(out, r)
		}
	}
	return out
}

func buttonSized(r record.Rect, width, height float64) bool {
	return r.Width >= 24 && r.Height >= 16 && r.Width <= 0.6*width && r.Height <= 0.35*height
}

// edges are the cells of a picture with at least two pixels that differ from a neighbour.
func edges(img *image.RGBA, w, h, least int) []bool {
	counts := make([]uint8, w*h)
	for y := range h*cell - 1 {
		row, below := img.Pix[y*img.Stride:], img.Pix[(y+1)*img.Stride:]
		for x := range w*cell - 1 {
			p, right, down := row[x*4:x*4+3], row[x*4+4:x*4+7], below[x*4:x*4+3]
			for k := range 3 {
				a := int(p[k])
				if d, e := a-int(right[k]), a-int(down[k]); d > least || -d > least || e > least || -e > least {
					if c := &counts[y/cell*w+x/cell]; *c < 255 {
						*c++
					}
					break
				}
			}
		}
	}
	busy := make([]bool, w*h)
	for i, n := range counts {
		busy[i] = n >= 2
	}
	return busy
}
