package explore

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strings"
	"time"

	"playtest"
	"playtest/browser"
	"playtest/browser/probe"
	"playtest/qa/cause"
	"playtest/qa/discover"
	"playtest/qa/game"
	"playtest/qa/load"
	"playtest/qa/words"
)

// gesture is something that may start a game.
type gesture struct {
	input game.Input
	tier  string
	// strong: the screen itself asks for it.
	strong bool
	hit    bool
	score  float64
}

func (s gesture) key() string { return s.tier + " " + s.input.String() }

// startCode is how much never-run code proves a start by itself. A handler
// that runs for the first time and does nothing more is less.
const startCode = 400

// maxSteps bounds the menus between loading and playing.
const maxSteps = 6

// start follows what the screen asks for, one gesture at a time with a look
// after each, until the screen asks for nothing more.
func (e *Explorer) start(ctx context.Context) error {
	for range maxSteps {
		list, err := e.gestures(ctx)
		if err != nil {
			return err
		}
		worked := false
		for _, s := range list {
			if !s.strong || e.tried[s.key()] {
				continue
			}
			e.rec.Start.Needed = true
			ok, err := e.tryStart(ctx, s)
			if err != nil {
				return err
			}
			if ok {
				worked = true
				break
			}
		}
		if !worked {
			break
		}
		if err := e.refresh(ctx); err != nil {
			return err
		}
	}
	if !e.rec.Start.Needed {
		e.rec.Start.Auto = true
	}
	return nil
}

// settle lets what an input set off come to rest, so that it is not taken for
// something the game does by itself: until nothing is drawn anew and the
// document stands still for a moment. Games that never rest are not waited for.
func (e *Explorer) settle(ctx context.Context) {
	const rest, limit = 120 * time.Millisecond, 700 * time.Millisecond
	until := time.Now().Add(limit)
	var last, since = "", time.Now()
	for time.Now().Before(until) && ctx.Err() == nil {
		r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true})
		if err != nil {
			return
		}
		now := fmt.Sprint(r.Mutated(), game.Drawing(r))
		if now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > rest {
			return
		}
		e.g.Pause(ctx, 30*time.Millisecond)
	}
}

// tryStart makes one gesture and looks whether the page changed because of it.
func (e *Explorer) tryStart(ctx context.Context, s gesture) (bool, error) {
	started := time.Now()
	if len(e.idle) < 2 {
		if err := e.watchIdle(ctx, 2-len(e.idle)); err != nil {
			return false, err
		}
	}
	url := e.g.Page.URL()
	e.g.Take(ctx)
	fresh := e.g.Fresh()
	s.input.Why = "might start the game (" + s.tier + ")"
	w, err := e.observe(ctx, s.input)
	if err != nil {
		return false, err
	}
	proof := e.change(w)
	if n := e.g.Fresh() - fresh; proof == "" && n > startCode {
		proof = fmt.Sprintf("%d characters of the game's code ran for the first time", n)
	}
	if proof == "" && (e.g.Fresh() > fresh || w.Reads > 0 || w.Changed() > 0) {
		// Fades and loading take their time: one more look.
		again, err := e.observe(ctx, game.Input{Kind: game.Idle})
		if err != nil {
			return false, err
		}
		if e.g.Fresh()-fresh > startCode {
			proof = "the game's code went on to something new"
		} else if p := e.change(again); p != "" && e.still() {
			proof = p
		} else {
			e.addIdle(again)
		}
	}
	e.tried[s.key()] = true
	e.rec.Start.Attempts = append(e.rec.Start.Attempts, playtest.StartAttempt{
		Gesture: s.input.String(), Tier: s.tier, Effect: proof != "", Proof: proof, Hit: s.hit, Took: time.Since(started),
	})
	if proof == "" {
		if s.strong && s.hit && s.input.Kind == game.Click && e.rec.Start.Dead == "" && words.IsStart(s.input.Label) {
			e.rec.Start.Dead = s.input.Label
		}
		return false, nil
	}
	if e.rec.Start.Dead == s.input.Label {
		e.rec.Start.Dead = ""
	}
	if now := e.g.Page.URL(); left(url, now) && sameSite(url, now) {
		// Our gesture led to another page, which is where the game is.
		e.g.Decide("follow to "+now, "it is where "+s.input.String()+" led", 0.6)
		e.url = now
		e.waitLoaded(ctx)
	}
	e.startedBy = append(e.startedBy, s.input)
	e.rec.Start.Started = true
	e.g.Decide("start by "+s.input.String(), proof, 0.8)
	e.g.Screenshot(ctx, playtest.StageAfterInteraction, "phase3-after-start", "after "+s.input.String())
	return true, nil
}

