package probe_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser/probe"
)

// TestEngines offers each engine's global shape, as far as it is asked for.
func TestEngines(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		script               string
		name, version, scene string
	}{
		"Phaser 3": {`class Game { constructor() { this.canvas = c; this.scale = {width: 400, height: 300}; this.scene = {getScenes: () => [{sys: {settings: {key: 'Menu'}}, cameras: {main: {scrollX: 10, scrollY: 0}},
			input: {_list: [{type: 'Text', text: 'Start', getBounds: () => ({x: 60, y: 20, width: 80, height: 30})}, {visible: false, getBounds: () => ({x: 0, y: 0, width: 9, height: 9})}]}}]}; } }
			window.Phaser = {VERSION: '3.80.1', Game}; window.game = new Game()`, "Phaser", "3.80.1", "Menu"},
		"Phaser 3, kept by a module, seen through a second camera": {`class Game { constructor() { this.canvas = c; this.scale = {width: 400, height: 300};
			const cameras = {main: {scrollX: 0, scrollY: 0}, cameras: [{visible: true, scrollX: 2000, scrollY: 900, x: 10, y: 5}]};
			this.scene = {getScenes: () => [{sys: {settings: {key: 'Menu'}}, cameras, input: {_list: [
				{type: 'Image', texture: {key: 'sheet'}, frame: {name: 'Start'}, getBounds: () => ({x: 2040, y: 915, width: 80, height: 30})}]}}]}; } }
			window.Phaser = {VERSION: '3.80.1', Game, Display: {Canvas: {CanvasPool: {pool: [{parent: {}}, {parent: {game: new Game()}}]}}}}`, "Phaser", "3.80.1", "Menu"},
		"Phaser 3, with a text over it": {`class Game { constructor() { this.canvas = c; this.scale = {width: 400, height: 300};
			const at = (x, y, width, height, more) => ({getBounds: () => ({x, y, width, height}), ...more});
			this.scene = {getScenes: () => [{sys: {settings: {key: 'Menu'}}, input: {_list: [at(50, 20, 80, 30, {type: 'Image', texture: {key: 'panel'}})]},
				children: {list: [at(10, 5, 380, 200, {text: 'A story'}), {list: [at(70, 25, 40, 18, {text: 'Start'})]}, at(10, 250, 40, 18, {text: 'Score'})]}}]}; } }
			window.Phaser = {VERSION: '3.80.1', Game}; window.game = new Game()`, "Phaser", "3.80.1", "Menu"},
		"Phaser 2": {`class Game { constructor() { this.state = {current: 'Boot'}; } } window.Phaser = {VERSION: '2.6.2', Game, GAMES: [null, new Game()]}`, "Phaser", "2.6.2", "Boot"},
		"Phaser 2, with a button": {`class Game { constructor() { this.canvas = c; this.width = 400; this.height = 300; this.state = {current: 'Menu'}; this.world = {children: [
			{input: null, children: [{key: 'startbutton', input: {enabled: true, draggable: true}, getBounds: () => ({x: 50, y: 20, width: 80, height: 30})}]},
			{exists: false, input: {enabled: true}, getBounds: () => ({x: 0, y: 0, width: 9, height: 9})}]}; } }
			window.Phaser = {VERSION: '2.6.2', Game}; window.game = new Game()`, "Phaser", "2.6.2", "Menu"},
		"PixiJS":     {`window.PIXI = {VERSION: '7.2.0'}; window.__PIXI_APP__ = {canvas: c, screen: {width: 400, height: 300}, stage: {children: [{eventMode: 'static', label: 'play', children: [{text: 'Start'}], getBounds: () => ({x: 50, y: 20, width: 80, height: 30})}, {visible: false, interactive: true}]}}`, "PixiJS", "7.2.0", ""},
		"three.js":   {`window.THREE = {REVISION: '160'}`, "three.js", "160", ""},
		"three, new": {`window.__THREE__ = '170'`, "three.js", "170", ""},
		"Construct":  {`window.c3_runtimeInterface = {}`, "Construct", "3", ""},
		"Construct, with a button": {`window.C3 = {Plugins: {Touch: class {}}, Behaviors: {}}; const touch = new C3.Plugins.Touch();
			const kind = (name) => ({GetName: () => name, IsFamily: () => false, GetBehaviorTypes: () => []}), button = kind('Start'), floor = kind('floor');
			const thing = (k, left, shown) => ({GetObjectClass: () => k, GetSdkInstance: () => ({}), GetWorldInfo: () => ({IsVisible: () => shown, GetBoundingBox: () => ({getLeft: () => left, getTop: () => 40, getRight: () => left + 160, getBottom: () => 100})})});
			const layer = {IsVisible: () => true, LayerToCanvasCss: (x, y) => [x, y], _GetInstances: () => [thing(button, 100, true), thing(floor, 100, true), thing(button, 100, false), thing(button, 2000, true)]};
			window.c3_runtimeInterface = {GetMainCanvas: () => c, _localRuntime: {GetMainRunningLayout: () => ({GetName: () => 'Home', GetLayers: () => [layer]}),
				GetEventSheetManager: () => ({_cndsBySid: new Map([[1, {_objectClass: null, _parameters: []}], [2, {_objectClass: {GetPlugin: () => touch}, _parameters: [{}, {_objectClass: button}]}]])})}}`, "Construct", "3", "Home"},
		"CreateJS, with a button": {`class Stage {} window.createjs = {Stage, EaselJS: {version: '1.0.0'}};
			const thing = (more) => ({hasEventListener: (k) => k === 'click', localToGlobal: (x, y) => ({x: x + 50, y: y + 20}), ...more}), box = {x: 0, y: 0, width: 80, height: 30};
			window.stage = Object.assign(new Stage(), thing({canvas: c, children: [thing({getBounds: () => null, hitArea: {graphics: {instructions: [{style: 'red'}, {x: 0, y: 0, w: 80, h: 30}]}}, children: [{text: 'Start'}]}),
				thing({visible: false, getBounds: () => box}), {...thing({getBounds: () => box}), hasEventListener: () => false}]}))`, "CreateJS", "1.0.0", ""},
		"Construct 2": {`window.cr_getC2Runtime = () => {}`, "Construct", "2", ""},
		"Unity":       {`window.createUnityInstance = () => {}`, "Unity", "", ""},
		"Godot":       {`window.GODOT_CONFIG = {}`, "Godot", "", ""},
		"melonJS":     {`window.me = {game: {}, version: '15.9.2'}`, "melonJS", "15.9.2", ""},
		"KAPLAY":      {`window.kaplay = () => {}; kaplay.VERSION = '3001.0.1'`, "KAPLAY", "3001.0.1", ""},
		"Kaboom":      {`window.kaboom = () => {}`, "KAPLAY", "", ""},
		"LittleJS":    {`window.engineName = 'LittleJS'; window.engineVersion = '1.9'`, "LittleJS", "1.9", ""},
		"RPG Maker":   {`window.Utils = {RPGMAKER_NAME: 'MZ', RPGMAKER_VERSION: '1.4.4'}; class Scene_Title {} window.SceneManager = {_scene: new Scene_Title()}`, "RPG Maker", "MZ 1.4.4", "Scene_Title"},
		"PICO-8":      {`window.pico8_buttons = [0]`, "PICO-8", "", ""},
		"none":        {``, "", "", ""},
		"trap":        {`Object.defineProperty(window, 'Phaser', {get() { throw new Error('trap'); }, enumerable: true}); Object.defineProperty(window, 'me', {get() { throw 1; }}); window.kaboom = () => {}`, "KAPLAY", "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := html(t, `<body style="margin:0"><canvas id=c width=400 height=300 style="display:block;width:800px;height:600px"></canvas><script>`+tt.script+`</script>`)
			got, err := w.probe.Engine(w.ctx, w.page)
			if err != nil {
				t.Fatal(err)
			}
			if got.Name != tt.name || got.Version != tt.version || got.Scene != tt.scene {
				t.Errorf("%+v", got)
			}
			if strings.HasPrefix(name, "Phaser 3") || strings.HasSuffix(name, ", with a button") || name == "PixiJS" {
				want := probe.Object{Text: "Start", X: 100, Y: 40, W: 160, H: 60}
				if name == "Phaser 2, with a button" {
					want.Text, want.Drag = "startbutton", true
				}
				if len(got.Objects) != 1 {
					t.Fatalf("objects %+v", got.Objects)
				}
				got.Objects[0].Kind = ""
				if got.Objects[0] != want {
					t.Errorf("object %+v, want %+v", got.Objects[0], want)
				}
				if written := name == "Phaser 3, with a text over it"; written != slices.ContainsFunc(got.Texts, func(o probe.Object) bool { return o.Text == "Start" }) {
					t.Errorf("texts %+v", got.Texts)
				}
			}
		})
	}
}

// TestEngineInFrame: an engine in a frame is found there, its objects where the page has them.
func TestEngineInFrame(t *testing.T) {
	t.Parallel()
	s := server(t, map[string]string{
		"/":      `<!doctype html><body style="margin:0"><iframe src="/frame" style="position:absolute;left:70px;top:30px;border:0;width:500px;height:400px"></iframe>`,
		"/frame": `<!doctype html><body style="margin:0"><canvas id=c width=400 height=300 style="display:block"></canvas><script>window.PIXI = {VERSION: '8'}; window.app = {canvas: c, renderer: {}, screen: {width: 400, height: 300}, stage: {children: [{interactive: true, text: 'Go', getBounds: () => ({x: 5, y: 6, width: 80, height: 30})}]}}</script>`,
	})
	w := visit(t, s.URL)
	got, err := w.probe.Engine(w.ctx, w.page)
	if err != nil || got.Name != "PixiJS" || len(got.Objects) != 1 || got.Objects[0].X != 75 || got.Objects[0].Y != 36 {
		t.Errorf("%+v, %v", got, err)
	}
}
