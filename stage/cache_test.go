package stage_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"playtest/stage"
)

func TestCache(t *testing.T) {
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
