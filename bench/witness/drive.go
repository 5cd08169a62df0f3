package witness

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// hold is how long keys and buttons are held: long enough for games that poll.
const hold = 120 * time.Millisecond

// targets is what targets.js answers.
type targets struct {
	Canvas *browser.Rect  `json:"canvas"`
	Click  []browser.Rect `json:"click"`
	Drag   []browser.Rect `json:"drag"`
	Fields []browser.Rect `json:"fields"`
}

// targets gathers what all the frames offer, in the page's coordinates.
func (o *observation) targets(ctx context.Context) targets {
	var all targets
	for _, f := range o.page.Frames() {
		var t targets
		if f.Evaluate(ctx, "("+targetsScript+")()", &t) != nil {
			continue
		}
		at, err := f.Origin(ctx)
		if err != nil {
			continue
		}
		for _, list := range []*[]browser.Rect{&t.Click, &t.Drag, &t.Fields} {
			for i := range *list {
				(*list)[i].X += at.X
				(*list)[i].Y += at.Y
			}
		}
		if t.Canvas != nil {
			t.Canvas.X += at.X
			t.Canvas.Y += at.Y
			if all.Canvas == nil || t.Canvas.Width > all.Canvas.Width {
				all.Canvas = t.Canvas
			}
		}
		all.Click = append(all.Click, t.Click...)
		all.Drag = append(all.Drag, t.Drag...)
		all.Fields = append(all.Fields, t.Fields...)
	}
	return all
}

// place is where the game lies: its largest canvas, or the whole window.
func (o *observation) place(ctx context.Context) browser.Rect {
	if t := o.targets(ctx); t.Canvas != nil {
		return *t.Canvas
	}
	return browser.Rect{Width: 1280, Height: 720}
}

func centre(r browser.Rect) browser.Point {
	return browser.Point{X: r.X + r.Width/2, Y: r.Y + r.Height/2}
}

func (o *observation) click(ctx context.Context, p browser.Point) error {
	return o.page.Mouse().Click(ctx, p.X, p.Y, &browser.ClickOptions{Hold: hold})
}

// seek scrolls to what starts the game, so that the pictures before and after the start show the same place.
func (o *observation) seek(ctx context.Context) error {
	words := o.game.Start.Target
	if len(o.game.Start.Steps) > 0 {
		words = o.game.Start.Steps[0]
	}
	if words == "" {
		return nil
	}
	_, err := o.find(ctx, words)
	return err
}

// find returns a place in the page that says the words, nil if none does.
func (o *observation) find(ctx context.Context, words string) (*browser.Point, error) {
	quoted, err := json.Marshal(words)
	if err != nil {
		return nil, err
	}
	for _, f := range o.page.Frames() {
		var places []browser.Point
		if f.Evaluate(ctx, "("+findScript+")("+string(quoted)+")", &places) != nil || len(places) == 0 {
			continue
		}
		if at, err := f.Origin(ctx); err == nil {
			return &browser.Point{X: places[0].X + at.X, Y: places[0].Y + at.Y}, nil
		}
	}
	return nil, nil
}

// start does what the description says, and where that may not be the only way, nothing more.
func (o *observation) start(ctx context.Context) error {
	s := o.game.Start
	steps := s.Steps
	if len(steps) == 0 {
		steps = []string{s.Target}
	}
	middle := centre(o.place(ctx))
	switch s.Type {
	case "auto", "":
		// Keys go to a page that was touched.
		return o.page.Mouse().Move(ctx, middle.X, middle.Y)
	case "any-key":
		return o.press(ctx, "Space")
	case "key":
		if err := o.press(ctx, s.Target); err != nil {
			return err
		}
	case "click":
		if err := o.click(ctx, middle); err != nil {
			return err
		}
	case "double-click":
		if err := o.page.Mouse().Click(ctx, middle.X, middle.Y, &browser.ClickOptions{Count: 2, Hold: 50 * time.Millisecond}); err != nil {
			return err
		}
	default:
		for _, words := range steps {
			if err := o.follow(ctx, words); err != nil {
				return err
			}
		}
	}
	return o.pause(ctx, 600*time.Millisecond)
}

