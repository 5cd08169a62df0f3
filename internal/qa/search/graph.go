package search

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

const (
	// Two looks at a game are the same screen if so much of what they offer is the
	// same and so much of the picture is not apart: of a game that went on by
	// itself, or after an input that changed something.
	screenAlike, screenApart   = 0.6, 0.45
	changedAlike, changedApart = 0.85, 0.02
	// stillOffered is how much of what a screen offered is still there after an input
	// that did not lead elsewhere. A board's move uses up a cell or two.
	stillOffered = 0.5
	// promising is the prior from which on an offer is tried again after a wait or
	// after something else changed the screen.
	promising = 0.35
	// samePlace is how near two presses are one, in CSS pixels.
	samePlace = 12
	// proves is how much more promising an offer is if one of its kind had an effect.
	proves = 0.35
)

// graph is the screens that the search came to and what was tried on each.
type graph struct {
	screens []*known
	at      *known
	now     *screen.Screen // what is on the present screen
	works   map[kind]bool  // kinds of input that had an effect
	// returning are offers that led to a picture that had been seen before.
	returning map[string]bool
	// ticked are the choices that the browser itself shows, such as radio buttons.
	ticked map[string]bool
	// sentences are the texts that were seen, without numbers.
	sentences map[string]bool
	// worked is where offers had an effect that was new.
	worked map[string]record.Point
}

// kind is a kind of input by what offers it.
type kind struct {
	source screen.Source
	input  record.InputKind
}

func kindOf(o screen.Offer) kind {
	if o.Source == screen.Shape {
		return kind{screen.Place, o.Input.Kind}
	}
	return kind{o.Source, o.Input.Kind}
}

// prior is how promising an offer is, by itself and by what others of its kind did.
func (g *graph) prior(o screen.Offer) float64 {
	if g.returning[o.ID] {
		return o.Prior - proves
	}
	if g.works[kindOf(o)] && kindOf(o).source == screen.Place {
		return o.Prior + proves
	}
	return o.Prior
}

// known is a screen that the search came to.
type known struct {
	id     int
	look   twin.Signature
	offers *screen.Screen
	tried  map[string]bool
	asked  map[string]bool // inputs that were to be tried first
	filled bool
	blank  bool
	canvas string // what can be seen of the game's canvas
	prefix []record.Step
	frame  int
}

// forget makes offers that are at least as promising untried again, but for some.
func (k *known) forget(prior float64, but map[string]bool) {
	for _, o := range k.offers.Offers {
		if o.Prior >= prior && !but[o.ID] {
			delete(k.tried, o.ID)
		}
	}
}

// try notes that an offer was tried, and others that press the same place with it.
func (k *known) try(offer screen.Offer) {
	k.tried[offer.ID] = true
	if !offer.Input.Pressed() {
		return
	}
	for _, o := range k.offers.Offers {
		if same(o.Input, offer.Input) {
			k.tried[o.ID] = true
		}
	}
}

// best is the most promising offer that was not tried yet. On a screen that shows
// nothing only what is promising is tried.
func (g *graph) best(k *known) (best screen.Offer, ok bool) {
	for _, o := range k.offers.Offers {
		if k.tried[o.ID] || k.blank && o.Prior < promising {
			continue
		}
		if !ok || g.prior(o) > g.prior(best) {
			best, ok = o, true
		}
	}
	return best, ok
}

// best are the most promising offers, at most n.
func (k *known) best(n int) []screen.Offer {
	out := slices.Clone(k.offers.Offers)
	slices.SortStableFunc(out, func(a, b screen.Offer) int { return cmp.Compare(b.Prior, a.Prior) })
	return out[:min(n, len(out))]
}

// another is the most promising offer of one source that was not tried yet.
func (k *known) another(source screen.Source) (screen.Offer, bool) {
	for _, o := range k.offers.Offers {
		if o.Source == source && !k.tried[o.ID] && !o.Away && !o.Below {
			return o, true
		}
	}
	return screen.Offer{}, false
}

// untried is the first of the inputs that were not asked for on the screen yet.
func (k *known) untried(first []record.Input) (record.Input, bool) {
	i := slices.IndexFunc(first, func(in record.Input) bool { return !k.asked[in.String()] })
	if i < 0 {
		return record.Input{}, false
	}
	return first[i], true
}

// untriedBeside counts the things to press that were not tried yet and that another screen
// does not have.
func (k *known) untriedBeside(other *known) (n int) {
	there := map[string]bool{}
	for _, o := range other.offers.Offers {
		there[o.ID] = true
	}
	for _, o := range k.offers.Offers {
		if o.Thing() && !o.Away && !k.tried[o.ID] && !there[o.ID] {
			n++
		}
	}
	return n
}

// ask notes that an input was asked for, and returns what offers it: that it is known
// beforehand says when to try it, and not what it is.
func (k *known) ask(in record.Input) screen.Offer {
	k.asked[in.String()] = true
	for _, o := range k.offers.Offers {
		if same(o.Input, in) {
			return o
		}
	}
	source := screen.Place
	if in.Keyed() {
		source = screen.Key
	}
	return screen.Offer{ID: "first:" + in.String(), Input: in, Source: source, Prior: 1}
}

// same reports whether two inputs are one for the game: the same keys, or a press of the
// same place.
func same(a, b record.Input) bool {
	if a.Kind != b.Kind || !a.Pressed() {
		return a.String() == b.String()
	}
	return math.Hypot(a.At.X-b.At.X, a.At.Y-b.At.Y) < samePlace
}

