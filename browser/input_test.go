package browser_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// recorder writes down every input event it gets.
const recorder = `<body style="margin:0;height:3000px"><input id=text style="position:absolute;left:10px;top:400px;width:200px;height:30px">
<script>
	window.events = [];
	for (const type of ['mousemove', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'wheel', 'keydown', 'keypress', 'keyup',
			'touchstart', 'touchmove', 'touchend', 'pointerdown', 'pointerup'])
		addEventListener(type, e => events.push({type, key: e.key, code: e.code, keyCode: e.keyCode, location: e.location, repeat: !!e.repeat,
			shift: !!e.shiftKey, ctrl: !!e.ctrlKey, x: e.clientX, y: e.clientY, button: e.button, buttons: e.buttons, detail: e.detail,
			dy: e.deltaY, touches: e.touches && e.touches.length, trusted: e.isTrusted}), {passive: true});
</script>`

type event struct {
	Type     string
	Key      string
	Code     string
	KeyCode  int
	Location int
	Repeat   bool
	Shift    bool
	Ctrl     bool
	X, Y     float64
	Button   int
	Buttons  int
	Detail   int
	DY       float64
	Touches  int
	Trusted  bool
}

func events(t *testing.T, p *browser.Page, types string) []event {
	t.Helper()
	var out []event
	for _, e := range eval[[]event](t, p, "(() => { const e = window.events; window.events = []; return e })()") {
		if !e.Trusted {
			t.Errorf("untrusted %s", e.Type)
		}
		if strings.Contains(" "+types+" ", " "+e.Type+" ") {
			out = append(out, e)
		}
	}
	return out
}

