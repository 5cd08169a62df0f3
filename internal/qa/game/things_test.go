package game

import (
	"image"
	"image/color"
	"image/draw"
	"testing"
)

func TestThings(t *testing.T) {
	board := func(things ...image.Rectangle) *Picture {
		img := image.NewRGBA(image.Rect(0, 0, 400, 200))
		draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{240, 240, 250, 255}), image.Point{}, draw.Src)
		for _, r := range things {
			draw.Draw(img, r, image.NewUniform(color.RGBA{200, 40, 60, 255}), image.Point{}, draw.Src)
		}
		return NewPicture(img)
	}
	small, large, speck := image.Rect(40, 40, 60, 60), image.Rect(300, 100, 360, 160), image.Rect(200, 20, 204, 24)
	for _, tt := range []struct {
		name string
		p    *Picture
		most int
		want []image.Rectangle
	}{
		{"none", board(), 4, nil},
		{"the larger first", board(small, large, speck), 4, []image.Rectangle{large, small}},
		{"no more than asked for", board(small, large), 1, []image.Rectangle{large}},
		{"what is nearly all of it is no thing", board(image.Rect(0, 0, 400, 199)), 4, nil},
		{"no picture", nil, 4, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.p.Things(tt.most)
			if len(got) != len(tt.want) {
				t.Fatalf("%v", got)
			}
			for i, p := range got {
				if at := image.Pt(int(p.X*400), int(p.Y*200)); !at.In(tt.want[i]) {
					t.Errorf("%v is not in %v", at, tt.want[i])
				}
			}
		})
	}
}
