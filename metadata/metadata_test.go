package metadata_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

// Both shapes of the metadata, in both formats, mean the same.
func TestParseMetadataFiles(t *testing.T) {
	type wanted struct {
		title, genre string
		bindings     []string
		wait         time.Duration
	}
	tests := []struct {
		file string
		want wanted
	}{
		{"lists.json", wanted{"Meadow Run", "platformer", []string{
			"axis movement [KeyW KeyA KeyS KeyD] 2d hold", "action Space [Space]", "action Click [] pointer", "action E [KeyE]", "action Q [KeyQ]",
		}, 0}},
		{"lists.yaml", wanted{"Meadow Run", "platformer", []string{
			"axis movement [KeyW KeyA KeyS KeyD] 2d hold", "action Space [Space]", "action Click [] pointer", "action E [KeyE]", "action Q [KeyQ]",
		}, 0}},
		{"schema.json", wanted{"Star Hauler", "shooter", []string{
			"action Fire [Space KeyX] critical", "axis Steer [KeyA KeyD ArrowLeft ArrowRight] hold critical",
			"action Charge [ShiftLeft] hold", "action Aim [] pointer", "axis Drift [ArrowUp KeyW ArrowDown KeyS] hold",
			"action mute [KeyM]",
		}, 1500 * time.Millisecond}},
		{"schema.yaml", wanted{"Star Hauler", "shooter", []string{
			"action Fire [Space KeyX] critical", "axis Steer [KeyA KeyD ArrowLeft ArrowRight] hold critical",
			"action Charge [ShiftLeft] hold", "action Aim [] pointer", "axis Drift [ArrowUp KeyW ArrowDown KeyS] hold",
			"action mute [KeyM]",
		}, 1500 * time.Millisecond}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			m, err := metadata.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			got := wanted{m.Title, m.Genre, describe(m.Bindings()), m.Wait()}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(wanted{})); diff != "" {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseMetadataShapesAgree(t *testing.T) {
	for _, name := range []string{"lists", "schema"} {
		var parsed []*metadata.Metadata
		for _, ext := range []string{".json", ".yaml"} {
			data, err := os.ReadFile(filepath.Join("testdata", name+ext))
			if err != nil {
				t.Fatal(err)
			}
			m, err := metadata.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, m)
		}
		if diff := cmp.Diff(parsed[0], parsed[1]); diff != "" {
			t.Errorf("%s: JSON and YAML differ (-json +yaml):\n%s", name, diff)
		}
	}
}

func TestParseMetadataMistakes(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  []string // each a part of the message
	}{
		{"unknown field", `{"titel": "x"}`, []string{`titel: is not a known field; did you mean "title"? (line 1)`}},
		{"unknown nested field", "inputSchema:\n  actions:\n    - name: Jump\n      key: Space\n", []string{`inputSchema.actions[0].key: is not a known field; did you mean "keys"? (line 4)`}},
		{"unknown in axes", `{"inputSchema":{"axes":[{"name":"Move","is2d":true}]}}`, []string{`inputSchema.axes[0].is2d`, `did you mean "is2D"?`}},
		{"wrong case", `{"Genre":"arcade"}`, []string{`Genre: is not a known field; did you mean "genre"?`}},
		{"several at once", `{"genre": 3.5, "controls": {"move": []}, "testingStrategy": {"waitBeforeInteraction": "2s"}}`, []string{
			"genre: must be text, not a number", `controls.move: is not a known field; did you mean "movement"?`,
			"testingStrategy.waitBeforeInteraction: must be a number of milliseconds, not text"}},
		{"not an object", `[1, 2]`, []string{"must be an object", "not a list"}},
		{"just text", `hello`, []string{"must be an object", "not text"}},
		{"empty", " \n", []string{"is empty"}},
		{"only a comment", "# nothing here\n", []string{"is empty"}},
		{"broken JSON", "{\"title\": \"x\",\n \"genre\": }", []string{"is not valid JSON", "(line 2)"}},
		{"JSON that ends early", `{"title": "x"`, []string{"is not valid JSON: it ends too early"}},
		{"JSON and then more", `{"title": "x"} {"title": "y"}`, []string{"is not valid JSON"}},
		{"JSON twice the same", `{"title": "x", "title": "y"}`, []string{`the field "title" is there twice`}},
		{"broken YAML", "title: [x\ngenre: y", []string{"is not valid YAML"}},
		{"YAML twice the same", "title: x\ntitle: y\n", []string{"is not valid YAML"}},
		{"two documents", "title: x\n---\ntitle: y\n", []string{"more than one YAML document"}},
		{"aliases", "title: &t x\ngenre: *t\n", []string{"anchors, aliases and tags are not accepted"}},
		{"schema type", `{"inputSchema":{"type":"prose"}}`, []string{"inputSchema.type: must be one of semantic, javascript"}},
		{"action without name", `{"inputSchema":{"actions":[{"keys":["A"]}]}}`, []string{"inputSchema.actions[0].name: is missing"}},
		{"no such key", `{"inputSchema":{"actions":[{"name":"Jump","keys":["W","Spcae"]}]}}`, []string{`inputSchema.actions[0].keys[1]: "Spcae" is not the name of a key`, `did you mean "Space"?`}},
		{"success type", `{"successIndicators":[{"type":"score_chnage"}]}`, []string{`successIndicators[0].type`, `did you mean "score_change"?`}},
		{"success without type", `{"successIndicators":[{"selector":"#score"}]}`, []string{`successIndicators[0].type: is missing`}},
		{"element without selector", `{"loadingIndicators":[{"type":"element"}]}`, []string{`loadingIndicators[0].selector: is missing`}},
		{"text without pattern", `{"loadingIndicators":[{"type":"text","selector":"#x"}]}`, []string{`loadingIndicators[0].pattern: is missing`}},
		{"negative wait", `{"testingStrategy":{"waitBeforeInteraction":-1}}`, []string{"testingStrategy.waitBeforeInteraction: must be between 0 and"}},
		{"half a millisecond", `{"testingStrategy":{"interactionDuration":0.5}}`, []string{"must be a whole number of milliseconds"}},
		{"absurd duration", `{"testingStrategy":{"interactionDuration":1e300}}`, []string{"must be between 0 and"}},
		{"critical name", `{"inputSchema":{"actions":[{"name":"Jump"}]},"testingStrategy":{"criticalActions":["Jmup"]}}`, []string{`testingStrategy.criticalActions[0]: "Jmup" is not the name of a declared action or axis; did you mean "Jump"?`}},
		{"one name, other keys", `{"inputSchema":{"actions":[{"name":"Jump","keys":["Space"]},{"name":"jump","keys":["W"]}]}}`, []string{`inputSchema.actions[1].name: "jump" is declared twice, with different keys`}},
		{"one key for both ways", `{"inputSchema":{"axes":[{"name":"Move","keys":["A","A"]}]}}`, []string{`inputSchema.axes[0].keys[1]`, "is named twice"}},
		{"too long", `{"description":"` + strings.Repeat("x", metadata.MaxMetadataBytes) + `"}`, []string{"at most 10240 are accepted"}},
		{"too deep", strings.Repeat(`{"x-a":`, 100) + "1" + strings.Repeat("}", 100), []string{"nested too deeply"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := metadata.Parse([]byte(tt.input))
			var typed *metadata.Error
			if !errors.As(err, &typed) {
				t.Fatalf("got %v, want a Error", err)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("message\n  %s\nlacks\n  %s", err, part)
				}
			}
		})
	}
}

