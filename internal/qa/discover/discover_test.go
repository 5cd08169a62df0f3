package discover_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/game/gametest"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/record"
)

var shared *browser.Browser

func TestMain(m *testing.M) { browsertest.Main(m, &shared) }

// loaded opens a page and waits until it is ready.
func loaded(t *testing.T, page string) (context.Context, *game.Game) {
	t.Helper()
	ctx, g := gametest.Open(t, shared, gametest.Page("<!doctype html><title>Game</title>"+page), nil, game.Options{})
	if err := load.Run(ctx, g); err != nil {
		t.Fatal(err)
	}
	return ctx, g
}

// board is a still canvas and what moves the box on it.
const board = `<canvas id=c width=900 height=500></canvas><script>
	const ctx = c.getContext('2d');
	let x = 100, score = 0;
	function paint() { ctx.fillStyle = '#135'; ctx.fillRect(0, 0, 900, 500); ctx.fillStyle = '#fc4'; ctx.fillRect(x, 200, 60, 60); }
	function left() { x -= 10; paint(); }
	function right() { x += 10; paint(); }
	paint();
</script>`

// TestKeysThatTheCodeKnows: what runs for a key and for no key that nothing
// binds names the key, however the handler asks for it.
func TestKeysThatTheCodeKnows(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		want         []string
		typing       bool
	}{
		{"by name, code and number", `addEventListener('keydown', (e) => {
			if (e.key === 'ArrowLeft') left();
			if (e.code === 'ArrowRight') right();
			if (e.keyCode === 32) score++;
		})`, []string{"ArrowLeft", "ArrowRight", "Space"}, false},
		{"by a table, when it is released", `const moves = { KeyA: left, KeyD: right };
			document.onkeyup = (e) => { const move = moves[e.code]; if (move) move(); };`, []string{"KeyA", "KeyD"}, false},
		{"kept and asked for in the loop", `const held = {};
			onkeydown = (e) => { held[e.code] = true; };
			onkeyup = (e) => { held[e.code] = false; };
			(function loop() { if (held.ArrowLeft) left(); if (held.ArrowRight) right(); requestAnimationFrame(loop); })();`,
			[]string{"ArrowLeft", "ArrowRight"}, false},
		{"words are typed", `let word = '';
			addEventListener('keydown', (e) => { if (/^[a-z]$/.test(e.key)) { word += e.key; paint(); } });`,
			[]string{"KeyA", "KeyD", "KeyW", "KeyS", "KeyZ", "KeyX"}, true},
		{"whatever is written, by an engine", `let written = 0;
			addEventListener('keypress', (e) => { if (e.charCode !== 1) written++; });
			addEventListener('keydown', (e) => { if (e.code === 'KeyA') left(); })`, []string{"KeyA"}, true},
		{"one that leads away", `addEventListener('keydown', (e) => {
			if (e.code === 'Space') location.href = '/elsewhere';
			if (e.code === 'ArrowLeft') left();
		})`, []string{"ArrowLeft"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, g := loaded(t, board+"<script>"+tt.script+"</script>")
			keys, err := discover.ScanKeys(ctx, g, discover.Likely)
			for again := 0; err == nil && again < 3 && !slices.Equal(keys.Order, tt.want); again++ {
				// A loaded machine may show no frame while a key is down.
				keys, err = discover.ScanKeys(ctx, g, discover.Likely)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(keys.Order, tt.want) || keys.Typing != tt.typing || !keys.Any {
				t.Errorf("knows %v, typing %v, runs for any key %v; want %v, %v, true", keys.Order, keys.Typing, keys.Any, tt.want, tt.typing)
			}
			if g.Page.URL() != g.Record.Target.URL {
				t.Errorf("the page is left at %s", g.Page.URL())
			}
			if tt.name == "one that leads away" && !slices.Equal(keys.Risky, []string{"Space"}) {
				t.Errorf("risky keys %v", keys.Risky)
			}
		})
	}
}

