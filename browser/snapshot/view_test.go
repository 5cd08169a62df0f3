package snapshot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/browser/snapshot"
)

// rows is a long page: a list with two controls a row, one of which only
// listens, a label far from its field, and something that stays in the window.
func rows(n int) string {
	var b strings.Builder
	b.WriteString(`<title>Rows</title><h1>Rows</h1><p id=far style="position:absolute;top:9000px">Named from afar</p><input aria-labelledby=far>
<div style="position:fixed;right:0;bottom:0"><button>Chat</button></div><select aria-label=Sort><option>Up<option selected>Down</select><form>`)
	for i := range n {
		fmt.Fprintf(&b, `<div class=row><a href="/item/%d">Article %d</a> <b>new</b> <input value=%d aria-label="Amount %d"> <span class=add>Add %d</span></div>`, i, i, i, i, i)
	}
	b.WriteString(`</form><script>for (const e of document.querySelectorAll('.add')) e.addEventListener('click', () => {})</script>`)
	return b.String()
}

// withoutEnd is the text without the line about what is outside of the window.
func withoutEnd(s string) string {
	if i := strings.LastIndex(s, "\n... "); i >= 0 {
		return s[:i+1]
	}
	return s
}

// differs is the first line in which two texts differ.
func differs(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		a, b := append(a, make([]string, len(b))...)[i], append(b, make([]string, len(a))...)[i]
		if a != b {
			return fmt.Sprintf("line %d is %q, of the whole page %q", i+1, a, b)
		}
	}
	return ""
}

// A snapshot of the window shows the same as the whole one does of it, under the
// same ids, and its nodes can be found again.
func TestViewShowsTheSame(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"/rows": rows(300), "/closed": `<x-c></x-c><script>customElements.define('x-c', class extends HTMLElement { constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = '<button>Inside</button>' } })</script>`}
	files, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages["/"+strings.TrimSuffix(filepath.Base(file), ".html")] = string(data)
	}
	url := serve(t, pages)
	for path := range pages {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			p := probe.New()
			page := open(t, url+path, p)
			reader := snapshot.New(page, &snapshot.Options{Probe: p})
			ctx := testContext(t)
			for _, scroll := range []int{0, 400} {
				if err := page.Evaluate(ctx, fmt.Sprintf("scrollTo(0, %d)", scroll), nil); err != nil {
					t.Fatal(err)
				}
				part, err := reader.CaptureView(ctx)
				if err != nil {
					t.Fatal(err)
				}
				whole := capture(t, reader)
				got, want := withoutEnd(part.Format(&snapshot.FormatOptions{Form: snapshot.InView}).Text), withoutEnd(whole.Format(&snapshot.FormatOptions{Form: snapshot.InView}).Text)
				if line := differs(got, want); line != "" {
					t.Errorf("scrolled by %d %s", scroll, line)
				}
				part.Root.Walk(func(n *snapshot.Node) bool {
					other := whole.Node(n.ID)
					if n == part.Root || !n.InView || other == nil {
						return true
					}
					if a, b := part.Selectors(n), whole.Selectors(other); a != b {
						t.Errorf("%s %q is at %+v, of the whole page at %+v", n.Role, n.Name, a, b)
					}
					return true
				})
			}
		})
	}
}

// What lies outside is counted, and keeps its ids for the next whole look.
func TestViewLeavesTheRest(t *testing.T) {
	t.Parallel()
	page := open(t, serve(t, map[string]string{"/": rows(300)})+"/", nil)
	reader := snapshot.New(page, nil)
	first := capture(t, reader)
	last := find(t, first, "link", "Article 299").ID
	part, err := reader.CaptureView(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	if part.Node(last) != nil || part.Len()*4 > first.Len() || part.Beyond < 400 {
		t.Errorf("of %d nodes %d were read, %d controls are said to be outside", first.Len(), part.Len(), part.Beyond)
	}
	if again := find(t, capture(t, reader), "link", "Article 299").ID; again != last {
		t.Errorf("the id was %s and is %s", last, again)
	}
}

// A long page, and what of it lies in the window.
func BenchmarkView(b *testing.B) {
	page := open(b, serve(b, map[string]string{"/": rows(1000)})+"/", nil)
	reader := snapshot.New(page, nil)
	for _, way := range []string{"whole", "window"} {
		b.Run(way, func(b *testing.B) {
			for b.Loop() {
				look := reader.Capture
				if way == "window" {
					look = reader.CaptureView
				}
				if _, err := look(testContext(b)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