func left(before, after string) bool {
	a, _, _ := strings.Cut(before, "#")
	b, _, _ := strings.Cut(after, "#")
	return a != b
}

func (e *Explorer) waitLoaded(ctx context.Context) {
	until := time.Now().Add(8 * time.Second)
	for time.Now().Before(until) && ctx.Err() == nil {
		e.g.Pause(ctx, 150*time.Millisecond)
		r, err := e.g.Read(ctx, nil)
		if err == nil && len(r.Frames) > 0 && r.Frames[0].ReadyState == "complete" && e.g.Page.Log().InFlight() == 0 {
			return
		}
	}
}

// change says what changed in a window beyond what changes without input.
func (e *Explorer) change(w cause.Window) string {
	if len(w.Tiles) == 0 || len(e.idle) == 0 {
		return ""
	}
	// What changes by itself, and how much of that is new from one window to the next.
	usual := 0.0
	for i := range e.idle {
		usual = max(usual, novelty(e.idle[i], e.idle[:i], e.idle[i+1:]))
	}
	share := novelty(w, e.idle, nil)
	if share > 0.02+3*usual || share > 0.002 && e.still() {
		return fmt.Sprintf("%.1f %% of the picture changed that had stood still", 100*share)
	}
	if len(w.Texts) > 0 {
		for _, t := range w.Texts {
			if !e.seenText(t) {
				return fmt.Sprintf("the text %q appeared", t)
			}
		}
	}
	if w.Dialogs > 0 {
		return "a dialog opened"
	}
	return ""
}

// novelty is the share of tiles that changed in a window and in none of the others.
func novelty(w cause.Window, lists ...[]cause.Window) float64 {
	if len(w.Tiles) == 0 {
		return 0
	}
	n := 0
	for t, v := range w.Tiles {
		if v <= 2 {
			continue
		}
		known := false
		for _, list := range lists {
			for _, o := range list {
				known = known || t < len(o.Tiles) && o.Tiles[t] > 0.6
			}
		}
		if !known {
			n++
		}
	}
	return float64(n) / float64(len(w.Tiles))
}

func (e *Explorer) seenText(t string) bool {
	for _, w := range e.idle {
		for _, s := range w.Texts {
			if s == t {
				return true
			}
		}
	}
	return false
}

var (
	startID   = regexp.MustCompile(`(?i)^(start|play|begin)([-_]?(btn|button|game))?$`)
	startAttr = regexp.MustCompile(`(?i)(^|[^a-z])(start|play|begin)([^a-z]|$)|(start|play|begin)[-_]?(btn|button|game|screen)|(btn|button)[-_]?(start|play|begin)|(start|play|begin)Game`)
	notStart  = regexp.MustCompile(`(?i)display|player|playlist|playground|startup|restart|replay|autoplay|play-?area|gameplay`)
)

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
	engine, _ := e.g.Probe.Engine(ctx, e.g.Page)
	var out []gesture
	add := func(s gesture) {
		for _, have := range out {
			if have.input.String() == s.input.String() {
				return
			}
		}
		out = append(out, s)
	}
	for _, el := range els.Elements {
		if s, ok := e.elementGesture(ctx, el); ok {
			add(s)
		}
	}
	for _, t := range r.Texts() {
		e.textGestures(t.Text, playtest.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}, "painted", add)
	}
	for _, o := range engine.Objects {
		if m := words.Of(o.Text); m == words.Start || m == words.Continue || m == words.Again || words.IsChoice(o.Text) {
			add(gesture{input: click(playtest.Rect{X: o.X, Y: o.Y, Width: o.W, Height: o.H}, o.Text), tier: "engine", strong: true, hit: true, score: 80})
		}
	}
	for _, t := range els.Texts {
		if t.InView && t.H < 200 && len(t.Text) < 120 && words.SaysStart(t.Text) {
			e.textGestures(t.Text, playtest.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}, "text", add)
		}
	}
	if els.Top != nil && words.SaysStart(els.Top.Text) {
		add(gesture{input: game.Input{Kind: game.Click, At: e.g.Rect.Center(), Label: els.Top.Text}, tier: "overlay", strong: true, hit: true, score: 55})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	return out, nil
}

