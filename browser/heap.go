package browser

import (
	"context"
	"fmt"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
)

// Heap is how many bytes the page's scripts use, with the buffers that they hold.
// What nothing refers to any more counts until it is collected.
func (p *Page) Heap(ctx context.Context) (float64, error) {
	use, err := protocol.Call(ctx, p.root, runtime.GetHeapUsage, protocol.Empty{})
	if err != nil {
		return 0, fmt.Errorf("asking for the heap: %w", err)
	}
	return use.UsedSize + use.BackingStorageSize, nil
}

// CollectGarbage makes the page let go of what nothing refers to any more.
func (p *Page) CollectGarbage(ctx context.Context) error {
	if _, err := protocol.Call(ctx, p.root, heapprofiler.CollectGarbage, protocol.Empty{}); err != nil {
		return fmt.Errorf("collecting garbage: %w", err)
	}
	return nil
}
