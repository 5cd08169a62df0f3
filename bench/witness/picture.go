package witness

import (
	"image"

	"github.com/playtest-dev/playtest/browser"
)

// scale is how large pictures are taken for comparing.
const scale = 0.5

// difference is the mean difference of two pictures, 0 to 1. Pictures of different size have nothing in common.
func difference(a, b *image.RGBA) float64 {
	if a.Bounds().Size() != b.Bounds().Size() || len(a.Pix) == 0 {
		return 1
	}
	sum := 0
	for i, v := range a.Pix {
		sum += distance(v, b.Pix[i])
	}
	return float64(sum) / float64(len(a.Pix)) / 255
}

// changed is the share of pixels that differ visibly.
func changed(a, b *image.RGBA) float64 {
	if a.Bounds().Size() != b.Bounds().Size() || len(a.Pix) == 0 {
		return 1
	}
	n := 0
	for i := 0; i+3 < len(a.Pix); i += 4 {
		if distance(a.Pix[i], b.Pix[i])+distance(a.Pix[i+1], b.Pix[i+1])+distance(a.Pix[i+2], b.Pix[i+2]) > 30 {
			n++
		}
	}
	return float64(n) / float64(len(a.Pix)/4)
}

func distance(a, b uint8) int {
	if a > b {
		return int(a - b)
	}
	return int(b - a)
}

// detail is the share of tiles in the area that have more than one colour.
func detail(m *image.RGBA, area browser.Rect) float64 {
	r := image.Rect(int(area.X*scale), int(area.Y*scale), int((area.X+area.Width)*scale), int((area.Y+area.Height)*scale)).Intersect(m.Bounds())
	const tile = 8
	tiles, busy := 0, 0
	for y := r.Min.Y; y+tile <= r.Max.Y; y += tile {
		for x := r.Min.X; x+tile <= r.Max.X; x += tile {
			tiles++
			if contrast(m, x, y, tile) > 24 {
				busy++
			}
		}
	}
	if tiles == 0 {
		return 0
	}
	return float64(busy) / float64(tiles)
}

func contrast(m *image.RGBA, x0, y0, size int) int {
	low, high := 255, 0
	for y := y0; y < y0+size; y++ {
		for x := x0; x < x0+size; x++ {
			c := m.RGBAAt(x, y)
			v := (int(c.R)*3 + int(c.G)*6 + int(c.B)) / 10
			low, high = min(low, v), max(high, v)
		}
	}
	return high - low
}