func TestParseMetadataAccepts(t *testing.T) {
	tests := []struct{ name, input string }{
		{"nothing said", `{}`},
		{"null fields", `{"title":null,"controls":null}`},
		{"extensions", `{"x-studio":{"anything":[1]},"inputSchema":{"x-note":"y","actions":[{"name":"a","x-b":1}]}}`},
		{"flow mapping", `{title: Foo, genre: puzzle}`},
		{"byte order mark", "\ufeff{\"title\":\"x\"}"},
		{"windows lines", "title: x\r\ngenre: puzzle\r\n"},
		{"title that is a number", `{"title": 2048}`},
		{"mouse only", `{"inputSchema":{"actions":[{"name":"Place","keys":[]}]}}`},
		{"list of objectives", "objectives:\n  - get far\n  - collect coins\n"},
		{"keys that YAML could misread", "inputSchema:\n  actions:\n    - {name: yes, keys: [Y, N, 1, 'off']}\n    - {name: no, keys: y}\n"},
		{"critical key of the lists", `{"controls":{"actions":["Space"]},"testingStrategy":{"criticalActions":["Space"]}}`},
		{"loading indicator of another kind", `{"loadingIndicators":[{"type":"spinner_gone","selector":".spinner"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "keys that YAML could misread" {
				// "off" is no key, so it has to be reported; Y, N and 1 must not.
				_, err := metadata.Parse([]byte(tt.input))
				if err == nil || strings.Count(err.Error(), "\n") != 0 || !strings.Contains(err.Error(), "keys[3]") {
					t.Fatalf("got %v, want one problem with keys[3]", err)
				}
				return
			}
			if _, err := metadata.Parse([]byte(tt.input)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBindingsFromText(t *testing.T) {
	tests := []struct {
		name, typ, content string
		want               []string
	}{
		{"move and jump", "semantic", "Use the arrow keys to move and press Space to jump.", []string{"axis move [ArrowUp ArrowLeft ArrowDown ArrowRight] 2d hold", "action jump [Space]"}},
		{"wasd or arrows", "semantic", "WASD or arrow keys to move", []string{"axis move [KeyW KeyA KeyS KeyD ArrowUp ArrowLeft ArrowDown ArrowRight] 2d hold"}},
		{"letters apart", "semantic", "Move with W, A, S, D", []string{"axis move [KeyW KeyA KeyS KeyD] 2d hold"}},
		{"lines with colons", "semantic", "Rotate: Up arrow\nDrop: Space\nHold piece: C", []string{"action rotate [ArrowUp]", "action drop [Space]", "action hold piece [KeyC] hold"}},
		{"two of the arrows", "semantic", "left and right arrow keys steer the car", []string{"axis - [ArrowLeft ArrowRight] hold"}},
		{"single letters", "semantic", "Press E to interact, Q to drop the item", []string{"action interact [KeyE]", "action drop the item [KeyQ]"}},
		{"articles are no keys", "semantic", "Press a button to open a door. I like it.", nil},
		{"words that are also keys", "semantic", "Control the spaceship, return to base, escape the space station and enter the door before the end.", nil},
		{"enter as a key", "semantic", "Press Enter to start, Shift to run, Esc to pause", []string{"action start [Enter]", "action run [ShiftLeft]", "action pause [Escape]"}},
		{"numbers", "semantic", "Keys 1-4 select a weapon", []string{"action - [Digit1 Digit2 Digit3 Digit4]"}},
		{"mouse", "semantic", "Click a cell to place your mark", []string{"action - [] pointer"}},
		{"hold", "semantic", "Hold Space to charge", []string{"action charge [Space] hold"}},
		{"any key", "semantic", "Press any key to start", []string{"action start [] any"}},
		{"quoted", "semantic", "use 'z' and 'x' to flip", []string{"action flip [KeyZ KeyX]"}},
		{"event keys", "javascript", `addEventListener("keydown", e => { if (e.key === "ArrowLeft") l(); if (e.key === 'ArrowRight') r(); if (e.code == "Space") jump(); })`, []string{"axis movement [ArrowLeft ArrowRight] hold", "action - [Space]"}},
		{"key codes", "javascript", `switch (e.keyCode) { case 37: left(); break; case 39: right(); break; case 32: fire(); } score += 65;`, []string{"axis movement [ArrowLeft ArrowRight] hold", "action - [Space]"}},
		{"phaser", "javascript", `this.cursors = this.input.keyboard.createCursorKeys(); this.fire = this.input.keyboard.addKey(Phaser.Input.Keyboard.KeyCodes.X); kb.on('keydown-SPACE', f)`, []string{"axis movement [ArrowUp ArrowLeft ArrowDown ArrowRight] 2d hold", "action - [Space]", "action - [KeyX]"}},
		{"p5", "javascript", `if (keyIsDown(LEFT_ARROW)) x--; if (keyIsDown(68)) x++; function mousePressed() { start() }`, []string{"axis movement [ArrowLeft KeyD] hold", "action - [] pointer"}},
		{"names are not keys", "javascript", `bind('left', ['KeyA']); bind('right', ['KeyD']); bind('jump', [' '])`, []string{"axis movement [KeyA KeyD] hold", "action - [Space]"}},
		{"directions alone", "javascript", `onKeyDown("left", l); onKeyDown("right", r)`, []string{"axis movement [ArrowLeft ArrowRight] hold"}},
		{"comments are not code", "javascript", "// 'x' fires\nk.on('z', f)", []string{"action - [KeyZ]"}},
		{"object of codes", "javascript", `const keys = { KeyW: up, KeyS: down, Space: fire }`, []string{"axis movement [KeyW KeyS] hold", "action - [Space]"}},
		{"code without a type", "", `if (e.key === "q") paddle.up(); if (e.key === "1") start();`, []string{"action - [KeyQ]", "action - [Digit1]"}},
		{"prose without a type", "", `Space: jump`, []string{"action jump [Space]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &metadata.Metadata{InputSchema: &metadata.InputSchema{Type: tt.typ, Content: tt.content}}
			bindings := m.Bindings()
			for i := range bindings {
				// A name made of the keys says nothing that the keys do not.
				switch bindings[i].Name {
				case strings.Join(bindings[i].Keys, " "), metadata.InputPointer, metadata.InputAnyKey:
					bindings[i].Name = "-"
				}
			}
			got := describe(bindings)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("bindings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBindingDirections(t *testing.T) {
	m := &metadata.Metadata{InputSchema: &metadata.InputSchema{Axes: []metadata.InputAxis{
		{Name: "Move", Keys: []string{"WASD", "arrow keys"}, Is2D: true},
		{Name: "Lean", Keys: []string{"Q", "E"}},
	}}}
	got := m.Bindings()
	want := [][]metadata.Direction{
		{{Name: "up", Keys: []string{"KeyW", "ArrowUp"}}, {Name: "left", Keys: []string{"KeyA", "ArrowLeft"}}, {Name: "down", Keys: []string{"KeyS", "ArrowDown"}}, {Name: "right", Keys: []string{"KeyD", "ArrowRight"}}},
		{{Name: "KeyQ", Keys: []string{"KeyQ"}}, {Name: "KeyE", Keys: []string{"KeyE"}}},
	}
	for i := range want {
		if diff := cmp.Diff(want[i], got[i].Directions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", got[i].Name, diff)
		}
	}
}

// Metadata survives being saved inside a record, and is checked there too.
func TestMetadataJSONRoundTrip(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "schema.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := json.Marshal(record.Target{URL: "http://localhost/", Metadata: m})
	if err != nil {
		t.Fatal(err)
	}
	var back record.Target
	if err := json.Unmarshal(saved, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, back.Metadata); diff != "" {
		t.Errorf("after a round trip (-want +got):\n%s", diff)
	}
	if err := json.Unmarshal([]byte(`{"metadata":{"titel":"x"}}`), &back); err == nil || !strings.Contains(err.Error(), "titel") {
		t.Errorf("a mistake inside a target: got %v", err)
	}
}

func TestNilMetadata(t *testing.T) {
	var m *metadata.Metadata
	if m.Bindings() != nil || m.Wait() != 0 || m.PlayFor() != 0 {
		t.Error("nil metadata declares something")
	}
}

func describe(all []metadata.Binding) []string {
	var out []string
	for _, b := range all {
		s := fmt.Sprintf("%s %s %v", b.Kind, b.Name, b.Keys)
		if b.Is2D {
			s += " 2d"
		}
		if b.Hold {
			s += " hold"
		}
		if b.Pointer {
			s += " pointer"
		}
		if b.Gamepad {
			s += " gamepad"
		}
		if b.AnyKey {
			s += " any"
		}
		if b.Critical {
			s += " critical"
		}
		out = append(out, s)
	}
	return out
}
