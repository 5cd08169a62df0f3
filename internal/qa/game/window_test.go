package game_test

import (
	"slices"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// still moves a box with the right arrow and with a click, says so, and throws
// for the key X. What does not fit into the window lies below it.
const still = `<canvas id=c width=800 height=500 style="display:block"></canvas><div style="height:3000px"></div><script>
	const ctx = c.getContext('2d');
	let x = 100;
	function paint() {
		ctx.fillStyle = '#135'; ctx.fillRect(0, 0, 800, 500);
		ctx.fillStyle = '#fc4'; ctx.fillRect(x, 200, 60, 60);
		if (x > 100) ctx.fillText('moved to ' + x, 20, 20);
	}
	function right() { x += 80; paint(); }
	addEventListener('keydown', (e) => {
		if (e.code === 'ArrowRight') right();
		if (e.code === 'KeyX') throw new Error('no such weapon');
		if (e.code === 'KeyH') location.hash = 'room';
		if (e.code === 'KeyQ') location.href = '/elsewhere';
	});
	c.onclick = right;
	paint();
</script>`

func key(code string) game.Input { return game.Input{Kind: game.KeyPress, Key: code} }

// TestWindows: each instrument says of an input what it did and nothing else.
func TestWindows(t *testing.T) {
	t.Parallel()
	ctx, g := opened(t, still, game.Options{})
	observe := func(in game.Input) cause.Window {
		t.Helper()
		w, err := g.Observe(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	idle := observe(game.Input{Kind: game.Idle})
	if idle.Input != "" || idle.Changed() > 0 || idle.Delivered > 0 || idle.Draws > 0 || !idle.Code.Empty() {
		t.Errorf("left alone: %+v", idle)
	}
	unbound := observe(key("F8"))
	if unbound.Delivered != 1 || unbound.Reads == 0 || unbound.Changed() > 0 || unbound.Draws > 0 {
		t.Errorf("a key it does not know: %+v", unbound)
	}
	for _, in := range []game.Input{key("ArrowRight"), {Kind: game.Click, At: record.Point{X: 700, Y: 400}}} {
		w := observe(in)
		own := w.Code.Subtract(unbound.Code)
		if w.Delivered == 0 || w.Changed() == 0 || w.Draws == 0 || !w.Redrawn || own.Empty() {
			t.Errorf("%s: %+v", in, w)
		}
		if places := discover.Reaches(own); !slices.ContainsFunc(places, func(p record.CodePlace) bool { return p.Function == "right" }) {
			t.Errorf("%s reaches %+v", in, places)
		}
		if before, after := g.LastPictures(); game.Same(before, after) == 1 {
			t.Errorf("%s: the pictures show the same", in)
		}
	}
	if w := observe(key("KeyX")); w.Throws != 1 || w.Threw == "" || w.Changed() > 0 {
		t.Errorf("a key that throws: %+v", w)
	}
	if w := observe(key("ArrowDown")); w.Changed() > 0 {
		t.Errorf("scrolling counts as an effect: %+v", w)
	}
	if at := scrolled(t, g); at != 0 {
		t.Errorf("the page is left scrolled by %g", at)
	}
	if n := len(g.Record.Health.Samples); n != 6 {
		t.Errorf("%d looks at its life, want one for each window", n)
	}
}

// TestTextsOfWindow: a text is new once, whatever numbers it shows.
func TestTextsOfWindow(t *testing.T) {
	t.Parallel()
	ctx, g := opened(t, still, game.Options{})
	var texts [][]string
	for range 2 {
		w, err := g.Observe(ctx, key("ArrowRight"))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, w.Texts)
	}
	if !slices.Equal(texts[0], []string{"moved to #"}) || len(texts[1]) != 0 {
		t.Errorf("texts %q", texts)
	}
}

// TestScan: many keys in a row, the code of each apart from the others.
func TestScan(t *testing.T) {
	t.Parallel()
	ctx, g := opened(t, still, game.Options{})
	scan := func(codes ...string) []cause.Window {
		t.Helper()
		inputs := []game.Input{{Kind: game.Idle}}
		for _, c := range codes {
			inputs = append(inputs, key(c))
		}
		ws, err := g.Scan(ctx, inputs, discover.HoldFor)
		if err != nil {
			t.Fatal(err)
		}
		return ws
	}
	ws := scan("F8", "ArrowRight", "KeyX", "KeyH", "Space", "F9")
	if len(ws) != 7 || game.Left(ws) {
		t.Fatalf("%d windows, left %v: a place within the document is no other page", len(ws), game.Left(ws))
	}
	if ws[0].Input != "" || ws[1].Input != "F8" || ws[3].Throws != 1 {
		t.Errorf("windows %+v", ws)
	}
	if own := ws[2].Code.Subtract(ws[1].Code); own.Empty() {
		t.Error("no code of its own for the key that moves the box")
	}
	if own := ws[6].Code.Subtract(ws[1].Code); !own.Empty() {
		t.Errorf("two keys that nothing binds run different code: %+v", own.Places())
	}
	if at := scrolled(t, g); at != 0 {
		t.Errorf("space scrolled the game out of sight, by %g", at)
	}
	// Where the page is left the scan is over.
	ws = scan("ArrowRight", "KeyQ", "F8", "F9", "F8", "F9", "F8", "F9", "F8", "F9")
	if !game.Left(ws) || len(ws) == 11 {
		t.Errorf("%d windows, left %v", len(ws), game.Left(ws))
	}
	if len(g.Record.Actions) != 6+len(ws)-1 {
		t.Errorf("%d actions written down", len(g.Record.Actions))
	}
}

func scrolled(t *testing.T, g *game.Game) float64 {
	t.Helper()
	var y float64
	if err := g.Page.Evaluate(t.Context(), "scrollY", &y); err != nil {
		t.Fatal(err)
	}
	return y
}