// insist tries what starts many games.
func (o *observation) insist(ctx context.Context) error {
	if !o.opts.Insist {
		return nil
	}
	for _, key := range []string{"Enter", "Space"} {
		if err := o.press(ctx, key); err != nil {
			return err
		}
	}
	if err := o.click(ctx, centre(o.place(ctx))); err != nil {
		return err
	}
	return o.pause(ctx, 400*time.Millisecond)
}

// follow clicks what says the words, or presses the key of that name, and where nothing says them tries the places
// where buttons usually are.
func (o *observation) follow(ctx context.Context, words string) error {
	place, err := o.find(ctx, words)
	if err != nil {
		return err
	}
	if place != nil {
		if err := o.click(ctx, *place); err != nil {
			return err
		}
		return o.pause(ctx, 400*time.Millisecond)
	}
	if _, ok := browser.LookupKey(words); ok && len(words) > 1 {
		return o.press(ctx, words)
	}
	area := o.place(ctx)
	for _, fy := range []float64{0.5, 0.6, 0.7, 0.8} {
		p := browser.Point{X: area.X + area.Width/2, Y: area.Y + area.Height*fy}
		if err := o.click(ctx, p); err != nil {
			return err
		}
	}
	return o.pause(ctx, 400*time.Millisecond)
}

func (o *observation) press(ctx context.Context, code string) error {
	return o.page.Keyboard().Press(ctx, code, hold)
}

// operate uses every control once or twice, taking pictures all the while.
func (o *observation) operate(ctx context.Context) error {
	o.signs.Play, o.signs.Moved = nil, 0
	o.before = o.heard(ctx)
	defer func() { o.signs.Reached = o.reached(ctx) }()
	o.picture(ctx, &o.signs.Play)
	controls := o.game.Controls
	for round := range 2 {
		for _, c := range controls[:min(len(controls), 5)] {
			var err error
			switch c.Type {
			case "type":
				err = o.typing(ctx, round)
			case "drag":
				err = o.drags(ctx, round)
			case "hover":
				err = o.hovers(ctx)
			case "key", "hold":
				if len(c.Keys) == 0 {
					err = o.clicks(ctx, round)
				} else if !slices.Contains([]string{"Escape", "KeyP", "KeyR", "KeyM"}, c.Keys[0]) || len(controls) == 1 {
					err = o.page.Keyboard().Press(ctx, c.Keys[round%len(c.Keys)], 3*hold)
				}
			default:
				err = o.clicks(ctx, round)
			}
			if err != nil {
				return err
			}
			o.picture(ctx, &o.signs.Play)
			if o.answered(ctx) {
				return nil
			}
		}
	}
	return nil
}

// answered reports whether the game is known to be playable and nothing else is asked.
func (o *observation) answered(ctx context.Context) bool {
	return o.opts.Playable && o.signs.Moved > 0 && o.reached(ctx) > 0
}

// clicks goes for what can be clicked, else for places all over the game.
func (o *observation) clicks(ctx context.Context, round int) error {
	t := o.targets(ctx)
	var points []browser.Point
	if t.Canvas == nil {
		for i := round; i < len(t.Click) && len(points) < 6; i += 1 + len(t.Click)/6 {
			points = append(points, centre(t.Click[i]))
		}
	}
	area := browser.Rect{Width: 1280, Height: 720}
	if t.Canvas != nil {
		area = *t.Canvas
	}
	for _, fx := range []float64{0.5, 0.3, 0.7} {
		points = append(points, browser.Point{X: area.X + area.Width*fx, Y: area.Y + area.Height*(0.35+0.2*float64(round))})
	}
	for _, p := range points {
		if p.X < 1 || p.Y < 1 || p.X > 1279 || p.Y > 719 {
			continue
		}
		if o.leadsAway(ctx, p) {
			continue
		}
		if err := o.click(ctx, p); err != nil {
			return err
		}
		o.picture(ctx, &o.signs.Play)
	}
	return nil
}

