package computer_test

import (
	"math"
	"testing"

	"github.com/playtest-dev/playtest/agent/computer"
)

func TestPointsGoFromSpaceToSpace(t *testing.T) {
	viewport, picture := computer.Of(1920, 1080), computer.Of(1428, 803)
	for _, tc := range []struct {
		name string
		from computer.Point
		to   computer.Space
		x, y float64
	}{
		{"the same", viewport.At(7, 9), viewport, 7, 9},
		{"picture to page", picture.At(714, 401.5), viewport, 960, 540},
		{"thousandths to page", computer.Thousand.At(500, 250), viewport, 960, 270},
		{"page to thousandths", viewport.At(960, 270), computer.Thousand, 500, 250},
		{"the page's own pixels stay", computer.CSS.At(300, -20), viewport, 300, -20},
		{"capped", computer.Thousand.Capped(1000, -3), computer.Of(1000, 1000), 999, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.from.In(tc.to)
			if math.Abs(got.X-tc.x) > 1e-9 || math.Abs(got.Y-tc.y) > 1e-9 || got.Space != tc.to {
				t.Errorf("got %+v, want %v, %v", got, tc.x, tc.y)
			}
		})
	}
	for _, p := range []computer.Point{viewport.At(-1, 0), viewport.At(0, 1080), viewport.At(1920, 0), viewport.At(math.NaN(), 0)} {
		if p.Check() == nil {
			t.Errorf("%v was taken", p)
		}
	}
	if err := viewport.At(1919.9, 0).Check(); err != nil {
		t.Error(err)
	}
}
