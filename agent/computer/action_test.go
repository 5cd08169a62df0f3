package computer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// recorder notes what a page is told by mouse and keyboard.
const recorder = `<title>recorder</title><style>body{margin:0;width:3000px;height:4000px}</style>
<textarea id=field style="position:absolute;left:600px;top:300px;width:200px;height:100px">old</textarea>
<script>
const log = [];
const mods = e => (e.ctrlKey ? ' ctrl' : '') + (e.shiftKey ? ' shift' : '') + (e.altKey ? ' alt' : '');
for (const kind of ['mousedown', 'mouseup', 'dblclick', 'contextmenu', 'auxclick'])
	addEventListener(kind, e => log.push(kind + ' ' + e.button + ' ' + Math.round(e.clientX) + ',' + Math.round(e.clientY) + ' x' + e.detail + mods(e)), true);
addEventListener('mousemove', e => log.push('mousemove ' + Math.round(e.clientX) + ',' + Math.round(e.clientY) + ' b' + e.buttons), true);
addEventListener('keydown', e => log.push('keydown ' + e.code + (e.repeat ? ' again' : '') + mods(e)), true);
addEventListener('keyup', e => log.push('keyup ' + e.code), true);
addEventListener('wheel', e => log.push('wheel ' + e.deltaX + ',' + e.deltaY + mods(e)), {capture: true, passive: true});
let resized = 0;
addEventListener('resize', () => resized++);
</script>`

// wish is what a model may say, and what a page then notices.
type wish struct {
	name   string
	reply  modeltest.Reply
	kinds  []computer.Kind
	events []string // among others, in this order
	none   string   // an event that there must not be
}

func member(name, input string) modeltest.Reply {
	return modeltest.Acts(modeltest.Member("toolu_"+name, name, input))
}

func browse(name, input string) modeltest.Reply {
	return modeltest.Acts(modeltest.BrowserMember("toolu_"+name, name, input))
}

func action(input string) modeltest.Reply {
	return modeltest.Reply{Calls: []modeltest.Call{{ID: "toolu_1", Name: "computer", Args: input}}}
}

func batch(actions string, checks ...string) modeltest.Reply {
	return modeltest.Acts(modeltest.ComputerCall("call_1", actions, checks...))
}

func function(name, args string) modeltest.Reply {
	return modeltest.Reply{Calls: []modeltest.Call{{ID: "f1", Name: name, Args: args}}}
}

