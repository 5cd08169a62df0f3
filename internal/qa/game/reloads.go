package game

import "time"

// Reloads reports whether the page loads itself again and again, and writes it
// down.
func (g *Game) Reloads() bool {
	h := &g.Record.Health
	if h.ReloadLoop != nil {
		return true
	}
	loads := g.Page.Loads()
	n := len(loads)
	// Games that begin a round by loading their page live longer than this, and a machine
	// that takes its time to load one is given it.
	const loops, round, slowest = 5, 1500 * time.Millisecond, 3 * time.Second
	life := round + min(max(g.Record.Load.ReadyAfter, round/3), slowest)
	if n-g.Navigations() < loops || n <= loops {
		return false
	}
	if span := loads[n-1].Time.Sub(loads[n-1-loops].Time); span < loops*life {
		h.ReloadLoop = g.Incident("the page loads itself again and again, %d times in %.0f seconds", loops, span.Seconds())
	}
	return h.ReloadLoop != nil
}
