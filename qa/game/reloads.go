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
	// Games that begin a round by loading their page live longer than this.
	const loops, life = 5, 2 * time.Second
	if n-g.Navigations() < loops || n <= loops {
		return false
	}
	if span := loads[n-1].Sub(loads[n-1-loops]); span < loops*life {
		h.ReloadLoop = g.Incident("the page loads itself again and again, %d times in %.0f seconds", loops, span.Seconds())
	}
	return h.ReloadLoop != nil
}
