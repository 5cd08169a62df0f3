package agent_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/browser"
)

// inContext makes an agent on the first page of a context.
func inContext(t *testing.T, url string, opts *browser.ContextOptions, m *actor) (*agent.Agent, *browser.Context) {
	t.Helper()
	ctx := testContext(t)
	c, err := chromium.NewContext(ctx, opts)
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
	a, err := agent.New(ctx, page, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a, c
}

func TestTabsOfAnAgent(t *testing.T) {
	t.Parallel()
	site := serve(t, map[string]string{
		"/":    `<title>First</title><a target="_blank" href="/two">Two</a> <button onclick="document.title = 'Bought'">Buy</button>`,
		"/two": `<title>Second</title><button onclick="window.close()">Done</button>`,
	})
	m := play(t, act("click Two"), call("tabs", args{}), call("tabs", args{"switch": 1}), call("tabs", args{"switch": 3}),
		call("tabs", args{"switch": 2}), act("click Done"), call("tabs", args{"close": 1}), act("click Buy"), closing("Bought.", true))
	a, c := inContext(t, site+"/", &browser.ContextOptions{Tabs: 4}, m)
	res := run(t, a, "buy it")
	if len(res.Actions) != 9 || !res.Success {
		t.Fatalf("got %+v", res)
	}
	for i, want := range map[int]string{
		2: `2: ` + site + `/two "Second" (in front)`,
		3: `1: ` + site + `/ "First" (in front)`,
		4: "there is no tab 3",
		5: `"Second" (in front)`,
		7: "this is the last tab",
	} {
		if told := m.told(t, i+1); !strings.Contains(told, want) {
			t.Errorf("after call %d the model was told %s, want %s", i, told, want)
		}
	}
	if got := eval[string](t, a, "document.title"); got != "Bought" || len(c.Pages()) != 1 {
		t.Errorf("the page in front is %q of %d", got, len(c.Pages()))
	}
}

func TestPagesOfTheCallerAreNotTheAgents(t *testing.T) {
	t.Parallel()
	site := serve(t, map[string]string{"/": `<title>First</title>`, "/mine": `<title>Mine</title>`})
	m := play(t, call("tabs", args{}), call("tabs", args{"switch": 2}), closing("There is one.", true))
	ctx := testContext(t)
	c, err := chromium.NewContext(ctx, &browser.ContextOptions{Tabs: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	var pages [2]*browser.Page
	for i, path := range []string{"/", "/mine"} {
		if pages[i], err = c.NewPage(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := pages[i].Navigate(ctx, site+path, nil); err != nil {
			t.Fatal(err)
		}
	}
	a, err := agent.New(ctx, pages[0], m, nil)
	if err != nil {
		t.Fatal(err)
	}
	res := run(t, a, "count the tabs")
	if told := m.told(t, 2); strings.Contains(told, "/mine") || !strings.Contains(told, "1 open") || !strings.Contains(res.Actions[1].Error, "no tab 2") {
		t.Errorf("the model was told %s; then %q", told, res.Actions[1].Error)
	}
}

// A tab that an agent opens is held by its bounds, also where the caller has
// another page in front and the link names no opener. Where a frame may be a tab may
// not, and when the agent is done nothing is held.
func TestTabsStayWithinBounds(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/top" {
			asked.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>Away</title>`))
	}))
	t.Cleanup(away.Close)
	site := serve(t, map[string]string{
		"/":    `<title>First</title><a target="_blank" rel="noopener" href="` + away.URL + `/top">Out</a> <a target="_blank" rel="noopener" href="/two">Two</a><iframe src="` + away.URL + `/ad"></iframe>`,
		"/two": `<title>Second</title>`, "/mine": `<title>Mine</title>`,
	})
	m := play(t, act("click Out"), act("click Two"), closing("I was there.", true))
	a, c := inContext(t, site+"/", &browser.ContextOptions{Tabs: 4}, m)
	ctx := testContext(t)
	mine, err := c.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mine.Navigate(ctx, site+"/mine", nil); err != nil {
		t.Fatal(err)
	}
	if res := run(t, a, "look around"); asked.Load() != 0 {
		t.Errorf("the other site was asked %d times: %+v", asked.Load(), res.Actions)
	}
	for _, p := range c.Pages() {
		if _, err := p.Navigate(ctx, away.URL+"/top", nil); err != nil {
			t.Errorf("%s is still held: %v", p.URL(), err)
		}
	}
}

func TestDownloadsOfAnAgent(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", `attachment; filename="sums.csv"`)
			_, _ = w.Write([]byte("a,b\n1,2\n"))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>Sums</title><a href="/file">Get</a>`))
	}))
	t.Cleanup(srv.Close)
	m := play(t, act("click Get"), call("downloads", args{}), closing("It is there.", true))
	dir := t.TempDir()
	a, _ := inContext(t, srv.URL+"/", &browser.ContextOptions{Downloads: &browser.DownloadOptions{Dir: dir}}, m)
	run(t, a, "get the sums")
	if told := m.told(t, 3); !strings.Contains(told, `"sums.csv", 8 bytes: downloaded`) {
		t.Errorf("the model was told %s", told)
	}
	if found, err := filepath.Glob(filepath.Join(dir, "sums.csv")); err != nil || len(found) != 1 {
		t.Errorf("the folder has %q, %v", found, err)
	}
}
