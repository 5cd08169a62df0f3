// Package cause tells what an input caused from what would have happened
// anyway.
//
// A [Window] is a stretch of a game's life with one input or with none. Windows
// with the input are held against windows without it: code that ran only with
// it, tiles of the picture that changed only with it, text and document
// changes. Each instrument answers with how likely its difference would be if
// the input did nothing, by permutation of the windows' labels.
package cause

import (
	"fmt"
	"math"
	"time"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/record"
)

// Window is what was measured in one stretch of a game's life.
type Window struct {
	// Input names what was sent, empty when the game was left alone.
	Input string
	// Sending is how long it took to send: a drag has a way to go.
	Sending time.Duration
	// Code ran in the window; Late is the part that ran after the input's own
	// handlers were through, that is, in the game's loop.
	Code, Late coverage.Sample
	// Tiles say how much each tile of the picture changed. Nil: no picture.
	Tiles []float32
	// Field are the tiles of the text field that was typed into, in which the
	// browser itself shows what was typed.
	Field []int
	// Texts are painted and document texts that appeared in the window.
	Texts []string
	// Mutations of the document, drawing calls, animation frames.
	Mutations, Draws, Ticks int
	// Redrawn: the last drawing differs from the one before the window.
	Redrawn bool
	// Delivered counts trusted events that arrived, Reads how often handlers
	// read them, Prevented how often they prevented the default.
	Delivered, Reads, Prevented int
	// Threw is the first exception of the window, Throws their number.
	Threw  string
	Throws int
	// Dialogs and Navigations of the page in the window.
	Dialogs, Navigations int
}

// Changed is the share of tiles that changed.
func (w Window) Changed() float64 {
	if len(w.Tiles) == 0 {
		return 0
	}
	n := 0
	for _, t := range w.Tiles {
		if t > tileNoise {
			n++
		}
	}
	return float64(n) / float64(len(w.Tiles))
}

// tileNoise is the mean difference below which a tile counts as unchanged: a
// caret or a few antialiased pixels.
const tileNoise = 0.6

// Effect is what an input did.
type Effect struct {
	// Recognised: code ran for it that runs for no unbound input.
	Recognised bool
	// Reacted: the loop ran other code after it.
	Reacted bool
	// Visible: the picture or a painted text changed because of it. A document
	// that changed where nothing is seen to is not enough.
	Visible bool
	Signals []record.Signal
	// Specific is the code that ran with the input and never without.
	Specific coverage.Sample
}

// significance is the chance of a false alarm that a decision may carry.
const significance = 0.03

// pictureSignificance is stricter: the pictures of a moving game have hundreds
// of tiles, and they are looked at again after every window.
const pictureSignificance = 0.01

// Compare holds windows with an input against windows without.
func Compare(with, without []Window) Effect {
	var e Effect
	code := specificCode(with, without, func(w Window) coverage.Sample { return w.Code })
	e.Specific = code.sample
	e.Signals = append(e.Signals, code.signal("code"))
	late := specificCode(with, without, func(w Window) coverage.Sample { return w.Late })
	e.Signals = append(e.Signals, late.signal("loop"))

	picture := comparePictures(with, without)
	rests := atRest(without)
	counts := func(name string, of func(Window) float64) record.Signal {
		return compareCounts(name, each(with, of), each(without, of), rests)
	}
	text := compareCounts("text", newTexts(with, without, 0), newTexts(without, without, 1), rests)
	document := counts("document", func(w Window) float64 { return float64(w.Mutations) })
	redrawn := counts("drawing", func(w Window) float64 { return one(w.Redrawn) })
	prevented := counts("prevented", func(w Window) float64 { return one(w.Prevented > 0) })
	e.Signals = append(e.Signals, picture, text, document, redrawn, prevented)

	e.Recognised = code.holds() || prevented.Holds
	e.Reacted = late.holds()
	e.Visible = picture.Holds || text.Holds || redrawn.Holds && anyRedrawn(with)
	return e
}

