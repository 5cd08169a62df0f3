package browser

import (
	"context"
	"fmt"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/systeminfo"
)

// Effort is the processor time that a browser's processes have used so far.
type Effort struct {
	// Painting is that of the process that paints for all pages.
	Painting time.Duration
	// Pages is that of the processes in which pages live, by their id.
	Pages map[int64]time.Duration
}

// Effort says what the page's browser has worked so far. It is answered also while
// the page itself answers nothing.
func (p *Page) Effort(ctx context.Context) (Effort, error) {
	e := Effort{Pages: map[int64]time.Duration{}}
	res, err := protocol.Call(ctx, p.browser.root, systeminfo.GetProcessInfo, protocol.Empty{})
	if err != nil {
		return e, fmt.Errorf("ask for the browser's processes: %w", err)
	}
	for _, info := range res.ProcessInfo {
		spent := time.Duration(info.CPUTime * float64(time.Second))
		switch info.Type {
		case "GPU":
			e.Painting += spent
		case "renderer":
			e.Pages[info.ID] = spent
		}
	}
	return e, nil
}

// Silent asks whether the page answers, each time for as long as the func waits, and reports
// whether it did not though a page of its browser has worked for so long meanwhile. On a
// busy machine none may get to work, so it is asked a few times more.
func (p *Page) Silent(ctx context.Context, worked time.Duration, answers func() bool) bool {
	const times = 4
	before, err := p.Effort(ctx)
	for range times {
		if answers() {
			return false
		}
		after, afterErr := p.Effort(ctx)
		if err != nil || afterErr != nil || ctx.Err() != nil || after.busiest(before) >= worked {
			break
		}
	}
	return true
}

// busiest is how long the page that has worked most since then did so.
func (e Effort) busiest(since Effort) (most time.Duration) {
	for id, spent := range e.Pages {
		most = max(most, spent-since.Pages[id])
	}
	return most
}
