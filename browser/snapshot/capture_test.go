package snapshot_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

// find returns the only node of that role and name.
func find(t testing.TB, s *snapshot.Snapshot, role, name string) *snapshot.Node {
	t.Helper()
	n := s.Find(fmt.Sprintf("role=%s[name=%q]", role, name))
	if n == nil {
		t.Fatalf("no single %s %q in\n%s", role, name, s.Format(nil).Text)
	}
	return n
}

func TestIDsStay(t *testing.T) {
	page := open(t, serve(t, map[string]string{"p": `<!doctype html><div id="top"></div><button id="a">A</button><button id="b">B</button>`})+"p", nil)
	r := snapshot.New(page, nil)
	first := capture(t, r)
	a, b := find(t, first, "button", "A").ID, find(t, first, "button", "B").ID
	change := func(js string) *snapshot.Snapshot {
		t.Helper()
		if err := page.Evaluate(testContext(t), js, nil); err != nil {
			t.Fatal(err)
		}
		return capture(t, r)
	}
	// New things before it, another name and a time in hiding change no id.
	s := change(`document.getElementById('top').innerHTML = '<button>New</button>'; document.getElementById('b').textContent = 'Bee'`)
	if find(t, s, "button", "A").ID != a || find(t, s, "button", "Bee").ID != b {
		t.Errorf("ids changed:\n%s", s.Format(nil).Text)
	}
	c := s.Since(first)
	if got, want := c.Format(nil), fmt.Sprintf("+ %s button \"New\"\n~ %s button \"Bee\"\n", find(t, s, "button", "New").ID, b); got != want {
		t.Errorf("change:\n%swant:\n%s", got, want)
	}
	change(`document.getElementById('a').hidden = true`)
	s = change(`document.getElementById('a').hidden = false`)
	if find(t, s, "button", "A").ID != a {
		t.Error("the id of what was hidden for a time changed")
	}
	// A node that is gone leaves its id to nobody.
	s = change(`document.getElementById('a').outerHTML = '<button>A</button>'`)
	if id := find(t, s, "button", "A").ID; id == a || id == b {
		t.Errorf("a new node has the old id %s", id)
	}
}

func TestBoxes(t *testing.T) {
	page := open(t, serve(t, nil)+"frames.html", nil)
	s := capture(t, snapshot.New(page, nil))
	for _, name := range []string{"near", "Far"} {
		frame := find(t, s, "iframe", name)
		var inside *snapshot.Node
		frame.Walk(func(n *snapshot.Node) bool {
			if n.Role == "button" {
				inside = n
			}
			return inside == nil
		})
		if inside == nil {
			t.Fatalf("no button in %s:\n%s", name, s.Format(nil).Text)
		}
		// 5 of border, 7 of padding, 20 and 30 of position.
		want := browser.Rect{X: frame.Box.X + 32, Y: frame.Box.Y + 42, Width: 100, Height: 40}
		if near := func(a, b float64) bool { return math.Abs(a-b) < 1 }; !near(inside.Box.X, want.X) || !near(inside.Box.Y, want.Y) || !near(inside.Box.Width, want.Width) {
			t.Errorf("%s: button at %+v, want %+v", name, inside.Box, want)
		}
	}
}

func TestSelectorsLeadBack(t *testing.T) {
	for _, name := range []string{"form.html", "shadow.html", "frames.html"} {
		t.Run(name, func(t *testing.T) {
			page := open(t, serve(t, nil)+name, nil)
			s := capture(t, snapshot.New(page, nil))
			s.Root.Walk(func(n *snapshot.Node) bool {
				if !n.Interactive {
					return true
				}
				sel := s.Selectors(n)
				if back := s.Find(sel.XPath); back != n {
					t.Errorf("%s %q: %s leads to %+v", n.Role, n.Name, sel.XPath, back)
				}
				return true
			})
		})
	}
	page := open(t, serve(t, nil)+"form.html", nil)
	s := capture(t, snapshot.New(page, nil))
	got := s.Selectors(find(t, s, "textbox", "Name"))
	want := snapshot.Selectors{ID: "id=name", Role: `role=textbox[name="Name"]`, CSS: "input#name", XPath: "xpath=/html[1]/body[1]/main[1]/form[1]/input[1]"}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if n := s.Find("testid=card"); n == nil || n.Role != "clickable" {
		t.Errorf("by test id: %+v", n)
	}
}

