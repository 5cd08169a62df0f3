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
	// Pictures is what the model will look at without shrinking it.
	Pictures model.ImageLimits

	mu    sync.Mutex
	scale float64 // picture pixels per CSS pixel of the last picture, 0 before
}

// Page is the tools for pages of every kind.
func (k *Kit) Page() []Tool {
	return []Tool{
		k.act(), k.ariaTree(), k.close(), k.extract(), k.fillForm(), k.visit(), k.navback(), k.screenshot(), k.scroll(), k.wait(),
	}
}

// Game is the tools that games want besides.
func (k *Kit) Game() []Tool {
	return []Tool{k.keys(), k.hold(), k.drag(), k.clickAt(), k.think()}
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

// point turns a place on the last picture into one on the page. A place
// outside is an error: clicking there would do nothing, silently.
func (k *Kit) point(ctx context.Context, x, y float64) (browser.Point, error) {
	k.mu.Lock()
	scale := k.scale
	k.mu.Unlock()
	if scale == 0 {
		scale = 1
	}
	width, height, err := k.viewport(ctx)
	if err != nil {
		return browser.Point{}, err
	}
	at := browser.Point{X: x / scale, Y: y / scale}
	if at.X < 0 || at.Y < 0 || at.X >= width || at.Y >= height {
		return at, fmt.Errorf("%g,%g is outside of the window, which is %gx%g", x, y, width*scale, height*scale)
	}
	return at, nil
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