// TestAskRare: of keys that are pressed together those that the code knows are told
// from the others, and a key that leads away spoils nothing.
func TestAskRare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		want         []string
	}{
		{"none", `addEventListener('keydown', (e) => { if (e.code === 'ArrowLeft') left(); })`, nil},
		{"a few", `addEventListener('keydown', (e) => { if (e.code === 'KeyR') left(); if (e.key === '3') right(); if (e.key === 'Shift') score++; })`, []string{"key:KeyR", "key:ShiftLeft", "key:Digit3"}},
		{"polled", `const held = {};
			onkeydown = (e) => { held[e.code] = true; };
			onkeyup = (e) => { held[e.code] = false; };
			(function loop() { if (held.KeyP) left(); requestAnimationFrame(loop); })();`, []string{"key:KeyP"}},
		{"one that leads away", `addEventListener('keydown', (e) => {
			if (e.code === 'KeyQ') location.href = '/elsewhere';
			if (e.code === 'KeyM') left();
		})`, []string{"key:KeyM"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, g := loaded(t, board+"<script>"+tt.script+"</script>")
			var ids []string
			found := func() bool {
				ids = nil
				for _, c := range g.Record.Discover.Controls {
					ids = append(ids, c.ID)
				}
				slices.Sort(ids)
				return slices.Equal(ids, slices.Sorted(slices.Values(tt.want)))
			}
			for range 4 { // a loaded machine may show no frame while keys are down
				if _, err := discover.AskRare(ctx, g, discover.Unlikely); err != nil {
					t.Fatal(err)
				}
				if found() {
					break
				}
			}
			if !found() {
				t.Errorf("knows %v, want %v", ids, tt.want)
			}
			if g.Page.URL() != g.Record.Target.URL {
				t.Errorf("the page is left at %s", g.Page.URL())
			}
			if g.Record.Discover.KeysTried < len(discover.Unlikely) {
				t.Errorf("%d keys tried", g.Record.Discover.KeysTried)
			}
		})
	}
}

// TestRun looks at one page with a bit of everything.
func TestRun(t *testing.T) {
	t.Parallel()
	ctx, g := loaded(t, board+`
		<p>Use the arrow keys to move.</p>
		<button id=hint>Hint</button><button id=hint2>Hint</button><button disabled>Later</button>
		<a href="https://example.com/shop">Shop</a>
		<input id=name placeholder="name"><div id=stone draggable=true style="width:60px;height:60px;background:red"></div>
		<script>
			hint.onclick = hint2.onclick = () => { score--; };
			addEventListener('keydown', (e) => { if (e.code === 'ArrowLeft') left(); if (e.code === 'ArrowRight') right(); });
			navigator.getGamepads();
		</script>`)
	if err := discover.Run(ctx, g); err != nil {
		t.Fatal(err)
	}
	rec := g.Record.Discover
	found := map[string]record.Control{}
	for _, c := range rec.Controls {
		found[c.ID] = c
	}
	for _, want := range []struct {
		id     string
		typ    record.ControlType
		source string
	}{
		{"key:ArrowLeft", record.ControlKey, "coverage"},
		{"key:ArrowRight", record.ControlKey, "coverage"},
		{"click:hint", record.ControlClick, "element"},
		{"click:hint#2", record.ControlClick, "element"},
		{"type:#name", record.ControlTyping, discover.Form},
		{"drag:#stone", record.ControlDrag, "element"},
	} {
		if c, ok := found[want.id]; !ok || c.Type != want.typ || !slices.Contains(c.Sources, want.source) {
			t.Errorf("%s: %+v", want.id, c)
		}
	}
	if _, ok := found["click:later"]; ok {
		t.Error("a button that is disabled is no control")
	}
	if shop := found["click:shop"]; shop.Confidence >= found["click:hint"].Confidence {
		t.Errorf("a link elsewhere is as sure as a button: %+v", shop)
	}
	if reaches := found["key:ArrowLeft"].Reaches; len(reaches) == 0 || reaches[0].Function != "left" {
		t.Errorf("the left arrow reaches %+v", reaches)
	}
	if len(rec.Instructions) != 1 || !slices.Equal(rec.Unsupported, []string{"a gamepad"}) {
		t.Errorf("instructions %q, unsupported %q", rec.Instructions, rec.Unsupported)
	}
	const says = `Reacts to the keys left arrow, right arrow; takes typed letters; has "Hint", "Hint", "Shop" to click; has things to drag.`
	if rec.Hypothesis != says {
		t.Errorf("hypothesis %q", rec.Hypothesis)
	}
	discover.Locate(ctx, g)
	if reach := g.Record.Explore.Reach; reach.OwnScripts == 0 || reach.Executed == 0 || reach.Executed > reach.Functions {
		t.Errorf("reach %+v", reach)
	}
}