// A frame that hangs is marked as such, and the rest of the page is read.
func TestFrameThatHangs(t *testing.T) {
	pages := map[string]string{
		"p":    `<!doctype html><button>Here</button><iframe title="Stuck" src="{{other}}/hang"></iframe>`,
		"hang": `<!doctype html><button>There</button><script>addEventListener('message', () => { for (;;); })</script>`,
	}
	page := open(t, serve(t, pages)+"p", nil)
	r := snapshot.New(page, nil)
	find(t, capture(t, r), "button", "There")
	if err := page.Evaluate(testContext(t), `frames[0].postMessage('hang', '*')`, nil); err != nil {
		t.Fatal(err)
	}
	// The message may take a moment; from then on the frame does not answer.
	for {
		s := capture(t, r)
		find(t, s, "button", "Here")
		if f := find(t, s, "iframe", "Stuck"); f.Failed != "" {
			if f.Failed != "does not answer" || len(f.Children) > 0 {
				t.Errorf("got %+v", f)
			}
			return
		}
	}
}

func TestFramesThatLeave(t *testing.T) {
	page := open(t, serve(t, nil)+"frames.html", nil)
	r := snapshot.New(page, nil)
	capture(t, r)
	if err := page.Evaluate(testContext(t), `document.querySelectorAll('iframe').forEach(f => f.remove())`, nil); err != nil {
		t.Fatal(err)
	}
	s := capture(t, r)
	if got := s.Format(nil).Text; strings.Contains(got, "iframe") || !strings.Contains(got, "Outside") {
		t.Errorf("got\n%s", got)
	}
}

// Frames that come after the page was read, in its own process and in another,
// one inside the other.
func TestFramesThatComeLate(t *testing.T) {
	page := open(t, serve(t, map[string]string{
		"p":     `<!doctype html><button>Here</button>`,
		"outer": `<!doctype html><button>Outer</button><iframe src="{{other}}/inner"></iframe>`,
		"inner": `<!doctype html><button>Inner</button>`,
	})+"p", nil)
	r := snapshot.New(page, nil)
	here := find(t, capture(t, r), "button", "Here").ID
	if err := page.Evaluate(testContext(t), `void document.body.append(Object.assign(document.createElement('iframe'), {src: '/outer'}))`, nil); err != nil {
		t.Fatal(err)
	}
	for {
		s := capture(t, r)
		inner := s.Find(`role=button[name="Inner"]`)
		if inner == nil {
			continue // it is still on its way
		}
		if s.Find(`role=button[name="Outer"]`) == nil || s.Node(here).Name != "Here" {
			t.Errorf("got\n%s", s.Format(nil).Text)
		}
		if got := s.Selectors(inner).XPath; got != "xpath=/html[1]/body[1]/iframe[1] >> /html[1]/body[1]/iframe[1] >> /html[1]/body[1]/button[1]" {
			t.Errorf("its path is %s", got)
		}
		return
	}
}

func TestHrefsOnRequest(t *testing.T) {
	base := serve(t, nil)
	page := open(t, base+"long.html", nil)
	if n := find(t, capture(t, snapshot.New(page, nil)), "link", "One"); n.Href != "" {
		t.Errorf("nobody asked for %s", n.Href)
	}
	s := capture(t, snapshot.New(page, &snapshot.Options{Hrefs: true}))
	if n := find(t, s, "link", "One"); n.Href != base+"one" || !strings.Contains(s.Format(&snapshot.FormatOptions{Hrefs: true}).Text, `link "One" -> "`+base+`one"`) {
		t.Errorf("got %q in\n%s", n.Href, s.Format(&snapshot.FormatOptions{Hrefs: true}).Text)
	}
}

