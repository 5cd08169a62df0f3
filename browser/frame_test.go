package browser_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

func TestInitScriptsRunInEveryFrameBeforeItsFirstLine(t *testing.T) {
	t.Parallel()
	far := serve(t, map[string]string{"/far": `<script>window.saw = window.init</script><iframe srcdoc="<script>window.saw = window.init</script>"></iframe>`})
	srv := serve(t, map[string]string{
		"/": `<script>window.saw = window.init</script>
			<iframe name=same src="/near"></iframe>
			<iframe name=srcdoc srcdoc="<script>window.saw = window.init</script>"></iframe>
			<iframe name=sandbox sandbox="allow-scripts" srcdoc="<script>window.saw = window.init</script>"></iframe>
			<iframe name=blank></iframe>
			<iframe name=cross src="` + cross(far) + `/far"></iframe>
			<script>
				const b = document.createElement('iframe'); b.name = 'blob';
				b.src = URL.createObjectURL(new Blob(['<script>window.saw = window.init<\/script>'], {type: 'text/html'}));
				document.body.append(b);
			</script>`,
		"/near": `<script>window.saw = window.init</script>`,
	})
	p := newPage(t, chromium, nil, &browser.PageOptions{InitScripts: []browser.InitScript{
		{Source: `window.init = 'ready'`},
		{Source: `globalThis.hidden = 'yes'`, World: browser.World},
	}})
	open(t, p, srv.URL)
	eventually(t, "eight frames", func() bool { return len(p.Frames()) == 8 })
	for _, f := range p.Frames() {
		want, expr := "ready", "window.saw"
		if f.Name() == "blank" {
			expr = "window.init" // it has no line of its own
		}
		if got := eval[string](t, f, expr); got != want {
			t.Errorf("frame %q %s: init script gave %q, want %q", f.Name(), f.URL(), got, want)
		}
		var hidden []string
		if err := f.EvaluateIsolated(testContext(t), "[String(globalThis.hidden), typeof window.init, document.readyState]", &hidden); err != nil {
			t.Errorf("frame %q: %v", f.Name(), err)
		} else if hidden[0] != "yes" || hidden[1] != "undefined" {
			t.Errorf("frame %q: isolated world has %q", f.Name(), hidden)
		}
	}
}

func TestInitScriptsInWorkers(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{
		"/":     `<script>new Worker('/w.js').onmessage = e => window.got = e.data</script>`,
		"/w.js": `console.log("from the worker"); postMessage(self.init || 'nothing')`,
	})
	p := newPage(t, chromium, nil, &browser.PageOptions{InitScripts: []browser.InitScript{{Source: `self.init = 'ready'`, Workers: true}}})
	open(t, p, srv.URL)
	eventually(t, "an answer of the worker", func() bool { return eval[string](t, p, "window.got || ''") != "" })
	if got := eval[string](t, p, "window.got"); got != "ready" {
		t.Errorf("worker saw %q", got)
	}
	eventually(t, "the worker's console", func() bool {
		for _, e := range p.Log().Console() {
			if e.Text == "from the worker" {
				return true
			}
		}
		return false
	})
	kinds := map[string]int{}
	for _, s := range p.Sessions() {
		kinds[s.Kind]++
	}
	if kinds["worker"] != 1 || kinds["page"] != 1 {
		t.Errorf("sessions: %v", kinds)
	}
}