// TestFirstScreenThatAnyKeyLeaves: a key that no game binds may take a first screen
// away, and has to be pressed again wherever the game is played again. Where much
// comes of it, it began the game.
func TestFirstScreenThatAnyKeyLeaves(t *testing.T) {
	long := "const play = () => {" + strings.Repeat(" x = (x + 7) % 800; paint();", 40) + " requestAnimationFrame(play); };"
	for _, tt := range []struct {
		name, script   string
		cleared, woken bool
	}{
		{"a curtain", `addEventListener('keydown', () => { setTimeout(() => curtain.remove(), 250); }, { once: true })`, true, false},
		{"the game begins", long + `addEventListener('keydown', () => { curtain.remove(); play(); }, { once: true })`, false, true},
		{"only the pointer is heard", `curtain.onclick = () => curtain.remove()`, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, g := loaded(t, board+`<div id=curtain style="position:fixed;inset:0;background:#531">Moths</div><script>`+tt.script+`</script>`)
			if err := discover.Run(ctx, g); err != nil {
				t.Fatal(err)
			}
			if cleared, woken := len(g.Cleared) > 0, g.Woken != nil; cleared != tt.cleared || woken != tt.woken {
				t.Errorf("cleared by %+v, woken by %+v; want %v, %v", g.Cleared, g.Woken, tt.cleared, tt.woken)
			}
		})
	}
}

// TestElementsLeaveRoomForKeys: a page of a thousand buttons has keys all the same.
func TestElementsLeaveRoomForKeys(t *testing.T) {
	t.Parallel()
	ctx, g := loaded(t, board+`<script>
		for (let i = 0; i < 1000; i++) document.body.append(Object.assign(document.createElement('button'), { textContent: 'b' + i }));
		addEventListener('keydown', (e) => { if (e.code === 'ArrowLeft') left(); });
	</script>`)
	if err := discover.Run(ctx, g); err != nil {
		t.Fatal(err)
	}
	controls := g.Record.Discover.Controls
	if !slices.ContainsFunc(controls, func(c record.Control) bool { return c.ID == "key:ArrowLeft" }) {
		t.Error("the key was left out")
	}
	if len(controls) < 100 || len(controls) > 200 {
		t.Errorf("%d controls", len(controls))
	}
}

// TestHotSpots: the code tells where on a canvas a click means something.
func TestHotSpots(t *testing.T) {
	t.Parallel()
	ctx, g := loaded(t, board+`<script>
		c.onmousedown = (e) => { if (e.offsetX > 600 && e.offsetY > 300) { score += 10; paint(); } };
	</script>`)
	spots, err := discover.HotSpots(ctx, g)
	if err != nil {
		t.Fatal(err)
	}
	// Two columns of the grid and two rows lie there; they come first.
	if len(spots) < 4 {
		t.Fatalf("places %+v", spots)
	}
	for _, p := range spots[:4] {
		if p.X < 600 || p.Y < 300 {
			t.Errorf("nothing is at %+v", p)
		}
	}
}

