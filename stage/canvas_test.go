package stage_test

import (
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/stage"
)

// bundled opens one of the bundled games.
func bundled(t *testing.T, name string, answers ...func(string) any) *stage.Stage {
	t.Helper()
	server, err := games.Serve(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return open(t, server.URL(name, 1), script(t, answers...), nil)
}

// until looks at the page until its tree is as wanted; games take their time.
func until(t *testing.T, s *stage.Stage, what string, ok func(tree string) bool) {
	t.Helper()
	ctx := testContext(t)
	tree := ""
	for {
		snap, err := s.Snapshot(ctx)
		if err != nil {
			t.Fatalf("waited in vain for %s: %v\n%s", what, err, tree)
		}
		if tree = snap.Format(nil).Text; ok(tree) {
			return
		}
	}
}

// has waits for a line that has the words.
func has(line string) func(string) bool {
	return func(tree string) bool { return !strings.HasPrefix(id(tree, line), "no line") }
}

// A button that exists only as paint, in a bundled game: clicking it through
// act leaves the title screen.
func TestActOnPaintedText(t *testing.T) {
	t.Parallel()
	s := bundled(t, "starfall", do(stage.Click, `painted "PLAY"`))
	until(t, s, "the title", has(`painted "PLAY"`))
	done, err := s.Act(testContext(t), "start the game", nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := done.Actions[0]; a.Role != "painted" || done.Meta.Calls != 1 {
		t.Errorf("acted on %+v after %d calls", a, done.Meta.Calls)
	}
	until(t, s, "the game", func(tree string) bool { return has(`painted "SCORE`)(tree) && !has(`painted "PLAY"`)(tree) })
}

// A bundled game that offers its scene as an engine does. Its menus are clicked
// and its ball, which has no word on it, is pulled back, all by their objects.
func TestActOnEngineObjects(t *testing.T) {
	t.Parallel()
	s := bundled(t, "golf",
		do(stage.Click, `object "PLAY"`), do(stage.Click, `object "DESERT"`), do(stage.DragAndDrop, `object "ball"`, `painted "score 100"`))
	ctx := testContext(t)
	for _, step := range []struct{ see, do, line string }{
		{"the menu", "start", `object "PLAY"`},
		{"the courses", "choose the desert", `object "DESERT"`},
		{"the ball", "pull the ball back to the score", `object "ball"`},
	} {
		until(t, s, step.see, func(tree string) bool {
			if label := strings.Replace(step.line, "object", "painted", 1); has(label)(tree) {
				t.Errorf("an object and the text on it are two lines:\n%s", tree)
			}
			return has(step.line)(tree)
		})
		done, err := s.Act(ctx, step.do, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a := done.Actions[0]; a.Role != "object" || done.Healed {
			t.Errorf("%s: acted on %+v, healed %t", step.do, a, done.Healed)
		}
	}
	until(t, s, "the stroke", has(`painted "strokes 1 of 9"`))
}

// An object that is scaled with its canvas is hit in its middle.
func TestActOnScaledObject(t *testing.T) {
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
