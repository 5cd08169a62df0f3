package browser_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/playtest-dev/playtest/browser"
)

// A navigation that a guard refuses is never sent, and the page stays.
func TestGuard(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached.Add(1) }))
	t.Cleanup(far.Close)
	away := far.URL + "/away"
	srv := serve(t, map[string]string{
		"/":      `<title>home</title><a id="link" href="` + away + `">x</a><form id="form" method="post" action="` + away + `"><input name="a" value="secret"></form>`,
		"/two":   `<title>two</title>`,
		"/hop":   `<meta http-equiv="refresh" content="0;url=` + away + `"><title>hop</title>`,
		"/frame": `<title>frame</title><iframe src="` + away + `"></iframe>`,
	})
	redirect := httptest.NewServer(http.RedirectHandler(away, http.StatusFound))
	t.Cleanup(redirect.Close)

	own := launch(t, nil) // a page that breaks down may take others with it
	p := newPage(t, own, nil, nil)
	ctx := testContext(t)
	// An interception beside it goes on as before, and sees only its own.
	var others atomic.Int64
	if err := p.Intercept(ctx, []browser.Pattern{{URL: "*/two*"}}, func(r *browser.Request) browser.Answer {
		if !strings.HasSuffix(r.URL, "/two?x") {
			others.Add(1)
		}
		return browser.Fulfil(200, map[string]string{"Content-Type": "text/html"}, []byte("<title>ours</title>"))
	}); err != nil {
		t.Fatal(err)
	}
	var refused atomic.Int64
	release, err := p.Guard(ctx, func(r *browser.Request) bool {
		if strings.HasPrefix(r.URL, far.URL) {
			refused.Add(1)
			return false
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, at, script string }{
		{"link", "/", `document.getElementById('link').click()`},
		{"form", "/", `document.getElementById('form').submit()`},
		{"script", "/", `location.href = '` + away + `'`},
		{"redirect", "/", `location.href = '` + redirect.URL + `'`},
		{"refresh", "/hop", `1`},
		{"frame", "/frame", `1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := refused.Load()
			open(t, p, srv.URL+tt.at)
			eval[any](t, p, tt.script)
			eventually(t, "the refusal", func() bool { return refused.Load() > before })
			if got := p.URL(); got != srv.URL+tt.at {
				t.Errorf("the page is at %s", got)
			}
		})
	}
	if _, err := p.Navigate(ctx, away, nil); err == nil {
		t.Error("our own navigation is not refused")
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d requests have been sent", n)
	}
	open(t, p, srv.URL+"/two?x")
	if got := eval[string](t, p, "document.title"); got != "ours" || others.Load() != 0 {
		t.Errorf("the interception answered %q and was asked about %d others", got, others.Load())
	}
	// A page that has crashed is revived through the guard.
	_ = p.Session().Call(ctx, "Page.crash", nil, nil)
	eventually(t, "the crash to be noticed", p.Crashed)
	open(t, p, srv.URL+"/")
	if got := eval[string](t, p, "document.title"); got != "home" {
		t.Errorf("after a crash the page is %q", got)
	}
	if err := release(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Navigate(ctx, away, nil); err != nil || reached.Load() == 0 {
		t.Errorf("after the release: %v, %d requests", err, reached.Load())
	}
}

// Windows that a page opens are closed before they have asked for anything.
func TestPopupsAskForNothing(t *testing.T) {
	var reached atomic.Int64
	far := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(far.Close)
	srv := serve(t, map[string]string{"/": `<style>body > * { position: absolute; width: 100px; height: 40px; left: 0 }</style>
		<a style="top: 0" href="` + far.URL + `/link" target="_blank">link</a>
		<button style="top: 50px" onclick="open('` + far.URL + `/open')">open</button>
		<button style="top: 100px" onclick="open('` + far.URL + `/noopener', '_blank', 'noopener')">no opener</button>
		<form style="top: 150px" action="` + far.URL + `/form" target="_blank"><button>form</button></form>`})
	p := newPage(t, chromium, nil, nil)
	ctx := testContext(t)
	open(t, p, srv.URL)
	pages := func() int {
		var got struct {
			TargetInfos []struct {
				Type string `json:"type"`
			} `json:"targetInfos"`
		}
		if err := p.Session().Call(ctx, "Target.getTargets", nil, &got); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, info := range got.TargetInfos {
			if info.Type == "page" {
				n++
			}
		}
		return n
	}
	before := pages()
	for range 5 {
		for _, y := range []float64{15, 65, 115, 160} {
			if err := p.Mouse().Click(ctx, 10, y, nil); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the window to be gone", func() bool { return pages() == before })
		}
	}
	if p.Log().Counts().Popups == 0 {
		t.Error("no window was opened")
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
