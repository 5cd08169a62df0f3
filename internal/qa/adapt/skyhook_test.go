package adapt_test

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/daily"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// TestFastRunner: a balloon that is down within two seconds unless it is kept
// in the air, flown by a model that thinks for a while each time, on whatever
// machine. The game's time stands meanwhile, and each answer is a small program
// of burns and pauses in the game's own time.
func TestFastRunner(t *testing.T) {
	whole(t)
	daily.Turn(t, courseDays, 2, *everyCourse)
	t.Parallel()
	pilot := &pilot{}
	skyhook.play(t, pilot.model(t), nil)
	if len(pilot.blind) == 0 {
		t.Fatal("no flight lasted for two looks")
	}
	slices.Sort(pilot.blind)
	t.Logf("the game's time that passed besides the plans: %v", pilot.blind)
	if blind := pilot.blind[len(pilot.blind)/2]; blind > 120*time.Millisecond {
		t.Errorf("%v of the game's time pass from plan to plan", blind)
	}
}

// thinking is how long the pilot takes for an answer; for the game it is as
// long as a flight.
const thinking = 500 * time.Millisecond

// pilot flies the balloon by sight. Lengths are pixels of the game, 480 wide.
type pilot struct {
	y, v    float64 // where the balloon was and how fast it sank
	gates   []gate  // as they were
	plan    []bool  // what was done since: burning or not, slot by slot
	gaps    int
	flights int
	flying  bool
	burnt   bool // the key that began the flight burned as long as it was down
	// blind is the game's time that passed besides the plan, turn by turn.
	blind []time.Duration
}

// gate is a cloud over a tree, at a place of the picture, and the gap between.
type gate struct{ at, high, low float64 }

const (
	slot    = 0.1 // seconds
	slots   = 14  // of a plan
	horizon = 45  // slots that are thought of
	balloon = 92  // where it flies
	apart   = 130 // the gates
)

// model is the pilot, who takes a while for each answer.
func (p *pilot) model(t *testing.T) *modeltest.Fake {
	return standIn(t, func(_ int, s screen) answer {
		<-time.After(thinking)
		return p.fly(s)
	})
}

func (p *pilot) speed() float64 { return 62 + 7*float64(1+p.gaps/6) }

func (p *pilot) fly(s screen) answer {
	const unit = 1280.0 / 480
	look := func(x, y float64) color.RGBA { return s.at(x*unit, y*unit) }
	top := -1.0
	for y := 4.0; y < 250; y += 0.5 {
		if near(look(balloon, y), color.RGBA{217, 79, 79, 255}, 12) {
			top = y
			break
		}
	}
	over := false
	for x := 180.0; x < 300; x += 0.5 {
		over = over || near(look(x, 110), color.RGBA{255, 176, 138, 255}, 12)
	}
	if p.gaps >= skyhook.goal {
		return answer{"action": "complete"}.sure(95, "the second level is reached")
	}
	if over || top < 0 { // the title, or down again
		p.flights++
		p.flying, p.burnt, p.gaps, p.plan, p.v = false, over, 0, nil, -10
		return answer{"action": "sequence", "steps": []answer{
			{"action": "wait", "milliseconds": 600}, {"action": "keypress", "keys": []string{"Space"}},
		}}.sure(90, "any key begins a flight, half a second after the last one")
	}
	p.update(top+19, ahead(look))
	p.plan = p.best()
	return answer{"action": "sequence", "steps": program(p.plan)}.sure(84, fmt.Sprintf("at %.0f, sinking by %.0f, after %d gaps; the next ones are %.0f", p.y, p.v, p.gaps, p.gates))
}

// ahead are the gates that are not behind the balloon yet.
func ahead(look func(x, y float64) color.RGBA) []gate {
	cloud := color.RGBA{75, 71, 99, 255}
	var out []gate
	for x := 1.0; x < 479; x++ {
		if !near(look(x, 2), cloud, 10) {
			continue
		}
		from := x
		for ; x < 479 && near(look(x, 2), cloud, 10); x++ {
		}
		g := gate{at: (from + x) / 2}
		if x-from < 26 { // cut off by an edge of the picture
			g.at = from + 15
			if from < 240 {
				g.at = x - 15
			}
		}
		if g.at < 58 || g.at > 474 {
			continue
		}
		for g.high = 36; g.high < 200 && near(look(g.at, g.high), cloud, 14) || flash(look(g.at, g.high)); g.high++ {
		}
		for g.low = g.high + 20; g.low < 250 && !green(look(g.at, g.low)); g.low++ {
		}
		out = append(out, g)
	}
	return out
}

