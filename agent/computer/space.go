package computer

import (
	"fmt"
	"math"
)

// Space is a coordinate system over the visible part of a page: how wide and
// how high that is when measured in it.
type Space struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Thousand is the space of models that answer in thousandths of the picture,
// whatever its size.
var Thousand = Space{Width: 1000, Height: 1000}

// CSS is for distances that are pixels of the page itself, however large the
// picture of it is.
var CSS = Space{}

// Of is the space of something with a size in pixels.
func Of(width, height int) Space { return Space{Width: float64(width), Height: float64(height)} }

func (s Space) String() string { return fmt.Sprintf("%gx%g", s.Width, s.Height) }

// At is a point of the space.
func (s Space) At(x, y float64) Point { return Point{X: x, Y: y, Space: s} }

// Capped is the point of the space that lies nearest, for models that go one
// over its edge.
func (s Space) Capped(x, y float64) Point {
	return s.At(min(max(x, 0), s.Width-1), min(max(y, 0), s.Height-1))
}

// Point is a place, or a distance, in a space.
type Point struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Space Space   `json:"space"`
}

// In is the same place in another space.
func (p Point) In(s Space) Point {
	if p.Space == CSS {
		return s.At(p.X, p.Y)
	}
	return s.At(p.X*s.Width/p.Space.Width, p.Y*s.Height/p.Space.Height)
}

// Check is an error when the point lies outside of its space. A place that a
// model made up is told to the model: the nearest real one would be a guess.
func (p Point) Check() error {
	if math.IsNaN(p.X) || math.IsNaN(p.Y) || p.X < 0 || p.Y < 0 || p.X >= p.Space.Width || p.Y >= p.Space.Height {
		return fmt.Errorf("(%g, %g) lies outside of the picture, which is %v", p.X, p.Y, p.Space)
	}
	return nil
}

func (p Point) String() string { return fmt.Sprintf("(%.4g, %.4g)", p.X, p.Y) }
