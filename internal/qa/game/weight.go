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

// Hoards writes down that the page keeps more and more memory: it grew in nearly
// every look and to the last, and a garbage collection does not free it.
func (g *Game) Hoards(ctx context.Context) {
	h := &g.Record.Health
	from, grew := growth(h.Heap)
	if !grew || g.Page.CollectGarbage(ctx) != nil {
		return
	}
	bytes, err := g.Page.Heap(ctx)
	if kept := bytes / megabyte; err == nil && much(from, kept) {
		h.Hoards = g.Incident("the memory in use grew from %.0f MB to %.0f MB, and a garbage collection does not free it", from, kept)
	}
}

// growth reports what a heap rose from that rose in nearly every look, by half at
// least, and is still rising. The first look is of a page that still loads.
func growth(heap []float64) (from float64, grew bool) {
	const looks = 6
	if len(heap) < looks {
		return 0, false
	}
	up, last := 0, len(heap)-1
	for i := 1; i <= last; i++ {
		if heap[i] > heap[i-1] {
			up++
		}
	}
	from = heap[1]
	late := heap[last] - heap[last*2/3]
	return from, up*10 >= 8*last && much(from, heap[last]) && late*5 > heap[last]-from
}

// much is a growth in megabytes that is more than a game's things coming and going.
func much(from, to float64) bool { return to > from*1.5 && to-from > 20 }
