package probe_test

import (
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
)

// TestHonest compares how a page with the probe describes itself with how one
// without does, line by line.
func TestHonest(t *testing.T) {
	t.Parallel()
	script, err := testdata.ReadFile("testdata/honest.js")
	if err != nil {
		t.Fatal(err)
	}
	url := server(t, map[string]string{"/": "<!doctype html><body></body>"}).URL
	describe := func(scripts ...browser.InitScript) []string {
		w := &watched{t: t, ctx: timeout(t), page: newPage(t, nil, scripts...)}
		w.open(url)
		var lines []string
		w.eval(string(script)+"\n//# sourceURL=page.js", &lines) // by a name that is not ours
		return lines
	}
	want, got := describe(), describe(probe.New().Script())
	if len(want) < 500 {
		t.Fatalf("only %d lines to compare", len(want))
	}
	if len(got) != len(want) {
		t.Errorf("%d lines with the probe, %d without", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("differs:\nwith    %.300s\nwithout %.300s", got[i], want[i])
		}
	}
}

// TestUnguessable: neither its name nor a walk over the window finds the probe.
func TestUnguessable(t *testing.T) {
	t.Parallel()
	w := html(t, "<body></body>")
	found := w.str(`(() => {
		const all = [];
		for (let o = window; o; o = Object.getPrototypeOf(o)) for (const k of Reflect.ownKeys(o)) { try { const v = window[k]; if (v && typeof v === 'object' && Object.isFrozen(v) && 'read' in v) all.push(k); } catch {} }
		return all;
	})()`)
	if found != "" {
		t.Errorf("found as %q", found)
	}
}
