package browser

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// ScreencastOptions tune Screencast.
type ScreencastOptions struct {
	Format     string // JPEG if empty, or PNG
	Quality    int    // of a JPEG, 70 if zero
	MaxWidth   int    // scaled down to fit, the viewport's size if zero
	MaxHeight  int
	EveryNth   int // frames to skip, all if zero
	BufferSize int // frames kept for a slow reader before the oldest goes, 16 if zero
}

// ScreencastFrame is one picture of a screencast.
type ScreencastFrame struct {
	Time time.Time
	Data []byte
	// Width and Height are the viewport's in CSS pixels, zero if not known.
	Width, Height float64
}

// Screencast delivers a picture whenever the page paints. It ends with Stop or
// with the page.
type Screencast struct {
	page    *Page
	queue   *cdp.Queue
	stop    func()
	frames  chan ScreencastFrame
	ended   chan struct{}
	once    sync.Once
	mu      sync.Mutex
	dropped int
}

// Screencast starts a screencast. A page can have one at a time.
func (p *Page) Screencast(ctx context.Context, opts *ScreencastOptions) (*Screencast, error) {
	if opts == nil {
		opts = &ScreencastOptions{}
	}
	params := page.StartScreencastParams{
		Format: page.StartScreencastFormatJpeg, Quality: ptr(int64(70)),
		MaxWidth: int64(opts.MaxWidth), MaxHeight: int64(opts.MaxHeight), EveryNthFrame: int64(max(opts.EveryNth, 1)),
	}
	if opts.Quality > 0 {
		params.Quality = ptr(int64(opts.Quality))
	}
	if opts.Format == PNG {
		params.Format, params.Quality = page.StartScreencastFormatPng, nil
	}
	size := opts.BufferSize
	if size <= 0 {
		size = 16
	}
	c := &Screencast{page: p, queue: cdp.NewQueue(&cdp.Limits{Droppable: size}), frames: make(chan ScreencastFrame, size), ended: make(chan struct{})}
	c.stop = p.root.Listen(c.queue, map[string]cdp.Policy{page.ScreencastFrame.Method: cdp.DropOldest})
	if err := p.root.Call(ctx, page.CommandStartScreencast, params, nil); err != nil {
		c.stop()
		return nil, fmt.Errorf("starting screencast: %w", err)
	}
	p.spawn(c.pump)
	p.spawn(func() {
		select {
		case <-p.done:
		case <-c.ended:
		}
		c.queue.Close(ErrPageClosed)
	})
	return c, nil
}

// Frames is where the pictures arrive. A reader that is too slow loses the
// oldest. It is closed at the end.
func (c *Screencast) Frames() <-chan ScreencastFrame { return c.frames }

// Dropped is how many pictures a slow reader has lost.
func (c *Screencast) Dropped() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropped + c.queue.Dropped()
}

// Stop ends the screencast.
func (c *Screencast) Stop(ctx context.Context) error {
	var err error
	c.once.Do(func() {
		err = c.page.root.Call(ctx, page.CommandStopScreencast, nil, nil)
		c.stop()
		close(c.ended)
	})
	if err != nil && !cdp.IsGone(err) {
		return fmt.Errorf("stopping screencast: %w", err)
	}
	return nil
}

// pump acknowledges each picture at once, whoever reads or not: Chromium sends
// the next one only then.
func (c *Screencast) pump() {
	defer close(c.frames)
	for {
		e, err := c.queue.Next(context.Background())
		if err != nil {
			return
		}
		var ev page.EventScreencastFrame
		if jsonv2.Unmarshal(e.Params, &ev) != nil {
			continue
		}
		c.page.root.Start(page.CommandScreencastFrameAck, page.ScreencastFrameAckParams{SessionID: ev.SessionID})
		f := ScreencastFrame{Time: time.Now(), Data: ev.Data}
		if ev.Metadata != nil && ev.Metadata.Timestamp > 0 {
			f.Time = time.UnixMicro(int64(float64(ev.Metadata.Timestamp) * 1e6))
		}
		if ev.Metadata != nil {
			f.Width, f.Height = ev.Metadata.DeviceWidth, ev.Metadata.DeviceHeight
		}
		select {
		case c.frames <- f:
			continue
		default:
		}
		// Full: the oldest makes room. Only this goroutine sends, so there is
		// room afterwards.
		select {
		case <-c.frames:
			c.mu.Lock()
			c.dropped++
			c.mu.Unlock()
		default:
		}
		c.frames <- f
	}
}
