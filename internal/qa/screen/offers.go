package screen

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/record"
)

const (
	// maxAlike bounds how many cells of a board are offered, maxOffers how many
	// offers there are of each source.
	maxAlike, maxOffers = 6, 60
)

// collect fills in the offers, the most promising first.
func (s *Screen) collect(viewport record.Rect, lean Lean) {
	s.elements(viewport)
	s.painted(viewport)
	s.objects(viewport)
	s.keys()
	s.places(viewport)
	s.copies(viewport)
	lean.apply(s.Offers)
	s.named(lean)
	s.order()
}

// order puts the most promising offers first.
func (s *Screen) order() {
	slices.SortStableFunc(s.Offers, func(a, b Offer) int { return cmp.Compare(b.Prior, a.Prior) })
}

// elements offers what the document has to press.
func (s *Screen) elements(viewport record.Rect) {
	ranks, zones := ranksAmongAlike(s.Elements.Elements), zones(s.Elements.Elements, viewport)
	for i, e := range s.Elements.Elements {
		if e.Disabled {
			continue
		}
		if isField(e) {
			if !e.InView || !e.Hit {
				continue
			}
			if e.Filled {
				continue // a player leaves what is there
			}
			s.Fields = append(s.Fields, e)
			if e.Tag != "select" && len(s.Fields) <= maxAlike {
				kind := record.InputSubmit
				if e.Longest == 1 {
					kind = record.InputFill // it is answered as soon as it is written
				}
				for i, text := range Answers(e, len(s.Fields)-1) {
					s.Offers = append(s.Offers, Offer{Source: Field, ID: fmt.Sprintf("field:%s:%d", e.Selector, i), Prior: 0.68 - 0.02*float64(len(s.Fields)) - 0.1*float64(i),
						Input: record.Input{Kind: kind, Text: text, At: record.Point{X: e.CX, Y: e.CY}, Label: e.Text}})
				}
			}
			continue
		}
		box := record.Rect{X: e.Box.X, Y: e.Box.Y, Width: e.Box.W, Height: e.Box.H}
		if e.Tag == "canvas" || box.Width*box.Height > 0.6*viewport.Width*viewport.Height && e.Text == "" {
			continue // it is the field of the game, see places
		}
		if e.InView && !e.Hit {
			continue // something else lies over it
		}
		native := e.Is("native") && e.Tag != "label"
		o := Offer{Source: Element, Box: box, Below: !e.InView, Away: leads(e), Styled: styled(e), Native: e.Is("native"),
			ID:    "element:" + e.Selector + "|" + shape(e.Text),
			Input: record.Input{Kind: record.InputClick, At: record.Point{X: e.CX, Y: e.CY}, Label: label(e), Selector: selector(e)}}
		switch {
		case o.Away:
			o.Prior = 0.05
		case native || e.Is("listener"):
			o.Prior = 0.6
		case e.Is("cursor"):
			o.Prior = 0.55
		case e.Is("cell"), e.Is("draggable"), e.Is("grab"):
			o.Prior = 0.5
		default:
			o.Prior = 0.3
		}
		o.Prior += 0.15*size(box, viewport) + 0.05*central(box, viewport)
		if o.Below {
			o.Prior -= 0.3
		}
		// Of many like things a few are enough: first, last and some between.
		if ranks[i] >= maxAlike {
			o.Prior -= 0.25 + 0.001*float64(ranks[i])
		}
		s.Offers = append(s.Offers, o)
		if s.Doubled && !native {
			twice := o
			twice.ID, twice.Input.Kind, twice.Prior = "double:"+o.ID, record.InputDoubleClick, o.Prior-0.1
			s.Offers = append(s.Offers, twice)
		}
		if e.Is("draggable") || e.Is("grab") {
			s.Offers = append(s.Offers, drops(o, zones)...)
			s.Offers = append(s.Offers, s.pulls(o, viewport)...)
		}
	}
	s.Offers = s.Offers[:min(len(s.Offers), 4*maxOffers)]
}

