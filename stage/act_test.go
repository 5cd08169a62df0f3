package stage_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/stage"
)

const controls = `<title>Controls</title>
<style>body{margin:8px} #menu{display:none}</style>
<button id="b" onclick="log('click')" ondblclick="log('double')" oncontextmenu="log('right');return false" onmouseenter="log('hover')">Press me</button>
<input id="name" aria-label="Name" value="old" oninput="log('input '+this.value)">
<input type="date" aria-label="Day" onchange="log('day '+this.value)">
<div id="note" contenteditable aria-label="Note">before</div>
<select id="one" aria-label="Colour" onchange="log('chose '+this.value)"><option>Red</option><option value="g">Green</option></select>
<select id="many" multiple aria-label="Toppings" onchange="log('many '+[...this.selectedOptions].map(o=>o.value))"><option>Ham</option><option>Olives</option><option>Corn</option></select>
<label><input id="box" type="checkbox" onchange="log('box '+this.checked)"> Agree</label>
<input id="file" type="file" aria-label="Photo" onchange="log('file '+this.files[0].name)">
<div id="drag" draggable="true" ondragstart="event.dataTransfer.setData('text/plain','x')" style="width:80px;height:40px;background:#ccc">Card</div>
<div id="drop" role="region" aria-label="Pile" ondragover="event.preventDefault()" ondrop="log('drop');event.preventDefault()" style="width:120px;height:60px;background:#eee">pile</div>
<div id="scroller" role="region" aria-label="Long list" style="height:60px;width:100px;overflow:auto"><div style="height:600px">tall</div></div>
<div id="scrolled" role="region" aria-label="Scrolled list" style="height:60px;width:100px;overflow:auto"><div style="height:600px">tall</div></div>
<div style="height:900px"></div>
<script>document.getElementById('scrolled').scrollTop=400; const seen=[]; function log(x){seen.push(x)} addEventListener('keydown',e=>log('key '+e.key));</script>`

func TestActMethods(t *testing.T) {
	file := filepath.Join(t.TempDir(), "photo.png")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		answer func(string) any
		want   string // is among what the page saw
		check  string // is true afterwards
	}{
		{"click", do(stage.Click, `button "Press me"`), "click", ""},
		{"double click", do(stage.DoubleClick, `button "Press me"`), "double", ""},
		{"right click", do(stage.RightClick, `button "Press me"`), "right", ""},
		{"hover", do(stage.Hover, `button "Press me"`), "hover", ""},
		{"fill replaces", do(stage.Fill, `textbox "Name"`, "Grace"), "input Grace", `document.getElementById('name').value === 'Grace'`},
		{"fill empties", do(stage.Fill, `textbox "Name"`, ""), "input ", `document.getElementById('name').value === ''`},
		{"type adds", do(stage.Type, `textbox "Name"`, "er"), "input older", ""},
		{"fill a date", do(stage.Fill, `date "Day"`, "2026-11-15"), "day 2026-11-15", ""},
		{"fill rich text", do(stage.Fill, `textbox "Note"`, "after"), "", `document.getElementById('note').innerText.trim() === 'after'`},
		{"press on an element", do(stage.Press, `textbox "Name"`, "Enter"), "key Enter", ""},
		{"press on the page", do(stage.Press, "", "ArrowLeft"), "key ArrowLeft", ""},
		{"press a chord", do(stage.Press, "", "Control+k"), "key k", ""},
		{"select", do(stage.SelectOption, `combobox "Colour"`, "Green"), "chose g", ""},
		{"select several", do(stage.SelectOption, `listbox "Toppings"`, "Ham", "corn"), "many Ham,Corn", ""},
		{"check", do(stage.Check, `checkbox "Agree"`), "box true", ""},
		{"uncheck what is off", do(stage.Uncheck, `checkbox "Agree"`), "", `!document.getElementById('box').checked && !seen.includes('box true')`},
		{"upload", do(stage.Upload, `file "Photo"`, "photo.png"), "file photo.png", ""},
		{"drag and drop", do(stage.DragAndDrop, `clickable "Card"`, `region "Pile"`), "drop", ""},
		{"scroll an element", do(stage.ScrollTo, `region "Long list"`, "50%"), "", `document.getElementById('scroller').scrollTop > 200`},
		{"scroll a screenful", do(stage.NextChunk, `region "Long list"`), "", `document.getElementById('scroller').scrollTop > 40`},
		{"scroll back", do(stage.PrevChunk, `region "Scrolled list"`), "", `document.getElementById('scrolled').scrollTop < 380`},
		{"scroll the page", do(stage.ScrollTo, "", "100%"), "", `scrollY > 200`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := page(t, controls, script(t, tt.answer), nil)
			done, err := s.Act(testContext(t), "do it", &stage.ActOptions{Files: []string{file}})
			if err != nil {
				t.Fatal(err)
			}
			if len(done.Actions) != 1 || done.Meta.Calls != 1 || done.Healed {
				t.Errorf("got %+v", done)
			}
			seen := eval[[]string](t, s, "seen")
			if tt.want != "" && !contains(seen, tt.want) {
				t.Errorf("the page saw %q, want %q", seen, tt.want)
			}
			if tt.check != "" && !eval[bool](t, s, tt.check) {
				t.Errorf("%s is not so; the page saw %q", tt.check, seen)
			}
		})
	}
}

