package game

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"math"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/record"
)

// Picture is a small picture of the game for comparing.
type Picture struct {
	image *image.RGBA
}

// NewPicture makes a picture of an image.
func NewPicture(img *image.RGBA) *Picture { return &Picture{img} }

// PictureScale is the size of pictures for comparing: half, so that a figure of
// a dozen pixels still shows.
const PictureScale = 0.5

// tile is the side of a tile in pixels of the small picture.
const tile = 12

// Picture takes a small picture of the game's rectangle. Nil when none could
// be taken.
func (g *Game) Picture(ctx context.Context) *Picture {
	return g.PictureOf(ctx, g.Rect)
}

// PictureOf takes a small picture of a rectangle of the viewport.
func (g *Game) PictureOf(ctx context.Context, r record.Rect) *Picture {
	clip := browser.Rect{X: r.X, Y: r.Y, Width: r.Width, Height: r.Height}
	img, err := g.Page.Image(ctx, &browser.ScreenshotOptions{Clip: &clip, Scale: PictureScale})
	if err != nil {
		return nil
	}
	return &Picture{img}
}

// Tiles says how much each tile differs between two pictures: the mean over
// its pixels of the largest difference of a channel.
func Tiles(a, b *Picture) []float32 {
	if a == nil || b == nil {
		return nil
	}
	w, h := min(a.image.Rect.Dx(), b.image.Rect.Dx()), min(a.image.Rect.Dy(), b.image.Rect.Dy())
	if w == 0 || h == 0 {
		return nil
	}
	cols, rows := (w+tile-1)/tile, (h+tile-1)/tile
	sums := make([]float32, cols*rows)
	for y := range h {
		pa, pb := a.image.Pix[y*a.image.Stride:], b.image.Pix[y*b.image.Stride:]
		row := sums[(y/tile)*cols:]
		for x := range w {
			i := x * 4
			d := diff(pa[i], pb[i])
			d = max(d, diff(pa[i+1], pb[i+1]), diff(pa[i+2], pb[i+2]))
			if d > channelNoise {
				row[x/tile] += float32(d)
			}
		}
	}
	for i := range sums {
		tw, th := min(tile, w-(i%cols)*tile), min(tile, h-(i/cols)*tile)
		sums[i] /= float32(tw * th)
	}
	return sums
}

// channelNoise is the difference of a channel that dithering makes.
const channelNoise = 6

func diff(a, b uint8) uint8 {
	if a > b {
		return a - b
	}
	return b - a
}

// Uniform reports whether a picture shows one flat colour, and how much of it
// does not.
func (p *Picture) Uniform() (bool, float64) {
	if p == nil {
		return false, 1
	}
	w, h := p.image.Rect.Dx(), p.image.Rect.Dy()
	if w == 0 || h == 0 {
		return false, 1
	}
	counts := map[uint32]int{}
	for y := range h {
		row := p.image.Pix[y*p.image.Stride:]
		for x := range w {
			i := x * 4
			counts[uint32(row[i]>>2)<<16|uint32(row[i+1]>>2)<<8|uint32(row[i+2]>>2)]++
		}
	}
	top := 0
	for _, n := range counts {
		top = max(top, n)
	}
	other := 1 - float64(top)/float64(w*h)
	return other < 0.0004, other
}

// Same is how alike two pictures are, 0 to 1: the share of tiles that agree.
func Same(a, b *Picture) float64 {
	tiles := Tiles(a, b)
	if len(tiles) == 0 {
		return 0
	}
	n := 0
	for _, t := range tiles {
		if t < 4 {
			n++
		}
	}
	return float64(n) / float64(len(tiles))
}

// Clamp returns the part of r that lies in the viewport.
func (g *Game) Clamp(r record.Rect) record.Rect {
	x0, y0 := math.Max(0, r.X), math.Max(0, r.Y)
	x1, y1 := math.Min(g.Viewport.Width, r.X+r.Width), math.Min(g.Viewport.Height, r.Y+r.Height)
	return record.Rect{X: x0, Y: y0, Width: math.Max(0, x1-x0), Height: math.Max(0, y1-y0)}
}

// PNG encodes the picture for the evidence.
func (p *Picture) PNG() []byte {
	var buf bytes.Buffer
	// Encoding into memory cannot fail for an image that was decoded.
	_ = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buf, p.image)
	return buf.Bytes()
}

// scrollbar is how wide the browser's scrollbars are at most.
const scrollbar = 16

// Shown is the viewport without the edges where scrollbars may be.
func (g *Game) Shown() record.Rect {
	r := g.Viewport
	r.Width, r.Height = r.Width-scrollbar, r.Height-scrollbar
	return r
}

// Covers reports whether a box lies over all that can be seen of a part of the viewport.
func (g *Game) Covers(b probe.Box, part record.Rect) bool {
	const slack = 2
	shown := g.Shown()
	right, bottom := min(part.X+part.Width, shown.X+shown.Width), min(part.Y+part.Height, shown.Y+shown.Height)
	return b.X <= part.X+slack && b.Y <= part.Y+slack && b.X+b.W >= right-slack && b.Y+b.H >= bottom-slack
}