// TestHotSpotBetweenTheGrid: where a button is smaller than the grid, code that asks for x
// before y shows the way to it.
func TestHotSpotBetweenTheGrid(t *testing.T) {
	t.Parallel()
	ctx, g := loaded(t, board+`<script>
		c.onmousedown = (e) => { if (e.offsetX > 500 && e.offsetX < 620 && e.offsetY > 255 && e.offsetY < 285) { score += 10; paint(); } };
	</script>`)
	spots, err := discover.HotSpots(ctx, g)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p record.Point) bool {
		x, y := p.X-g.Field.X, p.Y-g.Field.Y
		return x > 500 && x < 620 && y > 255 && y < 285
	}
	if len(spots) == 0 || !at(spots[0]) {
		t.Errorf("the button is at none of %+v, or not at the first", spots)
	}
}

func TestHandlersInSources(t *testing.T) {
	for _, tt := range []struct {
		source        string
		keys, pointer bool
	}{
		{`document.addEventListener("keydown", f)`, true, false},
		{"window.addEventListener( `keyup`, f)", true, false},
		{`window.onkeypress=function(e){}`, true, false},
		{`$(document).keydown(f)`, true, false},
		{`$(document).on('keydown', f)`, true, false},
		{`c.addEventListener('pointerdown', f)`, false, true},
		{`button.onclick = f`, false, true},
		{`$('#go').click(function () {})`, false, true},
		{`const monkey = 1; turnkeydown(); clickable = true`, false, false},
	} {
		if keys, pointer := discover.AsksForKeys.MatchString(tt.source), discover.AsksForPointer.MatchString(tt.source); keys != tt.keys || pointer != tt.pointer {
			t.Errorf("%s: keys %v, pointer %v", tt.source, keys, pointer)
		}
	}
}

// TestSummary: what is declared comes first, then what is surest, and what the
// code was never seen to know is only promised.
func TestSummary(t *testing.T) {
	g := &game.Game{Record: &record.Record{Discover: record.DiscoverRecord{Controls: []record.Control{
		{ID: "click:shop", Type: record.ControlClick, Text: "Shop", Confidence: 0.1},
		{ID: "key:ArrowUp", Type: record.ControlKey, Keys: []string{"ArrowUp"}, Confidence: 0.9, Sources: []string{"coverage"}},
		{ID: "key:KeyZ", Type: record.ControlKey, Keys: []string{"KeyZ"}, Confidence: 0.5, Declared: "jump", Sources: []string{"metadata"}},
		{ID: "type:letters", Type: record.ControlTyping, Confidence: 0.7},
	}}}}
	discover.Summarise(g)
	var order []string
	for _, c := range g.Record.Discover.Controls {
		order = append(order, c.ID)
	}
	if want := []string{"key:KeyZ", "key:ArrowUp", "type:letters", "click:shop"}; !slices.Equal(order, want) {
		t.Errorf("order %v", order)
	}
	const says = `Reacts to the keys up arrow; is declared to take the keys Z; takes typed letters; has "Shop" to click.`
	if got := g.Record.Discover.Hypothesis; got != says {
		t.Errorf("hypothesis %q", got)
	}
}

func TestOutline(t *testing.T) {
	var screenshot bytes.Buffer
	if err := png.Encode(&screenshot, image.NewRGBA(image.Rect(0, 0, 100, 80))); err != nil {
		t.Fatal(err)
	}
	box := record.Rect{X: 20, Y: 10, Width: 200, Height: 30} // wider than the picture
	outlined, err := discover.Outline(screenshot.Bytes(), []record.Control{{Type: record.ControlClick, Box: &box}, {Type: record.ControlKey}})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(outlined))
	if err != nil {
		t.Fatal(err)
	}
	empty := color.RGBAModel.Convert(color.RGBA{})
	for _, tt := range []struct {
		what   string
		x, y   int
		framed bool
	}{{"the edge", 20, 25, true}, {"the top", 60, 10, true}, {"inside", 60, 25, false}, {"outside", 5, 5, false}} {
		if framed := color.RGBAModel.Convert(img.At(tt.x, tt.y)) != empty; framed != tt.framed {
			t.Errorf("%s is coloured: %v", tt.what, framed)
		}
	}
	if _, err := discover.Outline([]byte("no picture"), nil); err == nil {
		t.Error("what is no picture was outlined")
	}
}
