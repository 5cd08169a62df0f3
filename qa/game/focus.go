package game

import (
	"context"

	"playtest/browser"
)

// Unfocus takes the focus off a button that was clicked before, whose own answer
// to space and enter would be taken for the game's, and so would the ring that
// browsers draw around it at the next key. The page keeps it: many games pause
// without.
func Unfocus(ctx context.Context, p *browser.Page) {
	const blur = `(() => {
		const a = document.activeElement;
		if (a && a.matches('button, a, summary, [role=button]')) a.blur();
		if (window === top && !document.hasFocus()) focus();
	})()
//# sourceURL=playtest:unfocus`
	for _, f := range p.Frames() {
		_ = f.Evaluate(ctx, blur, nil) // a frame that does not answer keeps its focus
	}
}