func anyRedrawn(ws []Window) bool {
	for _, w := range ws {
		if w.Redrawn && (w.Changed() > 0 || w.Tiles == nil) {
			return true
		}
	}
	return false
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func each(ws []Window, of func(Window) float64) []float64 {
	out := make([]float64, len(ws))
	for i, w := range ws {
		out[i] = of(w)
	}
	return out
}

// newTexts counts, for each window, the texts that no window without input showed
// beside itself: words that fall by themselves are new in every window.
func newTexts(ws, without []Window, itself int) []float64 {
	shown := map[string]int{} // in how many windows without input
	for _, o := range without {
		for t := range distinct(o.Texts) {
			shown[t]++
		}
	}
	return each(ws, func(w Window) float64 {
		n := 0
		for t := range distinct(w.Texts) {
			if shown[t] <= itself {
				n++
			}
		}
		return float64(n)
	})
}

func distinct(texts []string) map[string]bool {
	set := map[string]bool{}
	for _, t := range texts {
		set[t] = true
	}
	return set
}

// compareCounts asks whether a number is larger with the input than without, where
// the picture rests, or does not, when the game is left alone.
func compareCounts(name string, with, without []float64, rests bool) record.Signal {
	s := record.Signal{Name: name, With: mean(with), Without: mean(without)}
	s.P = permute(len(with), len(without), func(isWith []bool) float64 {
		return meanDifference(with, without, isWith)
	})
	s.Holds = s.With > s.Without && (s.P <= significance || rests && clear(with, without))
	return s
}

// atRest: the picture stood still whenever the game was left alone.
func atRest(without []Window) bool {
	for _, w := range without {
		if w.Changed() > 0 {
			return false
		}
	}
	return true
}

// clear decides whether a difference is beyond doubt although the windows are
// few. Where nothing at all happened without the input, every time it was
// watched, once is enough: a move that is legal now may not be legal again.
func clear(with, without []float64) bool {
	if len(without) < 4 {
		return false
	}
	for _, v := range without {
		if v != 0 {
			return false
		}
	}
	hits := 0
	for _, v := range with {
		if v != 0 {
			hits++
		}
	}
	return hits > 0
}

func comparePictures(with, without []Window) record.Signal {
	s := record.Signal{Name: "picture", P: 1}
	var a, b [][]float32
	var ca, cb []float64
	for _, w := range with {
		if w.Tiles != nil {
			a = append(a, w.Tiles)
			ca = append(ca, w.Changed())
		}
	}
	for _, w := range without {
		if w.Tiles != nil {
			b = append(b, w.Tiles)
			cb = append(cb, w.Changed())
		}
	}
	s.With, s.Without = mean(ca), mean(cb)
	if len(a) == 0 || len(b) == 0 {
		return s
	}
	all := active(append(append([][]float32{}, a...), b...))
	if len(all[0]) == 0 {
		return s
	}
	s.P = permute(len(a), len(b), func(isWith []bool) float64 { return largestTile(all, isWith) })
	s.Holds = s.P <= pictureSignificance || clear(ca, cb)
	s.Detail = fmt.Sprintf("%.1f %% of the tiles changed with the input, %.1f %% without", 100*s.With, 100*s.Without)
	return s
}

// active keeps the tiles that changed in some window; most of a picture rests.
func active(all [][]float32) [][]float32 {
	n := len(all[0])
	for _, tiles := range all {
		n = min(n, len(tiles))
	}
	out := make([][]float32, len(all))
	for t := range n {
		moved := false
		for _, tiles := range all {
			moved = moved || tiles[t] > tileNoise
		}
		if !moved {
			continue
		}
		for i, tiles := range all {
			out[i] = append(out[i], tiles[t])
		}
	}
	return out
}

// largestTile is the largest standardised difference of any tile between the
// windows labelled with and the others, either way: an input may also stop
// what moved.
func largestTile(all [][]float32, isWith []bool) float64 {
	best := 0.0
	n := len(all[0])
	for t := range n {
		var sa, sb, qa, qb float64
		var na, nb float64
		for i, tiles := range all {
			if t >= len(tiles) {
				continue
			}
			v := math.Min(float64(tiles[t]), 40) // a flash is not worth more than a change
			if isWith[i] {
				sa += v
				qa += v * v
				na++
			} else {
				sb += v
				qb += v * v
				nb++
			}
		}
		if na == 0 || nb == 0 {
			continue
		}
		ma, mb := sa/na, sb/nb
		variance := (math.Max(0, qa-na*ma*ma) + math.Max(0, qb-nb*mb*mb)) / math.Max(1, na+nb-2)
		d := math.Abs(ma-mb) / (math.Sqrt(variance) + 1.5)
		best = math.Max(best, d)
	}
	return best
}

func mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}

func meanDifference(a, b []float64, isWith []bool) float64 {
	var sa, sb, na, nb float64
	for i, w := range isWith {
		v := 0.0
		if i < len(a) {
			v = a[i]
		} else {
			v = b[i-len(a)]
		}
		if w {
			sa += v
			na++
		} else {
			sb += v
			nb++
		}
	}
	if na == 0 || nb == 0 {
		return 0
	}
	return sa/na - sb/nb
}