// A canvas says of which kind it is and whether something moves on it.
func TestCanvasThatMoves(t *testing.T) {
	const moving = `<!doctype html><canvas width="300" height="200"></canvas><script>
const g = document.querySelector('canvas').getContext('2d');
(function frame(now) { g.fillRect((now || 0) % 300, 0, 5, 5); requestAnimationFrame(frame); })();
</script>`
	p := probe.New()
	page := open(t, serve(t, map[string]string{"p": moving})+"p", p)
	r := snapshot.New(page, &snapshot.Options{Probe: p})
	for {
		if text := capture(t, r).Format(nil).Text; strings.Contains(text, "canvas 300x200 2d (animates)\n") {
			return
		}
	}
}

func TestDeepDocument(t *testing.T) {
	// The parser nests no deeper than 512, a script can; Chromium itself lays out
	// some 2,500 levels.
	const deep = `<!doctype html><body><script>
let at = document.body;
for (let i = 0; i < 2000; i++) { const d = document.createElement('div'); at.append(d); at = d; }
at.innerHTML = '<button>Bottom</button>';
</script>`
	page := open(t, serve(t, map[string]string{"p": deep})+"p", nil)
	s := capture(t, snapshot.New(page, nil))
	n := find(t, s, "button", "Bottom")
	if sel := s.Selectors(n); strings.Count(sel.XPath, "/div[") != 2000 {
		t.Errorf("%d steps", strings.Count(sel.XPath, "/div["))
	}
}

// Everything on a large page can be reached, part by part or by its words.
func TestNothingIsLost(t *testing.T) {
	var b strings.Builder
	b.WriteString("<!doctype html><main>")
	for i := range 1000 {
		fmt.Fprintf(&b, `<div><a href="/%d">Article %d</a> <button>Add %d</button></div>`, i, i, i)
	}
	page := open(t, serve(t, map[string]string{"p": b.String()})+"p", nil)
	s := capture(t, snapshot.New(page, nil))
	opts := &snapshot.FormatOptions{Tokens: 4000}
	seen := make(map[string]bool)
	for part := 1; ; part++ {
		opts.Part = part
		text := s.Format(opts)
		if text.Tokens > 4000 {
			t.Errorf("part %d has %d tokens", part, text.Tokens)
		}
		for line := range strings.Lines(text.Text) {
			if f := strings.Fields(line); len(f) > 0 {
				seen[f[0]] = true
			}
		}
		if part >= text.Parts {
			break
		}
	}
	s.Root.Walk(func(n *snapshot.Node) bool {
		if n.Interactive && !seen[n.ID] {
			t.Errorf("%s %q is in no part", n.Role, n.Name)
		}
		return !t.Failed()
	})
	text := s.Format(&snapshot.FormatOptions{Tokens: 1000, Words: []string{"873"}}).Text
	if !strings.Contains(text, `"Article 873"`) || !strings.Contains(text, `"Add 873"`) {
		t.Errorf("what was asked for is not in the first part:\n%s", text)
	}
}

func BenchmarkCapture(b *testing.B) {
	var html strings.Builder
	html.WriteString("<!doctype html><main>")
	for i := range 1000 {
		fmt.Fprintf(&html, `<div><a href="/%d">Article %d</a> <input aria-label="Amount %d"> <button>Add %d</button></div>`, i, i, i, i)
	}
	page := open(b, serve(b, map[string]string{"p": html.String()})+"p", nil)
	r := snapshot.New(page, nil)
	var format time.Duration
	for b.Loop() {
		s := capture(b, r)
		began := time.Now()
		s.Format(&snapshot.FormatOptions{Tokens: 10_000})
		format += time.Since(began)
	}
	b.ReportMetric(float64(format.Milliseconds())/float64(b.N), "format-ms/op")
}