func TestMouse(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": recorder})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	m := p.Mouse()

	if err := m.Click(ctx, 100, 200, nil); err != nil {
		t.Fatal(err)
	}
	got := events(t, p, "mousemove mousedown mouseup click")
	if len(got) > 0 && got[0].Type == "mousemove" && got[0].X == 0 && got[0].Y == 0 {
		got = got[1:] // where the pointer of a new window is, as the headless shell tells some pages
	}
	if want := []string{"mousemove", "mousedown", "mouseup", "click"}; !reflect.DeepEqual(names(got), want) {
		t.Fatalf("click gave %q, want %q", names(got), want)
	}
	if down := got[1]; down.X != 100 || down.Y != 200 || down.Buttons != 1 || down.Detail != 1 {
		t.Errorf("press %+v", down)
	}
	if err := m.Click(ctx, 100, 200, &browser.ClickOptions{Count: 2}); err != nil {
		t.Fatal(err)
	}
	if got := events(t, p, "dblclick"); len(got) != 1 {
		t.Errorf("%d double clicks", len(got))
	}
	if err := m.Click(ctx, 100, 200, &browser.ClickOptions{Button: "right", Hold: 20 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if got := events(t, p, "contextmenu mousedown"); len(got) != 2 || got[0].Button != 2 {
		t.Errorf("right click gave %+v", got)
	}
	if err := m.Wheel(ctx, 100, 200, 0, 120); err != nil {
		t.Fatal(err)
	}
	// A passive listener may hear of it after Chromium has acknowledged it.
	eventually(t, "the wheel", func() bool { return eval[bool](t, p, "events.some(e => e.type == 'wheel')") })
	if got := events(t, p, "wheel"); len(got) != 1 || got[0].DY != 120 {
		t.Errorf("wheel gave %+v", got)
	}
	eventually(t, "the page to scroll", func() bool { return eval[float64](t, p, "scrollY") == 120 })
	if err := m.Drag(ctx, []browser.Point{{X: 100, Y: 100}, {X: 200, Y: 100}, {X: 200, Y: 300}}, &browser.DragOptions{Steps: 4}); err != nil {
		t.Fatal(err)
	}
	got = events(t, p, "mousedown mousemove mouseup")
	var held int
	for _, e := range got {
		if e.Type == "mousemove" && e.Buttons == 1 {
			held++
		}
	}
	last := got[len(got)-1]
	if held != 8 || last.Type != "mouseup" || last.X != 200 || last.Y != 300 {
		t.Errorf("drag: %d moves with the button down, ends with %+v", held, last)
	}
}

func names(es []event) []string {
	var out []string
	for _, e := range es {
		out = append(out, e.Type)
	}
	return out
}

func TestDragAndDrop(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<body style="margin:0">
		<div id=a draggable=true style="position:absolute;left:0;top:0;width:100px;height:100px;background:red"></div>
		<div id=b style="position:absolute;left:300px;top:300px;width:100px;height:100px;background:blue"></div>
		<script>
			window.seen = [];
			a.ondragstart = e => { seen.push('start'); e.dataTransfer.setData('text/plain', 'piece') };
			b.ondragover = e => { e.preventDefault(); if (!seen.includes('over')) seen.push('over') };
			b.ondrop = e => { e.preventDefault(); seen.push('drop ' + e.dataTransfer.getData('text/plain')) };
			a.ondragend = () => seen.push('end');
		</script>`})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	for range 2 { // the second shows that the first has left nothing behind
		eval[any](t, p, "void (window.seen.length = 0)")
		if err := p.Mouse().Drag(ctx, []browser.Point{{X: 50, Y: 50}, {X: 350, Y: 350}}, nil); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the drop", func() bool { return len(eval[[]string](t, p, "seen")) >= 3 })
		got := eval[[]string](t, p, "seen")
		if want := []string{"start", "over", "drop piece"}; !reflect.DeepEqual(got[:3], want) {
			t.Errorf("saw %q, want %q", got, want)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		key      string
		code     string
		keyCode  int
		location int
		types    bool
	}{
		{"ArrowLeft", "ArrowLeft", "ArrowLeft", 37, 0, false},
		{"KeyA", "a", "KeyA", 65, 0, true},
		{"a", "a", "KeyA", 65, 0, true},
		{"Space", " ", "Space", 32, 0, true},
		{" ", " ", "Space", 32, 0, true},
		{"Enter", "Enter", "Enter", 13, 0, true},
		{"Digit1", "1", "Digit1", 49, 0, true},
		{"F8", "F8", "F8", 119, 0, false},
		{"ShiftLeft", "Shift", "ShiftLeft", 16, 1, false},
		{"ControlRight", "Control", "ControlRight", 17, 2, false},
		{"Numpad5", "5", "Numpad5", 101, 3, true},
		{"Escape", "Escape", "Escape", 27, 0, false},
		{"esc", "Escape", "Escape", 27, 0, false},
		{"Comma", ",", "Comma", 188, 0, true},
		{"Backspace", "Backspace", "Backspace", 8, 0, false},
	}
	srv := serve(t, map[string]string{"/": recorder})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	for _, tt := range tests {
		if err := p.Keyboard().Press(ctx, tt.name, 0); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := events(t, p, "keydown keypress keyup")
		want := []string{"keydown", "keyup"}
		if tt.types {
			want = []string{"keydown", "keypress", "keyup"}
		}
		if !reflect.DeepEqual(names(got), want) {
			t.Errorf("%s gave %q, want %q", tt.name, names(got), want)
			continue
		}
		for _, e := range []event{got[0], got[len(got)-1]} {
			if e.Key != tt.key || e.Code != tt.code || e.KeyCode != tt.keyCode || e.Location != tt.location {
				t.Errorf("%s: %s has key %q code %q keyCode %d location %d", tt.name, e.Type, e.Key, e.Code, e.KeyCode, e.Location)
			}
		}
	}
	if err := p.Keyboard().Press(ctx, "NoSuchKey", 0); err == nil {
		t.Error("a key that does not exist was pressed")
	}
}

func TestChordTypeAndRepeat(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": recorder})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	k := p.Keyboard()
	if err := k.Chord(ctx, []string{"ShiftLeft", "ControlLeft", "KeyA"}, 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	got := events(t, p, "keydown keyup")
	if len(got) != 6 || !got[2].Shift || !got[2].Ctrl || got[2].Key != "A" || got[5].Code != "ShiftLeft" || got[5].Shift {
		t.Errorf("chord gave %+v", got)
	}
	if err := k.HoldRepeat(ctx, "ArrowRight", 700*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	repeats := 0
	for _, e := range events(t, p, "keydown") {
		if e.Repeat {
			repeats++
		}
	}
	if repeats == 0 {
		t.Error("a held key did not repeat")
	}
	if err := p.Mouse().Click(ctx, 100, 415, nil); err != nil {
		t.Fatal(err)
	}
	const text = "Hello, World! (ä)"
	if err := k.Type(ctx, text); err != nil {
		t.Fatal(err)
	}
	if err := k.Insert(ctx, " 世界"); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, p, "document.getElementById('text').value"); got != text+" 世界" {
		t.Errorf("typed %q", got)
	}
}

func TestTouch(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": recorder})
	p := newPage(t, chromium, &browser.ContextOptions{Touch: true, Width: 400, Height: 700, DeviceScale: 2}, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	if err := p.Touch().Tap(ctx, 100, 200, 20*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the click that a tap makes", func() bool { return eval[bool](t, p, "events.some(e => e.type == 'click')") })
	got := events(t, p, "touchstart touchend")
	if want := []string{"touchstart", "touchend"}; !reflect.DeepEqual(names(got), want) || got[0].Touches != 1 {
		t.Errorf("tap gave %+v", got)
	}
	if err := p.Touch().Swipe(ctx, []browser.Point{{X: 200, Y: 600}, {X: 200, Y: 200}}, &browser.DragOptions{Steps: 10}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page to scroll", func() bool { return eval[float64](t, p, "scrollY") > 100 })
	if got := eval[[]any](t, p, "['ontouchstart' in window, navigator.maxTouchPoints > 0, devicePixelRatio, innerWidth]"); !reflect.DeepEqual(got, []any{true, true, 2.0, 400.0}) {
		t.Errorf("page sees %v", got)
	}
}

func TestInputReachesCrossOriginFrames(t *testing.T) {
	t.Parallel()
	far := serve(t, map[string]string{"/far": recorder})
	srv := serve(t, map[string]string{"/": `<body style="margin:0"><iframe src="` + cross(far) + `/far" style="position:absolute;left:200px;top:100px;border:0;width:500px;height:500px"></iframe>`})
	p := newPage(t, chromium, nil, nil)
	ctx := testContext(t)
	// Chromium learns late where a frame in another process is, so the very first
	// click is the one that gets lost.
	for range 5 {
		open(t, p, srv.URL)
		if err := p.Mouse().Click(ctx, 260, 170, nil); err != nil {
			t.Fatal(err)
		}
		if got := eval[int](t, p.Frames()[1], "events.filter(e => e.type == 'click').length"); got != 1 {
			t.Fatalf("the frame got %d clicks", got)
		}
	}
	f := p.Frames()[1]
	if err := p.Keyboard().Press(ctx, "KeyW", 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	got := eval[[]event](t, f, "events.filter(e => e.type == 'click' || e.type == 'keydown')")
	if len(got) != 2 || got[0].X != 60 || got[0].Y != 70 || got[1].Code != "KeyW" || !got[0].Trusted || !got[1].Trusted {
		t.Errorf("frame got %+v", got)
	}
	if !eval[bool](t, f, "document.hasFocus()") {
		t.Error("the frame has no focus")
	}
}

// Whoever records a page is told of what is sent to it, but not of what is typed.
func TestOnInput(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": recorder})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	ctx := testContext(t)
	var told []string
	stop := p.OnInput(func(e browser.InputEvent) {
		told = append(told, strings.TrimSpace(string(e.Kind)+" "+e.Key))
		if e.Kind == browser.PointerPressed && e.At != (browser.Point{X: 20, Y: 30}) {
			t.Errorf("pressed at %v", e.At)
		}
	})
	for _, err := range []error{
		p.Mouse().Click(ctx, 20, 30, nil),
		p.Keyboard().Press(ctx, "ArrowUp", 0),
		p.Keyboard().Type(ctx, "Hé"),
		p.Mouse().Wheel(ctx, 20, 30, 0, 100),
		p.Touch().Tap(ctx, 20, 30, 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := p.Keyboard().Press(ctx, "KeyZ", 0); err != nil {
		t.Fatal(err)
	}
	want := []string{"move", "press", "release", "key down ArrowUp", "key up ArrowUp", "text", "move", "wheel", "press", "release"}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("told of %q, want %q", told, want)
	}
}
