package explore

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

var startID = regexp.MustCompile(`(?i)^(start|play|begin)([-_]?(btn|button|game))?$`)

// gestures lists what may start the game, what the screen asks for first.
func (e *Explorer) gestures(ctx context.Context) ([]gesture, error) {
	r, err := e.read(ctx)
	if err != nil {
		return nil, err
	}
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		if gone := e.g.Alive(ctx); gone != nil {
			return nil, gone
		}
		els = &probe.Elements{}
	}
	engine := e.scene(ctx)
	var out []gesture
	add := func(s gesture) {
		for _, have := range out {
			if have.input.String() == s.input.String() {
				return
			}
		}
		out = append(out, s)
	}
	pad := padKeys(els.Elements)
	for _, el := range els.Elements {
		if pad[el.Selector] {
			continue
		}
		if s, ok := e.elementGesture(ctx, el); ok {
			add(s)
		}
	}
	for _, t := range r.Texts() {
		if !e.rec.Start.Started {
			e.known[game.Shape(t.Text)] = true // it may blink
		}
		e.textGestures(t.Text, record.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}, "painted", add)
	}
	if !e.rec.Start.Started {
		// What was painted once, while the rest is painted again and again, may still be there.
		for _, t := range e.everPainted(ctx) {
			e.textGestures(t.Text, record.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}, "painted", func(s gesture) {
				s.score -= 30
				add(s)
			})
		}
	}
	for _, o := range engine.Objects {
		if m := words.Of(o.Text); m == words.Start || m == words.Continue || m == words.Again || words.IsChoice(o.Text) || m == words.None && words.NamesStart(o.Text) {
			add(gesture{input: click(placeOf(o), o.Text), tier: "engine", strong: true, hit: true, score: 80})
		}
	}
	for _, t := range engine.Texts {
		if words.SaysStart(t.Text) {
			e.textGestures(t.Text, placeOf(t), "engine", add)
		}
	}
	for _, t := range els.Texts {
		if load.AsksForStart(t) {
			e.textGestures(t.Text, record.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}, "text", add)
		}
	}
	if els.Top != nil && words.SaysStart(els.Top.Text) {
		add(gesture{input: game.Input{Kind: game.Click, At: e.g.Rect.Center(), Label: els.Top.Text}, tier: "overlay", strong: true, hit: true, score: 55})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	return out, nil
}

// everPainted are the texts that were painted on canvases at any time.
func (e *Explorer) everPainted(ctx context.Context) []probe.Text {
	r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true, MaxAge: float64(e.g.Age().Milliseconds()) + 1})
	if err != nil {
		return nil
	}
	return r.Texts()
}

// elementGesture judges an element as a start button.
func (e *Explorer) elementGesture(ctx context.Context, el probe.Element) (gesture, bool) {
	if el.Disabled || el.Box.W <= 0 {
		return gesture{}, false
	}
	m := words.Of(el.Text)
	away := leadsAway(el)
	if el.Target == "_blank" || away && m != words.Start {
		return gesture{}, false
	}
	clickable := el.Is("native") || el.Is("listener") || el.Is("cursor") || el.Tag == "button" || el.Tag == "a"
	s := gesture{hit: el.Hit}
	switch {
	case !clickable:
		return gesture{}, false
	case startID.MatchString(el.ID):
		s.tier, s.score = "id", 100
	case m == words.Start:
		s.tier, s.score = "text", 85
	case m == words.None && (el.Tag == "button" || el.Tag == "input") && words.IsStartButton(el.Text):
		s.tier, s.score = "text", 80
	case m == words.None && len(el.Text) < 24 && slices.ContainsFunc(el.Attrs, words.NamesStart):
		s.tier, s.score = "attribute", 75
	case words.IsChoice(el.Text) && !el.Is("cell"):
		s.tier, s.score = tierChoice, 65
	case m == words.Continue:
		s.tier, s.score = "continue", 60
	case words.IsConsent(el.Text) && m != words.Aside:
		s.tier, s.score = "consent", 45
	default:
		return gesture{}, false
	}
	if m == words.Again || m == words.Aside || words.IsConsent(el.Text) && e.begunBeside(el) {
		return gesture{}, false
	}
	if away {
		s.score -= 30
	}
	s.strong = true
	at := record.Point{X: el.Box.X + el.Box.W/2, Y: el.Box.Y + el.Box.H/2}
	if !el.InView {
		// Below the fold: scroll to it, as a player would.
		at = e.scrollTo(ctx, el, at)
		s.hit = true
		s.score -= 10
	} else if !el.Hit {
		s.score -= 40
		s.strong = false
	}
	label := el.Text
	if label == "" {
		label = el.Selector
	}
	s.input = game.Input{Kind: game.Click, At: at, Label: label}
	if s.strong {
		s.button = &record.Control{Selector: el.Selector, Text: el.Text}
	}
	return s, true
}

// begunBeside: the game has begun and runs, and what could be closed is a notice
// at the edge of the window.
func (e *Explorer) begunBeside(el probe.Element) bool {
	const edge = 0.06
	x, y := (el.Box.X+el.Box.W/2)/e.g.Viewport.Width, (el.Box.Y+el.Box.H/2)/e.g.Viewport.Height
	return e.rec.Start.Started && !e.still() && (min(x, y) < edge || max(x, y) > 1-edge)
}

