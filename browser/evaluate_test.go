package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/cdp"
)

func TestEvaluateValues(t *testing.T) {
	t.Parallel()
	p := newPage(t, chromium, nil, nil)
	tests := []struct {
		expr string
		want any
	}{
		{"1 + 1", 2.0},
		{"'lone \\ud800'", "lone \uFFFD"},
		{"null", nil},
		{"undefined", nil},
		{"[1, 'a', {b: true}]", []any{1.0, "a", map[string]any{"b": true}}},
		{"Promise.resolve(7)", 7.0},
		{"(async () => { await null; return 'late' })()", "late"},
		{"Infinity", math.Inf(1)},
		{"12345678901n", 12345678901.0},
		{"'x'.repeat(1 << 20).length", float64(1 << 20)},
	}
	for _, tt := range tests {
		if got := eval[any](t, p, tt.expr); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s = %#v, want %#v", tt.expr, got, tt.want)
		}
	}
	if got := eval[float64](t, p, "NaN"); !math.IsNaN(got) {
		t.Errorf("NaN = %v", got)
	}
	var raw json.RawMessage
	if err := p.Evaluate(testContext(t), "({a: 1})", &raw); err != nil || string(raw) != `{"a":1}` {
		t.Errorf("raw value %s, %v", raw, err)
	}
	if err := p.Evaluate(testContext(t), "window", nil); err != nil {
		t.Errorf("a value nobody wants: %v", err)
	}
	var n int
	if err := p.Evaluate(testContext(t), "'text'", &n); err == nil {
		t.Error("text fits into a number")
	}
}

func TestEvaluateErrors(t *testing.T) {
	t.Parallel()
	p := newPage(t, chromium, nil, nil)
	for expr, want := range map[string]string{
		"throw 1":                               "SyntaxError",
		"nothing.there":                         "ReferenceError: nothing is not defined",
		"(() => { throw new Error('mine') })()": "Error: mine",
		"Promise.reject(new TypeError('no'))":   "TypeError: no",
		"(() => { throw 'just text' })()":       "just text",
		"(() => { throw {code: 5} })()":         "",
		"1 +":                                   "SyntaxError",
	} {
		var thrown *browser.EvalError
		if err := p.Evaluate(testContext(t), expr, nil); !errors.As(err, &thrown) || !strings.Contains(thrown.Text, want) {
			if expr != "throw 1" {
				t.Errorf("%s: %v, want %q", expr, err, want)
			}
		}
	}
	ctx := cdp.WithTimeout(testContext(t), 50*time.Millisecond)
	if err := p.Evaluate(ctx, "new Promise(() => {})", nil); !errors.Is(err, cdp.ErrTimeout) {
		t.Errorf("a promise that never settles: %v", err)
	}
	ctx, cancel := context.WithTimeout(testContext(t), 50*time.Millisecond)
	defer cancel()
	if err := p.Evaluate(ctx, "new Promise(() => {})", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that ends: %v", err)
	}
	if got := eval[int](t, p, "3"); got != 3 {
		t.Error("the page is not usable afterwards")
	}
}

// An expression must never run twice, nor in the wrong document.
func TestEvaluateWhileThePageMoves(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": "<script>window.where = 'one'</script>", "/two": "<script>window.where = 'two'</script>"})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	err := p.Evaluate(testContext(t), "location.href = '/two', new Promise(() => {})", nil)
	if !errors.Is(err, browser.ErrNavigated) {
		t.Errorf("cut off by a navigation: %v", err)
	}
	eventually(t, "the second page", func() bool { return strings.HasSuffix(p.URL(), "/two") })
	if got := eval[string](t, p, "window.where"); got != "two" {
		t.Errorf("evaluated in %q", got)
	}
	for i := range 20 {
		path, want := "/", "one"
		if i%2 == 1 {
			path, want = "/two", "two"
		}
		if _, err := p.Navigate(testContext(t), srv.URL+path, nil); err != nil {
			t.Fatal(err)
		}
		// Straight after the commit, before anything has loaded.
		eventually(t, "the script of "+path, func() bool { return eval[string](t, p, "String(window.where)") != "undefined" })
		if got := eval[string](t, p, "window.where"); got != want {
			t.Fatalf("visit %d evaluated in %q", i, got)
		}
	}
}

func TestWaitLoad(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": "hello"})
	p := newPage(t, chromium, nil, nil)
	ctx := testContext(t)
	if _, err := p.Navigate(ctx, srv.URL, nil); err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{browser.Interactive, browser.Complete, browser.NetworkIdle} {
		if err := p.WaitLoad(ctx, state); err != nil {
			t.Error(err)
		}
	}
	if err := p.WaitLoad(ctx, "someday"); err == nil {
		t.Error("an unknown state was waited for")
	}
}

func TestServiceAndSharedWorkers(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{
		"/": `<script>
			navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => window.served = true);
			new SharedWorker('/shared.js').port.onmessage = e => window.shared = e.data;
		</script>`,
		"/sw.js":     `self.addEventListener('activate', () => console.log('service', self.init))`,
		"/shared.js": `onconnect = e => e.ports[0].postMessage('hello')`,
	})
	p := newPage(t, chromium, nil, &browser.PageOptions{InitScripts: []browser.InitScript{{Source: `self.init = 'ready'`, Workers: true}}})
	start := time.Now()
	open(t, p, srv.URL)
	eventually(t, "both workers to run", func() bool { return eval[bool](t, p, "window.served === true && window.shared === 'hello'") })
	if took := time.Since(start); took > 9*time.Second {
		t.Errorf("the workers were held up for %v", took) // until a call gave up
	}
	eventually(t, "a session of the service worker", func() bool {
		for _, s := range p.Sessions() {
			if s.Kind == "service_worker" {
				return true
			}
		}
		return false
	})
	eventually(t, "the service worker's console", func() bool {
		for _, e := range p.Log().Console() {
			if e.Text == "service ready" {
				return true
			}
		}
		return false
	})
}

// What stops a service worker stops nothing of the page, which goes on without it.
func TestErrorsOfAServiceWorker(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{
		"/":      `<script>navigator.serviceWorker.register('/sw.js').catch(() => { window.refused = true; });</script>`,
		"/sw.js": `importScripts('/gone.js')`,
	})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	eventually(t, "the service worker to be refused", func() bool { return eval[bool](t, p, "window.refused === true") })
	eventually(t, "its error among what is told", func() bool {
		for _, e := range p.Log().Console() {
			if e.Level == "error" && strings.Contains(e.Text, "importScripts") {
				return true
			}
		}
		return false
	})
	if all := p.Log().Exceptions(); len(all) > 0 {
		t.Errorf("the page has the errors %v", all)
	}
}
