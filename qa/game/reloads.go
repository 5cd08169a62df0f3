package game

import "time"

// Reloads reports whether the page loads itself again and again, and writes it
// down.
func (g *Game) Reloads() bool {
	h := &g.Record.Health
	main := g.Page.MainFrame()
	if main == nil || h.ReloadLoop != nil {
		return h.ReloadLoop != nil
	}
	var loads []time.Time
	for _, n := range g.Page.Log().Navigations() {
		if !n.SameDocument && n.FrameID == main.ID() {
			loads = append(loads, n.Time)
		}
	}
	n := len(loads)
	// Games that begin a round by loading their page live longer than this, and a machine
	// that takes its time to load one is given it.
	const loops, round, slowest = 5, 1500 * time.Millisecond, 3 * time.Second
	life := round + min(max(g.Record.Load.ReadyAfter, round/3), slowest)
	if n-g.Navigations() < loops || n <= loops {
		return false
	}
	if span := loads[n-1].Sub(loads[n-1-loops]); span < loops*life {
		h.ReloadLoop = g.Incident("the page loads itself again and again, %d times in %.0f seconds", loops, span.Seconds())
	}
	return h.ReloadLoop != nil
}
