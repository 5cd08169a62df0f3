package adapt_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// screen is what a model is shown: the page's lines and the picture.
type screen struct {
	text  string
	lines []line
	image image.Image
	// scale is picture pixels per pixel of the page.
	scale float64
}

type line struct {
	id, text   string
	x, y, w, h float64
}

var lineForm = regexp.MustCompile(`(?m)^\s*(\S+) .*?"(.*?)".* @(-?\d+),(-?\d+),(\d+),(\d+)`)

func shown(t testing.TB, req *model.Request) screen {
	t.Helper()
	s := screen{text: req.Messages[0].Parts[0].Text}
	img, err := png.Decode(bytes.NewReader(req.Messages[0].Parts[1].Image.Data))
	if err != nil {
		t.Fatal(err)
	}
	s.image, s.scale = img, float64(img.Bounds().Dx())/1280
	_, page, _ := strings.Cut(s.text, "The page:")
	for _, m := range lineForm.FindAllStringSubmatch(page, -1) {
		n := func(i int) float64 { v, _ := strconv.ParseFloat(m[i], 64); return v }
		s.lines = append(s.lines, line{id: m[1], text: m[2], x: n(3), y: n(4), w: n(5), h: n(6)})
	}
	return s
}

// find is the line with the text.
func (s screen) find(text string) (line, bool) {
	for _, l := range s.lines {
		if strings.Contains(l.text, text) {
			return l, true
		}
	}
	return line{}, false
}

// at is the colour of the picture at a place of the page.
func (s screen) at(x, y float64) color.RGBA {
	r, g, b, _ := s.image.At(int(x*s.scale), int(y*s.scale)).RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
}

// near reports whether two colours are about the same.
func near(a, b color.RGBA, by int) bool {
	d := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return d(a.R, b.R) <= by && d(a.G, b.G) <= by && d(a.B, b.B) <= by
}

// answer is a reply of a stand-in.
type answer map[string]any

// sure fills in what every answer has.
func (a answer) sure(confidence float64, why string) answer {
	a["seen"], a["confidence"], a["reasoning"] = why, confidence, why
	return a
}

// standIn is a model that answers each screen with what the function says. It
// costs a cent a look.
func standIn(t testing.TB, play func(n int, s screen) answer) *modeltest.Fake {
	t.Helper()
	return modeltest.NewFake("anthropic/claude-sonnet-4-5", nil, func(_ context.Context, n int, req *model.Request) (*model.Response, error) {
		data, err := json.Marshal(play(n, shown(t, req)))
		if err != nil {
			t.Fatal(err)
		}
		return modeltest.Say(string(data), model.Usage{Input: 2800, Output: 100}), nil
	})
}
