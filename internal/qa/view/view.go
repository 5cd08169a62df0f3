// Package view is the window through which people watch a run: the newest picture of the
// page that is played, with the pointer and the keys. A run only says what can be seen;
// whoever looks does the work, so that watching slows nothing down.
//
//	search ── Picture ──▶            ┌── Look ◀── worker, while somebody watches
//	playing live ── Page ──▶  View ──┘
package view

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"slices"
	"sync"
	"time"

	"golang.org/x/image/draw"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/record"
)

const (
	// width is that of a glimpse, quality that of its JPEG.
	width, quality = 640, 60
	// pageQuality is of the picture of a live page, before it is made smaller.
	pageQuality = 70
	// pageLimit is how long a live page may take for a picture.
	pageLimit = 2 * time.Second
)

// View is what can be seen of a run. It is safe for use by several goroutines. Nobody looks
// through a nil View.
type View struct {
	mu   sync.Mutex
	page *browser.Page
	// img is the newest picture of a stepped page. It is nil for a live page, of which
	// whoever looks takes a picture.
	img *image.RGBA

	// What Look saw last; only Look uses them.
	looking sync.Mutex
	saw     *image.RGBA
	of      *browser.Page
	sent    int64
	jpeg    []byte
}

// New makes a view with nothing to see yet.
func New() *View { return &View{} }

// Picture shows a picture of a stepped page that was taken anyway. The picture must not be
// changed any more. It does not block.
func (v *View) Picture(p *browser.Page, img *image.RGBA) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.page, v.img = p, img
}

// Page shows a live page until the returned function is called. It does not block.
func (v *View) Page(p *browser.Page) (done func()) {
	if v == nil {
		return func() {}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.page, v.img = p, nil
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.page == p {
			v.page, v.img = nil, nil
		}
	}
}

// Look returns what can be seen now, nil when that is nothing or nothing new.
func (v *View) Look(ctx context.Context) (*record.Glimpse, error) {
	v.looking.Lock()
	defer v.looking.Unlock()
	v.mu.Lock()
	page, img := v.page, v.img
	v.mu.Unlock()
	if page == nil {
		return nil, nil
	}
	if page != v.of {
		v.of, v.sent, v.saw = page, 0, nil
		if img != nil {
			// The inputs that led a stepped page here were shown before, in another.
			v.mark(page.Inputs(0))
		}
	}
	inputs := page.Inputs(v.sent)
	switch {
	case img == nil:
		pic, err := live(ctx, page)
		if err != nil {
			return nil, err
		}
		v.saw, v.jpeg = nil, pic
	case img != v.saw:
		pic, err := shrink(img)
		if err != nil {
			return nil, err
		}
		v.saw, v.jpeg = img, pic
	case len(inputs) == 0:
		return nil, nil
	}
	v.mark(inputs)
	w, h := page.Viewport()
	g := &record.Glimpse{Time: time.Now(), Stepped: img != nil, Width: w, Height: h, Pointer: record.Point(page.Mouse().Position()), JPEG: v.jpeg}
	for _, s := range inputs {
		switch {
		case s.Kind == browser.PointerPressed:
			g.Presses = append(g.Presses, record.Point(s.At))
		case s.Kind == browser.TextTyped:
			g.Typing = true
		case !slices.Contains(g.Keys, s.Key):
			g.Keys = append(g.Keys, s.Key)
		}
	}
	return g, nil
}

// mark remembers which inputs were seen.
func (v *View) mark(inputs []browser.InputEvent) {
	if n := len(inputs); n > 0 {
		v.sent = inputs[n-1].Number
	}
}

// live takes a picture of a live page. It is made smaller here: Chromium would shrink the
// page for it, which games notice.
func live(ctx context.Context, p *browser.Page) ([]byte, error) {
	data, err := p.Screenshot(ctx, &browser.ScreenshotOptions{Format: browser.JPEG, Quality: pageQuality, Timeout: pageLimit})
	if err != nil {
		return nil, fmt.Errorf("look at the live page: %w", err)
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("look at the live page: %w", err)
	}
	return shrink(img)
}

// shrink makes a small JPEG of a picture.
func shrink(img image.Image) ([]byte, error) {
	if size := img.Bounds().Size(); size.X > width {
		small := image.NewRGBA(image.Rect(0, 0, width, max(1, size.Y*width/size.X)))
		draw.ApproxBiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
		img = small
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("make a picture smaller: %w", err)
	}
	return out.Bytes(), nil
}
