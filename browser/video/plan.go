package video

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

const (
	// shownFor is how long a press or a key is drawn at least, so that a tap is seen.
	shownFor = 350 * time.Millisecond
	// maxKeys bounds the keys that are drawn at a time.
	maxKeys = 6
)

// shot is a picture of the film: when it is shown, which frame of the recording it
// shows and what is drawn over it.
type shot struct {
	at    time.Duration // of the film
	frame int
	over  overlay
}

// overlay is what is drawn over and below a frame.
type overlay struct {
	Pointer bool    `json:"pointer"` // it was moved at all
	X       float64 `json:"x"`       // in shares of the viewport
	Y       float64 `json:"y"`
	Down    bool    `json:"down"`
	Keys    string  `json:"keys"`  // labels, separated by spaces
	Clock   int     `json:"clock"` // seconds since the recording began
}

// plan lays the recording out: stretches in which nothing was painted, or done for
// long, are shortened, and there is a shot whenever the picture or what is drawn over it
// changes. It returns them with the length of the film.
func (r *Recording) plan() ([]shot, time.Duration) {
	if len(r.frames) == 0 {
		return nil, 0
	}
	cuts := r.cuts()
	begin := r.frames[0].Time
	length := min(cuts.length(), Longest)
	pen := &pen{inputs: r.inputs, keys: map[string]time.Time{}, up: map[string]time.Time{}}
	var out []shot
	frame := 0
	for n := 0; ; n++ {
		at := time.Duration(n) * time.Second / Rate
		if at > length {
			return out, length
		}
		now := cuts.real(at)
		for frame+1 < len(r.frames) && !r.frames[frame+1].Time.After(now) {
			frame++
		}
		over := pen.draw(now, r.frames[frame])
		over.Clock = int(now.Sub(begin).Seconds())
		if len(out) > 0 && out[len(out)-1].frame == frame && out[len(out)-1].over == over {
			continue
		}
		out = append(out, shot{at, frame, over})
	}
}

// cuts tells the time of the film from the time of the recording.
type cuts []stretch

// stretch begins at a time of the film and of the recording and goes on as long.
type stretch struct {
	film time.Duration
	real time.Time
	long time.Duration
}

// cuts finds where something happens, which is where something is painted not long
// before or after an input, the beginning or the end, and shortens what lies between.
func (r *Recording) cuts() cuts {
	first := r.frames[0].Time
	moments := []time.Time{r.stopped}
	for _, i := range r.inputs {
		if i.Time.After(first) && !r.lost.covers(i.Time) {
			moments = append(moments, i.Time)
		}
	}
	matter := append([]time.Time{first}, moments...)
	slices.SortFunc(matter, time.Time.Compare)
	for _, f := range r.frames {
		if near(matter, f.Time) {
			moments = append(moments, f.Time)
		}
	}
	slices.SortFunc(moments, time.Time.Compare)
	out := cuts{{real: first}}
	for _, m := range moments {
		open := &out[len(out)-1]
		gap := m.Sub(open.real.Add(open.long))
		if gap <= stillFor {
			open.long += max(gap, 0)
			continue
		}
		// The end of the gap is shown, so that what follows does not come from nowhere.
		open.long += stillFor / 2
		out = append(out, stretch{film: open.film + open.long, real: m.Add(-stillFor / 2), long: stillFor / 2})
	}
	return out
}

// near reports whether one of the times, which are in order, is not far.
func near(times []time.Time, t time.Time) bool {
	i, _ := slices.BinarySearchFunc(times, t.Add(-idleFor), time.Time.Compare)
	return i < len(times) && !times[i].After(t.Add(idleFor))
}

func (c cuts) length() time.Duration { return c[len(c)-1].film + c[len(c)-1].long }

func (c cuts) real(at time.Duration) time.Time {
	i, found := slices.BinarySearchFunc(c, at, func(s stretch, at time.Duration) int { return cmp.Compare(s.film, at) })
	if !found {
		i--
	}
	return c[i].real.Add(at - c[i].film)
}

// pen follows the inputs and says what is drawn at a moment. Moments come in order.
type pen struct {
	inputs  []browser.InputEvent
	next    int
	at      *browser.Point
	down    bool
	pressed time.Time
	keys    map[string]time.Time // when each key that is drawn went down
	up      map[string]time.Time // when it is not drawn any more, unless it is held
	order   []string
}

func (p *pen) draw(now time.Time, f browser.ScreencastFrame) overlay {
	for ; p.next < len(p.inputs) && !p.inputs[p.next].Time.After(now); p.next++ {
		p.input(p.inputs[p.next])
	}
	p.order = slices.DeleteFunc(p.order, func(k string) bool {
		end, released := p.up[k]
		return released && now.After(end)
	})
	over := overlay{Keys: strings.Join(p.order[max(0, len(p.order)-maxKeys):], " ")}
	if p.at != nil && f.Width > 0 && f.Height > 0 {
		over.Pointer, over.X, over.Y = true, p.at.X/f.Width, p.at.Y/f.Height
		over.Down = p.down || now.Sub(p.pressed) < shownFor
	}
	return over
}

func (p *pen) input(e browser.InputEvent) {
	show := func(label string) {
		p.order = append(slices.DeleteFunc(p.order, func(k string) bool { return k == label }), label)
		p.keys[label] = e.Time
		delete(p.up, label)
	}
	hide := func(label string) {
		end := e.Time
		if least := p.keys[label].Add(shownFor); end.Before(least) {
			end = least
		}
		p.up[label] = end
	}
	switch e.Kind {
	case browser.PointerMoved, browser.PointerPressed, browser.WheelTurned:
		at := e.At
		p.at = &at
		if e.Kind == browser.PointerPressed {
			p.down, p.pressed = true, e.Time
		}
		if e.Kind == browser.WheelTurned {
			show("wheel")
			hide("wheel")
		}
	case browser.PointerReleased:
		p.down = false
	case browser.KeyPressed:
		show(label(e.Key))
	case browser.KeyReleased:
		hide(label(e.Key))
	case browser.TextTyped:
		show("typing")
		hide("typing")
	}
}

// label is a key as people know it.
func label(code string) string {
	switch code {
	case "ArrowLeft":
		return "←"
	case "ArrowRight":
		return "→"
	case "ArrowUp":
		return "↑"
	case "ArrowDown":
		return "↓"
	}
	for _, prefix := range []string{"Key", "Digit"} {
		if rest, ok := strings.CutPrefix(code, prefix); ok && len(rest) == 1 {
			return rest
		}
	}
	return code
}
