package game

import (
	"cmp"
	"math"
	"slices"

	"github.com/playtest-dev/playtest/record"
)

const (
	// ground is the share of a picture that its commonest colour takes up where
	// things lie on a ground.
	ground = 0.3
	// onGround is how far a channel is off the ground where a thing is.
	onGround = 40
	// leastSide and mostShare bound the size of a thing, in pixels of the small
	// picture and as a share of it.
	leastSide, mostShare = 8, 0.5
)

// Things are places on the largest things that lie on the ground of a picture, as
// shares of its width and height, at most so many. None where the ground has no
// colour of its own.
func (p *Picture) Things(most int) []record.Point {
	if p == nil {
		return nil
	}
	w, h := p.image.Rect.Dx(), p.image.Rect.Dy()
	r, g, b, share := p.commonest()
	if share < ground {
		return nil
	}
	const bare, taken = 0, 1
	marks := make([]uint16, w*h)
	for y := range h {
		row := p.image.Pix[y*p.image.Stride:]
		for x := range w {
			if i := x * 4; max(diff(row[i], r), diff(row[i+1], g), diff(row[i+2], b)) > onGround {
				marks[y*w+x] = taken
			}
		}
	}
	type thing struct {
		at   record.Point
		size int
	}
	var things []thing
	regions(marks, w, func(part []int) {
		if marks[part[0]] == bare {
			return
		}
		left, right, top, bottom, sumX, sumY := w, 0, h, 0, 0, 0
		for _, i := range part {
			x, y := i%w, i/w
			left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
			sumX, sumY = sumX+x, sumY+y
		}
		if min(right-left, bottom-top) < leastSide || float64(len(part)) > mostShare*float64(w*h) {
			return
		}
		// The middle of a ring is not on it.
		midX, midY := float64(sumX)/float64(len(part)), float64(sumY)/float64(len(part))
		far := func(i int) float64 { return math.Hypot(float64(i%w)-midX, float64(i/w)-midY) }
		at := slices.MinFunc(part, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
		things = append(things, thing{record.Point{X: (float64(at%w) + 0.5) / float64(w), Y: (float64(at/w) + 0.5) / float64(h)}, len(part)})
	})
	slices.SortStableFunc(things, func(a, b thing) int { return cmp.Compare(b.size, a.size) })
	var out []record.Point
	for _, t := range things[:min(most, len(things))] {
		out = append(out, t.at)
	}
	return out
}

// commonest is the colour that most of a picture has, nearly, and the share that
// has it.
func (p *Picture) commonest() (r, g, b uint8, share float64) {
	w, h := p.image.Rect.Dx(), p.image.Rect.Dy()
	const keep = 0xf0 // of each channel
	counts := map[[3]uint8]int{}
	most := 0
	for y := range h {
		row := p.image.Pix[y*p.image.Stride:]
		for x := range w {
			i := x * 4
			k := [3]uint8{row[i] & keep, row[i+1] & keep, row[i+2] & keep}
			if counts[k]++; counts[k] > most {
				most, r, g, b = counts[k], row[i], row[i+1], row[i+2]
			}
		}
	}
	return r, g, b, float64(most) / float64(max(w*h, 1))
}
