package computer

import (
	"context"
	"errors"
	"fmt"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model"
)

// screen is what the model sees of the page.
type screen struct {
	page   *browser.Page
	limits model.ImageLimits
	// last is the last picture, its size the space that answers are in.
	last *model.Image
}

// look takes a picture of what is visible, small enough to be sent as it is.
func (s *screen) look(ctx context.Context) (*model.Image, error) {
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		img, err := s.take(ctx, nil)
		if err == nil {
			s.last = img
			return img, nil
		}
		// Between two documents there is nothing to see, and a busy renderer
		// misses one sometimes.
		if wait > time.Second || s.page.Err() != nil || pause(ctx, wait) != nil {
			return nil, fmt.Errorf("look at the page: %w", err)
		}
	}
}

func (s *screen) take(ctx context.Context, opts *browser.ScreenshotOptions) (*model.Image, error) {
	raw, err := s.page.Screenshot(ctx, opts)
	if err != nil {
		return nil, err
	}
	img, err := model.NewImage(raw)
	if err != nil {
		return nil, err
	}
	img, _, err = model.Fit(img, s.limits)
	return img, err
}

// newScreen is the page as a model sees it who looks at pictures of that size
// at most. No picture is larger than the page is in CSS pixels: a finer one
// shows hardly more and costs much more.
func newScreen(page *browser.Page, limits model.ImageLimits) screen {
	width, height := page.Context().Size()
	long := max(width, height)
	if limits.Long == 0 || limits.Long > long {
		limits.Long = long
	}
	return screen{page: page, limits: limits}
}

// space is that of the pictures.
func (s *screen) space() Space { return Of(s.last.Width, s.last.Height) }

// viewport is the space that the mouse moves in: CSS pixels of what is visible.
// While a page is pinched larger that is less than the window.
func (s *screen) viewport(ctx context.Context) (Space, error) {
	m, err := protocol.Call(ctx, s.page.Session(), page.GetLayoutMetrics, protocol.Empty{})
	if err != nil {
		return Space{}, fmt.Errorf("measure the page: %w", err)
	}
	width, height := s.page.Context().Size()
	out := Of(width, height)
	if v := m.CSSVisualViewport; v != nil && v.Scale > 0 {
		out.Width /= v.Scale
		out.Height /= v.Scale
	}
	return out, nil
}

// zoom takes a picture of a part of what is visible, as large as the whole.
func (s *screen) zoom(ctx context.Context, from, to Point, viewport Space) (*model.Image, error) {
	a, b := from.In(viewport), to.In(viewport)
	area := browser.Rect{X: min(a.X, b.X), Y: min(a.Y, b.Y), Width: max(a.X, b.X) - min(a.X, b.X), Height: max(a.Y, b.Y) - min(a.Y, b.Y)}
	if area.Width < 1 || area.Height < 1 {
		return nil, errors.New("the region to zoom into is empty")
	}
	// The protocol scales from device pixels; what that makes too large is
	// made to fit like any picture.
	scale := min(s.space().Width/area.Width, s.space().Height/area.Height)
	img, err := s.take(ctx, &browser.ScreenshotOptions{Clip: &area, Scale: scale})
	if err != nil {
		return nil, fmt.Errorf("zoom in: %w", err)
	}
	return img, nil
}