func TestOnSessionComesBeforeTheFirstLine(t *testing.T) {
	t.Parallel()
	far := serve(t, map[string]string{"/far": `<script>window.saw = window.hooked</script>`})
	srv := serve(t, map[string]string{"/": `<iframe src="` + cross(far) + `/far"></iframe>`})
	p := newPage(t, chromium, nil, nil)
	p.OnSession(func(s *browser.Session) {
		if s.Kind == "iframe" {
			s.Call(t.Context(), "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "window.hooked = 1"}, nil)
		}
	})
	open(t, p, srv.URL)
	if got := eval[int](t, p.Frames()[1], "window.saw"); got != 1 {
		t.Errorf("the hook came too late")
	}
}

func TestFramesMoveBetweenProcessesAndDie(t *testing.T) {
	t.Parallel()
	far := serve(t, map[string]string{"/far": `far <iframe srcdoc="deep"></iframe>`})
	srv := serve(t, map[string]string{
		"/":     `<iframe id=f src="/near"></iframe>`,
		"/near": `near`,
		"/else": `else`,
	})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	f := p.Frames()[1]
	if f.Session() != p.Session() {
		t.Error("a same-site frame has a session of its own")
	}
	eval[any](t, p, fmt.Sprintf(`document.getElementById('f').src = %q`, cross(far)+"/far"))
	eventually(t, "the frame to move out with its child", func() bool { return f.Session().Kind == "iframe" && len(p.Frames()) == 3 })
	deep := p.Frames()[2]
	if got := eval[string](t, f, "document.body.innerText.trim()"); got != "far" {
		t.Errorf("frame says %q", got)
	}
	eval[any](t, p, `document.getElementById('f').src = '/near'`)
	eventually(t, "the frame to come back", func() bool {
		return f.Session() == p.Session() && len(p.Frames()) == 2 && strings.HasSuffix(f.URL(), "/near")
	})
	if !deep.Detached() {
		t.Error("the child of a document that is gone still lives")
	}
	if got := eval[string](t, f, "document.body.innerText"); got != "near" {
		t.Errorf("frame says %q", got)
	}
	if n := len(p.Sessions()); n != 1 {
		t.Errorf("%d sessions, want the page's only", n)
	}
	eval[any](t, p, `document.getElementById('f').remove()`)
	eventually(t, "the frame to die", func() bool { return f.Detached() && len(p.Frames()) == 1 })
	if err := f.Evaluate(testContext(t), "1", nil); err == nil {
		t.Error("a dead frame still evaluates")
	}
	open(t, p, srv.URL)
	old := p.Frames()[1]
	open(t, p, srv.URL+"/else")
	if !old.Detached() || len(p.Frames()) != 1 {
		t.Errorf("after a navigation: detached %v, %d frames", old.Detached(), len(p.Frames()))
	}
}

func TestOriginThroughNestedFrames(t *testing.T) {
	t.Parallel()
	far := serve(t, map[string]string{
		"/far":  `<body style="margin:0;height:3000px"><iframe name=deep src="/deep" style="position:absolute;left:40px;top:1060px;border:3px solid;width:200px;height:100px"></iframe><script>scrollTo(0,1000)</script>`,
		"/deep": `<body style="margin:0">deep`,
	})
	srv := serve(t, map[string]string{
		"/":    `<body style="margin:0"><iframe name=mid src="/mid" style="position:absolute;left:100px;top:50px;border:10px solid;width:600px;height:500px"></iframe>`,
		"/mid": `<body style="margin:0"><iframe name=far src="` + cross(far) + `/far" style="position:absolute;left:20px;top:30px;padding:4px;border:1px solid;width:400px;height:300px"></iframe>`,
	})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	want := map[string]browser.Point{"": {}, "mid": {X: 110, Y: 60}, "far": {X: 135, Y: 95}, "deep": {X: 178, Y: 158}}
	for _, f := range p.Frames() {
		at, err := f.Origin(testContext(t))
		if err != nil {
			t.Errorf("%q: %v", f.Name(), err)
		} else if at != want[f.Name()] {
			t.Errorf("%q lies at %v, want %v", f.Name(), at, want[f.Name()])
		}
		delete(want, f.Name())
	}
	if len(want) > 0 {
		t.Errorf("frames missing: %v", want)
	}
}

var visits = flag.Int("visits", 24, "how often a page is visited that must stay as cheap as it was, at least 8")

// Visiting and leaving a page with nested frames must cost the same the last
// time as the first, in time, memory and what we remember.
func TestVisitsStayFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	b := launch(t, nil)
	far := serve(t, map[string]string{
		"/far":  `<iframe src="/deep"></iframe><script>setInterval(() => {}, 10)</script>`,
		"/deep": `deep`,
	})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, `<iframe src="/mid"></iframe>`)
		case "/mid":
			fmt.Fprintf(w, `<iframe src="%s/far"></iframe>`, cross(far))
		default:
			fmt.Fprint(w, "elsewhere")
		}
	}))
	t.Cleanup(srv.Close)
	p := newPage(t, b, nil, nil)
	visit := func() time.Duration {
		start := time.Now()
		open(t, p, srv.URL)
		eventually(t, "four frames", func() bool { return len(p.Frames()) == 4 })
		for _, f := range p.Frames() {
			eval[int](t, f, "1")
		}
		open(t, p, srv.URL+"/else")
		if n := len(p.Frames()); n != 1 {
			t.Fatalf("%d frames after leaving", n)
		}
		return time.Since(start)
	}
	for range 5 {
		visit() // warm caches
	}
	heapBefore, goBefore, theirsBefore := heap(), runtime.NumGoroutine(), memory(b.PID())
	var times []time.Duration
	for range *visits {
		times = append(times, visit())
	}
	eventually(t, "only the page's session", func() bool { return len(p.Sessions()) == 1 })
	heapAfter, theirs := heap(), memory(b.PID())
	third := len(times) / 3
	first, last := slices.Min(times[:third]), slices.Min(times[len(times)-third:]) // the least disturbed by other load
	t.Logf("a visit of the first third takes %v, of the last %v; our heap %d -> %d KB, our rss %d MB, Chromium's %d -> %d MB",
		first, last, heapBefore>>10, heapAfter>>10, rssKB()>>10, theirsBefore>>10, theirs>>10)
	if theirs > theirsBefore+theirsBefore/2 {
		t.Errorf("Chromium grew from %d to %d MB", theirsBefore>>10, theirs>>10)
	}
	if last > 3*first {
		t.Errorf("visits became slower: %v then %v", first, last)
	}
	if heapAfter > heapBefore+uint64(*visits)*160<<10 {
		t.Errorf("our heap grew from %d to %d KB", heapBefore>>10, heapAfter>>10)
	}
	eventually(t, "no more goroutines than before", func() bool { return runtime.NumGoroutine() <= goBefore+2 })
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func rssKB() int {
	raw, _ := os.ReadFile("/proc/self/status")
	for line := range strings.SplitSeq(string(raw), "\n") {
		if v, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(v)[0])
			return kb
		}
	}
	return 0
}