// leadsAway reports whether a link to another page lies there.
func (o *observation) leadsAway(ctx context.Context, p browser.Point) bool {
	var link bool
	expr := fmt.Sprintf(`(() => { const a = document.elementFromPoint(%f, %f)?.closest('a[href]'); return !!a && !/^(#|javascript:|$)/i.test(a.getAttribute('href')); })()`, p.X, p.Y)
	return o.page.Evaluate(ctx, expr, &link) == nil && link
}

func (o *observation) hovers(ctx context.Context) error {
	area := o.place(ctx)
	for _, f := range []browser.Point{{X: 0.2, Y: 0.4}, {X: 0.5, Y: 0.6}, {X: 0.8, Y: 0.4}} {
		if err := o.page.Mouse().Move(ctx, area.X+area.Width*f.X, area.Y+area.Height*f.Y); err != nil {
			return err
		}
		if err := o.pause(ctx, 80*time.Millisecond); err != nil {
			return err
		}
		o.picture(ctx, &o.signs.Play)
	}
	return nil
}

func (o *observation) drags(ctx context.Context, round int) error {
	t := o.targets(ctx)
	var paths [][]browser.Point
	if len(t.Drag) > 1 {
		for i := range min(len(t.Drag)-1, 3) {
			paths = append(paths, []browser.Point{centre(t.Drag[i]), centre(t.Drag[(i+1+round)%len(t.Drag)])})
		}
	} else {
		area := o.place(ctx)
		// What is to be dragged may be small and anywhere.
		for i := range 8 {
			n := 2*i + round
			p := browser.Point{X: area.X + area.Width*(0.14+0.24*float64(n%4)), Y: area.Y + area.Height*(0.2+0.19*float64(n/4))}
			paths = append(paths, []browser.Point{p, {X: p.X + 40, Y: p.Y + 10}, {X: p.X + 70, Y: p.Y + 15}})
		}
	}
	for _, path := range paths {
		if err := o.page.Mouse().Drag(ctx, path, &browser.DragOptions{Steps: 6, Hold: 40 * time.Millisecond}); err != nil {
			return err
		}
		o.picture(ctx, &o.signs.Play)
	}
	return nil
}

func (o *observation) typing(ctx context.Context, round int) error {
	if t := o.targets(ctx); len(t.Fields) > 0 {
		if err := o.click(ctx, centre(t.Fields[0])); err != nil {
			return err
		}
		if err := o.page.Keyboard().Type(ctx, "look"); err != nil {
			return err
		}
		return o.press(ctx, "Enter")
	}
	letters := []string{"etaoinshrdlu", "cmfwypvbgkqjxz"}[round%2]
	for _, r := range letters {
		if err := o.page.Keyboard().Press(ctx, string(r), 40*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// heard sums up what the game's listeners have heard in all frames.
func (o *observation) heard(ctx context.Context) int {
	sum := 0
	for _, f := range o.page.Frames() {
		var n int
		if f.Evaluate(ctx, "Object.values(self.__witness ? __witness.reached : {}).reduce((a, b) => a + b, 0)", &n) == nil {
			sum += n
		}
	}
	return sum
}

// reached counts what they have heard since the controls are operated.
func (o *observation) reached(ctx context.Context) int { return max(0, o.heard(ctx)-o.before) }

// picture adds a picture to the list and notes how much has changed since the last one. A missing one is no finding.
func (o *observation) picture(ctx context.Context, list *[]*image.RGBA) {
	m, err := o.page.Image(ctx, &browser.ScreenshotOptions{Scale: scale})
	if err != nil {
		return
	}
	if n := len(*list); n > 0 {
		o.signs.Moved = max(o.signs.Moved, changed((*list)[n-1], m))
	}
	*list = append(*list, m)
	if len(*list) > 24 {
		*list = slices.Delete(*list, 1, 2)
	}
}
