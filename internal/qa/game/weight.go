package game

import (
	"context"
	"math"
	"time"
)

const (
	weighEvery = time.Second
	megabyte   = 1 << 20
)

// Weigh notes the memory that the page uses, about once a second, from when it was
// loaded last.
func (g *Game) Weigh(ctx context.Context) {
	if time.Since(g.weighed) < weighEvery {
		return
	}
	g.weighed = time.Now()
	h := &g.Record.Health
	if loaded := g.Page.MainFrame().Document(); loaded != g.weighedPage {
		g.weighedPage, h.Heap = loaded, nil
	}
	if bytes, err := g.Page.Heap(ctx); err == nil { // one look more or less
		h.Heap = append(h.Heap, math.Round(bytes/megabyte*10)/10)
	}
}