// scrollTo brings an element into view and returns where it is then.
func (e *Explorer) scrollTo(ctx context.Context, el probe.Element, at record.Point) record.Point {
	for _, f := range e.g.Page.Frames() {
		if f.ID() != el.FrameID {
			continue
		}
		var box struct{ X, Y, W, H float64 }
		expr := fmt.Sprintf("(() => { const e = document.querySelector(%q); if (!e) return null; e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getBoundingClientRect(); return {X: r.x, Y: r.y, W: r.width, H: r.height} })()\n//# sourceURL=playtest:scroll", el.Selector)
		if err := f.Evaluate(ctx, expr, &box); err != nil || box.W == 0 {
			return e.scrollBy(ctx, at) // inside a shadow root no selector reaches it
		}
		o, err := f.Origin(ctx)
		if err != nil {
			return at
		}
		return record.Point{X: o.X + box.X + box.W/2, Y: o.Y + box.Y + box.H/2}
	}
	return at
}

// scrollBy scrolls the page so that a place of it comes to the middle, and
// returns where it is then.
func (e *Explorer) scrollBy(ctx context.Context, at record.Point) record.Point {
	var moved float64
	expr := fmt.Sprintf("(() => { const y = scrollY; scrollBy({top: %f, behavior: 'instant'}); return scrollY - y })()\n//# sourceURL=playtest:scroll", at.Y-e.g.Viewport.Height/2)
	if err := e.g.Page.Evaluate(ctx, expr, &moved); err != nil {
		return at
	}
	return record.Point{X: at.X, Y: at.Y - moved}
}

// textGestures reads what a text asks for: a key by name, any key, a click, a double click.
func (e *Explorer) textGestures(text string, box record.Rect, tier string, add func(gesture)) {
	m := words.Of(text)
	if !words.SaysStart(text) && m != words.Continue {
		return
	}
	lower := strings.ToLower(text)
	box = e.g.Clamp(box)
	if strings.Contains(lower, "double") || strings.Contains(lower, "dbl") {
		at := e.g.Field.Center()
		add(gesture{input: game.Input{Kind: game.DoubleClick, At: at, Label: text}, tier: tier, strong: true, hit: true, score: 92})
	}
	if k, ok := words.NamedKey(text); ok {
		add(gesture{input: game.Input{Kind: game.KeyPress, Key: k, Label: text}, tier: tier, strong: true, hit: true, score: 88})
	}
	if box.Width > 0 && box.Height > 0 {
		add(gesture{input: click(box, text), tier: tier, strong: true, hit: true, score: 78})
	}
	if strings.Contains(lower, "key") || strings.Contains(lower, "press") {
		add(gesture{input: game.Input{Kind: game.KeyPress, Key: "Space", Label: text}, tier: tier, strong: true, hit: true, score: 70})
		add(gesture{input: game.Input{Kind: game.KeyPress, Key: "Enter", Label: text}, tier: tier, strong: true, hit: true, score: 69})
	}
}

func boxOf(el probe.Element) record.Rect {
	return record.Rect{X: el.Box.X, Y: el.Box.Y, Width: el.Box.W, Height: el.Box.H}
}

func placeOf(o probe.Object) record.Rect {
	return record.Rect{X: o.X, Y: o.Y, Width: o.W, Height: o.H}
}

func click(box record.Rect, label string) game.Input {
	return game.Input{Kind: game.Click, At: box.Center(), Label: label}
}

// painted lists short texts and pictures on canvases that may be buttons, from
// the middle outwards.
func (e *Explorer) painted(ctx context.Context) ([]game.Input, error) {
	r, err := e.read(ctx)
	if err != nil {
		return nil, err
	}
	var out []game.Input
	add := func(box record.Rect, label string) {
		if box = e.g.Clamp(box); box.Width > 12 && box.Height > 8 {
			out = append(out, click(box, label))
		}
	}
	for _, t := range r.Texts() {
		if n := len(strings.Fields(t.Text)); n <= 3 && len(t.Text) <= 24 && t.W < e.g.Field.Width*0.6 && !words.IsAside(t.Text) && !digitsOnly.MatchString(t.Text) {
			add(record.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}, t.Text)
		}
	}
	for _, f := range r.Frames {
		for _, p := range f.Images {
			if p.Age > 300 && p.W < e.g.Field.Width*0.6 {
				add(record.Rect{X: p.X, Y: p.Y, Width: p.W, Height: p.H}, "")
			}
		}
	}
	mid := e.g.Field.Center()
	far := func(in game.Input) float64 { return math.Hypot(in.At.X-mid.X, in.At.Y-mid.Y) }
	sort.SliceStable(out, func(i, j int) bool { return far(out[i]) < far(out[j]) })
	return out[:min(len(out), maxPainted)], nil
}

// maxPainted bounds the painted things that are tried as buttons.
const maxPainted = 8

var digitsOnly = regexp.MustCompile(`^[\d\s.,:%/x×-]*$`)
