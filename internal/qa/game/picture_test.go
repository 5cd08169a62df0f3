package game_test

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// drawn is a picture of a colour with rectangles of another on it.
func drawn(ground, ink color.Color, rects ...image.Rectangle) *game.Picture {
	img := image.NewRGBA(image.Rect(0, 0, 120, 60))
	draw.Draw(img, img.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	for _, r := range rects {
		draw.Draw(img, r, image.NewUniform(ink), image.Point{}, draw.Src)
	}
	return game.NewPicture(img)
}

func TestTilesThatDiffer(t *testing.T) {
	before := drawn(color.Black, color.White)
	for _, tt := range []struct {
		name  string
		after *game.Picture
		want  int
	}{
		{"nothing", drawn(color.Black, color.White), 0},
		{"a figure in one tile", drawn(color.Black, color.White, image.Rect(14, 14, 20, 20)), 1},
		{"a figure across two", drawn(color.Black, color.White, image.Rect(20, 14, 28, 20)), 2},
		{"what dithering makes", drawn(color.Gray{Y: 5}, color.White), 0},
		{"everything", drawn(color.White, color.White), 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			for _, v := range game.Tiles(before, tt.after) {
				if v > 0 {
					n++
				}
			}
			if n != tt.want {
				t.Errorf("%d tiles differ, want %d", n, tt.want)
			}
			if same, want := game.Same(before, tt.after), 1-float64(tt.want)/50; same != want {
				t.Errorf("they are alike by %g, want %g", same, want)
			}
		})
	}
	if game.Tiles(before, nil) != nil || game.Same(nil, before) != 0 {
		t.Error("a picture that is missing was compared")
	}
}

func TestWhatPicturesShow(t *testing.T) {
	for _, tt := range []struct {
		name    string
		picture *game.Picture
		uniform bool
	}{
		{"one colour", drawn(color.Black, color.White), true},
		{"a few pixels of noise", drawn(color.Black, color.White, image.Rect(5, 5, 6, 7)), true},
		{"a small figure", drawn(color.Black, color.White, image.Rect(5, 5, 10, 10)), false},
		{"no picture", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if uniform, _ := tt.picture.Uniform(); uniform != tt.uniform {
				t.Errorf("uniform: %v", uniform)
			}
		})
	}
}

func TestClampToViewport(t *testing.T) {
	g := &game.Game{Viewport: record.Rect{Width: 1280, Height: 720}}
	for _, tt := range []struct {
		name       string
		rect, want record.Rect
	}{
		{"inside", record.Rect{X: 10, Y: 20, Width: 30, Height: 40}, record.Rect{X: 10, Y: 20, Width: 30, Height: 40}},
		{"over the edges", record.Rect{X: -100, Y: 700, Width: 2000, Height: 100}, record.Rect{Y: 700, Width: 1280, Height: 20}},
		{"below the fold", record.Rect{Y: 900, Width: 100, Height: 100}, record.Rect{Y: 900, Width: 100}},
	} {
		if got := g.Clamp(tt.rect); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
