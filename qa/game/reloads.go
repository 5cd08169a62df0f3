package game

import "time"

// OwnLoads is how often the page loaded a document that we did not open.
func (g *Game) OwnLoads() int { return len(g.loads()) - g.Navigations() }

// loads are the times at which the page was loaded, whoever did it.
func (g *Game) loads() []time.Time {
	main := g.Page.MainFrame()
	if main == nil {
		return nil
	}
	var out []time.Time
	for _, n := range g.Page.Log().Navigations() {
		if !n.SameDocument && n.FrameID == main.ID() {
			out = append(out, n.Time)
		}
	}
	return out
}

// Reloads reports whether the page loads itself again and again, and writes it
// down.
func (g *Game) Reloads() bool {
	h := &g.Record.Health
	if h.ReloadLoop != nil {
		return true
	}
	loads := g.loads()
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
