package snapshot

import (
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/browser"
)

// What a person cannot see is marked and not dropped: text that fades in is read
// a moment later, and a control may lie transparent over its picture. But whoever
// reads the tree must be able to tell, because words for a model only are the
// plainest way to talk it into something.

// keepsSpace reports whether white space counts in a text.
func (d *document) keepsSpace(n int32) bool {
	ws := d.style(d.styled(n), styleWhiteSpace)
	return strings.HasPrefix(ws, "pre") || strings.HasPrefix(ws, "preserve") || ws == "break-spaces"
}

// styled is the element whose styles a text has.
func (d *document) styled(n int32) int32 {
	if d.kind(n) == typeText {
		if p := d.parent(n); p >= 0 {
			return p
		}
	}
	return n
}

// faint is how opaque something has to be for a person to make it out.
const faint = 0.05

// fades reports whether an element hides all that is in it: transparent, or a
// box without room that lets nothing stand out.
func (d *document) fades(n int32) bool {
	if o := d.style(n, styleOpacity); o != "1" {
		if opacity, err := strconv.ParseFloat(o, 64); err == nil && opacity < faint {
			return true
		}
	}
	box := d.box(n)
	return d.cuts(n) && (box.Width < 1 || box.Height < 1)
}

// pixel reports whether an element is of one pixel, as what is meant for screen
// readers only.
func (d *document) pixel(n int32) bool {
	box := d.box(n)
	return d.cuts(n) && box.Width <= 1 && box.Height <= 1
}

// cuts reports whether an element shows nothing that is beyond its box.
func (d *document) cuts(n int32) bool {
	o := d.style(n, styleOverflow)
	return d.layout[n] >= 0 && o != "" && o != "visible"
}

// outside reports whether something lies where no scrolling leads: above or to
// the left of where its document begins.
func (d *document) outside(box browser.Rect) bool {
	x, y := box.X-d.offset.X, box.Y-d.offset.Y
	return x+box.Width <= 0 || y+box.Height <= 0
}

// drawnByLabel reports whether a field is of a kind that pages often make
// transparent to draw another picture of it.
func drawnByLabel(tag, kind string) bool {
	switch strings.ToLower(kind) {
	case "checkbox", "radio", "file", "range":
		return tag == "input"
	}
	return false
}

// unseen reports whether a text cannot be seen although it has a place.
func (w *walk) unseen(n int32, box browser.Rect, c *around) bool {
	d := w.d
	if c.faded || c.pixel || d.outside(box) {
		return true
	}
	e := d.styled(n)
	colour := d.colour(e, styleColor)
	if !colour.known {
		return false
	}
	behind := d.colourBehind(e)
	return behind.known && colour.same(behind) && !d.coveredBehind(e, box)
}

// colourBehind is the colour of the first element around a text that has one. It
// is not known when a picture is in between. Without any, it is the white of an
// empty page.
func (d *document) colourBehind(n int32) colour {
	for e := n; e >= 0; e = d.parent(e) {
		if d.kind(e) != typeElement {
			continue
		}
		if image := d.style(e, styleBackgroundImage); image != "" && image != "none" {
			return colour{}
		}
		if c := d.colour(e, styleBackground); c.known && c.alpha > 0 {
			c.known = c.alpha == 1
			return c
		}
	}
	if d.outer != nil {
		return colour{} // what lies behind a frame shows through it
	}
	return colour{r: 255, g: 255, b: 255, alpha: 1, known: true}
}

// coveredBehind reports whether something other than the elements around a text
// may be painted behind it: a picture, or an element of another colour.
func (d *document) coveredBehind(text int32, box browser.Rect) bool {
	if d.painters == nil {
		d.painters = []int32{}
		for _, n := range d.wire.Layout.NodeIndex {
			if n >= 0 && int(n) < d.size() && d.kind(n) == typeElement && d.paints(n) {
				d.painters = append(d.painters, n)
			}
		}
	}
	x, y := box.X+box.Width/2, box.Y+box.Height/2
	for _, p := range d.painters[:min(len(d.painters), maxPainters)] {
		if contains(d.box(p), x, y) && !d.encloses(p, text) {
			return true
		}
	}
	return false
}

// maxPainters bounds the work that a page can make of it.
const maxPainters = 2000

func (d *document) paints(n int32) bool {
	switch d.tag(n) {
	case "img", "picture", "video", "canvas", "svg", "iframe", "object", "embed":
		return true
	case "html", "body":
		return false
	}
	if image := d.style(n, styleBackgroundImage); image != "" && image != "none" {
		return true
	}
	c := d.colour(n, styleBackground)
	return !c.known && c.alpha != 0 || c.known && c.alpha > 0
}

// encloses reports whether an element is around another, or is it.
func (d *document) encloses(outer, n int32) bool {
	for ; n >= outer; n = d.parent(n) { // parents come before their children
		if n == outer {
			return true
		}
	}
	return false
}

// colour is what a computed style says. Colours of newer kinds are not known.
type colour struct {
	r, g, b int
	alpha   float64
	known   bool
}

// same reports whether one colour on the other cannot be told from it.
func (c colour) same(behind colour) bool {
	if c.alpha < faint {
		return true
	}
	near := func(a, b int) bool { return a-b <= 3 && b-a <= 3 }
	return near(c.r, behind.r) && near(c.g, behind.g) && near(c.b, behind.b)
}

// colour is what one of an element's styles says. A page has few colours.
func (d *document) colour(n int32, which int) colour {
	s := d.style(n, which)
	c, ok := d.colours[s]
	if !ok {
		c = parseColour(s)
		d.colours[s] = c
	}
	return c
}

func parseColour(s string) colour {
	rest, ok := strings.CutPrefix(s, "rgb")
	if !ok {
		return colour{alpha: 1} // of a kind that is not understood
	}
	rest = strings.TrimPrefix(rest, "a")
	parts := strings.Split(strings.Trim(rest, "()"), ",")
	if len(parts) < 3 {
		return colour{alpha: 1}
	}
	var v [4]float64
	v[3] = 1
	for i := range min(len(parts), 4) {
		f, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		if err != nil {
			return colour{alpha: 1}
		}
		v[i] = f
	}
	return colour{int(v[0]), int(v[1]), int(v[2]), v[3], true}
}
