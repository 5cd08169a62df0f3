package view_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/internal/qa/view"
	"github.com/playtest-dev/playtest/record"
)

var shared *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &shared) }

func TestNobodyLooksThroughNil(t *testing.T) {
	var v *view.View
	v.Picture(nil, nil)
	v.Page(nil)()
}

// What is seen is the newest picture with the inputs since the last look, a stepped page's
// without asking the page for anything.
func TestLook(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := shared.NewContext(ctx, &browser.ContextOptions{Width: 1280, Height: 720})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	p, err := c.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Navigate(ctx, "data:text/html,<body style='background:rgb(200,0,0)'><input autofocus>", nil); err != nil {
		t.Fatal(err)
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	v := view.New()
	look := func() *record.Glimpse {
		t.Helper()
		g, err := v.Look(ctx)
		do(err)
		return g
	}
	shows := func(g *record.Glimpse, want color.RGBA) {
		t.Helper()
		img, err := jpeg.Decode(bytes.NewReader(g.JPEG))
		do(err)
		if size := img.Bounds().Size(); size != image.Pt(640, 360) {
			t.Errorf("the picture has %v", size)
		}
		r, gr, b, _ := img.At(500, 300).RGBA()
		near := func(a uint32, b uint8) bool { return max(int(a>>8), int(b))-min(int(a>>8), int(b)) < 12 }
		if !near(r, want.R) || !near(gr, want.G) || !near(b, want.B) {
			t.Errorf("the picture shows %d %d %d, not %v", r>>8, gr>>8, b>>8, want)
		}
	}
	if g := look(); g != nil {
		t.Fatalf("there is %+v to see before anything", g)
	}

	stepped := image.NewRGBA(image.Rect(0, 0, 640, 360))
	for i := range stepped.Pix {
		stepped.Pix[i] = []byte{0, 160, 0, 255}[i%4]
	}
	do(p.Keyboard().Press(ctx, "KeyQ", 0)) // on the way here
	v.Picture(p, stepped)
	g := look()
	shows(g, color.RGBA{0, 160, 0, 255})
	if !g.Stepped || g.Width != 1280 || g.Height != 720 || len(g.Keys)+len(g.Presses) != 0 {
		t.Errorf("at first %+v", g)
	}
	if g := look(); g != nil {
		t.Errorf("nothing happened, and it shows %+v", g)
	}
	do(p.Keyboard().Press(ctx, "ArrowLeft", 0))
	do(p.Keyboard().Press(ctx, "ArrowLeft", 0))
	do(p.Mouse().Click(ctx, 300, 200, nil))
	do(p.Mouse().Move(ctx, 310, 210))
	do(p.Touch().Tap(ctx, 40, 50, 0))
	g = look()
	if !slices.Equal(g.Keys, []string{"ArrowLeft"}) || !slices.Equal(g.Presses, []record.Point{{X: 300, Y: 200}, {X: 40, Y: 50}}) || g.Pointer != (record.Point{X: 310, Y: 210}) || g.Typing {
		t.Errorf("after some inputs %+v", g)
	}

	done := v.Page(p)
	do(p.Keyboard().Type(ctx, "secret"))
	g = look()
	shows(g, color.RGBA{200, 0, 0, 255})
	if g.Stepped || !g.Typing || len(g.Keys) != 0 {
		t.Errorf("while a text is typed %+v", g)
	}
	done()
	if g := look(); g != nil {
		t.Errorf("at the end %+v", g)
	}
}