func contains(list []string, want string) bool {
	for _, s := range list {
		if s == want {
			return true
		}
	}
	return false
}

// Whatever cannot be acted on is said in a typed error, and nothing is sent.
func TestActRefuses(t *testing.T) {
	const html = `<title>No</title><style>#veil{position:fixed;inset:0;background:#0008}</style>
<button onclick="n++">Under</button><button id="off" disabled>Off</button><input aria-label="Name">
<input type="file" aria-label="Photo"><select aria-label="Colour"><option>Red</option></select>
<div id="veil" style="display:none">Cookies?</div><script>let n=0</script>`
	tests := []struct {
		name   string
		before string
		answer func(string) any
		want   error
		says   string
	}{
		{"covered", `document.getElementById('veil').style.display='block'`, do(stage.Click, `button "Under"`), stage.ErrCovered, `div#veil "Cookies?"`},
		{"disabled", "", do(stage.Click, `button "Off"`), stage.ErrDisabled, ""},
		{"invented id", "", func(string) any {
			return answer{Found: true, ElementID: "9999", Description: "x", Method: stage.Click, Arguments: []string{}}
		}, stage.ErrUnknownID, ""},
		{"invented method", "", do("destroy", `button "Under"`), stage.ErrMethod, ""},
		{"no such option", "", do(stage.SelectOption, `combobox "Colour"`, "Blue"), stage.ErrArgument, "Blue"},
		{"no such key", "", do(stage.Press, "", "Bogus"), stage.ErrArgument, "Bogus"},
		{"a file nobody offered", "", do(stage.Upload, `file "Photo"`, "/etc/passwd"), stage.ErrArgument, "/etc/passwd"},
		{"a variable nobody gave", "", do(stage.Fill, `textbox "Name"`, "%who%"), stage.ErrVariable, "%who%"},
		{"nothing to write into", "", do(stage.Fill, `button "Under"`, "x"), stage.ErrMethod, ""},
		{"not found", "", func(string) any { return answer{Arguments: []string{}, Description: "there is no such thing"} }, stage.ErrNotFound, "no such thing"},
		{"not JSON", "", say("I would click it."), stage.ErrReply, ""},
		{"empty", "", say(""), stage.ErrReply, ""},
		{"wrong shape", "", say(`{"found": "perhaps"}`), stage.ErrReply, ""},
		{"cut off", "", say(`{"found": true, "elementId": "1`), stage.ErrReply, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := page(t, html, script(t, tt.answer, tt.answer, tt.answer, tt.answer), nil)
			if tt.before != "" {
				eval[any](t, s, tt.before)
			}
			_, err := s.Act(testContext(t), "do it", nil)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got %v, want %v that says %q", err, tt.want, tt.says)
			}
			var a *stage.ActError
			if errors.As(err, &a) && a.Sent {
				t.Errorf("%v says that input was sent", err)
			}
			if n := eval[int](t, s, "n"); n != 0 {
				t.Errorf("clicked %d times", n)
			}
		})
	}
}

