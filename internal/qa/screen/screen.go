// Package screen reads what a player sees and can do at one moment of a game:
// its offers. An offer is an input with a reason to try it, such as a button, a
// painted text or a key.
package screen

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/record"
)

// Source is what suggested an offer.
type Source string

// The sources of offers.
const (
	Element Source = "element" // of the document
	Text    Source = "text"    // painted on a canvas
	Object  Source = "object"  // of an engine's scene
	Image   Source = "image"   // painted on a canvas
	Shape   Source = "shape"   // seen in the picture
	Key     Source = "key"
	Place   Source = "place" // a point of the game's field
	Field   Source = "field" // something to be filled in
)

// Offer is an input with a reason to try it.
type Offer struct {
	Input  record.Input
	Source Source
	// ID is the same for the same offer on the same screen, wherever it has moved to.
	ID string
	// Prior says how early it is tried, 0 to 1.
	Prior float64
	// Box is where it is, empty for keys.
	Box record.Rect
	// Away: it is a link to another site or page.
	Away bool
	// Below: it has to be scrolled to.
	Below bool
	// Native: the browser itself shows that it is pressed.
	Native bool
	// Styled: the browser itself, or a style sheet, may answer to it without any code.
	Styled bool
}

// Thing reports whether the offer presses something that the page or the game names.
func (o Offer) Thing() bool {
	switch o.Source {
	case Element, Text, Object, Image:
		return true
	}
	return false
}

// Screen is what is on the page now.
type Screen struct {
	Offers []Offer
	// Texts are the visible texts, of the document and painted.
	Texts []string
	// Fields are text fields and lists that can be filled in.
	Fields []probe.Element
	// Boxes is where fields are, filled in or not.
	Boxes []record.Rect
	// Ticks is where check boxes and radio buttons are, in which the browser itself shows that
	// they are chosen.
	Ticks []record.Rect
	// Canvases that can be seen.
	Canvases []record.Rect
	// Under is how far the page must be scrolled to bring the largest canvas into view that lies
	// below the window in part, zero if none does.
	Under float64
	// Painted: there is a canvas as large as a game, whether it can be seen or not.
	Painted bool
	// Keyed and Pointed: something listens to keys, or to a pointer at all places.
	Keyed, Pointed bool
	// Pressed: something listens to a pointer being pressed, as drags need it.
	Pressed bool
	// Doubled: something listens to double clicks.
	Doubled bool
	// Moves: something listens to the pointer's moves.
	Moves bool
	// Engine is the game's engine, where it can be told.
	Engine probe.Engine
	// Reading is what the probe saw.
	Reading  *probe.Reading
	Elements *probe.Elements
}

// Sentences are the visible texts of some length, by their letters alone: what counts or tells
// the time is the same sentence.
func (s *Screen) Sentences() (out []string) {
	const least = 8 // letters
	for _, text := range s.Texts {
		letters := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, text)
		if utf8.RuneCountInString(letters) >= least {
			out = append(out, letters)
		}
	}
	return out
}

// Read reads the screen of a page. The offers are ordered by their looks and, if
// lean is not nil, by their labels.
func Read(ctx context.Context, page *browser.Page, p *probe.Probe, viewport record.Rect, lean Lean) (*Screen, error) {
	r, err := p.Read(ctx, page, nil)
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	els, err := p.Elements(ctx, page, browser.Point(viewport.Center()))
	if err != nil {
		return nil, fmt.Errorf("list what can be pressed: %w", err)
	}
	s := &Screen{Reading: r, Elements: els}
	if e, err := p.Engine(ctx, page); err == nil {
		s.Engine = e
	}
	hears := func(types ...string) bool {
		if r.Listens(types...) {
			return true
		}
		return slices.ContainsFunc(types, func(t string) bool {
			return slices.ContainsFunc(els.Handlers, func(h string) bool { return len(h) > len(t) && h[:len(t)+1] == t+"|" })
		})
	}
	s.Keyed = hears("keydown", "keyup", "keypress")
	s.Pointed = hears("click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend", "dblclick")
	s.Pressed = hears("mousedown", "pointerdown", "touchstart", "dragstart")
	s.Doubled = hears("dblclick")
	s.Moves = hears("mousemove", "pointermove", "mouseover")
	s.Under = under(r.Canvases(), viewport)
	for _, c := range r.Canvases() {
		// One that is small and not shown is a map or a buffer, not the game.
		s.Painted = s.Painted || !c.Ornament && (c.Width*c.Height >= leastCanvas || c.Void())
		box := Clip(record.Rect{X: c.X, Y: c.Y, Width: c.W, Height: c.H}, viewport)
		if c.Shown && !c.Ornament && box.Width > 20 && box.Height > 20 {
			s.Canvases = append(s.Canvases, box)
		}
	}
	for _, t := range els.Texts {
		if t.InView && !t.Covered {
			s.Texts = append(s.Texts, t.Text)
		}
	}
	for _, t := range r.Texts() {
		s.Texts = append(s.Texts, t.Text)
	}
	s.collect(viewport, lean)
	for _, e := range els.Elements {
		box := record.Rect{X: e.Box.X, Y: e.Box.Y, Width: e.Box.W, Height: e.Box.H}
		switch {
		case isField(e) && e.InView:
			s.Boxes = append(s.Boxes, box)
		case e.Type == "checkbox" || e.Type == "radio":
			s.Ticks = append(s.Ticks, box)
		}
	}
	return s, nil
}

