// Package video records what a page shows, with the inputs drawn over it, as WebM
// and as a small animated GIF.
//
// Recording costs the page little: Chromium packs a reduced picture up to ten times a
// second, and nothing else is done with them until the page was played. The film is
// then made in a page of our own in the same browser, with its own VP8 or VP9
// encoder, so no other program is needed.
package video

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// Bounds of a film.
const (
	// Rate is the pictures a second.
	Rate = 10
	// maxWidth and maxHeight are what pictures are scaled down to.
	maxWidth, maxHeight = 640, 480
	// headFor and tailFor are how much of the beginning and of the end is kept of what is
	// too long: how the page was opened, and what became of it.
	headFor, tailFor = 20 * time.Second, 40 * time.Second
	// Longest is how long a film is at most.
	Longest = headFor + tailFor
	// idleFor is what is shown before and after an input, stillFor what is left of a
	// stretch in which nothing is painted or that is far from all inputs.
	idleFor, stillFor = 4 * time.Second, 2 * time.Second
	// maxHeld bounds the pictures that wait in memory, in bytes, and maxInputs the inputs.
	maxHeld, maxInputs = 48 << 20, 20_000
	quality            = 60 // of the JPEGs
	// restFactor is how many times as long as a picture took none is taken, for up to longestRest.
	restFactor, longestRest = 15, time.Second
	// glanceLimit is for one picture of a page that may hang.
	glanceLimit = 2 * time.Second
)

// ErrEmpty is returned for a page that never painted anything.
var ErrEmpty = errors.New("the page painted nothing")

// Recorder records a page until it is stopped.
type Recorder struct {
	cancel context.CancelFunc
	unhook func()
	done   chan struct{}

	mu     sync.Mutex
	inputs []browser.InputEvent
	reel   reel
}

// Record begins to record the page. The recorder must be stopped.
func Record(page *browser.Page) *Recorder {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Recorder{cancel: cancel, done: make(chan struct{})}
	r.unhook = page.OnInput(r.input)
	go func() {
		defer close(r.done)
		r.watch(ctx, page)
	}()
	return r
}

// watch takes a picture now and then. A screencast that goes on copies each frame that
// the page paints, however few are asked for, which takes a fifth of the frames of a busy
// machine; one that is begun anew for each picture copies that one. Where a picture takes
// long, as it does of a scene that is painted without a graphics card, there are fewer.
func (r *Recorder) watch(ctx context.Context, page *browser.Page) {
	for {
		began := time.Now()
		f, err := glance(ctx, page)
		rest := min(max(time.Second/Rate, restFactor*time.Since(began)), longestRest)
		if err == nil {
			r.mu.Lock()
			r.reel.add(f)
			r.mu.Unlock()
		}
		select {
		case <-ctx.Done():
			return
		case <-page.Done():
			return
		case <-time.After(rest):
		}
	}
}

// glance takes one picture of what the page shows.
func glance(ctx context.Context, page *browser.Page) (f browser.ScreencastFrame, err error) {
	ctx, cancel := context.WithTimeout(ctx, glanceLimit)
	defer cancel()
	cast, err := page.Screencast(ctx, &browser.ScreencastOptions{Quality: quality, MaxWidth: maxWidth, MaxHeight: maxHeight, BufferSize: 1})
	if err != nil {
		return f, fmt.Errorf("recording: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), glanceLimit)
		defer cancel()
		_ = cast.Stop(ctx) // the next one begins anew all the same
	}()
	select {
	case f, ok := <-cast.Frames():
		if !ok {
			return f, browser.ErrPageClosed
		}
		return f, nil
	case <-ctx.Done():
		return f, ctx.Err()
	}
}

func (r *Recorder) input(e browser.InputEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.inputs) < maxInputs {
		r.inputs = append(r.inputs, e)
	}
}

// Stop ends the recording and returns what was recorded. The page may be gone.
func (r *Recorder) Stop() *Recording {
	r.unhook()
	r.cancel()
	<-r.done
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Recording{frames: r.reel.frames(), inputs: r.inputs, lost: r.reel.lost, stopped: time.Now()}
}

// Recording is what was recorded, before it is a film.
type Recording struct {
	frames  []browser.ScreencastFrame // in the order of time
	inputs  []browser.InputEvent
	lost    span
	stopped time.Time
}

// span is a stretch of time, without its end.
type span struct{ from, to time.Time }

func (s span) covers(t time.Time) bool { return !t.Before(s.from) && t.Before(s.to) }

// Film is a recording that can be looked at.
type Film struct {
	WebM []byte
	// GIF is a small one of some moments, for chats and pull requests.
	GIF           []byte
	Codec         string // vp8 or vp9
	Width, Height int
	Seconds       float64
}

// reel holds the beginning and the end of a recording.
type reel struct {
	head, tail         []browser.ScreencastFrame
	headTook, tailTook time.Duration // without stretches in which nothing was painted
	held               int           // bytes
	lost               span          // what was not kept of the middle
}

// add keeps a picture, unless it is the same as the one before.
func (r *reel) add(f browser.ScreencastFrame) {
	var took time.Duration
	if last := r.last(); last != nil {
		if bytes.Equal(last.Data, f.Data) {
			return
		}
		took = min(max(f.Time.Sub(last.Time), 0), stillFor)
	}
	r.held += len(f.Data)
	if r.headTook+took <= headFor && len(r.tail) == 0 && r.held < maxHeld/2 {
		r.headTook += took
		r.head = append(r.head, f)
		return
	}
	r.tail = append(r.tail, f)
	r.tailTook += took
	for len(r.tail) > 1 && (r.tailTook > tailFor || r.held > maxHeld) {
		r.tailTook -= min(max(r.tail[1].Time.Sub(r.tail[0].Time), 0), stillFor)
		r.held -= len(r.tail[0].Data)
		if r.lost.from.IsZero() {
			r.lost.from = r.tail[0].Time
		}
		r.lost.to = r.tail[1].Time
		r.tail[0].Data = nil
		r.tail = r.tail[1:]
	}
}

func (r *reel) last() *browser.ScreencastFrame {
	switch {
	case len(r.tail) > 0:
		return &r.tail[len(r.tail)-1]
	case len(r.head) > 0:
		return &r.head[len(r.head)-1]
	}
	return nil
}

func (r *reel) frames() []browser.ScreencastFrame {
	return append(r.head[:len(r.head):len(r.head)], r.tail...)
}