// Every option of a long list can be chosen: one that is not shown by its words,
// one that is shown cut by what is shown.
func TestActChoosesAnyOption(t *testing.T) {
	t.Parallel()
	const html = `<select aria-label="Country"></select><script>
const s = document.querySelector('select');
for (let i = 0; i < 200; i++) s.add(new Option('Country ' + i, 'c' + i));
s.add(new Option('The United Kingdom of Great Britain and Northern Ireland with all of its overseas territories and islands', 'uk'));
</script>`
	for _, tt := range []struct{ name, instruction, shown, choice, want string }{
		{"not shown", "choose the country", "more", "Country 150", "c150"},
		{"found by its words", "choose Country 177", `"Country 177"`, "Country 177", "c177"},
		{"shown cut", "choose the United Kingdom", `all of its overse…"`, "The United Kingdom of Great Britain and Northern Ireland with all of its overse…", "uk"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := page(t, html, script(t, func(tree string) any {
				if !strings.Contains(tree, tt.shown) {
					t.Errorf("%s is not in\n%s", tt.shown, tree)
				}
				return do(stage.SelectOption, `combobox "Country"`, tt.choice)(tree)
			}), nil)
			if _, err := s.Act(testContext(t), tt.instruction, nil); err != nil {
				t.Fatal(err)
			}
			if got := eval[string](t, s, "document.querySelector('select').value"); got != tt.want {
				t.Errorf("chose %s", got)
			}
		})
	}
	t.Run("asked again with the options at hand", func(t *testing.T) {
		s := page(t, html, script(t, do(stage.SelectOption, `combobox "Country"`, "Nowhere"), func(tree string) any {
			if !strings.Contains(tree, `"Country 199"`) {
				t.Errorf("the options are not in\n%s", tree)
			}
			return do(stage.SelectOption, `combobox "Country"`, "Country 199")(tree)
		}), nil)
		if _, err := s.Act(testContext(t), "choose", nil); err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, s, "document.querySelector('select').value"); got != "c199" {
			t.Errorf("chose %s", got)
		}
	})
}

func TestActWithin(t *testing.T) {
	t.Parallel()
	const html = `<section aria-label="One"><button onclick="document.title='one'">Go</button></section><section aria-label="Two"><button onclick="document.title='two'">Go</button></section>`
	s := page(t, html, script(t, do(stage.Click, `button "Go"`)), nil)
	ctx := testContext(t)
	if _, err := s.Act(ctx, "go", &stage.ActOptions{Within: `role=region[name="Three"]`}); !errors.Is(err, stage.ErrUnknownID) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Act(ctx, "go", &stage.ActOptions{Within: `role=region[name="Two"]`}); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, s, "document.title"); got != "two" {
		t.Errorf("title %q", got)
	}
}

func TestActReadsFencedAnswer(t *testing.T) {
	t.Parallel()
	s := page(t, `<button onclick="document.title='done'">Go</button>`, script(t, func(tree string) any {
		return "Here:\n```json\n" + `{"found":true,"elementId":"` + id(tree, `button "Go"`) + `","description":"go","method":"click","arguments":[],"twoStep":false,"part":0}` + "\n```"
	}), nil)
	if _, err := s.Act(testContext(t), "go", nil); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, s, "document.title"); got != "done" {
		t.Errorf("title %q", got)
	}
}

