package qa

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"github.com/playtest-dev/playtest/record"
)

// Outline draws a frame around every pointer control on a screenshot.
func Outline(screenshot []byte, controls []record.Control) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(screenshot))
	if err != nil {
		return nil, fmt.Errorf("read screenshot: %w", err)
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Src)
	for _, c := range controls {
		if c.Box == nil {
			continue
		}
		frame(out, *c.Box, colourOf(c.Type))
	}
	var buf bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buf, out); err != nil {
		return nil, fmt.Errorf("write picture: %w", err)
	}
	return buf.Bytes(), nil
}

func colourOf(t record.ControlType) color.RGBA {
	switch t {
	case record.ControlDrag:
		return color.RGBA{255, 170, 0, 255}
	case record.ControlTyping:
		return color.RGBA{0, 180, 255, 255}
	}
	return color.RGBA{255, 0, 160, 255}
}

func frame(img *image.RGBA, r record.Rect, c color.RGBA) {
	const thick = 2
	x0, y0, x1, y1 := int(r.X), int(r.Y), int(r.X+r.Width), int(r.Y+r.Height)
	fill := &image.Uniform{C: c}
	for _, side := range []image.Rectangle{
		image.Rect(x0, y0, x1, y0+thick), image.Rect(x0, y1-thick, x1, y1),
		image.Rect(x0, y0, x0+thick, y1), image.Rect(x1-thick, y0, x1, y1),
	} {
		draw.Draw(img, side.Intersect(img.Bounds()), fill, image.Point{}, draw.Src)
	}
}