func flash(c color.RGBA) bool { return c.R > 240 && c.G > 200 && c.B < 140 }

func green(c color.RGBA) bool {
	return near(c, color.RGBA{47, 107, 74, 255}, 14) || near(c, color.RGBA{74, 140, 99, 255}, 14)
}

// update takes in where the balloon is now, and works out how fast it is from
// what was done since the last look.
func (p *pilot) update(y float64, gates []gate) {
	took := 0.0
	switch {
	case len(gates) == 0:
	case !p.flying:
		_, p.v = fall(y, p.v, p.burnt, max(0, 330-gates[0].at)/p.speed()) // it is in the air from the first moment
	case len(p.gates) > 0:
		// The first gate of before is the first or gone by now.
		passed := p.gates[0].at - gates[0].at
		for passed < -20 {
			passed += apart
			p.gaps++
		}
		took = passed / p.speed()
		rest := took - slot*float64(len(p.plan))
		p.blind = append(p.blind, time.Duration(math.Abs(rest)*float64(time.Second)))
		at, v := p.y, p.v
		for _, burn := range p.plan {
			at, v = fall(at, v, burn, slot)
		}
		if rest > 0 && rest < 1 {
			at, v = fall(at, v, false, rest)
		}
		p.v = v
		if off := y - at; math.Abs(off) < 30 {
			p.v += off / max(took, 0.6)
		}
	}
	p.y, p.gates, p.flying = y, gates, true
}

// best is the way to burn for the next slots that leads through the middle of
// the gaps that can be seen.
func (p *pilot) best() []bool {
	type way struct {
		y, v, cost float64
		plan       []bool
	}
	ways := []way{{y: p.y, v: p.v}}
	for n := range horizon {
		next := map[[2]int]way{}
		for _, w := range ways {
			for _, burn := range []bool{false, true} {
				y, v := fall(w.y, w.v, burn, slot)
				c := w.cost + p.danger(y, float64(n+1)*slot)
				cell := [2]int{int(y), int(v / 3)}
				if old, ok := next[cell]; !ok || c < old.cost {
					next[cell] = way{y, v, c, append(slices.Clip(w.plan), burn)}
				}
			}
		}
		ways = ways[:0]
		for _, w := range next {
			ways = append(ways, w)
		}
		slices.SortFunc(ways, func(a, b way) int { return int(math.Copysign(1, a.cost-b.cost)) })
		ways = ways[:min(len(ways), 400)]
	}
	return ways[0].plan[:slots]
}

// danger is how bad it is to be at a height in so many seconds.
func (p *pilot) danger(y, in float64) float64 {
	const above, below = 16, 28 // of the balloon
	c := 0.0
	if y < 24 || y > 205 {
		c += 400
	}
	for _, g := range p.gates {
		middle := (g.high+above+g.low-below)/2 - y
		switch away := math.Abs(g.at - p.speed()*in - balloon); {
		case away < 34:
			c += middle * middle / 20
			if y-above < g.high+4 || y+below > g.low-4 {
				c += 1000
			}
		case away < 70:
			c += middle * middle / 400
		}
	}
	return c
}

func fall(y, v float64, burn bool, dt float64) (float64, float64) {
	a := 62.0
	if burn {
		a = -150
	}
	was := v
	v = min(max(v+a*dt, -95), 110)
	return y + (was+v)/2*dt, v
}

// program makes holds and waits of the slots.
func program(plan []bool) []answer {
	var out []answer
	for i := 0; i < len(plan); {
		j := i
		for j < len(plan) && plan[j] == plan[i] {
			j++
		}
		ms := int(float64(j-i) * slot * 1000)
		if plan[i] {
			out = append(out, answer{"action": "hold", "keys": []string{"Space"}, "milliseconds": ms})
		} else {
			out = append(out, answer{"action": "wait", "milliseconds": ms})
		}
		i = j
	}
	return out
}
