package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/stage"
)

const yard = `<title>Yard</title><style>body { margin: 0; height: 3000px } canvas { display: block }</style>
<canvas id="c" width="600" height="400"></canvas><a href="/two">On</a>
<script>const seen = []; const log = x => seen.push(x);
addEventListener('keydown', e => { if (!e.repeat) log('down ' + e.key) }); addEventListener('keyup', e => log('up ' + e.key));
c.onmousedown = e => log('press ' + e.offsetX + ',' + e.offsetY + ' ' + e.button); c.onmouseup = e => log('release ' + e.offsetX + ',' + e.offsetY);
c.ondblclick = () => log('double'); addEventListener('contextmenu', e => e.preventDefault());</script>`

// Every tool does what its description says.
func TestTools(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		turns []turn
		check string // is true on the page afterwards
		told  string // is part of what the model is told
	}{
		{"goto", []turn{call("goto", args{"url": "/two"})}, `location.pathname === '/two'`, "Opened http"},
		{"navback", []turn{call("goto", args{"url": "/two"}), call("navback", "{}")}, `location.pathname === '/'`, "Went back to http"},
		{"scroll", []turn{call("scroll", args{"direction": "down", "screens": 1})}, `scrollY > 300`, "Scrolled down."},
		{"scroll up again", []turn{call("scroll", args{"direction": "down", "screens": 2}), call("scroll", args{"direction": "up", "screens": 3, "x": 10, "y": 10})}, `scrollY === 0`, "Scrolled up."},
		{"wait", []turn{call("wait", args{"milliseconds": 30})}, `true`, "Waited for 30ms."},
		{"keys", []turn{call("keys", args{"keys": []string{"a", "ArrowUp", "Shift+b"}})}, `seen.join() === 'down a,up a,down ArrowUp,up ArrowUp,down Shift,down B,up B,up Shift'`, "Pressed a, ArrowUp, Shift+b."},
		{"hold", []turn{call("hold", args{"keys": []string{"ArrowRight", "Space"}, "milliseconds": 50})}, `seen.join() === 'down ArrowRight,down  ,up  ,up ArrowRight'`, "Held ArrowRight and Space for 50ms."},
		{"clickAt", []turn{call("clickAt", args{"x": 120, "y": 80})}, `seen.join() === 'press 120,80 0,release 120,80'`, "Clicked at 120,80."},
		{"double click", []turn{call("clickAt", args{"x": 120, "y": 80, "count": 2})}, `seen.includes('double')`, "Clicked at"},
		{"right click", []turn{call("clickAt", args{"x": 120, "y": 80, "button": "right"})}, `seen[0] === 'press 120,80 2'`, "Clicked at"},
		{"drag", []turn{call("drag", args{"path": []args{{"x": 10, "y": 10}, {"x": 200, "y": 90}}})}, `seen[0] === 'press 10,10 0' && seen.at(-1) === 'release 200,90'`, "Dragged from 10,10 to 200,90."},
		{"think", []turn{call("think", args{"thought": "arrows move"})}, `true`, "Noted."},
		{"extract all text", []turn{call("extract", "{}")}, `true`, "On"},
		{"screenshot", []turn{call("screenshot", "{}")}, `true`, "A picture of the window, 1280x720."},
		{"act", []turn{act("click On")}, `location.pathname === '/two'`, "Second page"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := play(t, append(tt.turns, closing("Done.", true))...)
			a := start(t, yard, m, &agent.Options{Game: true})
			res := run(t, a, "use it")
			if res.Verified.Failed != 0 {
				t.Errorf("got %+v", res.Actions)
			}
			if told := m.told(t, len(tt.turns)+1); !strings.Contains(told, tt.told) {
				t.Errorf("told %s", told)
			}
			if !eval[bool](t, a, tt.check) {
				t.Errorf("%s is not so; seen %q", tt.check, eval[any](t, a, "window.seen"))
			}
		})
	}
}

// scripted answers the agent's turns and its tools' questions one by one.
func scripted(t testing.TB, tools func(req *model.Request) string, turns ...turn) *modeltest.Fake {
	n := 0
	return modeltest.NewFake("test/scripted", &model.Capabilities{Images: true, Tools: true, Structured: model.Native, ImageLimits: model.ImageLimits{Long: 640}},
		func(_ context.Context, _ int, req *model.Request) (*model.Response, error) {
			if req.Purpose != "agent" {
				return modeltest.Say(tools(req), usage), nil
			}
			n++
			return turns[n-1](req)
		})
}

const form = `<title>Form</title><label>Name <input id="a" aria-label="Name"></label><label>Colour <select id="b" aria-label="Colour"><option>Red</option><option>Green</option></select></label>
<label><input type="checkbox" id="c" aria-label="Agree"> Agree</label>`