// elementGesture judges an element as a start button.
func (e *Explorer) elementGesture(ctx context.Context, el probe.Element) (gesture, bool) {
	if el.Disabled || el.Box.W <= 0 {
		return gesture{}, false
	}
	m := words.Of(el.Text)
	away := el.Href != "" && !strings.HasPrefix(el.Href, "#") && !strings.HasPrefix(el.Href, "javascript:")
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
	case m == words.None && len(el.Text) < 24 && attrStart(el.Attrs):
		s.tier, s.score = "attribute", 75
	case words.IsChoice(el.Text) && !el.Is("cell"):
		s.tier, s.score = "choice", 65
	case m == words.Continue:
		s.tier, s.score = "continue", 60
	case words.IsConsent(el.Text) && m != words.Aside:
		s.tier, s.score = "consent", 45
	default:
		return gesture{}, false
	}
	if m == words.Again || m == words.Aside {
		return gesture{}, false
	}
	if away {
		s.score -= 30
	}
	s.strong = true
	at := playtest.Point{X: el.Box.X + el.Box.W/2, Y: el.Box.Y + el.Box.H/2}
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
	return s, true
}

func attrStart(attrs []string) bool {
	for _, a := range attrs {
		if startAttr.MatchString(a) && !notStart.MatchString(a) {
			return true
		}
	}
	return false
}

// scrollTo brings an element into view and returns where it is then.
func (e *Explorer) scrollTo(ctx context.Context, el probe.Element, at playtest.Point) playtest.Point {
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
		return playtest.Point{X: o.X + box.X + box.W/2, Y: o.Y + box.Y + box.H/2}
	}
	return at
}

// scrollBy scrolls the page so that a place of it comes to the middle, and
// returns where it is then.
func (e *Explorer) scrollBy(ctx context.Context, at playtest.Point) playtest.Point {
	var moved float64
	expr := fmt.Sprintf("(() => { const y = scrollY; scrollBy({top: %f, behavior: 'instant'}); return scrollY - y })()\n//# sourceURL=playtest:scroll", at.Y-e.g.Viewport.Height/2)
	if err := e.g.Page.Evaluate(ctx, expr, &moved); err != nil {
		return at
	}
	return playtest.Point{X: at.X, Y: at.Y - moved}
}