// ranksAmongAlike are the ranks of elements among those that are alike, see spread.
func ranksAmongAlike(elements []probe.Element) []int {
	alike := map[string][]int{}
	for i, e := range elements {
		kind := fmt.Sprintf("%s|%s|%.0fx%.0f", e.Tag, strings.Join(e.Reasons, ","), e.Box.W/6, e.Box.H/6)
		alike[kind] = append(alike[kind], i)
	}
	ranks := make([]int, len(elements))
	for _, list := range alike {
		for n, rank := range spread(len(list)) {
			ranks[list[n]] = rank
		}
	}
	return ranks
}

// spread ranks n things so that those of the lowest ranks lie far apart: the first, the
// last, the one in the middle, those in the middle of the halves.
func spread(n int) []int {
	ranks := make([]int, n)
	next := 1 // 0 is the first
	if n > 1 {
		ranks[n-1] = next
	}
	for parts := [][2]int{{0, n - 1}}; len(parts) > 0; parts = parts[1:] {
		low, high := parts[0][0], parts[0][1]
		if high-low < 2 {
			continue
		}
		mid := (low + high) / 2
		next++
		ranks[mid] = next
		parts = append(parts, [2]int{low, mid}, [2]int{mid, high})
	}
	return ranks
}

// zones are where things can be dropped, by what the page listens to.
func zones(elements []probe.Element, viewport record.Rect) (out []record.Rect) {
	for _, e := range elements {
		box := record.Rect{X: e.Box.X, Y: e.Box.Y, Width: e.Box.W, Height: e.Box.H}
		if e.Is("dropzone") && viewport.Contains(box.Center()) {
			out = append(out, box)
		}
	}
	return out
}

// drops offers to drag a thing to where things can be dropped, the nearest first. It moves there,
// too: browsers tell a zone that something is over it with the second move.
func drops(o Offer, zones []record.Rect) (out []Offer) {
	const most, moved = 6, 6
	at := o.Box.Center()
	zones = slices.DeleteFunc(slices.Clone(zones), func(z record.Rect) bool { return z.Contains(at) })
	far := func(z record.Rect) float64 { return math.Hypot(z.Center().X-at.X, z.Center().Y-at.Y) }
	slices.SortFunc(zones, func(a, b record.Rect) int { return cmp.Compare(far(a), far(b)) })
	for i, z := range zones[:min(len(zones), most)] {
		p := o
		p.ID = fmt.Sprintf("drop:%s:%.0f,%.0f", o.ID, z.X, z.Y)
		p.Prior -= 0.05 + 0.01*float64(i)
		to := z.Center()
		path := append(line(at, record.Point{X: to.X - moved, Y: to.Y}, dragged), to)
		p.Input = record.Input{Kind: record.InputDrag, Path: path, Label: o.Input.Label}
		out = append(out, p)
	}
	return out
}

// pulls offers to drag a thing towards its neighbours.
func (s *Screen) pulls(o Offer, viewport record.Rect) []Offer {
	const leastPull = 90 // a ball is smaller than the way that it is pulled
	at := o.Box.Center()
	w, h := max(o.Box.Width*1.05, leastPull), max(o.Box.Height*1.05, leastPull)
	var out []Offer
	for i, by := range []record.Point{{X: w}, {Y: -h}, {Y: h}, {X: -w}} {
		to := record.Point{X: at.X + by.X, Y: at.Y + by.Y}
		if !viewport.Contains(to) {
			continue
		}
		p := o
		p.ID = fmt.Sprintf("drag:%s:%d", o.ID, i)
		p.Prior -= 0.12 + 0.01*float64(i)
		p.Input = record.Input{Kind: record.InputDrag, Path: line(at, to, dragged), Label: o.Input.Label}
		out = append(out, p)
	}
	if to := (record.Point{X: at.X, Y: at.Y - 1.5*h}); viewport.Contains(to) {
		p := o
		p.ID = "flick:" + o.ID
		p.Prior -= 0.2
		p.Input = record.Input{Kind: record.InputDrag, Path: line(at, to, flicked), Label: o.Input.Label}
		out = append(out, p)
	}
	return out
}

// dragged and flicked are at how many points the pointer stays for a moment on its way. What
// is thrown must be let go within a fifth of a second.
const dragged, flicked = 6, 3

