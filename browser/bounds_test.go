package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
)

// held is what we hold on to after a collection, in bytes.
func held() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A message that is too large used to end the connection, and with it every
// other page of the browser. The page takes 24 MB here; the 570 MB that were
// first seen take 20 s, and the same way (TestEventsThatAreTooLargeAreSkipped).
func TestMessageThatIsTooLargeCostsNobody(t *testing.T) {
	own := launch(t, nil)
	neighbour := newPage(t, own, nil, nil)
	srv := serve(t, map[string]string{"/": "x"})
	p := newPage(t, own, nil, nil)
	open(t, p, srv.URL)
	eval[any](t, p, `void setTimeout(() => { console.log('\u0001'.repeat(4e6)); window.logged = true }, 10)`)
	eventually(t, "the page to have logged", func() bool {
		var logged bool
		return p.Evaluate(testContext(t), "window.logged === true", &logged) == nil && logged
	})
	if got := eval[int](t, neighbour, "1+1"); got != 2 {
		t.Error("the neighbour is gone")
	}
	eval[any](t, p, "console.log('still there')")
	eventually(t, "the page's next line", func() bool {
		lines := p.Log().Console()
		return len(lines) > 0 && lines[len(lines)-1].Text == "still there"
	})
	if err := own.Err(); err != nil {
		t.Error(err)
	}
}

// Names of headers, methods and files are the page's to choose, too.
func TestNamesOfAPageAreBounded(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Headers", "*")
		fmt.Fprint(w, "x")
	}))
	defer srv.Close()
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	before := held()
	eval[any](t, p, `void (async () => {
		const long = 'x'.repeat(3e5);
		for (let i = 0; i < 100; i++) {
			const headers = {[i + long]: 'v'};
			for (let k = 0; k < 300; k++) headers['h' + k] = 'y'.repeat(500);
			await fetch('/', {headers, method: 'M' + 'x'.repeat(1e5)}).catch(() => {});
		}
	})()`)
	eventually(t, "the requests", func() bool { return p.Log().Counts().Requests >= 100 })
	requests := p.Log().Requests()
	for _, r := range requests {
		size := len(r.Method) + len(r.Type) + len(r.MIMEType)
		for name, value := range r.Headers {
			size += len(name) + len(value)
		}
		if size > 16<<10 || len(r.Headers) > 64 {
			t.Fatalf("request keeps %d bytes in %d headers", size, len(r.Headers))
		}
	}
	if grown := int64(held()) - int64(before); grown > 10<<20 {
		t.Errorf("%d MB kept of 100 requests", grown>>20)
	}
	runtime.KeepAlive(requests)
}

// The stack of an error is cut from the same text as its message, which may be
// megabytes long.
func TestErrorsOfAPageAreBounded(t *testing.T) {
	srv := serve(t, map[string]string{"/": "x"})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	before := held()
	eval[any](t, p, `void (() => { for (let i = 0; i < 60; i++) setTimeout(() => { throw new Error('e'.repeat(4e5)) }) })()`)
	eventually(t, "the errors", func() bool { return p.Log().Counts().Exceptions >= 60 })
	errors := p.Log().Exceptions()
	if e := errors[0]; e.Stack == "" || len(e.Text) > 16<<10 {
		t.Errorf("%d bytes of text, stack %q", len(e.Text), e.Stack)
	}
	if grown := int64(held()) - int64(before); grown > 4<<20 {
		t.Errorf("%d MB kept of 60 errors", grown>>20)
	}
	runtime.KeepAlive(errors)
}

func TestTargetsOfAPageAreBounded(t *testing.T) {
	srv := serve(t, map[string]string{"/": "<body>x"})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	eval[any](t, p, `(() => {
		const f = document.createElement('iframe');
		f.name = 'n'.repeat(1e6);
		document.body.append(f);
		history.replaceState(null, '', '/?' + 'q'.repeat(1e6));
	})()`)
	eventually(t, "the frame", func() bool { return len(p.Frames()) == 2 })
	for _, f := range p.Frames() {
		if len(f.Name()) > 1<<10 || len(f.URL()) > 64<<10 {
			t.Errorf("frame with %d bytes of name and %d of address", len(f.Name()), len(f.URL()))
		}
	}
	// The names of targets come from the page, too.
	eval[any](t, p, `void new Worker(URL.createObjectURL(new Blob(['setInterval(() => {}, 1000)'])), {name: 'w'.repeat(1e6)})`)
	eventually(t, "the worker", func() bool { return len(p.Sessions()) == 2 })
	for _, s := range p.Sessions() {
		if len(s.URL) > 64<<10 {
			t.Errorf("session with an address of %d bytes", len(s.URL))
		}
	}
}
