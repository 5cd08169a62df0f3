package probe_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/games"
)

var everyGame = flag.Bool("probe.all", false, "play every bundled game with and without the probe, not a few")

// few are a game of each kind: canvas, DOM, WebGL, a frame, a worker.
var few = []string{"starfall", "noughts", "prism", "invaders", "worm"}

// TestGamesDoNotNotice plays the same seed with the same hands, once with the
// probe and once without, and compares what the games did.
func TestGamesDoNotNotice(t *testing.T) {
	s, err := games.Serve(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, g := range games.All() {
		if !*everyGame && !slices.Contains(few, g.Name) {
			continue
		}
		t.Run(g.Name, func(t *testing.T) {
			bare := playScript(t, s.URL(g.Name, 5), g)
			under := playScript(t, s.URL(g.Name, 5), g, probe.New().Script())
			if bare.console != under.console {
				t.Errorf("console with the probe %q, without %q", under.console, bare.console)
			}
			if bare.exceptions != under.exceptions {
				t.Errorf("exceptions with the probe %q, without %q", under.exceptions, bare.exceptions)
			}
			if bare.requests != under.requests {
				t.Errorf("requests with the probe %q, without %q", under.requests, bare.requests)
			}
			if bare.shape != under.shape {
				t.Errorf("document with the probe\n%s\nwithout\n%s", under.shape, bare.shape)
			}
			if bare.globals != under.globals {
				t.Errorf("globals with the probe %s, without %s", under.globals, bare.globals)
			}
			t.Logf("frames with the probe %d, without %d", under.frames, bare.frames)
		})
	}
}

// performance is what can be told of a game from outside.
type performance struct {
	console, exceptions, requests, shape, globals string
	frames                                        int
}

// playScript opens a game and goes through a fixed set of inputs.
func playScript(t *testing.T, url string, g games.Game, scripts ...browser.InitScript) performance {
	t.Helper()
	w := &watched{t: t, ctx: timeout(t), page: newPage(t, nil, scripts...)}
	w.open(url)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func() int {
		n := 0
		do(w.page.Evaluate(w.ctx, `new Promise((done) => { let n = 0; const f = () => { n++; requestAnimationFrame(f); }; f(); setTimeout(() => done(n), 300); })`, &n))
		return n
	}
	var p performance
	do(w.page.Mouse().Click(w.ctx, 640, 360, &browser.ClickOptions{Hold: 60 * time.Millisecond}))
	for _, key := range append([]string{"Enter", "Space", "KeyX"}, g.Keys()...) {
		do(w.page.Keyboard().Press(w.ctx, key, 30*time.Millisecond))
	}
	do(w.page.Mouse().Drag(w.ctx, []browser.Point{{X: 500, Y: 300}, {X: 700, Y: 400}}, &browser.DragOptions{Steps: 5}))
	do(w.page.Mouse().Click(w.ctx, 640, 480, &browser.ClickOptions{Hold: 60 * time.Millisecond}))
	p.frames = count()

	var console, exceptions, requests []string
	for _, e := range w.page.Log().Console() {
		console = append(console, e.Level+" "+e.Text)
	}
	for _, e := range w.page.Log().Exceptions() {
		exceptions = append(exceptions, fmt.Sprintf("%s %s:%d", e.Text, e.URL, e.Line))
	}
	for _, r := range w.page.Log().Requests() {
		requests = append(requests, r.URL)
	}
	slices.Sort(requests)
	p.console, p.exceptions, p.requests = strings.Join(console, "\n"), strings.Join(exceptions, "\n"), strings.Join(slices.Compact(requests), "\n")
	for _, f := range w.page.Frames() {
		var shape, globals string
		// Clocks and scores depend on the moment, the elements of a game do not.
		do(f.Evaluate(w.ctx, `[...document.querySelectorAll('*')].filter((e) => e.id || /^(canvas|button|iframe|input|h1)$/.test(e.localName)).map((e) => e.localName + '#' + e.id).sort().filter((s, i, all) => s !== all[i - 1]).join(' ')`, &shape))
		do(f.Evaluate(w.ctx, `Object.getOwnPropertyNames(window).sort().join(' ')`, &globals))
		p.shape += shape + "\n"
		p.globals += globals + "\n"
	}
	return p
}