func line(a, b record.Point, points int) []record.Point {
	out := make([]record.Point, points)
	for i := range out {
		f := float64(i) / float64(points-1)
		out[i] = record.Point{X: a.X + f*(b.X-a.X), Y: a.Y + f*(b.Y-a.Y)}
	}
	return out
}

// painted offers texts and pictures of button size on canvases.
func (s *Screen) painted(viewport record.Rect) {
	n := 0
	for _, t := range s.Reading.Texts() {
		box := record.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}
		if at := box.Center(); !viewport.Contains(at) || n >= maxOffers {
			continue
		}
		n++
		s.Offers = append(s.Offers, Offer{Source: Text, Box: box, ID: fmt.Sprintf("text:%s|%.0f", shape(t.Text), box.Y/40), Prior: 0.45 + 0.05*central(box, viewport),
			Input: record.Input{Kind: record.InputClick, At: box.Center(), Label: t.Text}})
	}
	n = 0
	for _, f := range s.Reading.Frames {
		for _, i := range f.Images {
			box := record.Rect{X: i.X, Y: i.Y, Width: i.W, Height: i.H}
			share := box.Width * box.Height / (viewport.Width * viewport.Height)
			if at := box.Center(); !viewport.Contains(at) || share > 0.3 || share < 0.0008 || n >= maxOffers/2 {
				continue
			}
			n++
			o := Offer{Source: Image, Box: box, ID: fmt.Sprintf("image:%.0f,%.0f", box.X/20, box.Y/20), Prior: 0.36 + 0.05*central(box, viewport),
				Input: record.Input{Kind: record.InputClick, At: box.Center()}}
			s.Offers = append(s.Offers, o)
			if s.Pressed && n <= maxAlike {
				s.Offers = append(s.Offers, s.pulls(o, viewport)...)
			}
		}
	}
}

// objects offers what an engine says a pointer can hit.
func (s *Screen) objects(viewport record.Rect) {
	for i, e := range s.Engine.Objects {
		box := record.Rect{X: e.X, Y: e.Y, Width: e.W, Height: e.H}
		if at := box.Center(); !viewport.Contains(at) || i >= maxOffers {
			continue
		}
		o := Offer{Source: Object, Box: box, ID: fmt.Sprintf("object:%s|%s|%.0f,%.0f", e.Kind, shape(e.Text), box.X/30, box.Y/30), Prior: 0.58 + 0.05*central(box, viewport),
			Input: record.Input{Kind: record.InputClick, At: box.Center(), Label: e.Text}}
		s.Offers = append(s.Offers, o)
		pulls := s.pulls(o, viewport)
		for k := range pulls {
			if !e.Drag {
				pulls[k].Prior -= 0.15 // it does not say that it can be dragged
			}
		}
		s.Offers = append(s.Offers, pulls...)
	}
}

// Keys in the order in which games use them. Those that operate the browser are
// left out.
var Keys = strings.Fields("ArrowRight ArrowLeft ArrowUp ArrowDown Space Enter KeyD KeyA KeyW KeyS KeyX KeyZ KeyE KeyQ KeyF KeyR KeyN KeyP KeyC KeyJ KeyK KeyL KeyH KeyI KeyO KeyM KeyG KeyB KeyV KeyT KeyY KeyU " +
	"Digit1 Digit2 Digit3 Digit4 Digit5 Digit6 Digit7 Digit8 Digit9 Digit0 ShiftLeft ControlLeft Escape Backspace Comma Period Slash Semicolon Quote BracketLeft BracketRight Minus Equal Backquote " +
	"Numpad4 Numpad6 Numpad8 Numpad2 Numpad5 PageUp PageDown Home End")

// Opposites are keys that would do something else than one does, if it steers; those
// of its own group come first.
func Opposites(key string) []string {
	groups := [][]string{{"ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight"}, {"KeyS", "KeyA", "KeyW", "KeyD"}}
	if slices.Contains(groups[1], key) {
		slices.Reverse(groups)
	}
	all := slices.Concat(groups...)
	i := slices.Index(all, key)
	if i < 0 {
		return nil
	}
	return slices.Delete(all, i, i+1)
}

