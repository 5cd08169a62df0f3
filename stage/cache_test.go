package stage_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/stage"
)

func TestCache(t *testing.T) {
	t.Parallel()
	const before = `<title>-</title><div><button data-testid="buy" onclick="document.title='bought'">Buy</button></div>`
	path := filepath.Join(t.TempDir(), "actions.json")
	open1 := func(t *testing.T, html string, answers ...func(string) any) *stage.Stage {
		t.Helper()
		c, err := stage.OpenCache(path)
		if err != nil {
			t.Fatal(err)
		}
		return open(t, fixed(t, html)+"/item/17?ref=a", script(t, answers...), &stage.Options{Cache: c})
	}
	steps := []struct {
		name, html string
		answers    []func(string) any
		want       stage.CacheState
		err        error
	}{
		{"first", before, []func(string) any{do(stage.Click, `button "Buy"`)}, stage.CacheMiss, nil},
		{"again", before, nil, stage.CacheHit, nil},
		{"moved", `<title>-</title><p>new</p><section><span><button onclick="document.title='bought'">Buy</button></span></section>`, nil, stage.CacheHit, nil},
		{"other words in its place", `<title>-</title><div><button data-testid="buy" onclick="document.title='wrong'">Sell</button><button onclick="document.title='bought'">Get it</button></div>`,
			[]func(string) any{do(stage.Click, `button "Get it"`)}, stage.CacheHealed, nil},
		{"as healed", `<title>-</title><div><button onclick="document.title='wrong'">Sell</button><button onclick="document.title='bought'">Get it</button></div>`, nil, stage.CacheHit, nil},
		{"healing fails", before, []func(string) any{func(string) any { return answer{Arguments: []string{}} }}, stage.CacheMiss, stage.ErrNotFound},
		{"and was not written back", `<title>-</title><div><button>Sell</button><button onclick="document.title='bought'">Get it</button></div>`, nil, stage.CacheHit, nil},
	}
	for _, st := range steps {
		s := open1(t, st.html, st.answers...)
		done, err := s.Act(testContext(t), "buy it for %who%", &stage.ActOptions{Variables: map[string]string{"who": "a-secret-name"}})
		if !errors.Is(err, st.err) {
			t.Fatalf("%s: %v", st.name, err)
		}
		if done.Meta.Cache != st.want || done.Meta.Calls != len(st.answers) {
			t.Errorf("%s: cache %q after %d calls, want %q after %d", st.name, done.Meta.Cache, done.Meta.Calls, st.want, len(st.answers))
		}
		if title := eval[string](t, s, "document.title"); err == nil && title != "bought" {
			t.Errorf("%s: title %q", st.name, title)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), "a-secret-name") {
		t.Errorf("the file has the value, or cannot be read (%v):\n%s", err, data)
	}
}

// What was healed by half is not kept: the file is as it was.
func TestCacheKeepsOnlyWhatIsWhole(t *testing.T) {
	t.Parallel()
	const menu = `<title>none</title><button aria-haspopup="true" onclick="m.hidden=false">Country</button>
<ul id="m" role="menu" hidden><li role="menuitem" onclick="document.title='Peru'">Peru</li></ul>`
	web := serve(t, map[string]string{"/": menu})
	path := filepath.Join(t.TempDir(), "actions.json")
	act := func(answers ...func(string) any) (*stage.Acted, error) {
		t.Helper()
		c, err := stage.OpenCache(path)
		if err != nil {
			t.Fatal(err)
		}
		return open(t, web.URL+"/", script(t, answers...), &stage.Options{Cache: c}).Act(testContext(t), "choose Peru", nil)
	}
	kept := func() string {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if done, err := act(twoStep(do(stage.Click, `button "Country"`)), do(stage.Click, `menuitem "Peru"`)); err != nil || len(done.Actions) != 2 {
		t.Fatalf("%v, %+v", err, done)
	}
	first := kept()
	if done, err := act(); err != nil || done.Meta.Cache != stage.CacheHit || len(done.Actions) != 2 {
		t.Fatalf("both steps again: %v, %+v", err, done)
	}

	// The second step is gone. The first has been done, so nobody starts again.
	web.set("/", strings.ReplaceAll(menu, "Peru", "Chile"))
	if done, err := act(); !errors.Is(err, stage.ErrGone) || len(done.Actions) != 1 || done.Meta.Calls != 0 {
		t.Errorf("half a replay: %v, %+v", err, done)
	}
	// The first is gone too, and the model finds only one of the two.
	web.set("/", strings.NewReplacer("Country", "Land", "Peru", "Chile").Replace(menu))
	if done, err := act(twoStep(do(stage.Click, `button "Land"`)), do(stage.Click, `menuitem "Peru"`)); !errors.Is(err, stage.ErrUnknownID) || len(done.Actions) != 1 {
		t.Errorf("half a healing: %v, %+v", err, done)
	}
	if now := kept(); now != first {
		t.Errorf("the file was changed from\n%s\nto\n%s", first, now)
	}
}

// Actions are kept for a kind of address and for the names of variables; a
// page that shows a value in its own words is not kept at all.
func TestCacheKeys(t *testing.T) {
	t.Parallel()
	const html = `<button>Buy</button>`
	web := serve(t, map[string]string{"/item/1": html, "/item/2": html, "/items": html, "/mine": `<button>Hello hunter2-is-long</button>`})
	c, err := stage.OpenCache(filepath.Join(t.TempDir(), "actions.json"))
	if err != nil {
		t.Fatal(err)
	}
	buy, hello := do(stage.Click, `button "Buy"`), do(stage.Click, `button "Hello %pass%"`)
	for _, st := range []struct {
		path, text string
		vars       map[string]string
		answer     func(string) any
		kept       int
	}{
		{"/item/1", "buy", nil, buy, 1},
		{"/item/2?from=mail#top", " buy ", nil, nil, 1},
		{"/items", "buy", nil, buy, 2},
		{"/item/1", "buy", map[string]string{"n": "17"}, buy, 3},
		{"/item/1", "buy", map[string]string{"n": "18"}, nil, 3},
		{"/mine", "greet %pass%", map[string]string{"pass": "hunter2-is-long"}, hello, 3},
	} {
		var answers []func(string) any
		if st.answer != nil {
			answers = append(answers, st.answer)
		}
		s := open(t, web.URL+st.path, script(t, answers...), &stage.Options{Cache: c})
		if _, err := s.Act(testContext(t), st.text, &stage.ActOptions{Variables: st.vars}); err != nil {
			t.Fatalf("%s: %v", st.path, err)
		}
		if c.Len() != st.kept {
			t.Errorf("%q on %s with %v: %d are kept, want %d", st.text, st.path, st.vars, c.Len(), st.kept)
		}
	}
}

// fixed serves a page under any path, always at the same address for the test,
// because actions are kept by address.
func fixed(t *testing.T, html string) string {
	t.Helper()
	if fixture == nil {
		fixture = serve(t, map[string]string{})
	}
	fixture.set("/item/17", html)
	return fixture.URL
}

var fixture *site

func TestCacheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "actions.json")
	if err := os.WriteFile(path, []byte("not JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := stage.OpenCache(path); err == nil {
		t.Error("a broken file is an empty cache")
	}
}
