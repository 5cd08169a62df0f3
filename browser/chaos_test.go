package browser_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// Frames and workers that come and go by the dozen, while others ask, click and
// take pictures, must leave nothing behind and hold nobody up.
func TestChaos(t *testing.T) {
	t.Parallel()
	far := serve(t, map[string]string{
		"/far":  `<script>console.log('far', window.init)</script><iframe srcdoc="deep"></iframe>`,
		"/w.js": `console.log('worker'); setInterval(() => postMessage(1), 5)`,
	})
	srv := serve(t, map[string]string{
		"/": `<body><script>
			window.rounds = 0;
			setInterval(() => {
				document.querySelectorAll('iframe').forEach((f, i) => i % 2 || f.remove());
				if (window.enough) { document.querySelectorAll('iframe').forEach(f => f.remove()); window.workers.forEach(w => w.terminate()); return }
				for (const src of ['` + cross(far) + `/far', '/near']) {
					const f = document.createElement('iframe'); f.src = src; document.body.append(f);
				}
				(window.workers ||= []).push(new Worker('/w.js'));
				if (workers.length > 3) workers.shift().terminate();
				window.rounds++;
			}, 30);
		</script>`,
		"/near": `near`, "/w.js": `console.log('worker'); setInterval(() => postMessage(1), 5)`,
	})
	p := newPage(t, chromium, nil, &browser.PageOptions{InitScripts: []browser.InitScript{{Source: "self.init = 1", Workers: true}}})
	open(t, p, srv.URL)
	ctx, cancel := context.WithTimeout(testContext(t), 5*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			for _, f := range p.Frames() {
				f.EvaluateIsolated(ctx, "document.title", nil) // it may just have died
				f.Origin(ctx)
			}
		}
	})
	wg.Go(func() {
		for ctx.Err() == nil {
			p.Mouse().Click(ctx, 100, 100, nil)
			p.Screenshot(ctx, &browser.ScreenshotOptions{Scale: 0.25})
		}
	})
	wg.Wait()
	if n := eval[int](t, p, "window.enough = true, window.rounds"); n < 5 {
		t.Errorf("only %d rounds: the page was held up", n)
	}
	eventually(t, "all frames and sessions but the page's own to end", func() bool { return len(p.Frames()) == 1 && len(p.Sessions()) == 1 })
	if got := eval[int](t, p, "1"); got != 1 {
		t.Error("the page is not usable afterwards")
	}
}
