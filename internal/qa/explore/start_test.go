package explore

import (
	"slices"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/game/gametest"
	"github.com/playtest-dev/playtest/internal/qa/load"
)

// scene is a canvas whose title moves and says nothing that can be read. Once
// begun it is another picture, drawn by other code.
const scene = `<canvas id=c width=1000 height=600></canvas><script>
	const x = c.getContext('2d');
	let mode = 'title', over = false, t = 0, drops = [];
	function begin() {
		if (mode !== 'title') return;
		mode = 'play';
		for (let i = 0; i < 20; i++) drops.push({ x: (i * 137) % 1000, y: (i * 71) % 300, v: 1 + i % 3, size: 8 + (i * 5) % 12 });
	}
	function title() {
		x.fillStyle = '#123'; x.fillRect(0, 0, 1000, 600);
		x.fillStyle = '#e95'; x.fillRect(480 + 20 * Math.sin(t / 20), 80, 40, 40);
		x.fillStyle = over ? '#fff' : '#9cf';
		x.fillRect(400, 380, 200, 70);
	}
	function play() {
		x.fillStyle = '#fed'; x.fillRect(0, 0, 1000, 600);
		for (const d of drops) {
			d.y += d.v;
			if (d.y > 600) { d.y = 0; d.x = (d.x * 31 + 7) % 1000; }
			x.fillStyle = 'rgb(' + (d.x % 200) + ',' + (d.size * 9) + ',120)';
			x.beginPath(); x.arc(d.x, d.y, d.size, 0, 7); x.fill();
			x.fillRect(d.x - d.size / 2, d.y - 2 * d.size, d.size, d.size);
		}
		x.fillStyle = '#345'; x.fillRect(0, 560, 1000, 40);
	}
	(function loop() { t++; if (mode === 'title') title(); else play(); requestAnimationFrame(loop); })();
</script>`

// TestStart: what the page listens to, what it writes and what its code knows
// say how it is started, and nothing else needs to be tried first.
func TestStart(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		want       []string // the tiers of the gestures that had an effect
	}{
		{"by a double click, where nothing else is heard", scene + `<script>c.addEventListener('dblclick', begin)</script>`, []string{"listener"}},
		{"by a button that only the code knows", scene + `<script>
			function place(e) { const r = c.getBoundingClientRect(), px = e.clientX - r.left, py = e.clientY - r.top; over = px > 400 && px < 600 && py > 380 && py < 450; }
			c.addEventListener('mousemove', place);
			c.addEventListener('mousedown', (e) => { place(e); if (over) begin(); });
		</script>`, []string{"place"}},
		{"by any key", scene + `<script>addEventListener('keydown', begin)</script>`, []string{tierAnyKey}},
		{"by a key that a line with markup names", `<h1 id=head>Rain</h1><p id=how>Press <kbd>Enter</kbd> to begin</p><script>
			let mode = 'title';
			function begin() { mode = 'play'; head.textContent = 'Catch the words before they reach the ground'; head.style.background = 'gold'; how.remove(); }
			addEventListener('keydown', (e) => { if (mode === 'title' && e.key === 'Enter') begin(); });
		</script>`, []string{"text"}},
		{"over a page that is to be read", `<div id=story><h1>The house</h1><button id=start>Start</button></div><form id=line hidden><input id=say></form><script>
			let mode = 'title';
			start.onclick = () => {
				story.innerHTML = '<h2>Before you go in</h2><p>You speak to this house in short sentences, and every one of them costs a little light.</p><button id=read>I have read this</button>';
				read.onclick = () => { mode = 'play'; line.hidden = false; story.innerHTML = '<p>The door falls shut behind you.</p>'; };
			};
		</script>`, []string{"id", "door"}},
		{"through an engine's menu of things alike", `<canvas id=c width=1000 height=600></canvas><script>
			const x = c.getContext('2d');
			let mode = 'title';
			const button = (text, left, go) => ({ text, eventMode: 'static', visible: true, children: [], go, getBounds: () => ({ x: left, y: 250, width: 200, height: 90 }) });
			const screens = {
				title: [button('PLAY', 400, () => show('worlds'))],
				worlds: [button('Meadow', 100, () => show('play')), button('Desert', 400, () => show('play')), button('Ice', 700, () => show('play'))],
				play: [],
			};
			window.__PIXI_APP__ = { canvas: c, screen: { width: 1000, height: 600 }, renderer: {}, stage: { visible: true, children: screens.title } };
			function show(name) {
				mode = name; __PIXI_APP__.stage.children = screens[name];
				x.fillStyle = { title: 'navy', worlds: 'teal', play: 'gold' }[name]; x.fillRect(0, 0, 1000, 600);
				x.fillStyle = 'white';
				for (const b of screens[name]) { const r = b.getBounds(); x.fillRect(r.x, r.y, r.width, r.height); }
				if (name === 'play') for (let i = 0; i < 9; i++) x.fillRect(40 + i * 100, 40 + i * 50, 30, 30);
			}
			c.addEventListener('mousedown', (e) => {
				const at = c.getBoundingClientRect(), px = e.clientX - at.left, py = e.clientY - at.top;
				for (const b of screens[mode]) { const r = b.getBounds(); if (px > r.x && px < r.x + r.width && py > r.y && py < r.y + r.height) { b.go(); break; } }
			});
			show('title');
		</script>`, []string{"engine", tierChoice}},
		{"not by a button that does nothing below a title that blinks", `<h1 id=head style="background:gold;font-size:90px">Rain</h1><button>Start</button><script>
			let mode = 'play', lit = true;
			setInterval(() => { lit = !lit; head.style.background = lit ? 'gold' : 'navy'; }, 700);
		</script>`, []string{}},
		{"by itself", scene + `<script>begin(); addEventListener('keydown', (e) => {
			if (e.code === 'ArrowLeft') for (const d of drops) d.x -= 20;
			if (e.code === 'ArrowRight') for (const d of drops) d.x += 20;
		});</script>`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, g := gametest.Open(t, shared, gametest.Page("<!doctype html><title>Game</title>"+tt.page), nil, game.Options{})
			if err := load.Run(ctx, g); err != nil {
				t.Fatal(err)
			}
			if err := discover.Run(ctx, g); err != nil {
				t.Fatal(err)
			}
			e := explorer(g, nil)
			if err := e.watchIdle(ctx, 1); err != nil {
				t.Fatal(err)
			}
			e.rememberTexts(ctx)
			if err := e.start(ctx); err != nil {
				t.Fatal(err)
			}
			var tiers []string
			for _, a := range e.rec.Start.Attempts {
				if a.Effect {
					tiers = append(tiers, a.Tier)
				}
			}
			var mode string
			if err := g.Page.Evaluate(ctx, "mode", &mode); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(tiers, tt.want) || mode != "play" || e.rec.Start.Started != (len(tt.want) > 0) || e.rec.Start.Auto != (tt.want == nil) {
				t.Errorf("mode %s, started %v by %q, want %q; attempts %+v", mode, e.rec.Start.Started, tiers, tt.want, e.rec.Start.Attempts)
			}
		})
	}
}