func (s *Screen) keys() {
	prior := 0.2
	if s.Keyed {
		prior = 0.57
	}
	for i, k := range Keys {
		p := prior - 0.001*float64(i)
		if i >= 6 {
			p -= 0.08 // after the first clicks on the field
		}
		if i >= 16 {
			p -= 0.12
		}
		s.Offers = append(s.Offers, Offer{Source: Key, ID: "key:" + k, Prior: p, Input: record.Input{Kind: record.InputKey, Key: k}})
	}
}

// places offers points of the game's field: the largest canvas, or the window.
func (s *Screen) places(viewport record.Rect) {
	field := viewport
	prior := 0.2
	area := 0.0
	for _, c := range s.Canvases {
		if c.Width*c.Height > area {
			field, area = c, c.Width*c.Height
		}
	}
	switch {
	case s.Pointed && area > 0:
		prior = 0.5
	case s.Pointed || area > 0:
		prior = 0.3
	}
	place := func(kind record.InputKind, fx, fy, prior float64) {
		at := field.At(record.Point{X: fx, Y: fy})
		s.Offers = append(s.Offers, Offer{Source: Place, ID: fmt.Sprintf("%s:%.2f,%.2f", kind, fx, fy), Prior: prior, Box: record.Rect{X: at.X - 4, Y: at.Y - 4, Width: 8, Height: 8},
			Input: record.Input{Kind: kind, At: at}})
	}
	grid := []float64{0.5, 0.3, 0.7, 0.12, 0.88}
	n := 0
	for _, fy := range grid {
		for _, fx := range grid {
			place(record.InputClick, fx, fy, prior-0.006*float64(n))
			n++
		}
	}
	if area > 0 && s.Pointed {
		// When all else was tried: buttons that only the picture shows.
		const columns, rows = 9, 7
		for i := range columns * rows {
			place(record.InputClick, (float64(i%columns)+0.5)/columns, (float64(i/columns)+0.5)/rows, 0.06-0.0001*float64(i))
		}
	}
	s.hovers(prior, place)
	if s.Doubled {
		n := 0
		for _, fy := range grid[:3] {
			for _, fx := range grid[:3] {
				place(record.InputDoubleClick, fx, fy, prior-0.1-0.006*float64(n))
				n++
			}
		}
	}
	if area == 0 && !s.Pressed {
		return // nothing follows a pressed pointer here
	}
	for i, d := range [][4]float64{{0.35, 0.5, 0.65, 0.5}, {0.5, 0.65, 0.5, 0.3}, {0.5, 0.5, 0.6, 0.6}, {0.2, 0.3, 0.5, 0.3}, {0.3, 0.8, 0.5, 0.5}, {0.5, 0.2, 0.5, 0.7}} {
		a, b := field.At(record.Point{X: d[0], Y: d[1]}), field.At(record.Point{X: d[2], Y: d[3]})
		s.Offers = append(s.Offers, Offer{Source: Place, ID: fmt.Sprintf("drag:%d", i), Prior: prior - 0.17 - 0.01*float64(i), Input: record.Input{Kind: record.InputDrag, At: a, Path: line(a, b, dragged)}})
	}
	if area > 0 && s.Pressed {
		s.sweeps(field)
	}
	if !s.Doubled {
		place(record.InputDoubleClick, 0.5, 0.5, prior-0.16)
		place(record.InputDoubleClick, 0.3, 0.4, prior-0.25)
	}
	place(record.InputWheel, 0.5, 0.5, prior-0.28)
}

// hovers offers places for the pointer to rest. Who listens to its moves is steered by
// it, as others are by keys.
func (s *Screen) hovers(prior float64, place func(kind record.InputKind, fx, fy, prior float64)) {
	prior -= 0.2
	if s.Moves {
		prior = 0.56
	}
	for i, f := range [][2]float64{{0.25, 0.5}, {0.75, 0.5}, {0.5, 0.2}, {0.5, 0.85}, {0.4, 0.35}, {0.65, 0.7}} {
		place(record.InputHover, f[0], f[1], prior-0.01*float64(i))
	}
}

