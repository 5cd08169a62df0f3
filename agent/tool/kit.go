package tool

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/agent/bounds"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/stage"
)

// Kit makes the tools that work on a page. Its tools are called one at a time.
type Kit struct {
	Stage  *stage.Stage
	Bounds *bounds.Bounds
	// Variables are put in for %name% when something is written into the page.
	Variables map[string]string
	// Files may be uploaded, and no others.
	Files []string
	// Others are pages of the same context that are not the agent's: it can neither
	// see nor close them.
	Others []*browser.Page
	// Pictures is what the model will look at without shrinking it.
	Pictures model.ImageLimits

	mu      sync.Mutex
	picture Size // of the last picture, zero before there is one
}

// Size is a width and a height in pixels.
type Size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

type placesKey struct{}

// Places has tools that are called with the context take coordinates as
// measured in a picture of that size, instead of the last one that was taken.
// A call is repeated with it on a page that is seen at another scale.
func Places(ctx context.Context, size Size) context.Context {
	return context.WithValue(ctx, placesKey{}, size)
}

// titleLimit bounds the waiting for a page's title.
const titleLimit = time.Second

// Page is the tools for pages of every kind, and those for tabs and downloads
// where the page's context allows them.
func (k *Kit) Page() []Tool {
	list := []Tool{
		k.act(), k.ariaTree(), k.close(), k.extract(), k.fillForm(), k.visit(), k.keys(), k.navback(), k.screenshot(), k.scroll(), k.think(), k.wait(),
	}
	if k.page().Context().Tabs() > 1 {
		list = append(list, k.tabs())
	}
	if k.page().Context().KeepsDownloads() {
		list = append(list, k.downloads())
	}
	return list
}

// Game is the tools that games want besides.
func (k *Kit) Game() []Tool {
	return []Tool{k.hold(), k.drag(), k.clickAt()}
}

func (k *Kit) page() *browser.Page { return k.Stage.Page() }

// spent is an outcome that has cost calls to a model.
func spent(text string, meta stage.Meta) *Outcome {
	return &Outcome{Text: text, Usage: meta.Usage, Cost: meta.Cost}
}

// viewport is the size of what is seen of the page, in CSS pixels.
func (k *Kit) viewport(ctx context.Context) (width, height float64, err error) {
	var size [2]float64
	if err := k.page().MainFrame().EvaluateIsolated(ctx, "[innerWidth, innerHeight]", &size); err != nil {
		return 0, 0, fmt.Errorf("measuring the window: %w", err)
	}
	return size[0], size[1], nil
}

// measure is what places are measured in now, and the window that they lie in.
func (k *Kit) measure(ctx context.Context) (places, window Size, err error) {
	width, height, err := k.viewport(ctx)
	if err != nil {
		return places, window, err
	}
	window = Size{width, height}
	if given, ok := ctx.Value(placesKey{}).(Size); ok && given.Width > 0 && given.Height > 0 {
		return given, window, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.picture.Width > 0 && k.picture.Height > 0 {
		return k.picture, window, nil
	}
	return window, window, nil
}

// point turns a place on the last picture into one on the page. A place
// outside is an error: clicking there would do nothing, silently.
func (k *Kit) point(ctx context.Context, x, y float64) (browser.Point, Size, error) {
	places, window, err := k.measure(ctx)
	if err != nil {
		return browser.Point{}, places, err
	}
	if x < 0 || y < 0 || x >= places.Width || y >= places.Height {
		return browser.Point{}, places, fmt.Errorf("%g,%g is outside of the window, which is %gx%g", x, y, places.Width, places.Height)
	}
	return browser.Point{X: x * window.Width / places.Width, Y: y * window.Height / places.Height}, places, nil
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