// A form is filled in with one question for all its fields.
func TestFillForm(t *testing.T) {
	t.Parallel()
	fields := args{"fields": []args{{"field": "the name", "value": "%who%"}, {"field": "the colour", "value": "Green"}, {"field": "the agreement", "value": "yes"}}}
	tests := []struct {
		name  string
		found int // of three fields, in the first answer
		asked int // questions in all
	}{
		{"at once", 3, 1},
		{"one by one when the answer does not fit", 2, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			answer := func(req *model.Request) string {
				asked++
				text := req.Messages[0].Text()
				id := func(line string) string {
					m := regexp.MustCompile(`(?m)^ *(\d+) ` + line).FindStringSubmatch(text)
					if m == nil {
						t.Fatalf("no line %s in %s", line, text)
					}
					return m[1]
				}
				all := []args{
					{"elementId": id(`textbox "Name"`), "description": "name", "method": stage.Fill, "arguments": []string{"wrong"}},
					{"elementId": id(`combobox "Colour"`), "description": "colour", "method": stage.SelectOption, "arguments": []string{"Green"}},
					{"elementId": id(`checkbox "Agree"`), "description": "agree", "method": stage.Check, "arguments": []string{}},
				}
				var reply any = args{"elements": all[:tt.found], "part": 0}
				if req.Purpose == "act" {
					one := all[asked-2]
					if asked == 2 {
						one["arguments"] = []string{"%who%"}
					}
					one["found"], one["twoStep"], one["part"] = true, false, 0
					reply = one
				}
				data, err := json.Marshal(reply)
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			m := scripted(t, answer, call("fillForm", fields), closing("Filled.", true))
			a := start(t, form, m, &agent.Options{Variables: map[string]string{"who": "Grace"}})
			res := run(t, a, "fill it in")
			if got := eval[string](t, a, `a.value + ' ' + b.value + ' ' + c.checked`); got != "Grace Green true" {
				t.Errorf("the form has %q: %+v", got, res.Actions)
			}
			if asked != tt.asked || len(res.Actions[0].Performed) != 3 {
				t.Errorf("%d questions, performed %+v", asked, res.Actions[0].Performed)
			}
		})
	}
}

func TestExtract(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","properties":{"price":{"type":"number"}},"required":["price"]}`
	m := scripted(t, func(req *model.Request) string { return `{"price": 12.5}` },
		call("extract", args{"instruction": "the price", "schema": schema}), closing("It is 12.5.", true))
	a := start(t, `<title>Shop</title><p>Ticket: 12.50</p>`, m, nil)
	res := run(t, a, "what does it cost?")
	if got := res.Actions[0].Outcome; !strings.Contains(got, `"price":12.5`) && !strings.Contains(got, `"price": 12.5`) {
		t.Errorf("read %s", got)
	}
	if res.Usage.Input == 0 {
		t.Error("what the tool's call cost is not counted")
	}
}

// A place on a picture that was made smaller is a place on the page.
func TestPlacesAreThoseOfThePicture(t *testing.T) {
	t.Parallel()
	var sent *model.Image
	m := scripted(t, nil, call("screenshot", "{}"), func(req *model.Request) (*model.Response, error) {
		for _, p := range req.Messages[len(req.Messages)-1].Parts {
			for _, r := range p.ToolResult.Parts {
				if r.Image != nil {
					sent = r.Image
				}
			}
		}
		return call("clickAt", args{"x": 100, "y": 50})(req)
	}, closing("Clicked.", true))
	page, _ := openScaled(t, serve(t, map[string]string{"/": yard})+"/", 2)
	a, err := agent.New(testContext(t), page, m, &agent.Options{Game: true})
	if err != nil {
		t.Fatal(err)
	}
	run(t, a, "click")
	if sent == nil || sent.Width != 640 || sent.Height != 360 {
		t.Fatalf("the picture is %+v", sent)
	}
	// 640 of 1280: the page's pixel is twice as far.
	if got := eval[string](t, a, "seen[0]"); got != "press 200,100 0" {
		t.Errorf("the page saw %q", got)
	}
}

func openScaled(t *testing.T, url string, scale float64) (*browser.Page, *browser.Context) {
	t.Helper()
	ctx := testContext(t)
	c, err := chromium.NewContext(ctx, &browser.ContextOptions{Width: 1280, Height: 720, DeviceScale: scale})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := page.Navigate(ctx, url, nil); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	return page, c
}

// A page too long for one tree is cut, with a note, and can be read on.
func TestLongTreeIsCut(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString("<title>Long</title>")
	for i := range 5500 {
		fmt.Fprintf(&page, "<p>Paragraph number %d of a page that is very long indeed</p>", i)
	}
	m := play(t, call("ariaTree", "{}"), call("ariaTree", args{"part": 2}), closing("Read.", true))
	run(t, start(t, page.String(), m, nil), "read it")
	first, second := m.told(t, 2), m.told(t, 3)
	if !strings.Contains(first, "cut at 70000 tokens") || !strings.Contains(first, "part 1 of") || !strings.Contains(first, "Paragraph number 7 ") {
		t.Errorf("told %s", first[:500])
	}
	if !strings.Contains(second, "part 2 of") || strings.Contains(second, "Paragraph number 7 ") {
		t.Errorf("the second part is %s", second[:500])
	}
}

// A tool of the user's, with a schema from its type.
func TestOwnTool(t *testing.T) {
	t.Parallel()
	type query struct {
		Word  string   `json:"word" jsonschema:"the word to look up"`
		Langs []string `json:"langs,omitempty"`
	}
	var got query
	lookup, err := tool.New("lookup", "Looks a word up.", func(_ context.Context, q query) (*tool.Outcome, error) {
		got = q
		return tool.Say("It means a game."), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	m := play(t, call("lookup", args{"word": "Spiel", "langs": []string{"de"}}), closing("A game.", true))
	res := run(t, start(t, shop, m, &agent.Options{Tools: []tool.Tool{lookup}}), "what is a Spiel?")
	if got.Word != "Spiel" || len(got.Langs) != 1 || res.Actions[0].Outcome != "It means a game." {
		t.Errorf("called with %+v: %+v", got, res.Actions)
	}
	if _, err := tool.New("bad name", "", func(context.Context, query) (*tool.Outcome, error) { return nil, nil }); err == nil {
		t.Error("a name with a space is accepted")
	}
	if _, err := tool.New("number", "", func(context.Context, int) (*tool.Outcome, error) { return nil, nil }); err == nil {
		t.Error("an argument that is no struct is accepted")
	}
}
