package browser_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strconv"
	"testing"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/cdp"
)

const colours = `<body style="margin:0;height:2000px;background:#fff">
	<div style="position:absolute;left:0;top:0;width:100px;height:100px;background:#f00"></div>
	<div style="position:absolute;left:0;top:1000px;width:100px;height:100px;background:#00f"></div>`

func TestScreenshot(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": colours})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	red, blue, white := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}, color.RGBA{255, 255, 255, 255}
	tests := []struct {
		name   string
		scroll int
		opts   *browser.ScreenshotOptions
		size   image.Point
		at     image.Point
		want   color.RGBA
	}{
		{"viewport", 0, nil, image.Pt(1280, 720), image.Pt(50, 50), red},
		{"jpeg", 0, &browser.ScreenshotOptions{Format: browser.JPEG, Quality: 90}, image.Pt(1280, 720), image.Pt(50, 50), red},
		{"clip", 0, &browser.ScreenshotOptions{Clip: &browser.Rect{X: 90, Y: 0, Width: 40, Height: 30}}, image.Pt(40, 30), image.Pt(5, 5), red},
		{"clip beside it", 0, &browser.ScreenshotOptions{Clip: &browser.Rect{X: 90, Y: 0, Width: 40, Height: 30}}, image.Pt(40, 30), image.Pt(20, 5), white},
		{"half size", 0, &browser.ScreenshotOptions{Scale: 0.5}, image.Pt(640, 360), image.Pt(25, 25), red},
		{"scrolled clip", 1000, &browser.ScreenshotOptions{Clip: &browser.Rect{X: 0, Y: 0, Width: 100, Height: 100}}, image.Pt(100, 100), image.Pt(50, 50), blue},
		{"scrolled half size", 1000, &browser.ScreenshotOptions{Scale: 0.5}, image.Pt(640, 360), image.Pt(25, 25), blue},
		{"full page", 0, &browser.ScreenshotOptions{FullPage: true}, image.Pt(1280, 2000), image.Pt(50, 1050), blue},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eval[any](t, p, "void scrollTo(0, "+strconv.Itoa(tt.scroll)+")")
			raw, err := p.Screenshot(testContext(t), tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			decode := png.Decode
			if tt.opts != nil && tt.opts.Format == browser.JPEG {
				decode = jpeg.Decode
			}
			img, err := decode(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			if got := img.Bounds().Size(); abs(got.X-tt.size.X) > 15 || abs(got.Y-tt.size.Y) > 0 {
				t.Errorf("size %v, want %v", got, tt.size)
			}
			if got := img.At(tt.at.X, tt.at.Y); !near(got, tt.want) {
				t.Errorf("colour at %v is %v, want %v", tt.at, got, tt.want)
			}
		})
	}
	img, err := p.Image(testContext(t), &browser.ScreenshotOptions{Clip: &browser.Rect{X: 0, Y: 0, Width: 10, Height: 10}})
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != image.Rect(0, 0, 10, 10) || img.RGBAAt(5, 5) != red {
		t.Errorf("image %v, %v", img.Bounds(), img.RGBAAt(5, 5))
	}
}

func abs(n int) int { return max(n, -n) }

func near(a, b color.Color) bool {
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	d := func(x, y uint32) bool { return abs(int(x)-int(y)) < 0x0800 }
	return d(r1, r2) && d(g1, g2) && d(b1, b2)
}

func TestScreenshotOfAHangingPageGivesUp(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<script>setTimeout(() => { for (;;) {} }, 10)</script>`})
	p := newPage(t, chromium, nil, nil)
	ctx := testContext(t)
	if _, err := p.Navigate(ctx, srv.URL, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page to hang", func() bool { return !p.Responsive(ctx, 300*time.Millisecond) })
	_, err := p.Screenshot(ctx, &browser.ScreenshotOptions{Timeout: time.Second, Scale: 0.5})
	if !errors.Is(err, cdp.ErrTimeout) {
		t.Errorf("got %v", err)
	}
}

// TestPicturesThatFail: Chromium shrinks a page for a small picture, and where that
// picture never comes about it may stay so. After a failure it has its size again.
func TestPicturesThatFail(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<body style="margin:0"><div style="width:1280px;height:720px;background:rgb(0,128,0)"></div>`})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	_, err := protocol.Call(ctx, p.Session(), emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1280, Height: 720, Viewport: &page.Viewport{Width: 1280, Height: 720, Scale: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	corner := func() color.Color {
		img, err := p.Image(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		return img.At(1270, 710)
	}
	green := color.RGBA{0, 128, 0, 255}
	if near(corner(), green) {
		t.Fatal("the page is not shrunk")
	}
	if _, err := p.Screenshot(ctx, &browser.ScreenshotOptions{Scale: 0.5, Timeout: time.Nanosecond}); err == nil {
		t.Fatal("a picture was taken in no time")
	}
	if got := corner(); !near(got, green) {
		t.Errorf("the corner is %v, want the page's green", got)
	}
}

func TestScreencast(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": `<canvas id=c width=300 height=300></canvas><script>
		const g = c.getContext('2d'); let n = 0;
		(function draw() { g.fillStyle = 'hsl(' + (n++ * 7) + ' 90% 50%)'; g.fillRect(0, 0, 300, 300); requestAnimationFrame(draw) })();
	</script>`})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	cast, err := p.Screencast(ctx, &browser.ScreencastOptions{MaxWidth: 320, MaxHeight: 180, BufferSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		select {
		case f := <-cast.Frames():
			img, err := jpeg.Decode(bytes.NewReader(f.Data))
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 && img.Bounds().Dx() > 320 {
				t.Errorf("frame is %v", img.Bounds())
			}
		case <-ctx.Done():
			t.Fatal("no frames")
		}
	}
	// Nobody reads for a while: the oldest go, the page is not held up.
	eventually(t, "frames to be dropped", func() bool { return cast.Dropped() > 0 })
	if err := cast.Stop(ctx); err != nil {
		t.Error(err)
	}
	for range cast.Frames() {
	}
	again, err := p.Screencast(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	<-again.Frames()
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
	for range again.Frames() { // ends with the page
	}
}