// textGestures reads what a text asks for: a key by name, any key, a click, a double click.
func (e *Explorer) textGestures(text string, box playtest.Rect, tier string, add func(gesture)) {
	m := words.Of(text)
	if !words.SaysStart(text) && m != words.Continue {
		return
	}
	lower := strings.ToLower(text)
	box = e.g.Clamp(box)
	if strings.Contains(lower, "double") || strings.Contains(lower, "dbl") {
		at := e.g.Rect.Center()
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

func click(box playtest.Rect, label string) game.Input {
	return game.Input{Kind: game.Click, At: box.Center(), Label: label}
}

// anyGesture tries what the screen does not ask for: the middle, the usual
// keys, a double click, anything that looks like a button. It stops at the
// first that has an effect.
func (e *Explorer) anyGesture(ctx context.Context) (bool, error) {
	list, err := e.gestures(ctx)
	if err != nil {
		return false, err
	}
	mid := e.g.Rect.Center()
	plain := func(in game.Input) gesture { return gesture{input: in, tier: "gesture", hit: true} }
	labels, err := e.painted(ctx)
	if err != nil {
		return false, err
	}
	for _, in := range labels {
		list = append(list, plain(in))
	}
	list = append(list,
		plain(game.Input{Kind: game.Click, At: mid, Label: "the middle"}),
		plain(game.Input{Kind: game.KeyPress, Key: "Space"}),
		plain(game.Input{Kind: game.KeyPress, Key: "Enter"}),
		plain(game.Input{Kind: game.DoubleClick, At: mid, Label: "the middle"}),
		plain(game.Input{Kind: game.KeyPress, Key: "ArrowRight"}),
		plain(game.Input{Kind: game.KeyPress, Key: "ArrowUp"}),
	)
	var below []probe.Element
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(mid))
	if err == nil {
		n := 0
		for _, el := range els.Elements {
			away := el.Href != "" && !strings.HasPrefix(el.Href, "#") && !strings.HasPrefix(el.Href, "javascript:")
			if n >= 10 || el.Disabled || away || el.Box.W <= 20 || words.IsAside(el.Text) || el.Is("cell") || el.InView && !el.Hit {
				continue
			}
			n++
			in := click(playtest.Rect{X: el.Box.X, Y: el.Box.Y, Width: el.Box.W, Height: el.Box.H}, el.Text)
			if !el.InView {
				below = append(below, el)
				continue
			}
			list = append(list, plain(in))
		}
	}
	for _, p := range e.hotSpots(ctx) {
		list = append(list, plain(game.Input{Kind: game.Click, At: p, Label: "a place that the code knows"}))
	}
	for _, s := range list {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if e.tried[s.key()] {
			continue
		}
		ok, err := e.tryStart(ctx, s)
		if err != nil || ok {
			return ok, err
		}
	}
	for _, el := range below {
		// Only now is it scrolled to, because everything else moves with it.
		at := e.scrollTo(ctx, el, playtest.Point{X: el.Box.X + el.Box.W/2, Y: el.Box.Y + el.Box.H/2})
		e.idle = nil
		s := plain(game.Input{Kind: game.Click, At: at, Label: el.Text})
		if e.tried[s.key()] {
			continue
		}
		if ok, err := e.tryStart(ctx, s); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

// painted lists short texts and pictures on canvases that may be buttons, from
// the middle outwards.
func (e *Explorer) painted(ctx context.Context) ([]game.Input, error) {
	r, err := e.read(ctx)
	if err != nil {
		return nil, err
	}
	var out []game.Input
	add := func(box playtest.Rect, label string) {
		if box = e.g.Clamp(box); box.Width > 12 && box.Height > 8 {
			out = append(out, click(box, label))
		}
	}
	for _, t := range r.Texts() {
		if n := len(strings.Fields(t.Text)); n <= 3 && len(t.Text) <= 24 && t.W < e.g.Rect.Width*0.6 && !words.IsAside(t.Text) && !digitsOnly.MatchString(t.Text) {
			add(playtest.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}, t.Text)
		}
	}
	for _, f := range r.Frames {
		for _, p := range f.Images {
			if p.Age > 300 && p.W < e.g.Rect.Width*0.6 {
				add(playtest.Rect{X: p.X, Y: p.Y, Width: p.W, Height: p.H}, "")
			}
		}
	}
	mid := e.g.Rect.Center()
	far := func(in game.Input) float64 { return math.Hypot(in.At.X-mid.X, in.At.Y-mid.Y) }
	sort.SliceStable(out, func(i, j int) bool { return far(out[i]) < far(out[j]) })
	return out[:min(len(out), maxPainted)], nil
}

// maxPainted bounds the painted things that are tried as buttons.
const maxPainted = 8

var digitsOnly = regexp.MustCompile(`^[\d\s.,:%/x×-]*$`)

// hotSpots asks the game's code where on its canvas a click means something:
// code that runs for a click here and not for most other clicks.
func (e *Explorer) hotSpots(ctx context.Context) []playtest.Point {
	if e.g.Code == nil || e.g.Record.Load.Kind == "dom" || e.g.Slow() {
		return nil
	}
	points, err := discover.HotSpots(ctx, e.g)
	if err != nil {
		return nil
	}
	return points
}

// restart begins another round after an end.
func (e *Explorer) restart(ctx context.Context) (bool, error) {
	e.tried = map[string]bool{}
	if err := load.Survey(ctx, e.g); err != nil {
		return false, err
	}
	list, err := e.againGestures(ctx)
	if err != nil {
		return false, err
	}
	playing := e.idle // windows of play stay good for comparison in the next round
	e.idle = nil
	defer func() { e.idle = playing }()
	for _, s := range list {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		ok, err := e.tryStart(ctx, s)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		if _, still, err := e.overText(ctx); err != nil || still {
			continue // something changed, but the round is still over
		}
		e.rec.Restarts++
		e.restarts = append(e.restarts, time.Now())
		return true, nil
	}
	return false, nil
}

func (e *Explorer) againGestures(ctx context.Context) ([]gesture, error) {
	r, err := e.read(ctx)
	if err != nil {
		return nil, err
	}
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		els = &probe.Elements{}
	}
	var out []gesture
	for _, el := range els.Elements {
		if m := words.Of(el.Text); (m == words.Again || m == words.Start || m == words.Continue) && el.InView && el.Hit && !el.Disabled {
			out = append(out, gesture{input: click(playtest.Rect{X: el.Box.X, Y: el.Box.Y, Width: el.Box.W, Height: el.Box.H}, el.Text), tier: "again", hit: true})
		}
	}
	for _, t := range r.Texts() {
		if words.SaysAgain(t.Text) || words.SaysStart(t.Text) {
			if k, ok := words.NamedKey(t.Text); ok {
				out = append(out, gesture{input: game.Input{Kind: game.KeyPress, Key: k, Label: t.Text}, tier: "again", hit: true})
			}
			out = append(out, gesture{input: click(e.g.Clamp(playtest.Rect{X: t.X, Y: t.Y, Width: t.W, Height: t.H}), t.Text), tier: "again", hit: true})
		}
	}
	for _, in := range e.startedBy {
		out = append(out, gesture{input: in, tier: "as before", hit: true})
	}
	mid := e.g.Rect.Center()
	for _, in := range []game.Input{
		{Kind: game.KeyPress, Key: "Space"}, {Kind: game.KeyPress, Key: "Enter"}, {Kind: game.Click, At: mid, Label: "the middle"}, {Kind: game.KeyPress, Key: "KeyR"},
	} {
		out = append(out, gesture{input: in, tier: "gesture", hit: true})
	}
	return out, nil
}