// Clip is the part of r that lies in the viewport.
func Clip(r, viewport record.Rect) record.Rect {
	x0, y0 := math.Max(viewport.X, r.X), math.Max(viewport.Y, r.Y)
	x1, y1 := math.Min(viewport.X+viewport.Width, r.X+r.Width), math.Min(viewport.Y+viewport.Height, r.Y+r.Height)
	return record.Rect{X: x0, Y: y0, Width: math.Max(0, x1-x0), Height: math.Max(0, y1-y0)}
}

// Same is how alike two screens are in what they offer, 0 to 1. Without any
// offers they are alike.
func (s *Screen) Same(o *Screen) float64 {
	mine, theirs := s.ids(), o.ids()
	if len(mine) == 0 && len(theirs) == 0 {
		return 1
	}
	both := 0
	for id := range mine {
		if theirs[id] {
			both++
		}
	}
	return float64(both) / float64(len(mine)+len(theirs)-both)
}

// Keeps is the share of what another screen offers that this one offers, too.
func (s *Screen) Keeps(o *Screen) float64 {
	mine, theirs := s.ids(), o.ids()
	if len(theirs) == 0 {
		return s.Same(o)
	}
	both := 0
	for id := range theirs {
		if mine[id] {
			both++
		}
	}
	return float64(both) / float64(len(theirs))
}

func (s *Screen) ids() map[string]bool {
	out := map[string]bool{}
	for _, o := range s.Offers {
		if o.Source != Key && o.Source != Place && o.Source != Image && o.Source != Shape {
			out[o.ID] = true
		}
	}
	return out
}

// NewTexts are the texts that the other screen does not show, without regard to
// the numbers in them.
func (s *Screen) NewTexts(o *Screen) []string {
	known := map[string]bool{}
	for _, t := range o.Texts {
		known[shape(t)] = true
	}
	var out []string
	for _, t := range s.Texts {
		if k := shape(t); k != "" && !known[k] {
			known[k] = true
			out = append(out, t)
		}
	}
	return out
}

// leastCanvas is how many pixels the canvas of a game has.
const leastCanvas = 320 * 240

// under is how far to scroll, as little as possible, to see all of the largest canvas, or as
// much of it as the window shows.
func under(canvases []probe.Canvas, viewport record.Rect) float64 {
	const noticeable = 0.05 // of its height
	var largest probe.Canvas
	for _, c := range canvases {
		if c.Shown && !c.Ornament && c.W*c.H >= leastCanvas && c.W*c.H > largest.W*largest.H {
			largest = c
		}
	}
	if missing := largest.Y + largest.H - viewport.Height; missing > noticeable*largest.H {
		return max(0, min(missing, largest.Y))
	}
	return 0
}

// Grown is the window in which all of a page can be seen that is a little too large for its
// own, as on a larger desktop. A page that fits, and one that no usual desktop is large enough
// for, keep theirs.
func (s *Screen) Grown(window record.Rect) record.Rect {
	const maxWidth, maxHeight = 1920, 1080
	e := s.Elements
	if e.ScrollWidth > maxWidth || e.ScrollHeight > maxHeight {
		return window
	}
	return record.Rect{Width: max(window.Width, e.ScrollWidth), Height: max(window.Height, e.ScrollHeight)}
}

// Reveals reports whether there are several things to press that another screen lacks, as
// when a list is opened.
func (s *Screen) Reveals(was *Screen) bool {
	const several = 2
	return len(s.added(was)) >= several
}

// Prefer makes what another screen lacks more promising than the rest.
func (s *Screen) Prefer(was *Screen) {
	const sooner = 0.12
	for _, i := range s.added(was) {
		s.Offers[i].Prior += sooner
	}
	s.order()
}

// added are the places in the list of offers of elements that another screen lacks.
func (s *Screen) added(was *Screen) (out []int) {
	known := map[string]bool{}
	for _, o := range was.Offers {
		known[o.ID] = true
	}
	for i, o := range s.Offers {
		if o.Source == Element && !known[o.ID] && !o.Away {
			out = append(out, i)
		}
	}
	return out
}

// Things counts the offers that press something that the page or the game names.
func (s *Screen) Things() (n int) {
	for _, o := range s.Offers {
		if o.Thing() {
			n++
		}
	}
	return n
}
