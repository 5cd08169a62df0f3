package stage_test

import (
	"regexp"
	"strings"
	"testing"

	"playtest/games"
	"playtest/stage"
)

// A button that exists only as paint, in a bundled game: clicking it through
// act leaves the title screen.
func TestActOnPaintedText(t *testing.T) {
	server, err := games.Serve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	start := regexp.MustCompile(`(?mi)^ *(\d+) painted "([^"]*(?:start|play|launch|begin)[^"]*)"`)
	s := open(t, server.URL("starfall", 1), script(t, func(tree string) any {
		m := start.FindStringSubmatch(tree)
		if m == nil {
			return "no start text in\n" + tree
		}
		return answer{Found: true, ElementID: m[1], Description: m[2], Method: stage.Click, Arguments: []string{}}
	}), nil)
	done, err := s.Act(testContext(t), "start the game", nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := done.Actions[0]; a.Role != "painted" {
		t.Fatalf("acted on %+v", a)
	}
	ctx := testContext(t)
	for {
		snap, err := s.Snapshot(ctx)
		if err != nil {
			t.Fatalf("the title screen did not go away: %v", err)
		}
		if tree := snap.Format(nil).Text; strings.Contains(tree, `painted "SCORE`) && !start.MatchString(tree) {
			return
		}
	}
}

// An object of an engine's scene, which paints no text at all.
func TestActOnEngineObject(t *testing.T) {
	const game = `<style>body{margin:0}</style><canvas width="400" height="300" style="width:800px;height:600px"></canvas><script>
const canvas = document.querySelector('canvas'); canvas.getContext('2d').fillRect(100, 150, 80, 40);
class Sprite { constructor() { this.eventMode = 'static'; this.label = 'lever'; this.visible = true } getBounds() { return {x: 100, y: 150, width: 80, height: 40} } }
globalThis.__PIXI_APP__ = { canvas, screen: {width: 400, height: 300}, renderer: {}, stage: { children: [new Sprite()] } };
let hit = ''; canvas.onclick = (e) => hit = e.offsetX + ' ' + e.offsetY;
</script>`
	s := page(t, game, script(t, do(stage.Click, `object "lever"`)), nil)
	if _, err := s.Act(testContext(t), "pull the lever", nil); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, s, "hit"); got != "280 340" {
		t.Errorf("clicked at %q", got)
	}
}
