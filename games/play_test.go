package games_test

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games"
)

// patience is for a loaded machine; nothing here measures time.
const patience = 60 * time.Second

// player is a person at one game, with the calls that can fail turned into test failures.
type player struct {
	t    *testing.T
	ctx  context.Context
	page *browser.Page
}

func (p player) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p player) press(key string) {
	p.t.Helper()
	p.must(p.page.Keyboard().Press(p.ctx, key, 150*time.Millisecond))
}

func (p player) click(x, y float64) {
	p.t.Helper()
	p.must(p.page.Mouse().Click(p.ctx, x, y, &browser.ClickOptions{Hold: 100 * time.Millisecond}))
}

func (p player) drag(x0, y0, x1, y1 float64) {
	p.t.Helper()
	p.must(p.page.Mouse().Drag(p.ctx, []browser.Point{{X: x0, Y: y0}, {X: x1, Y: y1}}, &browser.DragOptions{Steps: 10, Pace: 16 * time.Millisecond}))
}

// frame is where the game itself lives: the innermost one.
func (p player) frame() *browser.Frame {
	frames := p.page.Frames()
	return frames[len(frames)-1]
}

func (p player) read(expr string) string {
	p.t.Helper()
	var value any
	p.must(p.frame().Evaluate(p.ctx, expr, &value))
	return fmt.Sprint(value)
}

// on clicks the middle of an element, given as an expression in the game's frame.
func (p player) on(element string) {
	p.t.Helper()
	x, y := p.middle(element)
	p.click(x, y)
}