func TestActHeals(t *testing.T) {
	t.Parallel()
	t.Run("element replaced while the model thought", func(t *testing.T) {
		var s *stage.Stage
		s = page(t, `<div id="host"><button onclick="n++">Pay</button></div><script>let n=0</script>`, script(t,
			func(tree string) any {
				eval[any](t, s, `void (document.getElementById('host').innerHTML = '<button onclick="n+=10">Pay now</button>')`)
				return do(stage.Click, `button "Pay"`)(tree)
			},
			func(tree string) any {
				if !strings.Contains(tree, "could not be carried out") {
					t.Errorf("the second question does not tell of the first try:\n%s", tree)
				}
				return do(stage.Click, `button "Pay now"`)(tree)
			}), nil)
		done, err := s.Act(testContext(t), "pay", nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := eval[int](t, s, "n"); n != 10 || !done.Healed || done.Meta.Calls != 2 {
			t.Errorf("n = %d, %+v", n, done)
		}
	})
	t.Run("page navigated while the model thought", func(t *testing.T) {
		web := serve(t, map[string]string{
			"/":    `<button>Next</button>`,
			"/two": `<title>Two</title><button onclick="document.title='clicked'">Next</button>`,
		})
		var s *stage.Stage
		s = open(t, web.URL+"/", script(t,
			func(tree string) any {
				if _, err := s.Page().Navigate(testContext(t), web.URL+"/two", nil); err != nil {
					t.Error(err)
				}
				return do(stage.Click, `button "Next"`)(tree)
			}, do(stage.Click, `button "Next"`)), nil)
		done, err := s.Act(testContext(t), "next", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, s, "document.title"); got != "clicked" || !done.Healed {
			t.Errorf("title %q, %+v", got, done)
		}
	})
	t.Run("frame left while the model thought", func(t *testing.T) {
		var s *stage.Stage
		web := serve(t, map[string]string{
			"/": `<iframe src="{{other}}/in"></iframe><button onclick="document.title='outside'">Outside</button>`, "/in": `<button>Inside</button>`,
		})
		s = open(t, web.URL+"/", script(t, func(tree string) any {
			eval[any](t, s, `document.querySelector('iframe').remove()`)
			return do(stage.Click, `button "Inside"`)(tree)
		}, func(tree string) any {
			if strings.Contains(tree, "iframe") {
				t.Errorf("the frame is still there:\n%s", tree)
			}
			return do(stage.Click, `button "Outside"`)(tree)
		}), nil)
		done, err := s.Act(testContext(t), "click", nil)
		if err != nil || !done.Healed || eval[string](t, s, "document.title") != "outside" {
			t.Errorf("%v, %+v", err, done)
		}
	})
	t.Run("a handler that throws is not tried again", func(t *testing.T) {
		s := page(t, `<select aria-label="Size" onchange="n++;throw 1"><option>S</option><option>L</option></select><script>let n=0</script>`,
			script(t, do(stage.SelectOption, `combobox "Size"`, "L")), nil)
		if _, err := s.Act(testContext(t), "size L", nil); err != nil {
			t.Error(err)
		}
		if n := eval[int](t, s, "n"); n != 1 {
			t.Errorf("chosen %d times", n)
		}
	})
	t.Run("menu closed while the model thought", func(t *testing.T) {
		var s *stage.Stage
		s = page(t, `<title>-</title><button onclick="m.hidden=!m.hidden">File</button><ul id="m"><li role="menuitem" onclick="document.title='saved'">Save</li></ul>`, script(t,
			func(tree string) any {
				eval[any](t, s, `void (m.hidden = true)`)
				return do(stage.Click, `menuitem "Save"`)(tree)
			},
			twoStep(do(stage.Click, `button "File"`)), do(stage.Click, `menuitem "Save"`)), nil)
		done, err := s.Act(testContext(t), "save", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, s, "document.title"); got != "saved" || !done.Healed || len(done.Actions) != 2 {
			t.Errorf("title %q, %+v", got, done)
		}
	})
	t.Run("not when input was sent", func(t *testing.T) {
		s := page(t, `<input type="date" aria-label="Day" oninput="n++"><script>let n=0</script>`, script(t, do(stage.Fill, `date "Day"`, "tomorrow")), nil)
		done, err := s.Act(testContext(t), "tomorrow", nil)
		var failed *stage.ActError
		if !errors.As(err, &failed) || !failed.Sent || !errors.Is(err, stage.ErrArgument) || done.Healed || done.Meta.Calls != 1 {
			t.Errorf("got %v, %+v", err, done)
		}
		if n := eval[int](t, s, "n"); n != 1 {
			t.Errorf("input was sent %d times", n)
		}
	})
	t.Run("not when switched off", func(t *testing.T) {
		s := page(t, `<button disabled>Go</button>`, script(t, do(stage.Click, `button "Go"`)), &stage.Options{NoHeal: true})
		if _, err := s.Act(testContext(t), "go", nil); !errors.Is(err, stage.ErrDisabled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("variables are kept", func(t *testing.T) {
		s := page(t, `<input aria-label="Code">`, script(t,
			func(string) any {
				return answer{Found: true, ElementID: "77", Method: stage.Fill, Arguments: []string{"%code%"}}
			},
			do(stage.Fill, `textbox "Code"`, "%code%")), nil)
		if _, err := s.Act(testContext(t), "enter %code%", &stage.ActOptions{Variables: map[string]string{"code": "s3cret"}}); err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, s, "document.querySelector('input').value"); got != "s3cret" {
			t.Errorf("value %q", got)
		}
	})
}

func TestActReachesEverywhere(t *testing.T) {
	far := `<button style="position:absolute;left:40px;top:30px" onclick="parent.postMessage('hit','*')">Inside</button>`
	tests := []struct{ name, html, line string }{
		{"off screen", `<div style="height:4000px"></div><button onclick="hit=true">Inside</button>`, `button "Inside"`},
		{"near frame", `<iframe src="/far" style="margin:50px"></iframe>`, `button "Inside"`},
		{"frame of another site", `<iframe src="{{other}}/far" style="margin:50px"></iframe>`, `button "Inside"`},
		{"closed shadow root", `<x-y></x-y><script>customElements.define('x-y', class extends HTMLElement { constructor() { super();
			const r=this.attachShadow({mode:'closed'}); r.innerHTML='<button>Inside</button>'; r.firstChild.onclick=()=>hit=true } })</script>`, `button "Inside"`},
		{"moving", `<style>@keyframes m{to{transform:translateX(200px)}} button{animation:m .4s linear forwards}</style><button onclick="hit=true">Inside</button>`, `button "Inside"`},
		{"partly covered", `<button style="width:200px;height:40px" onclick="hit=true">Inside</button><div style="position:absolute;left:60px;top:0;width:90px;height:90px;background:red"></div>`, `button "Inside"`},
		{"text that listens far above", `<div><p>Inside</p></div><script>document.addEventListener('click', e => hit = e.target.tagName === 'P')</script>`, `"Inside"`},
		{"painted", `<style>body{margin:0}</style><canvas width=400 height=300></canvas><script>const c=document.querySelector('canvas'),x=c.getContext('2d');
			x.font='30px sans-serif'; x.fillText('Inside', 150, 200); c.onclick=e=>hit = Math.abs(e.offsetY-190)<15 && e.offsetX>150 && e.offsetX<250</script>`, `painted "Inside"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			web := serve(t, map[string]string{"/": `<script>var hit=false; addEventListener('message', () => hit=true)</script>` + tt.html, "/far": far})
			s := open(t, web.URL+"/", script(t, do(stage.Click, tt.line)), nil)
			if _, err := s.Page().Screenshot(testContext(t), nil); err != nil { // a frame can be hit once it was painted
				t.Fatal(err)
			}
			if _, err := s.Act(testContext(t), "click it", nil); err != nil {
				t.Fatal(err)
			}
			// What a frame tells its parent arrives a moment later.
			if !eval[bool](t, s, `new Promise(r => { const i = setInterval(() => { if (hit || ++n > 100) { clearInterval(i); r(hit) } }, 20); let n = 0 })`) {
				t.Error("not hit")
			}
		})
	}
}

func TestActTwoSteps(t *testing.T) {
	t.Parallel()
	const menu = `<style>ul{display:none;list-style:none} .open ul{display:block}</style><title>none</title>
<div id="m"><button aria-haspopup="true" onclick="document.getElementById('m').classList.toggle('open')">Country</button>
<ul role="menu"><li role="menuitem" onclick="document.title='Norway'">Norway</li><li role="menuitem" onclick="document.title='Peru'">Peru</li></ul></div>`
	onlyNew := func(tree string) any {
		if strings.Contains(tree, `button "Country"`) && !strings.Contains(tree, `~`) {
			return "the whole page was sent: " + tree
		}
		return do(stage.Click, `menuitem "Peru"`)(tree)
	}
	t.Run("told by the model", func(t *testing.T) {
		s := page(t, menu, script(t, twoStep(do(stage.Click, `button "Country"`)), onlyNew), nil)
		done, err := s.Act(testContext(t), "choose Peru", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, s, "document.title"); got != "Peru" || len(done.Actions) != 2 {
			t.Errorf("title %q, %+v", got, done.Actions)
		}
	})
	t.Run("told by what opened", func(t *testing.T) {
		s := page(t, menu, script(t, do(stage.Click, `button "Country"`), onlyNew), nil)
		if _, err := s.Act(testContext(t), "set the country to Peru", nil); err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, s, "document.title"); got != "Peru" {
			t.Errorf("title %q", got)
		}
	})
	t.Run("opening alone is one step", func(t *testing.T) {
		s := page(t, menu, script(t, do(stage.Click, `button "Country"`)), nil)
		done, err := s.Act(testContext(t), "open the country menu", nil)
		if err != nil || len(done.Actions) != 1 || done.Meta.Calls != 1 {
			t.Errorf("%v, %+v", err, done)
		}
	})
	t.Run("nothing new gives the whole page", func(t *testing.T) {
		s := page(t, `<title>-</title><button onclick="void 0">A</button><button onclick="document.title='B'">B</button>`, script(t,
			twoStep(do(stage.Click, `button "A"`)), do(stage.Click, `button "B"`)), nil)
		if _, err := s.Act(testContext(t), "a, then b", nil); err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, s, "document.title"); got != "B" {
			t.Errorf("title %q", got)
		}
	})
}

func TestVariablesStayHere(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-is-long"
	fake := script(t, do(stage.Fill, `textbox "Password"`, "%password%"), do(stage.Click, `button "Go"`))
	var steps []stage.Step
	s := page(t, `<input aria-label="Password"><button>Go</button>`, fake, &stage.Options{OnStep: func(st stage.Step) { steps = append(steps, st) }})
	ctx := testContext(t)
	done, err := s.Act(ctx, "enter %password%", &stage.ActOptions{Variables: map[string]string{"password": secret}})
	if err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, s, "document.querySelector('input').value"); got != secret {
		t.Fatalf("the page got %q", got)
	}
	// The field now shows the value, and the model sees the field again.
	if _, err := s.Act(ctx, "go", nil); err != nil {
		t.Fatal(err)
	}
	for i, req := range fake.server.Requests() {
		if text := marshal(t, req.Body); strings.Contains(text, secret) {
			t.Errorf("request %d has the value:\n%s", i+1, text)
		}
	}
	if text := told(fake.server.Requests()[1]); !strings.Contains(text, `textbox "Password" = "%password%"`) {
		t.Errorf("the second request does not show the name:\n%s", text)
	}
	for _, v := range append(done.Meta.Sent, done.Actions[0].Arguments...) {
		if strings.Contains(v, secret) {
			t.Errorf("the result has the value: %s", v)
		}
	}
	var verbs []string
	for _, st := range steps {
		verbs = append(verbs, st.Verb)
	}
	// After a click there is a look at what it may have opened.
	if got := strings.Join(verbs, " "); got != "settle snapshot ask act settle snapshot ask act snapshot" {
		t.Errorf("told of the steps %s", got)
	}
	for _, st := range steps {
		if strings.Contains(st.Detail, secret) {
			t.Errorf("a step has the value: %+v", st)
		}
	}
}

// A message names a variable that did not fit, and not its value.
func TestVariablesStayOutOfMessages(t *testing.T) {
	const html = `<select aria-label="Size"><option>S</option></select><input type="date" aria-label="Day"><input type="file" aria-label="Photo"><div role="region" aria-label="List">x</div>`
	tests := []struct {
		name   string
		answer func(string) any
	}{
		{"option", do(stage.SelectOption, `combobox "Size"`, "%v%")},
		{"date", do(stage.Fill, `date "Day"`, "%v%")},
		{"key", do(stage.Press, "", "%v%")},
		{"file", do(stage.Upload, `file "Photo"`, "%v%")},
		{"percent", do(stage.ScrollTo, `region "List"`, "%v%")},
	}
	for _, tt := range tests {
		for _, value := range []string{"hunter2 \"is\" long", "h2"} {
			t.Run(tt.name+" "+value, func(t *testing.T) {
				t.Parallel()
				s := page(t, html, script(t, tt.answer), &stage.Options{NoHeal: true})
				_, err := s.Act(testContext(t), "use %v%", &stage.ActOptions{Variables: map[string]string{"v": value}})
				if !errors.Is(err, stage.ErrArgument) || !strings.Contains(err.Error(), `"%v%"`) || strings.Contains(err.Error(), "h2") || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

func TestActWithoutModel(t *testing.T) {
	t.Parallel()
	s := page(t, `<button onclick="document.title='done'">Go</button>`, nil, nil)
	ctx := testContext(t)
	if _, err := s.Act(ctx, "go", nil); !errors.Is(err, model.ErrNoModel) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Perform(ctx, stage.Action{Method: stage.Click, Selector: `role=button[name="Go"]`}, nil); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, s, "document.title"); got != "done" {
		t.Errorf("title %q", got)
	}
}

func TestLargePageInParts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for range 400 {
		b.WriteString(`<p><button>Some button</button></p>`)
	}
	b.WriteString(`<button onclick="document.title='last'">The very last</button>`)
	s := page(t, b.String(), script(t,
		func(tree string) any {
			if strings.Contains(tree, "very last") || !strings.Contains(tree, "more not shown") {
				t.Errorf("the first part has it all:\n%s", tree)
			}
			return answer{Arguments: []string{}, Part: 2}
		},
		func(tree string) any { return answer{Arguments: []string{}, Part: 3} },
		do(stage.Click, `button "The very last"`)), &stage.Options{Tokens: 1400})
	if _, err := s.Act(testContext(t), "press the thing at the end", nil); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, s, "document.title"); got != "last" {
		t.Errorf("title %q", got)
	}
	t.Run("what is asked for comes first", func(t *testing.T) {
		s := page(t, b.String(), script(t, do(stage.Click, `button "The very last"`)), &stage.Options{Tokens: 1400})
		if _, err := s.Act(testContext(t), "click the very last button", nil); err != nil {
			t.Fatal(err)
		}
	})
}
