package browser_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/playtest-dev/playtest/browser"
)

func TestIntercept(t *testing.T) {
	t.Parallel()
	far := serve(t, map[string]string{
		"/far":    `<script src="/far.js"></script>`,
		"/far.js": `window.real = true`,
	})
	srv := serve(t, map[string]string{
		"/": `<script src="/edit.js"></script><script src="/fail.js" onerror="window.failed = true"></script>
			<iframe src="` + cross(far) + `/far"></iframe>
			<script>fetch('/hold').then(() => window.held = false); new Worker('/w.js').onmessage = e => window.worker = e.data</script>`,
		"/edit.js": `window.edited = 'REPLACE'`,
		"/fail.js": `window.failed = false`,
		"/w.js":    `fetch('/api').then(r => r.text()).then(postMessage, e => postMessage(String(e)))`,
	})
	p := newPage(t, chromium, nil, nil)
	ctx := testContext(t)
	var mu sync.Mutex
	seen := map[string]browser.Stage{}
	err := p.Intercept(ctx, []browser.Pattern{
		{URL: "*edit.js", Stage: browser.AtResponse}, {URL: "*fail.js"}, {URL: "*far.js", Type: "Script"}, {URL: "*hold"}, {URL: "*api"},
	}, func(r *browser.Request) browser.Answer {
		mu.Lock()
		seen[r.URL[strings.LastIndex(r.URL, "/"):]] = r.Stage
		mu.Unlock()
		switch {
		case strings.HasSuffix(r.URL, "edit.js"):
			body, err := r.Body(ctx)
			if err != nil {
				t.Error(err)
			}
			return browser.Fulfil(200, map[string]string{"Content-Type": "text/javascript"}, []byte(strings.ReplaceAll(string(body), "REPLACE", "done")))
		case strings.HasSuffix(r.URL, "fail.js"):
			return browser.Fail("")
		case strings.HasSuffix(r.URL, "far.js"):
			return browser.Fulfil(200, map[string]string{"Content-Type": "text/javascript"}, []byte("window.real = 'ours'"))
		case strings.HasSuffix(r.URL, "api"):
			return browser.Fulfil(200, nil, []byte("from us"))
		}
		return browser.Hold()
	})
	if err != nil {
		t.Fatal(err)
	}
	open(t, p, srv.URL)
	if got := eval[[]any](t, p, "[window.edited, window.failed, typeof window.held]"); got[0] != "done" || got[1] != true || got[2] != "undefined" {
		t.Errorf("page sees %v", got)
	}
	if got := eval[string](t, p.Frames()[1], "String(window.real)"); got != "ours" {
		t.Errorf("frame sees %q", got)
	}
	eventually(t, "the worker's answer", func() bool { return eval[string](t, p, "window.worker || ''") == "from us" })
	mu.Lock()
	if seen["/edit.js"] != browser.AtResponse || seen["/fail.js"] != browser.AtRequest || seen["/hold"] == "" {
		t.Errorf("intercepted %v", seen)
	}
	mu.Unlock()
	if err := p.Intercept(ctx, nil, nil); err != nil {
		t.Fatal(err)
	}
	open(t, p, srv.URL)
	if got := eval[string](t, p, "window.edited"); got != "REPLACE" {
		t.Errorf("after the end of the interception: %q", got)
	}
}