func (p player) middle(element string) (x, y float64) {
	p.t.Helper()
	var at [2]float64
	f := p.frame()
	p.must(f.Evaluate(p.ctx, `(() => { const e = `+element+`; e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, &at))
	origin, err := f.Origin(p.ctx)
	p.must(err)
	return origin.X + at[0], origin.Y + at[1]
}

// wait polls until the condition holds in the game's frame.
func (p player) wait(condition string) {
	p.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		var ok bool
		if err := p.frame().Evaluate(p.ctx, "!!("+condition+")", &ok); err == nil && ok {
			return
		}
		select {
		case <-p.ctx.Done():
			p.t.Fatalf("never became true: %s", condition)
		case <-tick.C:
		}
	}
}

// again repeats an action until it has worked: clicks go past a cross-origin frame that the browser does not know the
// place of yet, and a person would click once more.
func (p player) again(condition string, action func()) {
	p.t.Helper()
	p.until(condition, func() bool { action(); return p.read(condition) == "true" })
}

func byID(id string) string { return "document.getElementById('" + id + "')" }

// The way each game.json describes the start and the first control, as a person would do it. Where the game's state can
// be read from outside, state must change through the control; elsewhere the picture must change through the start.
var plays = map[string]struct {
	ready, state string
	start, act   func(player)
}{
	"noughts":   {ready: byID("play"), state: byID("board") + ".querySelectorAll('svg').length", start: func(p player) { p.on(byID("play")) }, act: func(p player) { p.on("document.querySelector('.cell:not(:disabled)')") }},
	"starfall":  {ready: "scene === 'title'", state: "boat.x", start: func(p player) { p.click(640, 495) }, act: func(p player) { p.press("ArrowLeft") }},
	"ridge":     {act: func(p player) { p.press("ArrowRight") }},
	"fireflies": {ready: byID("count"), state: byID("count") + ".textContent", act: func(p player) { p.on("document.querySelector('.jar')") }},
	"harbour":   {ready: byID("go"), state: byID("menu") + ".hidden", act: func(p player) { p.again(byID("menu")+".hidden", func() { p.on(byID("go")) }) }},
	"inkwell":   {ready: byID("begin"), state: byID("where") + ".textContent", start: func(p player) { p.on(byID("begin")); p.on(byID("ok")) }, act: func(p player) { p.must(p.page.Keyboard().Type(p.ctx, "go north")); p.press("Enter") }},
	"tunnel":    {ready: "mode === 'title'", state: "Math.sign(angle)", start: func(p player) { p.must(p.page.Mouse().Click(p.ctx, 640, 400, &browser.ClickOptions{Count: 2})) }, act: func(p player) { p.press("ArrowLeft") }},
	"patience": {ready: byID("deal"), state: "moves", start: func(p player) { p.on(byID("deal")) }, act: func(p player) {
		x0, y0 := p.middle(`document.querySelector('#rows .card[draggable=true]')`)
		x1, y1 := p.middle(`document.querySelector('[data-n="4"]')`)
		p.drag(x0, y0, x1, y1)
	}},
	"golf": {start: func(p player) { p.click(640, 447); p.click(340, 375) }, act: func(p player) { p.press("Escape") }},
	"pond": {start: func(p player) { p.click(640, 458) }, act: func(p player) { p.click(700, 300) }},
	"glyphs": {ready: byID("sheet"), state: "document.querySelectorAll('.aim').length", start: func(p player) { p.press("Enter"); p.wait("document.querySelector('.word')") }, act: func(p player) {
		p.press("Key" + p.read("document.querySelector('.word').textContent[0].toUpperCase()"))
	}},
	"marbles":  {act: func(p player) { p.drag(671, 73, 671, 155) }}, // a trade that makes three: any other is taken back at once
	"skyhook":  {start: func(p player) { p.press("KeyX") }, act: func(p player) { p.press("Space") }},
	"prism":    {start: func(p player) { p.click(640, 504) }, act: func(p player) { p.click(300, 200) }},
	"worm":     {start: func(p player) { p.press("KeyS") }, act: func(p player) { p.press("ArrowUp") }},
	"lights":   {start: func(p player) { p.click(640, 403) }, act: func(p player) { p.click(640, 250) }},
	"breakout": {start: func(p player) { p.press("Space") }, act: func(p player) { p.press("ArrowLeft") }},
	"crates":   {ready: "data", state: "steps", start: func(p player) { p.on(byID("go")) }, act: func(p player) { p.press("ArrowRight") }},
	"invaders": {ready: "typeof state === 'string'", state: "hog", start: func(p player) { p.again("state === 'play'", func() { p.click(500, 300) }) }, act: func(p player) { p.press("ArrowLeft") }},
	"pairs": {ready: "document.querySelector('tide-pool').shadowRoot.querySelector('.go')", state: "document.querySelector('tide-pool').shadowRoot.querySelectorAll('.up').length",
		start: func(p player) { p.on("document.querySelector('tide-pool').shadowRoot.querySelector('.go')") },
		act:   func(p player) { p.on("document.querySelector('tide-pool').shadowRoot.querySelector('.card')") }},
	"llama":  {ready: "screen === 'portada'", state: "lane", start: func(p player) { p.click(640, 450); p.click(640, 360) }, act: func(p player) { p.press("ArrowLeft") }},
	"snails": {ready: byID("los"), state: "guards.length", start: func(p player) { p.on(byID("los")) }, act: func(p player) { p.click(420, 280) }},
	"chimes": {start: func(p player) { p.press("Enter") }, act: func(p player) { p.press("KeyD") }},
	"jetty":  {ready: "rod === 'ready'", state: "rod", act: func(p player) { p.click(640, 300) }},
	"mosaic": {ready: "board", state: "moves", start: func(p player) { p.click(640, 360) }, act: func(p player) { p.drag(700, 590, 830, 590) }},
	"lasttrain": {ready: "!document.querySelector('.go').hidden", state: "document.querySelectorAll('#choices button').length", start: func(p player) { p.click(640, 360) }, act: func(p player) {
		for range 3 { // the rest of the first line, the second line, the rest of it
			p.on(byID("box"))
		}
	}},
	"grille": {ready: byID("prenom"), state: "document.querySelectorAll('td.picked').length", start: func(p player) {
		p.must(p.page.Keyboard().Type(p.ctx, "Ada"))
		p.on("document.querySelector('form button')")
	}, act: func(p player) { p.on("document.querySelector('td:not(.given)')") }},
	"higher": {ready: byID("go"), state: byID("deck") + ".textContent", start: func(p player) { p.on(byID("go")) }, act: func(p player) { p.on(byID("more")) }},
	"bakery": {ready: byID("open"), state: "shop.coins", start: func(p player) { p.on(byID("open")) }, act: func(p player) {
		x0, y0 := p.middle("document.querySelector('.loaf')")
		x1, y1 := p.middle(byID("face"))
		p.drag(x0, y0, x1, y1)
	}},
	"cellar": {start: func(p player) { p.press("Space") }, act: func(p player) { p.press("ArrowRight") }},
}

func TestEveryGameCanBePlayed(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	for _, g := range games.All() {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			playOnce(t, s, g)
		})
	}
}

// The boards of these games lie still once they are dealt, so that one picture says it all.
func TestTheSeedDecides(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	for _, name := range []string{"marbles", "patience", "golf", "lights", "mosaic"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deal := func(seed int) *image.RGBA {
				p := open(t, s.URL(name, seed), name)
				before := p.picture()
				if start := plays[name].start; start != nil {
					start(p)
					p.until("the start to show", func() bool { return differing(before, p.picture()) > 0.01 })
				}
				var last *image.RGBA
				p.until("the board to lie still", func() bool {
					now := p.picture()
					still := last != nil && differing(last, now) < 0.001
					last = now
					return still
				})
				return last
			}
			first := deal(5)
			if d := differing(first, deal(5)); d > 0.005 {
				t.Errorf("the same seed gives another board: %.2f %% differ", 100*d)
			}
			if d := differing(first, deal(6)); d < 0.005 {
				t.Errorf("another seed gives the same board: %.2f %% differ", 100*d)
			}
		})
	}
}

// open goes to a game in a context of its own and waits until there is something to see.
func open(t *testing.T, address, name string) player {
	t.Helper()
	if testing.Short() {
		t.Skip("plays a game")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	bc, err := chromium.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		closing, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := bc.Close(closing); err != nil {
			t.Errorf("closing the context: %v", err)
		}
	})
	page, err := bc.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	page.OnDialog(func(browser.Dialog) (bool, string) { return true, "" })
	p := player{t, ctx, page}
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		t.Fatal(err)
	}
	if g, _ := games.Get(name); g.Kind == "iframe" {
		p.until("the frame to be there", func() bool { return len(page.Frames()) > 1 })
	}
	if ready := plays[name].ready; ready != "" {
		p.wait(ready)
	}
	p.until("a picture", func() bool {
		img, err := page.Image(ctx, &browser.ScreenshotOptions{Clip: &browser.Rect{X: 340, Y: 200, Width: 500, Height: 300}, Scale: 0.5})
		p.must(err)
		return colours(img) > 2
	})
	return p
}

func playOnce(t *testing.T, s *games.Server, g games.Game) {
	how, ok := plays[g.Name]
	if !ok {
		t.Fatal("nobody said how this game is played: add it to plays")
	}
	p := open(t, s.URL(g.Name, 1), g.Name)
	before := p.picture()
	if how.start != nil {
		how.start(p)
		p.until("the start to show", func() bool { return differing(before, p.picture()) > 0.01 })
	}
	if how.state == "" {
		before = p.picture()
		how.act(p)
		p.until("the control to show", func() bool { return differing(before, p.picture()) > 0.0005 })
	} else {
		state := p.read(how.state)
		how.act(p)
		p.until("the control to change "+how.state, func() bool { return p.read(how.state) != state })
	}
	healthy(t, p.page)
}

func (p player) picture() *image.RGBA {
	p.t.Helper()
	img, err := p.page.Image(p.ctx, &browser.ScreenshotOptions{Scale: 0.5})
	p.must(err)
	return img
}

func (p player) until(what string, done func() bool) {
	p.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-p.ctx.Done():
			p.t.Fatalf("waited in vain for %s", what)
		case <-tick.C:
		}
	}
}

// healthy checks that nothing was logged that a tester would have to look into.
func healthy(t *testing.T, page *browser.Page) {
	t.Helper()
	log := page.Log()
	for _, e := range log.Exceptions() {
		t.Errorf("exception: %s", e.Text)
	}
	for _, c := range log.Console() {
		if c.Level == "error" || c.Level == "warning" {
			t.Errorf("console: %s", c.Text)
		}
	}
	for _, r := range log.Requests() {
		if r.Status >= 400 || r.Failed != "" && !r.Canceled {
			t.Errorf("request: %s %d %s", r.URL, r.Status, r.Failed)
		}
	}
	for _, e := range log.Entries() {
		if e.Level == "error" && !strings.Contains(e.Text, "GPU stall") {
			t.Errorf("noted by the browser: %s", e.Text)
		}
	}
}

func colours(img *image.RGBA) int {
	seen := map[[3]byte]bool{}
	for i := 0; i+3 < len(img.Pix); i += 4 * 7 {
		seen[[3]byte(img.Pix[i:i+3])] = true
	}
	return len(seen)
}

// differing is the share of pixels that changed visibly.
func differing(a, b *image.RGBA) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	n := 0
	for i := 0; i+3 < len(a.Pix); i += 4 {
		d := 0
		for c := range 3 {
			d += max(int(a.Pix[i+c])-int(b.Pix[i+c]), int(b.Pix[i+c])-int(a.Pix[i+c]))
		}
		if d > 24 {
			n++
		}
	}
	return float64(n) / float64(len(a.Pix)/4)
}
