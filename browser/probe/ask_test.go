package probe_test

import (
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser/probe"
)

// TestAsks has a page ask for one thing after the other.
func TestAsks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		script string
		holds  func(*probe.State) bool
	}{
		"storage":             {`localStorage.setItem('a', 1); sessionStorage.setItem('b', 2); localStorage.removeItem('a')`, func(s *probe.State) bool { return s.Storage == 3 }},
		"pointer lock":        {`document.body.requestPointerLock().catch(() => {})`, func(s *probe.State) bool { return s.PointerLock == 1 }},
		"fullscreen":          {`document.body.requestFullscreen().catch(() => {})`, func(s *probe.State) bool { return s.Fullscreen == 1 }},
		"fullscreen, old":     {`document.body.webkitRequestFullscreen()`, func(s *probe.State) bool { return s.Fullscreen == 1 }},
		"gamepads":            {`navigator.getGamepads()`, func(s *probe.State) bool { return s.Gamepads == 1 }},
		"play":                {`new Audio().play().catch(() => {})`, func(s *probe.State) bool { return s.AudioPlays == 1 }},
		"audio context":       {`window.a = new AudioContext()`, func(s *probe.State) bool { return len(s.AudioStates) == 1 && s.AudioStates[0] == "suspended" }},
		"audio context, old":  {`window.a = new (window.webkitAudioContext || AudioContext)()`, func(s *probe.State) bool { return len(s.AudioStates) == 1 }},
		"audio context, own":  {`window.a = new (class extends AudioContext {})()`, func(s *probe.State) bool { return len(s.AudioStates) == 1 }},
		"worker":              {`window.w = new Worker('data:text/javascript,0')`, func(s *probe.State) bool { return s.Workers == 1 }},
		"WebAssembly":         {`WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`, func(s *probe.State) bool { return s.WASM == 1 }},
		"mutations":           {`document.body.append('x'); document.body.title = 'y'`, func(s *probe.State) bool { return s.Mutations >= 2 && s.LastMutation > 0 }},
		"mutations in shadow": {`const r = document.body.appendChild(document.createElement('p')).attachShadow({mode: 'closed'}); setTimeout(() => { for (let i = 0; i < 50; i++) r.append('x') })`, func(s *probe.State) bool { return s.Mutations >= 50 }},
		"timers alive":        {`setTimeout(() => {}, 1e6); clearTimeout(setTimeout(() => {}, 1e6)); setInterval(() => {}, 1e6); clearInterval(setInterval(() => {}, 5)); setTimeout(() => {})`, func(s *probe.State) bool { return s.TimersAlive == 2 && s.TimersRun == 1 && s.Intervals == 2 }},
		"timers run":          {`let n = 0; const i = setInterval((a) => { if (a !== 'arg') throw 1; if (++n > 4) clearInterval(i) }, 1, 'arg')`, func(s *probe.State) bool { return s.TimersRun == 5 && s.TimersAlive == 0 }},
		"exception":           {`setTimeout(() => { throw new Error('x') })`, func(s *probe.State) bool { return s.Errors == 1 }},
		"rejection":           {`Promise.reject(new Error('x'))`, func(s *probe.State) bool { return s.Unhandled == 1 }},
		"long task":           {`setInterval(() => { const t = performance.now(); while (performance.now() - t < 120); }, 200)`, func(s *probe.State) bool { return s.LongTasks >= 1 && s.LongestTask > 100 && s.LastLongTask > 0 }},
		"broken picture":      {`document.body.innerHTML = '<img src="data:image/png;base64,AAAA">'`, decodeError("img")},
		"loose picture":       {`new Image().src = 'data:image/png;base64,AAAA'`, decodeError("img")},
		"loose sound":         {`new Audio().src = 'data:audio/ogg;base64,AAAA'`, decodeError("audio")},
		"decodeAudioData":     {`new AudioContext().decodeAudioData(new ArrayBuffer(8)).catch(() => {})`, decodeError("decodeAudioData")},
		"createImageBitmap":   {`createImageBitmap(new Blob(['x'])).catch(() => {})`, decodeError("createImageBitmap")},
		"decode":              {`const i = new Image(); i.src = 'data:,'; i.decode().catch(() => {})`, decodeError("decode")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := html(t, `<body></body><script>`+tt.script+`</script>`)
			w.until(name, tt.holds)
		})
	}
}

func decodeError(what string) func(*probe.State) bool {
	return func(s *probe.State) bool {
		for _, e := range s.DecodeErrors {
			if strings.HasPrefix(e, what) {
				return true
			}
		}
		return false
	}
}

// TestRejectionsStayUnhandled: looking at a promise must not make it handled.
func TestRejectionsStayUnhandled(t *testing.T) {
	t.Parallel()
	w := html(t, `<body></body><script>addEventListener('unhandledrejection', (e) => { window.seen = e.reason.name; });
		new AudioContext().decodeAudioData(new ArrayBuffer(8));</script>`)
	w.until("the rejection", func(*probe.State) bool { return w.str("window.seen") == "EncodingError" })
}

func TestOff(t *testing.T) {
	t.Parallel()
	w := visit(t, server(t, nil).URL+"/game.html")
	w.until("frames", func(s *probe.State) bool { return s.Frames > 3 })
	w.probe.Off(w.ctx, w.page)
	before := w.main()
	w.eval("document.body.append('x'); new Promise((done) => setTimeout(done, 100))", nil)
	if err := w.page.Keyboard().Press(w.ctx, "ArrowRight", 0); err != nil {
		t.Fatal(err)
	}
	w.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))", nil)
	after := w.main()
	if after.Draws != before.Draws || after.Mutations != before.Mutations || after.Delivered["keydown"] != 0 || after.Reads["keydown"] != 0 {
		t.Errorf("still watching: %+v", after)
	}
	if w.str("x") != "20" || w.str("frames > 3") != "true" {
		t.Error("the game does not go on")
	}
	w.clean()
}
