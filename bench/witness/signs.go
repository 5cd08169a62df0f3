package witness

import (
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/browser"
)

// Signs are what was seen of a game while its description was followed.
type Signs struct {
	Opened bool // the page was there, with whatever status
	Status int
	// Reached counts the game's own listeners that heard of a control being operated.
	Reached int
	// Throws counts uncaught exceptions.
	Throws int
	// Detail is the share of the game's area that is not plain.
	Detail float64
	// Moved is the largest share of the picture that changed at once while the controls were operated.
	Moved float64
	// Speed is how fast the page's clock runs against ours.
	Speed float64
	// Loads counts how often the page loaded itself.
	Loads int
	Hung  bool
	// Crashed: the renderer died. Left: the page is at another address.
	Crashed, Left bool
	// Begin and Play are pictures from before the start and from the last operation of the controls.
	Begin, Play []*image.RGBA

	// Area is where the game lies.
	Area browser.Rect
}

// judges are the words that a fault's Shows may use.
var judges = map[string]func(healthy, faulty Signs) bool{
	"status":   func(_, f Signs) bool { return !f.Opened || f.Status >= 400 },
	"stuck":    stuck,
	"deaf":     func(h, f Signs) bool { return h.Reached > 0 && f.Reached == 0 },
	"throws":   func(h, f Signs) bool { return f.Throws > h.Throws },
	"plain":    func(h, f Signs) bool { return h.Detail > 0.02 && f.Detail < 0.4*h.Detail },
	"still":    func(h, f Signs) bool { return h.Moved > 0.0001 && f.Moved == 0 },
	"hung":     func(_, f Signs) bool { return f.Hung },
	"crashed":  func(_, f Signs) bool { return f.Crashed },
	"left":     func(_, f Signs) bool { return f.Left },
	"fast":     func(h, f Signs) bool { return f.Speed > 6*max(h.Speed, 1) },
	"reloads":  func(h, f Signs) bool { return f.Loads > h.Loads },
	"playable": playable,
}

// Judge reports whether the fault shows in what was seen, compared with the healthy game. Any of the words will do.
func Judge(shows []string, healthy, faulty Signs) (observable bool, why string) {
	if !healthy.Playable() {
		return false, "the healthy game itself did not answer: " + healthy.String()
	}
	for _, word := range shows {
		judge, ok := judges[word]
		if !ok {
			return false, fmt.Sprintf("nobody knows how to see %q", word)
		}
		if judge(healthy, faulty) {
			return true, word
		}
	}
	return false, fmt.Sprintf("not %s; healthy %s; now %s", strings.Join(shows, " or "), healthy, faulty)
}

// Knows reports whether a word of a fault's Shows can be looked for.
func Knows(word string) bool {
	_, ok := judges[word]
	return ok
}

// Late reports whether a fault that shows so needs some seconds to come.
func Late(shows []string) bool {
	return slices.ContainsFunc(shows, func(word string) bool {
		return word == "still" || word == "hung" || word == "crashed" || word == "left"
	})
}

// Playable reports whether the game answered.
func (s Signs) Playable() bool { return playable(s, s) }

func playable(h, f Signs) bool {
	switch {
	case !f.Opened, f.Status >= 400, f.Hung, f.Crashed, f.Left:
		return false
	}
	return f.Reached > 0 && (f.Moved > 0 || h.Moved == 0)
}

// stuck: after everything was tried, the picture still looks like the beginning and not like the game in play.
func stuck(h, f Signs) bool {
	if !f.Opened || f.Hung || f.Crashed {
		return true
	}
	if h.Reached > 0 && f.Reached == 0 && f.Moved == 0 {
		return true
	}
	toBegin, toPlay := nearest(f.Play, f.Begin), nearest(f.Play, h.Play)
	return toPlay > 0.004 && toBegin < 0.5*toPlay
}

// nearest is the smallest difference between a picture of one list and one of the other.
func nearest(a, b []*image.RGBA) float64 {
	least := 1.0
	for _, x := range a {
		for _, y := range b {
			if d := difference(x, y); d < least {
				least = d
			}
		}
	}
	return least
}

// String is for notes.
func (s Signs) String() string {
	return fmt.Sprintf("{status %d reached %d throws %d detail %.2f moved %.4f speed %.1f loads %d hung %t crashed %t left %t}",
		s.Status, s.Reached, s.Throws, s.Detail, s.Moved, s.Speed, s.Loads, s.Hung, s.Crashed, s.Left)
}
