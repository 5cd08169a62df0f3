package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// Picture formats.
const (
	PNG  = "png"
	JPEG = "jpeg"
)

// ScreenshotOptions tune Screenshot. The zero value is the viewport as PNG.
type ScreenshotOptions struct {
	Format   string        // PNG if empty
	Quality  int           // of a JPEG, 1 to 100, 80 if zero
	Clip     *Rect         // part of the viewport in CSS pixels, all of it if nil
	Scale    float64       // picture pixels per CSS pixel, 1 if zero
	FullPage bool          // the whole document, not only the viewport
	Timeout  time.Duration // 5 s if zero
}

// Screenshot takes a picture of what the compositor shows.
func (p *Page) Screenshot(ctx context.Context, opts *ScreenshotOptions) ([]byte, error) {
	if opts == nil {
		opts = &ScreenshotOptions{}
	}
	timeout := opts.Timeout
	if timeout <= 0 {
		timeout = 5 * time.Second
	}
	ctx, cancel := context.WithTimeoutCause(cdp.WithTimeout(ctx, timeout), timeout, cdp.ErrTimeout)
	defer cancel()
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: ptr(true)}
	if opts.Format == JPEG {
		quality := opts.Quality
		if quality <= 0 {
			quality = 80
		}
		params.Format, params.Quality = page.CaptureScreenshotFormatJpeg, ptr(int64(quality))
	}
	if opts.Clip != nil || opts.FullPage || opts.Scale > 0 && opts.Scale != 1 {
		params.CaptureBeyondViewport = ptr(opts.FullPage)
		var err error
		if params.Clip, err = p.area(ctx, opts); err != nil {
			p.unshrink(ctx)
			return nil, fmt.Errorf("taking screenshot: %w", err)
		}
	}
	res, err := protocol.Call(ctx, p.root, page.CaptureScreenshot, params)
	if err != nil {
		p.unshrink(ctx)
		return nil, fmt.Errorf("taking screenshot: %w", err)
	}
	return res.Data, nil
}

// unshrink gives the page its size back. Chromium shrinks a page for a small picture,
// and leaves it like that if the picture never comes about.
func (p *Page) unshrink(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unshrinkLimit)
	defer cancel()
	// A page that does not answer is not looked at either.
	_, _ = protocol.Call(ctx, p.root, emulation.SetDeviceMetricsOverride, p.metrics())
}

const unshrinkLimit = time.Second

// metrics is the size of a page's window.
// metrics are what the page's screen is.
func (p *Page) metrics() emulation.SetDeviceMetricsOverrideParams {
	opts := p.context.opts
	width, height := p.Viewport()
	return emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: int64(height), DeviceScaleFactor: opts.DeviceScale, Mobile: opts.Mobile,
		ScreenWidth: int64(width), ScreenHeight: int64(height),
	}
}

// area turns a part of the viewport into a part of the document, which is what
// the protocol counts in.
func (p *Page) area(ctx context.Context, opts *ScreenshotOptions) (*page.Viewport, error) {
	m, err := protocol.Call(ctx, p.root, page.GetLayoutMetrics, protocol.Empty{})
	if err != nil {
		return nil, err
	}
	if m.CSSVisualViewport == nil || m.CSSContentSize == nil {
		return nil, fmt.Errorf("page has no layout")
	}
	width, height := p.Viewport()
	area := &page.Viewport{
		X: m.CSSVisualViewport.PageX, Y: m.CSSVisualViewport.PageY,
		Width: float64(width), Height: float64(height), Scale: 1,
	}
	if opts.FullPage {
		area.X, area.Y, area.Width, area.Height = 0, 0, m.CSSContentSize.Width, m.CSSContentSize.Height
	}
	if c := opts.Clip; c != nil {
		area.X, area.Y, area.Width, area.Height = area.X+c.X, area.Y+c.Y, c.Width, c.Height
	}
	if area.Width <= 0 || area.Height <= 0 {
		return nil, fmt.Errorf("empty area %vx%v", area.Width, area.Height)
	}
	if opts.Scale > 0 {
		area.Scale = opts.Scale
	}
	return area, nil
}

// Image takes a picture for comparing: exact pixels, whatever format the options name.
func (p *Page) Image(ctx context.Context, opts *ScreenshotOptions) (*image.RGBA, error) {
	exact := ScreenshotOptions{}
	if opts != nil {
		exact = *opts
	}
	exact.Format = PNG
	raw, err := p.Screenshot(ctx, &exact)
	if err != nil {
		return nil, err
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("decoding screenshot: %w", err)
	}
	if rgba, ok := img.(*image.RGBA); ok {
		return rgba, nil
	}
	rgba := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(rgba, rgba.Bounds(), img, img.Bounds().Min, draw.Src)
	return rgba, nil
}
