package game

import (
	"context"

	"github.com/playtest-dev/playtest/browser"
)

const (
	blur = `(() => {
		const a = document.activeElement;
		if (a && a.matches('button, a, summary, [role=button]')) a.blur();
		if (window === top && !document.hasFocus()) focus();
	})();
`
	field = `(() => {
		const a = document.activeElement;
		if (!document.hasFocus() || a && a !== document.body && a !== document.documentElement) return;
		const inside = (from, to, end) => Math.max(0, Math.min(to, end) - Math.max(from, 0));
		let best = null, most = 0.02 * innerWidth * innerHeight;
		for (const e of document.querySelectorAll('[tabindex]:not(body, input, textarea, select, button, a, summary, [role=button])')) {
			const r = e.getBoundingClientRect(), area = inside(r.left, r.right, innerWidth) * inside(r.top, r.bottom, innerHeight);
			const scrolls = e.scrollHeight > e.clientHeight && /auto|scroll/.test(getComputedStyle(e).overflowY); // by keys, then
			if (area > most && !scrolls && e.checkVisibility({ visibilityProperty: true })) [best, most] = [e, area];
		}
		best?.focus({ preventScroll: true });
	})()
//# sourceURL=playtest:focus`
)

// Unfocus takes the focus off a button that was clicked before, whose own answer
// to space and enter would be taken for the game's, and so would the ring that
// browsers draw around it at the next key. The page keeps it: many games pause
// without.
func Unfocus(ctx context.Context, p *browser.Page) { inFrames(ctx, p, blur+field) }

// FocusField gives the focus to the field of the game where that can have it and
// nothing else has, as a player's first click on it would: keys that are listened
// to there reach nobody otherwise.
func FocusField(ctx context.Context, p *browser.Page) { inFrames(ctx, p, field) }

func inFrames(ctx context.Context, p *browser.Page, expr string) {
	for _, f := range p.Frames() {
		_ = f.Evaluate(ctx, expr, nil) // a frame that does not answer keeps its focus
	}
}
