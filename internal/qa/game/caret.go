package game

import (
	"context"
	"math"

	"github.com/playtest-dev/playtest/record"
)

// field are the tiles of a picture that show the text field with the focus. A
// caret blinks in it and it shows what is typed, both of which is the browser's
// doing, and no life of the game.
func (g *Game) field(ctx context.Context, p *Picture) []int {
	const ask = `(() => {
		const a = document.activeElement;
		if (!a || !a.matches('input, textarea, [contenteditable]:not([contenteditable=false])')) return null;
		const r = a.getBoundingClientRect();
		return {x: r.x, y: r.y, width: r.width, height: r.height};
	})()
//# sourceURL=playtest:field`
	var box *record.Rect
	if p == nil || g.Page.Evaluate(ctx, ask, &box) != nil || box == nil {
		return nil
	}
	const side = tile / PictureScale
	cols, rows := (p.image.Rect.Dx()+tile-1)/tile, (p.image.Rect.Dy()+tile-1)/tile
	at := func(v, most float64) int { return int(math.Max(0, math.Min(math.Floor(v/side), most-1))) }
	var out []int
	for y := at(box.Y-g.Rect.Y, float64(rows)); y <= at(box.Y+box.Height-g.Rect.Y, float64(rows)); y++ {
		for x := at(box.X-g.Rect.X, float64(cols)); x <= at(box.X+box.Width-g.Rect.X, float64(cols)); x++ {
			out = append(out, y*cols+x)
		}
	}
	return out
}
