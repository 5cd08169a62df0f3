package adapt_test

import (
	"image/color"
	"math"
	"testing"

	"github.com/playtest-dev/playtest/internal/daily"
	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// TestTwoMenus: a painted PLAY button, then a choice of courses, then three
// holes of golf by dragging. The first menu needs no model.
func TestTwoMenus(t *testing.T) {
	whole(t)
	daily.Turn(t, courseDays, 1, *everyCourse)
	t.Parallel()
	s := golf.play(t, golfer(t), nil)
	if s.Turns[0].Layer != decide.Heuristic || s.Turns[0].Action.Label != "PLAY" {
		t.Errorf("the first turn is %s by %s, want PLAY to be pressed by heuristics", s.Turns[0].Action, s.Turns[0].Layer)
	}
	if !s.Completed {
		t.Errorf("ended with %q, want the course played to its end", s.Ended)
	}
}

// golfer plays the three holes of a course.
func golfer(t *testing.T) *modeltest.Fake {
	return standIn(t, func(_ int, s screen) answer {
		if _, over := s.find("Course finished"); over {
			return answer{"action": "complete"}.sure(95, "the course has been played to its end")
		}
		if meadow, ok := s.find("MEADOW"); ok && meadow.h > 100 {
			return answer{"action": "click", "element": meadow.id}.sure(85, "a course has to be chosen")
		}
		ball, ok := s.find("ball")
		if _, menu := s.find("hole "); !ok || !menu {
			return answer{"action": "wait", "milliseconds": 1000}.sure(80, "the ball is in the hole or rolling")
		}
		l := links{}
		l.read(s)
		x, y := ball.x+ball.w/2-left, ball.y+ball.h/2-top
		dx, dy, why := l.stroke(x, y)
		return answer{"action": "drag", "x": (x + left) * s.scale, "y": (y + top) * s.scale,
			"toX": (x - dx + left) * s.scale, "toY": (y - dy + top) * s.scale}.sure(82, why)
	})
}

// Where the course lies on the page; lengths below are its own pixels.
const left, top = 80, 10

// field is where the ball rolls.
var field = struct{ x, y, w, h float64 }{60, 90, 1000, 550}

// links is a hole of golf as it was seen: the cup, walls and sand.
type links struct {
	cupX, cupY float64
	walls      [][4]float64 // x, y, width, height
	sand       func(x, y float64) bool
}

// read finds them in the picture by their colours.
func (l *links) read(s screen) {
	look := func(x, y float64) color.RGBA { return s.at(x+left, y+top) }
	// Walls are as brown, red or blue as the frame, whatever the course is.
	dark, wood, dune := color.RGBA{29, 43, 26, 255}, look(field.x-11, field.y+field.h/2), color.RGBA{240, 220, 166, 255}
	l.sand = func(x, y float64) bool { return near(look(x, y), dune, 10) }
	const step = 1.25 // a pixel of the picture
	low, lowest, least, most := 0.0, 0, math.Inf(1), math.Inf(-1)
	seen := map[[2]int]bool{}
	for j := 0; field.y+float64(j)*step < field.y+field.h; j++ {
		for i := 0; field.x+float64(i)*step < field.x+field.w; i++ {
			x, y := field.x+float64(i)*step, field.y+float64(j)*step
			if near(look(x, y), dark, 5) {
				low, lowest, least, most = y, lowest+1, min(least, x), max(most, x)
			}
			if near(look(x, y), wood, 8) && !seen[[2]int{i, j}] {
				// A wall is as wide and as high as its wood.
				x0, x1, y1 := i, i, j
				for todo := [][2]int{{i, j}}; len(todo) > 0; todo = todo[1:] {
					p := todo[0]
					for _, q := range [][2]int{{p[0] - 1, p[1]}, {p[0] + 1, p[1]}, {p[0], p[1] + 1}} {
						if !seen[q] && near(look(field.x+float64(q[0])*step, field.y+float64(q[1])*step), wood, 8) {
							seen[q] = true
							x0, x1, y1 = min(x0, q[0]), max(x1, q[0]), max(y1, q[1])
							todo = append(todo, q)
						}
					}
				}
				if x1-x0 > 12 && y1-j > 60 {
					l.walls = append(l.walls, [4]float64{field.x + float64(x0)*step, y, float64(x1-x0+1) * step, float64(y1-j+1) * step})
				}
			}
		}
	}
	if lowest > 0 {
		l.cupX, l.cupY = (least+most)/2, low-17
	}
}

// stroke is how far to pull back from the ball at a place so that it drops, or
// at least comes near.
func (l *links) stroke(x, y float64) (dx, dy float64, why string) {
	const turns, powers = 360, 14
	type try struct{ off float64 }
	tries := make([]try, turns*powers)
	pull := func(a, p int) (float64, float64) {
		angle, d := 2*math.Pi*float64(a)/turns, 50+140*float64(p)/(powers-1)
		return d * math.Cos(angle), d * math.Sin(angle)
	}
	reachable := func(dx, dy float64) bool {
		px, py := x-dx+left, y-dy+top
		return px > 4 && px < 1276 && py > 4 && py < 716
	}
	for i := range tries {
		dx, dy := pull(i/powers, i%powers)
		tries[i].off = math.Inf(1)
		if reachable(dx, dy) {
			tries[i].off = l.roll(x, y, 5.2*dx, 5.2*dy)
		}
	}
	best, least := 0, math.Inf(1)
	for i := range tries {
		// A stroke whose neighbours are good as well forgives a little error.
		a := i / powers
		off := 2*tries[i].off + tries[(a+1)%turns*powers+i%powers].off + tries[(a+turns-1)%turns*powers+i%powers].off
		if off < least {
			best, least = i, off
		}
	}
	dx, dy = pull(best/powers, best%powers)
	why = "pull back from the ball and let go: it should come near the hole"
	if tries[best].off == 0 {
		why = "pull back from the ball and let go: it should drop"
	}
	return dx, dy, why
}

// roll is how far from the cup a ball comes to rest, 0 when it drops.
func (l *links) roll(x, y, vx, vy float64) float64 {
	const h = 1.0 / 240
	away := func() float64 { return math.Hypot(x-l.cupX, y-l.cupY) }
	for n := 0; n < 240*6; n++ {
		drag := math.Exp(-h * 1.25)
		if l.sand(x, y) {
			drag = math.Exp(-h * 4.5)
		}
		vx, vy = vx*drag, vy*drag
		x, y = x+vx*h, y+vy*h
		x, vx = bounce(x, vx, field.x+12, field.x+field.w-12)
		y, vy = bounce(y, vy, field.y+12, field.y+field.h-12)
		for _, w := range l.walls {
			cx, cy := max(w[0], min(w[0]+w[2], x)), max(w[1], min(w[1]+w[3], y))
			dx, dy := x-cx, y-cy
			if d := math.Hypot(dx, dy); d > 0 && d < 12 {
				dx, dy = dx/d, dy/d
				x, y = cx+dx*12, cy+dy*12
				if v := vx*dx + vy*dy; v < 0 {
					vx, vy = vx-1.8*v*dx, vy-1.8*v*dy
				}
			}
		}
		speed := math.Hypot(vx, vy)
		if away() < 30 {
			vx, vy = vx+(l.cupX-x)*9*h, vy+(l.cupY-y)*9*h
		}
		if away() < 13 && speed < 400 {
			return 0
		}
		if speed < 14 {
			break
		}
	}
	return away()
}

func bounce(at, v, low, high float64) (float64, float64) {
	switch {
	case at < low:
		return low, 0.8 * math.Abs(v)
	case at > high:
		return high, -0.8 * math.Abs(v)
	}
	return at, v
}
