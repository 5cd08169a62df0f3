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

// reach moves the pointer until it gets into the frame that lies there. What is
// meant for a frame in a process of its own goes to the page around it until
// Chromium has learnt where the frame is, some frames after it was painted: a move
// or a press would be lost, and a release would arrive alone.
func (m *Mouse) reach(ctx context.Context, x, y float64) error {
	trying, cancel := context.WithTimeout(ctx, reachLimit)
	defer cancel()
	main := m.page.MainFrame()
	count := fmt.Sprintf("(%s)(%f, %f)\n//# sourceURL=playtest:reach", astrayJS, x, y)
	for {
		var before, after int
		counted := main.EvaluateIsolated(trying, count, &before) == nil && before >= 0
		if err := m.tell(ctx, x, y); err != nil || !counted {
			return err
		}
		// A page that does not say where the move went has got it.
		if err := main.EvaluateIsolated(trying, count, &after); err != nil || after == before {
			return nil
		}
		if pause(trying, reachPace) != nil {
			return ctx.Err()
		}
	}
}

// approach gets the pointer into the frame that lies where it is, before a press.
func (m *Mouse) approach(ctx context.Context) {
	if m.page.divided() {
		at := m.Position()
		_ = m.reach(ctx, at.X, at.Y) // what goes wrong here goes wrong with the press, too
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
