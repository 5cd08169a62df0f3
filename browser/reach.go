package browser

import (
	"context"
	"fmt"
	"time"
)

// reachLimit bounds the waiting for a frame that the pointer does not get into,
// reachPace is how long Chromium is given between two tries.
const (
	reachLimit = time.Second
	reachPace  = 20 * time.Millisecond
)

// reach moves the pointer where it is until it gets into the frame that lies
// there. What is meant for a frame in a process of its own goes to the page around
// it until Chromium has learnt where the frame is, some frames after it was
// painted: a press would be lost, and its release would arrive alone.
func (m *Mouse) reach(ctx context.Context) {
	if !m.page.divided() {
		return
	}
	m.mu.Lock()
	at := m.at
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, reachLimit)
	defer cancel()
	main := m.page.MainFrame()
	astray := fmt.Sprintf("(%s)(%f, %f)\n//# sourceURL=playtest:reach", astrayJS, at.X, at.Y)
	for ctx.Err() == nil {
		var before, after int
		// Whatever goes wrong here, the press that follows will say so.
		if err := main.EvaluateIsolated(ctx, astray, &before); err != nil || before < 0 {
			return
		}
		if err := m.Move(ctx, at.X, at.Y); err != nil {
			return
		}
		if err := main.EvaluateIsolated(ctx, astray, &after); err != nil || after == before {
			return
		}
		_ = pause(ctx, reachPace) // ends with the context, as the loop does
	}
}

// divided reports whether some frames of the page live in processes of their own.
func (p *Page) divided() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessions {
		if s != p.root && s.frames() {
			return true
		}
	}
	return false
}

// astrayJS says how many moves over frames the page around them has got so far,
// -1 where no frame is.
const astrayJS = `(x, y) => {
  const frame = /^(iframe|frame|object|embed|fencedframe)$/;
  let top = document.elementFromPoint(x, y);
  while (top?.shadowRoot) {
    const inner = top.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === top) break;
    top = inner;
  }
  if (!top || !frame.test(top.localName)) return -1;
  if (globalThis.astray === undefined) {
    globalThis.astray = 0;
    addEventListener('mousemove', (e) => { if (e.isTrusted && frame.test(e.composedPath()[0].localName)) astray++; }, { capture: true, passive: true });
  }
  return astray;
}`