// next is the most promising offer that was not tried yet, and on which screen it is.
func (g *graph) next() (screen.Offer, *known, bool) {
	best, ok := g.best(g.at)
	if ok && g.prior(best) >= promising {
		return best, g.at, true // a player goes on from where he is
	}
	where := g.at
	least := promising
	for _, k := range g.screens {
		if o, untried := g.best(k); k != g.at && untried && (!ok || g.prior(o) >= least) {
			best, where, ok, least = o, k, true, g.prior(o)
		}
	}
	return best, where, ok
}

// changed is why a screen may be another one than before.
type changed bool

const (
	byItself changed = false
	byInput  changed = true
)

// read reads what the played twin offers.
func (s *searcher) read(ctx context.Context) error {
	now, err := screen.Read(ctx, s.played.Page, s.played.Probe, s.viewport, s.Lean)
	if err != nil {
		return err
	}
	s.now = now
	for _, text := range now.Sentences() {
		s.sentences[text] = true
	}
	s.alone.Scrolls = now.Elements.ScrollHeight > s.viewport.Height
	s.played.Scrolls = s.alone.Scrolls
	s.fields = twin.Mask{}
	for _, box := range now.Boxes {
		s.fields.AddRect(box)
	}
	return nil
}

// survey reads what the played twin offers and shows.
func (s *searcher) survey(ctx context.Context) (*image.RGBA, error) {
	if err := s.read(ctx); err != nil {
		return nil, err
	}
	img, err := s.picture(ctx)
	if err != nil {
		return nil, err
	}
	s.now.AddShapes(img, s.viewport)
	return img, nil
}

// enter reads the present screen and finds out whether it is known.
func (s *searcher) enter(ctx context.Context, how changed) error {
	img, err := s.survey(ctx)
	if err != nil {
		return err
	}
	s.at = s.place(s.now, img, how, s.prefix)
	for _, o := range s.now.Offers {
		// What is gone when it is hit may have come again elsewhere.
		if at, ok := s.worked[o.ID]; ok && o.Input.Pressed() && math.Hypot(o.Input.At.X-at.X, o.Input.At.Y-at.Y) > samePlace {
			delete(s.at.tried, o.ID)
		}
	}
	if s.at.canvas != record.CanvasShown { // it may come later
		s.at.canvas = canvas(s.now, img, s.viewport)
	}
	return nil
}

// place is the known screen that a look at the game shows, or a new one. What had no
// effect before an input changed something may have one now, so that after one only
// nearly the same counts as known.
func (s *searcher) place(now *screen.Screen, img *image.RGBA, how changed, prefix []record.Step) *known {
	alike, apart := screenAlike, screenApart
	if how == byInput {
		alike, apart = changedAlike, changedApart
	}
	look := twin.Sign(img)
	alikeTo := func(k *known) bool { return k.offers.Same(now) > alike && k.look.Apart(look) < apart }
	if s.at != nil && alikeTo(s.at) {
		s.at.offers = now
		return s.at
	}
	if i := slices.IndexFunc(s.screens, alikeTo); i >= 0 {
		s.screens[i].offers = now
		return s.screens[i]
	}
	return s.add(now, img, how, prefix)
}

// add adds a screen that was not known.
func (s *searcher) add(now *screen.Screen, img *image.RGBA, how changed, prefix []record.Step) *known {
	look := twin.Sign(img)
	k := &known{id: len(s.screens), look: look, offers: now, tried: map[string]bool{}, asked: map[string]bool{}, blank: twin.Uniform(img),
		prefix: slices.Clone(prefix), frame: s.played.Frame}
	s.screens = append(s.screens, k)
	if before := s.at; before != nil && how == byInput && before.offers.Same(now) > screenAlike && before.look.Apart(look) < screenApart {
		// Something changed on it: only what is promising is tried again.
		k.filled = before.filled
		for _, o := range now.Offers {
			if o.Prior < promising && before.tried[o.ID] {
				k.tried[o.ID] = true
			}
		}
	}
	return k
}

// distinguish makes the present screen one of its own where it is taken for one that was known.
func (s *searcher) distinguish(ctx context.Context, known int) error {
	if s.at.id >= known {
		return nil
	}
	img, err := s.picture(ctx)
	if err == nil {
		s.at = s.add(s.now, img, byInput, s.prefix)
	}
	return err
}

// canvas says what can be seen of the game's canvas in a picture of the window.
func canvas(now *screen.Screen, img *image.RGBA, viewport record.Rect) string {
	switch {
	case len(now.Canvases) == 0 && now.Painted:
		return record.CanvasHidden
	case len(now.Canvases) == 0:
		return ""
	}
	const leastShare = 0.08 // of the window, for what would be the game
	scale := float64(img.Rect.Dx()) / viewport.Width
	large := false
	for _, c := range now.Canvases {
		if c.Width*c.Height < leastShare*viewport.Width*viewport.Height {
			continue
		}
		large = true
		part := image.Rect(int(c.X*scale), int(c.Y*scale), int((c.X+c.Width)*scale), int((c.Y+c.Height)*scale))
		if !twin.Uniform(img.SubImage(part).(*image.RGBA)) {
			return record.CanvasShown
		}
	}
	if large {
		return record.CanvasFlat
	}
	return record.CanvasShown
}
