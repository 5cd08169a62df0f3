package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/record"
)

// longestRest is how long a button that rests is waited for.
const longestRest = 12 * time.Second

// awaken lets a button that rests since it was pressed come back: many games let
// each button be used only every ten seconds, and a press in between says nothing
// about it. It reports whether the button can be used now.
func (e *Explorer) awaken(ctx context.Context, c *candidate, res *result) bool {
	if c.group || c.control.Type != record.ControlClick || c.control.Selector == "" {
		return false
	}
	for until := time.Now().Add(longestRest); e.disabled(ctx, c.control); {
		if len(res.windows) == 0 || res.asleep {
			return false
		}
		if time.Now().After(until) || ctx.Err() != nil {
			res.asleep = true
			return false
		}
		e.due(ctx, "exploring", "phase3-exploring", "waiting for a button that rests")
		e.g.Pause(ctx, 300*time.Millisecond)
	}
	return true
}

// tires: a button rested after each press, and had not before. That is an answer
// even where nothing else is to be seen.
func (r *result) tires() bool {
	const least = 2
	return r.rested >= least && r.rested == len(r.windows)
}

// disabled: the page says of an element that it cannot be used now.
func (e *Explorer) disabled(ctx context.Context, c record.Control) bool {
	expr := fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		return !!e && (!!e.disabled || e.getAttribute('aria-disabled') === 'true' ||
			/(^|[\s_-])(disabled|inactive|cool-?down|cooling|resting)([\s_-]|$)/i.test(e.getAttribute('class') || ''));
	})()`, c.Selector)
	for _, f := range e.g.Page.Frames() {
		if c.FrameURL != "" && f.URL() != c.FrameURL || c.FrameURL == "" && f != e.g.Page.MainFrame() {
			continue
		}
		var disabled bool
		if err := f.EvaluateIsolated(ctx, expr, &disabled); err == nil {
			return disabled
		}
	}
	return false
}