var wishes = map[string][]wish{
	"anthropic toolset": {
		{"left_click", member("left_click", `{"coordinate":[100,50]}`), []computer.Kind{"click"}, []string{"mousedown 0 100,50 x1", "mouseup 0 100,50 x1"}, "dblclick"},
		{"left_click with a key", member("left_click", `{"coordinate":[100,50],"text":"ctrl+shift"}`), []computer.Kind{"click"},
			[]string{"keydown ControlLeft", "keydown ShiftLeft", "mousedown 0 100,50 x1 ctrl shift", "keyup ShiftLeft", "keyup ControlLeft"}, ""},
		{"left_click where the pointer is", member("left_click", `{}`), []computer.Kind{"click"}, []string{"mousedown 0 0,0 x1"}, ""},
		{"right_click", member("right_click", `{"coordinate":[100,50]}`), []computer.Kind{"click"}, []string{"mousedown 2 100,50", "contextmenu"}, ""},
		{"middle_click", member("middle_click", `{"coordinate":[100,50]}`), []computer.Kind{"click"}, []string{"mousedown 1 100,50", "auxclick"}, ""},
		{"double_click", member("double_click", `{"coordinate":[100,50]}`), []computer.Kind{"click"}, []string{"mousedown 0 100,50 x2", "dblclick"}, ""},
		{"triple_click", member("triple_click", `{"coordinate":[100,50]}`), []computer.Kind{"click"}, []string{"dblclick", "mousedown 0 100,50 x3"}, ""},
		{"mouse_move", member("mouse_move", `{"coordinate":[300,200]}`), []computer.Kind{"move"}, []string{"mousemove 300,200 b0"}, "mousedown"},
		{"left_mouse_down, move, up", modeltest.Acts(modeltest.Member("a", "mouse_move", `{"coordinate":[10,20]}`), modeltest.Member("b", "left_mouse_down", `{}`),
			modeltest.Member("c", "mouse_move", `{"coordinate":[60,70]}`), modeltest.Member("d", "left_mouse_up", `{}`)), []computer.Kind{"move", "down", "move", "up"},
			[]string{"mousedown 0 10,20", "mousemove 60,70 b1", "mouseup 0 60,70"}, ""},
		{"left_click_drag", member("left_click_drag", `{"start_coordinate":[100,100],"coordinate":[300,200]}`), []computer.Kind{"drag"},
			[]string{"mousedown 0 100,100", "b1", "mouseup 0 300,200"}, ""},
		{"scroll down", member("scroll", `{"coordinate":[100,100],"scroll_direction":"down","scroll_amount":3}`), []computer.Kind{"scroll"}, []string{"wheel 0,300"}, ""},
		{"scroll left with a key", member("scroll", `{"scroll_direction":"right","scroll_amount":2,"text":"shift"}`), []computer.Kind{"scroll"}, []string{"keydown ShiftLeft", "wheel", "keyup ShiftLeft"}, ""},
		{"key", member("key", `{"text":"Return"}`), []computer.Kind{"keypress"}, []string{"keydown Enter", "keyup Enter"}, ""},
		{"key with modifiers", member("key", `{"text":"ctrl+shift+Left"}`), []computer.Kind{"keypress"}, []string{"keydown ControlLeft", "keydown ShiftLeft", "keydown ArrowLeft ctrl shift", "keyup ArrowLeft"}, ""},
		{"key again and again", member("key", `{"text":"Page_Down","repeat":3}`), []computer.Kind{"keypress"}, []string{"keydown PageDown", "keyup PageDown", "keydown PageDown", "keydown PageDown"}, "again"},
		{"keys one after the other", member("key", `{"text":"Up Up x"}`), []computer.Kind{"keypress", "keypress", "keypress"}, []string{"keydown ArrowUp", "keyup ArrowUp", "keydown ArrowUp", "keydown KeyX"}, ""},
		{"hold_key", member("hold_key", `{"text":"space","duration":1}`), []computer.Kind{"hold"}, []string{"keydown Space", "keydown Space again", "keyup Space"}, ""},
		{"hold_key together", member("hold_key", `{"text":"w+d","duration":0.2}`), []computer.Kind{"hold"}, []string{"keydown KeyW", "keydown KeyD", "keyup KeyD", "keyup KeyW"}, ""},
		{"type", modeltest.Acts(modeltest.Member("a", "left_click", `{"coordinate":[700,350]}`), modeltest.Member("b", "type", `{"text":"Hi ö!"}`)), []computer.Kind{"click", "type"},
			[]string{"keydown ShiftLeft", "keydown KeyH shift", "keydown KeyI", "keydown Space", "keydown Digit1 shift"}, ""},
		{"wait", member("wait", `{"duration":0.2}`), []computer.Kind{"wait"}, nil, "mousedown"},
		{"screenshot", member("screenshot", `{}`), []computer.Kind{"screenshot"}, nil, "mousedown"},
		{"cursor_position", member("cursor_position", `{}`), []computer.Kind{"cursor"}, nil, "mousedown"},
		{"zoom", member("zoom", `{"region":[600,300,800,400]}`), []computer.Kind{"zoom"}, nil, "mousedown"},
	},
	"anthropic browser": {
		{"left_click", browse("left_click", `{"target":{"type":"coordinate","x":100,"y":50}}`), []computer.Kind{"click"}, []string{"mousedown 0 100,50 x1", "mouseup 0 100,50 x1"}, "dblclick"},
		{"left_click with a key", browse("left_click", `{"target":{"type":"coordinate","x":100,"y":50},"modifiers":"ctrl+shift"}`), []computer.Kind{"click"},
			[]string{"keydown ControlLeft", "mousedown 0 100,50 x1 ctrl shift", "keyup ControlLeft"}, ""},
		{"double_click", browse("double_click", `{"target":{"type":"coordinate","x":100,"y":50}}`), []computer.Kind{"click"}, []string{"dblclick"}, ""},
		{"hover", browse("hover", `{"target":{"type":"coordinate","x":300,"y":200}}`), []computer.Kind{"move"}, []string{"mousemove 300,200 b0"}, "mousedown"},
		{"down, move, up", modeltest.Acts(modeltest.BrowserMember("a", "left_mouse_down", `{"target":{"type":"coordinate","x":10,"y":20}}`),
			modeltest.BrowserMember("b", "mouse_move", `{"target":{"type":"coordinate","x":60,"y":70}}`), modeltest.BrowserMember("c", "left_mouse_up", `{"target":{"type":"coordinate","x":60,"y":70}}`)),
			[]computer.Kind{"down", "move", "up"}, []string{"mousedown 0 10,20", "mousemove 60,70 b1", "mouseup 0 60,70"}, ""},
		{"left_click_drag", browse("left_click_drag", `{"from":{"type":"coordinate","x":100,"y":100},"target":{"type":"coordinate","x":300,"y":200}}`), []computer.Kind{"drag"},
			[]string{"mousedown 0 100,100", "b1", "mouseup 0 300,200"}, ""},
		{"scroll", browse("scroll", `{"target":{"type":"coordinate","x":100,"y":100},"scroll_direction":"down"}`), []computer.Kind{"scroll"}, []string{"wheel 0,300"}, ""},
		{"key", browse("key", `{"text":"Return","repeat":2}`), []computer.Kind{"keypress"}, []string{"keydown Enter", "keyup Enter", "keydown Enter"}, ""},
		{"hold_key", browse("hold_key", `{"text":"w","duration":0.2}`), []computer.Kind{"hold"}, []string{"keydown KeyW", "keyup KeyW"}, ""},
		{"screenshot", browse("screenshot", `{"tab_id":"tab_1"}`), []computer.Kind{"screenshot"}, nil, "mousedown"},
		{"zoom", browse("zoom", `{"region":[100,100,200,200]}`), []computer.Kind{"zoom"}, nil, "mousedown"},
		{"wait", browse("wait", `{"duration":0.2}`), []computer.Kind{"wait"}, nil, "mousedown"},
		{"get_page_text", browse("get_page_text", `{}`), []computer.Kind{"readtext"}, nil, "mousedown"},
	},
	"anthropic 2025-11-24": {
		{"left_click", action(`{"action":"left_click","coordinate":[100,50],"text":"alt"}`), []computer.Kind{"click"}, []string{"mousedown 0 100,50 x1 alt"}, ""},
		{"scroll", action(`{"action":"scroll","coordinate":[100,50],"scroll_direction":"up","scroll_amount":1}`), []computer.Kind{"scroll"}, []string{"wheel 0,-100"}, ""},
		{"hold_key", action(`{"action":"hold_key","text":"Right","duration":0.1}`), []computer.Kind{"hold"}, []string{"keydown ArrowRight", "keyup ArrowRight"}, ""},
		{"zoom", action(`{"action":"zoom","region":[0,0,1280,720]}`), []computer.Kind{"zoom"}, nil, "mousedown"},
	},
	"anthropic 2025-01-24": {
		{"left_click_drag", action(`{"action":"left_click_drag","start_coordinate":[10,10],"coordinate":[90,90]}`), []computer.Kind{"drag"}, []string{"mousedown 0 10,10", "mouseup 0 90,90"}, ""},
		{"key", action(`{"action":"key","text":"super+a"}`), []computer.Kind{"keypress"}, []string{"keydown MetaLeft", "keydown KeyA"}, ""},
	},
	"openai": {
		{"click", batch(`[{"type":"click","button":"left","x":100,"y":50}]`), []computer.Kind{"click"}, []string{"mousedown 0 100,50 x1"}, ""},
		{"click right", batch(`[{"type":"click","button":"right","x":100,"y":50}]`), []computer.Kind{"click"}, []string{"contextmenu"}, ""},
		{"click the wheel", batch(`[{"type":"click","button":"wheel","x":100,"y":50}]`), []computer.Kind{"click"}, []string{"mousedown 1 100,50"}, ""},
		{"click with keys", batch(`[{"type":"click","button":"left","x":100,"y":50,"keys":["CTRL"]}]`), []computer.Kind{"click"}, []string{"mousedown 0 100,50 x1 ctrl", "keyup ControlLeft"}, ""},
		{"double_click", batch(`[{"type":"double_click","x":100,"y":50,"keys":null}]`), []computer.Kind{"click"}, []string{"dblclick"}, ""},
		{"drag", batch(`[{"type":"drag","path":[{"x":10,"y":20},{"x":100,"y":20},{"x":100,"y":200}]}]`), []computer.Kind{"drag"}, []string{"mousedown 0 10,20", "mousemove 100,20 b1", "mouseup 0 100,200"}, ""},
		{"keypress", batch(`[{"type":"keypress","keys":["ARROWLEFT"]}]`), []computer.Kind{"keypress"}, []string{"keydown ArrowLeft", "keyup ArrowLeft"}, ""},
		{"keypress together", batch(`[{"type":"keypress","keys":["CTRL","A"]}]`), []computer.Kind{"keypress"}, []string{"keydown ControlLeft", "keydown KeyA ctrl"}, "shift"},
		{"move", batch(`[{"type":"move","x":300,"y":200}]`), []computer.Kind{"move"}, []string{"mousemove 300,200 b0"}, "mousedown"},
		{"scroll", batch(`[{"type":"scroll","x":100,"y":50,"scroll_x":30,"scroll_y":-250}]`), []computer.Kind{"scroll"}, []string{"wheel 30,-250"}, ""},
		{"type", batch(`[{"type":"click","button":"left","x":700,"y":350},{"type":"type","text":"ok"}]`), []computer.Kind{"click", "type"}, []string{"keydown KeyO", "keydown KeyK"}, ""},
		{"screenshot", batch(`[{"type":"screenshot"}]`), []computer.Kind{"screenshot"}, nil, "mousedown"},
		{"a batch", batch(`[{"type":"move","x":5,"y":6},{"type":"click","button":"left","x":7,"y":8},{"type":"keypress","keys":["SPACE"]},{"type":"scroll","x":1,"y":1,"scroll_x":0,"scroll_y":100}]`),
			[]computer.Kind{"move", "click", "keypress", "scroll"}, []string{"mousemove 5,6", "mousedown 0 7,8", "keydown Space", "wheel 0,100"}, ""},
		{"wait", batch(`[{"type":"wait"}]`), []computer.Kind{"wait"}, nil, "mousedown"},
	},
	"openai preview": {
		{"click", modeltest.Acts(modeltest.ComputerCall("call_1", `{"type":"click","button":"left","x":100,"y":50}`)), []computer.Kind{"click"}, []string{"mousedown 0 100,50 x1"}, ""},
		{"drag", modeltest.Acts(modeltest.ComputerCall("call_1", `{"type":"drag","path":[{"x":10,"y":20},{"x":100,"y":200}]}`)), []computer.Kind{"drag"}, []string{"mousedown 0 10,20", "mouseup 0 100,200"}, ""},
	},
	"google": {
		{"click", function("click", `{"x":500,"y":500}`), []computer.Kind{"click"}, []string{"mousedown 0 640,360 x1"}, ""},
		{"double_click", function("double_click", `{"x":100,"y":100}`), []computer.Kind{"click"}, []string{"dblclick"}, ""},
		{"triple_click", function("triple_click", `{"x":100,"y":100}`), []computer.Kind{"click"}, []string{"mousedown 0 128,72 x3"}, ""},
		{"middle_click", function("middle_click", `{"x":100,"y":100}`), []computer.Kind{"click"}, []string{"mousedown 1 128,72"}, ""},
		{"right_click", function("right_click", `{"x":100,"y":100}`), []computer.Kind{"click"}, []string{"contextmenu"}, ""},
		{"long_press", function("long_press", `{"x":100,"y":100,"seconds":0.2}`), []computer.Kind{"down", "wait", "up"}, []string{"mousedown 0 128,72", "mouseup 0 128,72"}, ""},
		{"mouse_down and mouse_up", modeltest.Reply{Calls: []modeltest.Call{{ID: "1", Name: "mouse_down", Args: `{"x":100,"y":100}`}, {ID: "2", Name: "mouse_up", Args: `{"x":200,"y":200}`}}},
			[]computer.Kind{"down", "up"}, []string{"mousedown 0 128,72", "mousemove 256,144 b1", "mouseup 0 256,144"}, ""},
		{"move", function("move", `{"x":250,"y":250}`), []computer.Kind{"move"}, []string{"mousemove 320,180 b0"}, "mousedown"},
		{"type", modeltest.Reply{Calls: []modeltest.Call{{ID: "1", Name: "click", Args: `{"x":547,"y":486}`}, {ID: "2", Name: "type", Args: `{"text":"ab","press_enter":true}`}}},
			[]computer.Kind{"click", "type", "keypress"}, []string{"keydown KeyA", "keydown KeyB", "keydown Enter"}, ""},
		{"drag_and_drop", function("drag_and_drop", `{"start_x":100,"start_y":100,"end_x":200,"end_y":200}`), []computer.Kind{"drag"}, []string{"mousedown 0 128,72", "mouseup 0 256,144"}, ""},
		{"wait", function("wait", `{"seconds":0.1}`), []computer.Kind{"wait"}, nil, "mousedown"},
		{"press_key", function("press_key", `{"key":"arrow_up"}`), []computer.Kind{"keypress"}, []string{"keydown ArrowUp"}, ""},
		{"key_down and key_up", modeltest.Reply{Calls: []modeltest.Call{{ID: "1", Name: "key_down", Args: `{"key":"w"}`}, {ID: "2", Name: "key_up", Args: `{"key":"w"}`}}},
			[]computer.Kind{"keydown", "keyup"}, []string{"keydown KeyW", "keyup KeyW"}, ""},
		{"hotkey", function("hotkey", `{"keys":["control","shift","k"]}`), []computer.Kind{"keypress"}, []string{"keydown KeyK ctrl shift"}, ""},
		{"take_screenshot", function("take_screenshot", `{}`), []computer.Kind{"screenshot"}, nil, "mousedown"},
		{"scroll", function("scroll", `{"x":500,"y":500,"direction":"right","magnitude_in_pixels":120}`), []computer.Kind{"scroll"}, []string{"wheel 120,0"}, ""},
	},
	"google 2.5": {
		{"open_web_browser", function("open_web_browser", `{}`), []computer.Kind{"nothing"}, nil, "mousedown"},
		{"click_at", function("click_at", `{"x":500,"y":250}`), []computer.Kind{"click"}, []string{"mousedown 0 640,180 x1"}, ""},
		{"click_at beyond the edge", function("click_at", `{"x":1000,"y":1200}`), []computer.Kind{"click"}, []string{"mousedown 0 1278,719 x1"}, ""},
		{"hover_at", function("hover_at", `{"x":250,"y":250}`), []computer.Kind{"move"}, []string{"mousemove 320,180 b0"}, "mousedown"},
		{"type_text_at", function("type_text_at", `{"x":547,"y":486,"text":"ab"}`), []computer.Kind{"click", "keypress", "keypress", "type", "keypress"},
			[]string{"mousedown 0 700,349", "keydown KeyA ctrl", "keydown Backspace", "keydown KeyA", "keydown KeyB", "keydown Enter"}, ""},
		{"type_text_at, kept and not sent", function("type_text_at", `{"x":547,"y":486,"text":"ab","press_enter":false,"clear_before_typing":false}`), []computer.Kind{"click", "type"},
			[]string{"keydown KeyA", "keydown KeyB"}, "keydown Enter"},
		{"key_combination", function("key_combination", `{"keys":"control+c"}`), []computer.Kind{"keypress"}, []string{"keydown KeyC ctrl"}, ""},
		{"scroll_document down", function("scroll_document", `{"direction":"down"}`), []computer.Kind{"keypress"}, []string{"keydown PageDown"}, ""},
		{"scroll_document up", function("scroll_document", `{"direction":"up"}`), []computer.Kind{"keypress"}, []string{"keydown PageUp"}, ""},
		{"scroll_document right", function("scroll_document", `{"direction":"right"}`), []computer.Kind{"scroll"}, []string{"wheel 1024,0"}, ""},
		{"scroll_at", function("scroll_at", `{"x":500,"y":500,"direction":"down","magnitude":500}`), []computer.Kind{"scroll"}, []string{"wheel 0,360"}, ""},
		{"drag_and_drop", function("drag_and_drop", `{"x":100,"y":100,"destination_x":200,"destination_y":200}`), []computer.Kind{"drag"}, []string{"mousedown 0 128,72", "mouseup 0 256,144"}, ""},
	},
}

