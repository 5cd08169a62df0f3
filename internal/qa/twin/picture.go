package twin

import (
	"image"

	"github.com/playtest-dev/playtest/record"
)

const (
	// channelNoise is the difference of a colour channel that antialiasing makes.
	channelNoise = 6
	// tile is the size of the squares in which chance differences are remembered.
	tile = 8
)

// Mask is where pictures that should be alike were not: what differs there says
// nothing about an input.
type Mask map[image.Point]bool

// Add remembers where two pictures differ, with a margin of one tile.
func (m Mask) Add(a, b *image.RGBA) {
	each(a, b, func(x, y int) {
		p := image.Pt(x/tile, y/tile)
		if m[p] {
			return
		}
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				m[p.Add(image.Pt(dx, dy))] = true
			}
		}
	})
}

// AddRect remembers a rectangle of the viewport, in CSS pixels.
func (m Mask) AddRect(r record.Rect) {
	const margin = 8
	side := tile / PictureScale
	for y := int((r.Y - margin) / side); float64(y)*side < r.Y+r.Height+margin; y++ {
		for x := int((r.X - margin) / side); float64(x)*side < r.X+r.Width+margin; x++ {
			m[image.Pt(x, y)] = true
		}
	}
}

// Difference is where two pictures differ.
type Difference struct {
	// Pixels that differ outside the mask, Masked inside it.
	Pixels, Masked int
	// Area encloses the pixels outside the mask, in CSS pixels of the viewport.
	Area record.Rect
	// Share of the picture that differs.
	Share float64
	// Cells of the signature's grid in which pixels outside the mask differ.
	Cells []int
}

// Compare counts the pixels by which two pictures differ.
func Compare(a, b *image.RGBA, masks ...Mask) Difference {
	var d Difference
	masked := func(p image.Point) bool {
		for _, m := range masks {
			if m[p] {
				return true
			}
		}
		return false
	}
	box := image.Rectangle{}
	w, h := max(1, a.Rect.Dx()), max(1, a.Rect.Dy())
	var cells [gridW * gridH]bool
	each(a, b, func(x, y int) {
		if masked(image.Pt(x/tile, y/tile)) {
			d.Masked++
			return
		}
		d.Pixels++
		box = box.Union(image.Rect(x, y, x+1, y+1))
		cells[min(y*gridH/h, gridH-1)*gridW+min(x*gridW/w, gridW-1)] = true
	})
	for c, differs := range cells {
		if differs {
			d.Cells = append(d.Cells, c)
		}
	}
	size := a.Rect.Dx() * a.Rect.Dy()
	if size > 0 {
		d.Share = float64(d.Pixels+d.Masked) / float64(size)
	}
	const full = 1 / PictureScale
	d.Area = record.Rect{X: float64(box.Min.X) * full, Y: float64(box.Min.Y) * full, Width: float64(box.Dx()) * full, Height: float64(box.Dy()) * full}
	return d
}

// each calls do for every pixel that differs.
func each(a, b *image.RGBA, do func(x, y int)) {
	w, h := min(a.Rect.Dx(), b.Rect.Dx()), min(a.Rect.Dy(), b.Rect.Dy())
	for y := range h {
		p, q := a.Pix[y*a.Stride:y*a.Stride+w*4], b.Pix[y*b.Stride:y*b.Stride+w*4]
		for i := 0; i < len(p); i += 4 {
			if differs(p[i], q[i]) || differs(p[i+1], q[i+1]) || differs(p[i+2], q[i+2]) {
				do(i/4, y)
			}
		}
	}
}

func differs(a, b uint8) bool { return max(a, b)-min(a, b) > channelNoise }

// Uniform reports whether a picture shows one flat colour.
func Uniform(p *image.RGBA) bool {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	if w == 0 || h == 0 {
		return true
	}
	counts := map[uint32]int{}
	for y := range h {
		row := p.Pix[y*p.Stride : y*p.Stride+w*4]
		for i := 0; i < len(row); i += 4 {
			counts[uint32(row[i]>>2)<<16|uint32(row[i+1]>>2)<<8|uint32(row[i+2]>>2)]++
		}
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	const speckle = 0.0004 // of the picture
	return float64(w*h-most) < speckle*float64(w*h)
}

// Signature is a coarse description of a picture: the mean colour of each cell
// of a grid. Nearly equal signatures mean that a player sees the same screen.
type Signature [gridW * gridH * 3]uint8

const gridW, gridH = 32, 18

// Sign makes the signature of a picture.
func Sign(p *image.RGBA) (s Signature) {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	if w == 0 || h == 0 {
		return s
	}
	var sums [gridW * gridH * 3]int
	var counts [gridW * gridH]int
	for y := range h {
		row := p.Pix[y*p.Stride : y*p.Stride+w*4]
		cellRow := y * gridH / h * gridW
		for x := range w {
			cell := cellRow + x*gridW/w
			counts[cell]++
			sums[cell*3] += int(row[x*4])
			sums[cell*3+1] += int(row[x*4+1])
			sums[cell*3+2] += int(row[x*4+2])
		}
	}
	for c, n := range counts {
		for k := range 3 {
			if n > 0 {
				s[c*3+k] = uint8(sums[c*3+k] / n)
			}
		}
	}
	return s
}

// Apart is the share of the grid's cells in which two signatures differ visibly.
func (s Signature) Apart(o Signature) float64 {
	const visible = 12
	n := 0
	for c := range gridW * gridH {
		for k := range 3 {
			a, b := s[c*3+k], o[c*3+k]
			if max(a, b)-min(a, b) > visible {
				n++
				break
			}
		}
	}
	return float64(n) / (gridW * gridH)
}