// sweeps offers short drags from everywhere on the field in all directions, when all
// else was tried: of the things on a board few can be moved, and those only one way.
func (s *Screen) sweeps(field record.Rect) {
	const prior, reach = 0.04, 0.22
	n := 0
	for _, fy := range []float64{0.5, 0.3, 0.7, 0.12, 0.88} {
		for _, fx := range []float64{0.5, 0.3, 0.7, 0.12, 0.88} {
			for _, by := range []record.Point{{X: reach}, {X: -reach}, {Y: reach}, {Y: -reach}} {
				if x, y := fx+by.X, fy+by.Y; x < 0 || x > 1 || y < 0 || y > 1 {
					continue
				}
				a, b := field.At(record.Point{X: fx, Y: fy}), field.At(record.Point{X: fx + by.X, Y: fy + by.Y})
				n++
				s.Offers = append(s.Offers, Offer{Source: Place, ID: fmt.Sprintf("sweep:%d", n), Prior: prior - 0.0001*float64(n), Input: record.Input{Kind: record.InputDrag, At: a, Path: line(a, b, dragged)}})
			}
		}
	}
}

// copies offers to type what is shown, the largest text first, where something takes text
// or listens to keys.
func (s *Screen) copies(viewport record.Rect) {
	const most, longest = 3, 400
	prior, field := 0.1, record.Point{}
	if i := slices.IndexFunc(s.Fields, func(f probe.Element) bool { return f.Tag != "select" && f.Type != "number" }); i >= 0 {
		prior, field = 0.36, record.Point{X: s.Fields[i].CX, Y: s.Fields[i].CY}
	} else if !s.Keyed {
		return
	}
	texts := slices.Clone(s.Elements.Texts)
	slices.SortStableFunc(texts, func(a, b probe.PageText) int { return cmp.Compare(b.Size, a.Size) })
	n := 0
	for _, t := range texts {
		at := record.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}.Center()
		pressed := slices.ContainsFunc(s.Offers, func(o Offer) bool { return o.Source == Element && o.Box.Contains(at) })
		if !t.InView || t.Covered || pressed || shape(t.Text) == "" || len(t.Text) > longest || !viewport.Contains(at) || n >= most {
			continue
		}
		s.Offers = append(s.Offers, Offer{Source: Field, ID: fmt.Sprintf("copy:%.0f,%.0f", at.X/40, at.Y/40), Prior: prior - 0.01*float64(n),
			Input: record.Input{Kind: record.InputCopy, At: field, Path: []record.Point{at}, Text: t.Text}})
		n++
	}
}

func isField(e probe.Element) bool {
	switch e.Tag {
	case "textarea", "select":
		return true
	case "input":
		return !slices.Contains([]string{"button", "submit", "reset", "image", "checkbox", "radio", "color", "file", "range"}, e.Type)
	}
	return false
}

// styled reports whether an element changes without any code when it is pressed.
func styled(e probe.Element) bool {
	switch e.Tag {
	case "input", "label", "summary", "details", "option", "video", "audio":
		return true
	case "a":
		return strings.HasPrefix(e.Href, "#")
	}
	return false
}

// leads reports whether an element is a link to another page.
func leads(e probe.Element) bool {
	if e.Tag != "a" || e.Href == "" || strings.HasPrefix(e.Href, "#") || strings.HasPrefix(strings.ToLower(e.Href), "javascript:") {
		return false
	}
	u, err := url.Parse(e.Href)
	return err != nil || u.IsAbs() || e.Target == "_blank"
}

// selector is kept for elements of the page itself: those of frames are found by
// their place.
func selector(e probe.Element) string {
	if e.Child {
		return ""
	}
	return e.Selector
}

func label(e probe.Element) string {
	if e.Text != "" {
		return e.Text
	}
	for _, a := range e.Attrs {
		if v, ok := strings.CutPrefix(a, "id="); ok {
			return v
		}
	}
	return e.Tag
}

func size(box, viewport record.Rect) float64 {
	return math.Min(1, math.Sqrt(box.Width*box.Height/(viewport.Width*viewport.Height))*4)
}

func central(box, viewport record.Rect) float64 {
	c, v := box.Center(), viewport.Center()
	return 1 - math.Min(1, math.Hypot((c.X-v.X)/viewport.Width, (c.Y-v.Y)/viewport.Height)*1.4)
}

// shape is a text without its numbers and spaces: scores and clocks change.
func shape(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.Is(unicode.So, r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s[:min(len(s), 80)])
}