// fields are what the field holds after some of the wishes.
var fields = map[string]string{"type_text_at": "ab\n", "type_text_at, kept and not sent": "oldab"}

func TestEveryActionIsTranslated(t *testing.T) {
	t.Parallel()
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, map[string]string{"/": recorder}) + "/"
			page := open(t, url, nil)
			for _, w := range wishes[v.name] {
				t.Run(w.name, func(t *testing.T) {
					ctx := testContext(t)
					if _, err := page.Navigate(ctx, url, nil); err != nil {
						t.Fatal(err)
					}
					result, server := run(t, v, page, nil, w.reply, done)
					if result.Stop != agent.Closed || !result.Success || result.Message != "It is done." || result.Steps != 2 {
						t.Errorf("result is %s", asJSON(result))
					}
					var kinds []computer.Kind
					for _, a := range result.Actions {
						kinds = append(kinds, computer.Kind(a.Tool))
						if a.Error != "" || a.PageURL != url || a.Step != 1 {
							t.Errorf("action is %+v", a)
						}
					}
					if !slices.Equal(kinds, w.kinds) {
						t.Errorf("actions are %v, want %v", kinds, w.kinds)
					}
					log := evaluate[[]string](t, page, "log")
					if missing := inOrder(log, w.events); missing != "" || w.none != "" && inOrder(log, []string{w.none}) == "" {
						t.Errorf("the page noticed %q: without %q, or with %q", log, missing, w.none)
					}
					if value, typed := fields[w.name]; typed && evaluate[string](t, page, "field.value") != value {
						t.Errorf("the field holds %q, want %q", evaluate[string](t, page, "field.value"), value)
					}
					if n := evaluate[int](t, page, "resized"); n > 0 {
						t.Errorf("the page was resized %d times", n)
					}
					// The last request answers with a fresh picture and the address.
					requests := server.Requests()
					if got := len(requests[len(requests)-1].Pictures()); got == 0 {
						t.Error("no picture was sent")
					}
					if !strings.Contains(asJSON(requests[len(requests)-1].Body), url) {
						t.Error("the address was not sent")
					}
				})
			}
		})
	}
}

// inOrder is the first of the texts that is not among the entries, each after
// the one before.
func inOrder(entries, texts []string) string {
	for _, text := range texts {
		i := slices.IndexFunc(entries, func(e string) bool { return strings.Contains(e, text) })
		if i < 0 {
			return text
		}
		entries = entries[i+1:]
	}
	return ""
}
