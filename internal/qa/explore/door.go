package explore

import (
	"context"
	"math"
	"slices"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

// startByDoor clicks the one or two buttons of a page that has no others,
// whatever they say, or the one or two things of an engine's scene that can be
// hit.
func (e *Explorer) startByDoor(ctx context.Context) error {
	doors := e.doors(ctx)
	if len(doors) > maxDoors {
		return nil
	}
	if engine, err := e.g.Probe.Engine(ctx, e.g.Page); err == nil && len(engine.Objects) <= maxDoors {
		for _, o := range engine.Objects {
			if o.Drag || words.IsAside(o.Text) {
				continue
			}
			box := placeOf(o)
			if began, err := e.enter(ctx, gesture{input: click(box, o.Text), tier: tierDoor, hit: true, door: &record.Control{Text: o.Text, Box: &box}}); err != nil || began {
				return err
			}
		}
	}
	_, err := e.enterAny(ctx, doors)
	return err
}

// startByLink follows the one or two links of a page that offers nothing else, and
// of the page that they lead to.
func (e *Explorer) startByLink(ctx context.Context) (began bool, err error) {
	if e.rec.Start.Started && e.followed == 0 || e.followed == maxFollowed {
		return false, nil
	}
	links := e.onlyLinks(ctx)
	if len(links) > maxDoors {
		return false, nil
	}
	if began, err = e.enterAny(ctx, links); began {
		e.followed++
	}
	return began, err
}

func (e *Explorer) enterAny(ctx context.Context, doors []probe.Element) (began bool, err error) {
	for _, el := range doors {
		if began, err := e.enter(ctx, e.through(ctx, el)); err != nil || began {
			return began, err
		}
	}
	return false, nil
}

// maxFollowed bounds how many pages of links are gone through.
const maxFollowed = 3

// through is the click on a door. What is below the fold is scrolled to.
func (e *Explorer) through(ctx context.Context, el probe.Element) gesture {
	s := gesture{tier: tierDoor, hit: true, door: &record.Control{Selector: el.Selector, Text: el.Text}}
	s.input = click(boxOf(el), el.Text)
	if !el.InView {
		s.input.At = e.scrollTo(ctx, el, s.input.At)
		e.idle = nil
	}
	return s
}

const maxDoors = 2

// tierDoor are buttons that do not say where they lead.
const tierDoor = "door"

// woken writes down that a key began the game while its keys were asked for. On a
// page that was loaded afresh it is pressed again.
func (e *Explorer) woken(ctx context.Context) error {
	w := e.g.Woken
	if w == nil || len(e.startedBy) > 0 {
		return nil
	}
	if !e.awake {
		_, err := e.enter(ctx, gesture{input: w.Input, tier: tierAnyKey, hit: true})
		return err
	}
	e.rec.Start.Needed = true
	e.rec.Start.Attempts = append(e.rec.Start.Attempts, record.StartAttempt{Gesture: w.Input.String(), Tier: tierAnyKey, Effect: true, Proof: w.Proof, Hit: true, After: max(0, w.At-e.g.Record.Load.ReadyAfter)})
	e.opened(ctx, replay.Try{Input: w.Input, Scroll: e.scroll, At: w.At}, w.Proof)
	return nil
}

// tierAnyKey is a key that no game binds.
const tierAnyKey = "any key"

// goOn goes on from a screen between the start and the game.
func (e *Explorer) goOn(ctx context.Context) (bool, error) {
	if !e.rec.Start.Started {
		return false, nil
	}
	if worked, err := e.leaf(ctx); err != nil || worked {
		return worked, err
	}
	return e.choose(ctx)
}

// asksAnew presses a button that has come since the game was begun and says that
// it leads on: instructions may fade in over a game that seemed to have begun.
func (e *Explorer) asksAnew(ctx context.Context) (bool, error) {
	if !e.rec.Start.Started || e.g.Slow() {
		return false, nil
	}
	list, err := e.gestures(ctx)
	if err != nil {
		return false, err
	}
	for _, s := range list {
		if s.strong && s.button != nil && s.tier != tierChoice && !e.tried[s.key()] {
			return e.tryStart(ctx, s)
		}
	}
	return false, nil
}

// choose takes the first of a few things alike that are all there is to hit in an
// engine's scene, whatever they say: levels, courses, characters.
func (e *Explorer) choose(ctx context.Context) (bool, error) {
	engine, err := e.g.Probe.Engine(ctx, e.g.Page)
	if err != nil || len(engine.Objects) < 2 || len(engine.Objects) > maxMenu {
		return false, e.g.Alive(ctx)
	}
	first := engine.Objects[0]
	for _, o := range engine.Objects {
		if o.Drag || o.Text == "" || words.IsAside(o.Text) || math.Abs(o.W-first.W) > 1 || math.Abs(o.H-first.H) > 1 {
			return false, nil
		}
	}
	box := record.Rect{X: first.X, Y: first.Y, Width: first.W, Height: first.H}
	s := gesture{input: click(box, first.Text), tier: tierChoice, strong: true, hit: true, door: &record.Control{Text: first.Text, Box: &box}}
	if e.tried[s.key()] {
		return false, nil
	}
	return e.tryStart(ctx, s)
}

// maxMenu bounds the choices of a menu.
const maxMenu = 6

// leaf goes on from a screen between the start and the game that has one button,
// whatever it says, and nothing else to operate: a page to be read.
func (e *Explorer) leaf(ctx context.Context) (bool, error) {
	if e.g.Record.Load.CanvasShown || discover.ListensToKeys(e.g.Record.Load.Listens) {
		return false, nil
	}
	doors := e.doors(ctx)
	targets := 0
	for _, c := range e.g.Record.Discover.Controls {
		if c.Box != nil && e.inView(*c.Box) && !aside(c) {
			targets++
		}
	}
	if len(doors) != 1 || targets != 1 {
		return false, nil
	}
	s := e.through(ctx, doors[0])
	s.strong = true
	if e.tried[s.key()] {
		return false, nil
	}
	return e.tryStart(ctx, s)
}

// startByDoubleClick double-clicks a game that hears double clicks and no other
// press of the pointer.
func (e *Explorer) startByDoubleClick(ctx context.Context) error {
	if e.g.Record.Load.Kind == "dom" {
		return nil // its elements may hear other clicks
	}
	r, err := e.read(ctx)
	if err != nil || !load.WaitsForDoubleClick(r) {
		return err
	}
	in := game.Input{Kind: game.DoubleClick, At: e.g.Field.Center(), Label: "the middle"}
	_, err = e.enter(ctx, gesture{input: in, tier: "listener", hit: true})
	return err
}

// enter makes a gesture that the screen does not ask for and looks at the page
// anew when it began the game.
func (e *Explorer) enter(ctx context.Context, s gesture) (began bool, err error) {
	if e.tried[s.key()] {
		return false, nil
	}
	if began, err = e.tryStart(ctx, s); err != nil || !began {
		return began, err
	}
	e.rec.Start.Needed = true
	return true, e.refresh(ctx)
}

// doors are the buttons and links that stay on the page, are no part of a board
// and do not begin the game again.
func (e *Explorer) doors(ctx context.Context) []probe.Element {
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(els.Elements, func(el probe.Element) bool { return !e.isDoor(el) })
}

// onlyLinks are the links within the site of a page that offers nothing else: a
// title page, or a game that looks up what a link says instead of following it.
func (e *Explorer) onlyLinks(ctx context.Context) []probe.Element {
	offered := func(c record.Control) bool { return c.Confidence >= 0.3 }
	l := e.g.Record.Load
	if l.Kind != "dom" || discover.ListensToKeys(l.Listens) || slices.ContainsFunc(e.g.Record.Discover.Controls, offered) {
		return nil
	}
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		return nil
	}
	links := slices.DeleteFunc(els.Elements, func(el probe.Element) bool {
		to := resolve(e.url, el.Href)
		back := to == "" || to == e.url || to == e.g.Record.Target.URL
		return el.Tag != "a" || !leadsAway(el) || back || !game.SameSite(to, e.url) || !el.InView || !el.Hit || el.Target == "_blank"
	})
	slices.SortStableFunc(links, func(a, b probe.Element) int { return order(words.IsAside(a.Text), words.IsAside(b.Text)) })
	return links
}

