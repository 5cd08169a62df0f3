package screen

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/playtest-dev/playtest/record"
)

// TestShapes: what stands out is found at its place, on plain and on painted ground.
func TestShapes(t *testing.T) {
	t.Parallel()
	viewport := record.Rect{Width: 1280, Height: 720}
	button := image.Rect(300, 200, 340, 216) // at half size
	for _, tt := range []struct {
		name   string
		ground func(x, y int) color.RGBA
		want   int // shapes
	}{
		{"plain", func(int, int) color.RGBA { return color.RGBA{20, 40, 60, 255} }, 1},
		{"painted", func(x, y int) color.RGBA { return color.RGBA{uint8(20 + 50*(x/3%2)), uint8(40 + 50*(y/3%2)), 60, 255} }, 1},
	} {
		img := image.NewRGBA(image.Rect(0, 0, 640, 360))
		for y := range 360 {
			for x := range 640 {
				img.SetRGBA(x, y, tt.ground(x, y))
			}
		}
		draw.Draw(img, button, image.NewUniform(color.RGBA{240, 220, 180, 255}), image.Point{}, draw.Src)
		s := &Screen{Canvases: []record.Rect{viewport}}
		s.AddShapes(img, viewport)
		if len(s.Offers) != tt.want {
			t.Errorf("%s: %d shapes, want %d", tt.name, len(s.Offers), tt.want)
			continue
		}
		if at := s.Offers[0].Input.At; at.X < 600 || at.X > 680 || at.Y < 400 || at.Y > 432 {
			t.Errorf("%s: at %v, which is outside the button", tt.name, at)
		}
	}
}

// TestShapesThatAreKnown: where something is offered already the picture adds nothing.
func TestShapesThatAreKnown(t *testing.T) {
	t.Parallel()
	viewport := record.Rect{Width: 1280, Height: 720}
	img := image.NewRGBA(image.Rect(0, 0, 640, 360))
	draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{20, 40, 60, 255}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(300, 200, 340, 216), image.NewUniform(color.White), image.Point{}, draw.Src)
	s := &Screen{Offers: []Offer{{Source: Element, Box: record.Rect{X: 600, Y: 400, Width: 80, Height: 32}, Input: record.Input{Kind: record.InputClick}}}}
	s.AddShapes(img, viewport)
	if len(s.Offers) != 1 {
		t.Errorf("%d offers, want the button alone", len(s.Offers))
	}
}
