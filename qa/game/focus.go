package game

import "context"

// Unfocus takes the focus off a button that was clicked before, whose own answer
// to space and enter would be taken for the game's. The page keeps it: many
// games pause without.
func (g *Game) Unfocus(ctx context.Context) {
	const blur = `(() => {
		const a = document.activeElement;
		if (a && a.matches('button, a, summary, [role=button]')) a.blur();
		if (window === top && !document.hasFocus()) focus();
	})()
//# sourceURL=playtest:unfocus`
	for _, f := range g.Page.Frames() {
		_ = f.Evaluate(ctx, blur, nil) // a frame that does not answer keeps its focus
	}
}