// order puts what is not so before what is.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (e *Explorer) isDoor(el probe.Element) bool {
	switch {
	case el.Tag != "button" && el.Tag != "a", leadsAway(el), el.Disabled, el.Box.W <= 0, el.InView && !el.Hit, el.Is("cell"):
		return false
	case words.IsAside(el.Text), words.IsAgain(el.Text) && !words.IsStart(el.Text), el.Text == "" && asideID.MatchString(el.Selector):
		return false
	}
	return !words.IsConsent(el.Text) || !e.begunBeside(el) // it may close the game
}

// startByLabel clicks texts in the middle of a canvas: a title screen may call
// its button anything.
func (e *Explorer) startByLabel(ctx context.Context) error {
	labels, err := e.painted(ctx)
	if err != nil {
		return err
	}
	mid, tries := e.g.Field.Center(), 0
	for _, in := range labels {
		s := gesture{input: in, tier: "label", hit: true}
		aside := math.Abs(in.At.X-mid.X) > 0.15*e.g.Field.Width || in.At.Y < e.g.Field.Y+0.25*e.g.Field.Height
		if aside || in.Label == "" || e.tried[s.key()] || tries == maxLabels {
			continue
		}
		tries++
		if began, err := e.enter(ctx, s); err != nil || began {
			return err
		}
	}
	return nil
}

// startByPlace clicks where a canvas that paints no text which can be read has a
// button on its middle line, as its code says when the pointer is over it.
func (e *Explorer) startByPlace(ctx context.Context) error {
	l := e.g.Record.Load
	if l.Kind == "dom" || l.Inside == "dom" || e.g.Code == nil || e.g.Slow() || !discover.Hovers(e.g) {
		return nil
	}
	if r, err := e.read(ctx); err != nil || len(r.Texts()) > 0 {
		return err
	}
	places, err := discover.Buttons(ctx, e.g)
	if err != nil || len(places) == 0 {
		return e.g.Alive(ctx)
	}
	pressed := func(el probe.Element) bool { return boxOf(el).Contains(places[0]) }
	if slices.ContainsFunc(e.doors(ctx), pressed) {
		return nil // that is tried by itself
	}
	in := game.Input{Kind: game.Click, At: places[0], Label: "a place that the code knows"}
	_, err = e.enter(ctx, gesture{input: in, tier: "place", hit: true, byCode: true})
	return err
}

// maxLabels bounds the texts that are clicked in the hope that they start the game.
const maxLabels = 3
