package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

func TestConsoleAndExceptions(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": `<script>
console.log('plain', 1, true, null, undefined, NaN);
console.info('%s has %d points %c!', 'Ada', 7, 'color:red', 'extra');
console.warn({a: 1, b: 'two', c: [1]}, [1, 2], new Map([[1, 2]]), () => 1);
console.error(new TypeError('logged'));
console.log('lone \ud83d and pair \ud83d\ude00');
Promise.reject(new Error('rejected'));
setTimeout(() => { throw new RangeError('thrown') });
setTimeout(() => { throw 'just text' });
</script>`})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	eventually(t, "all of it", func() bool { return len(p.Log().Console()) == 5 && len(p.Log().Exceptions()) == 3 })
	want := []struct{ level, text string }{
		{"log", "plain 1 true null undefined NaN"},
		{"info", "Ada has 7 points ! extra"},
		{"warning", `{a: 1, b: "two", c: Array(1)} [1, 2]`},
		{"error", "TypeError: logged"},
		{"log", "lone \uFFFD and pair 😀"},
	}
	for i, e := range p.Log().Console() {
		if e.Level != want[i].level || !strings.HasPrefix(e.Text, want[i].text) {
			t.Errorf("console %d is %s %q, want %s %q", i, e.Level, e.Text, want[i].level, want[i].text)
		}
		if e.FrameID != p.MainFrame().ID() || e.URL != srv.URL+"/" || e.Line != i+2 || time.Since(e.Time) > patience {
			t.Errorf("console %d comes from %s:%d frame %s at %v", i, e.URL, e.Line, e.FrameID, e.Time)
		}
	}
	texts := map[string]browser.Exception{}
	for _, e := range p.Log().Exceptions() {
		texts[e.Text] = e
	}
	if e, ok := texts["Uncaught (in promise) Error: rejected"]; !ok || !e.Rejection {
		t.Errorf("rejection missing in %v", texts)
	}
	if e, ok := texts["Uncaught RangeError: thrown"]; !ok || e.Rejection || e.Stack == "" || e.Line != 8 {
		t.Errorf("exception %+v of %v", e, texts)
	}
	if _, ok := texts["Uncaught just text"]; !ok {
		t.Errorf("thrown text missing in %v", texts)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<script src="/ok.js"></script><script src="/missing.js"></script>
				<img src="http://127.0.0.1:1/blocked.png"><script>fetch('/slow'); new EventSource('/stream'); fetch('/moved')</script>`)
		case "/ok.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, "1")
		case "/moved":
			http.Redirect(w, r, "/ok.js", http.StatusFound)
		case "/slow":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		case "/stream":
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	find := func(path string) *browser.Request {
		for _, r := range p.Log().Requests() {
			if r.URL == srv.URL+path || r.URL == path || len(r.Redirects) > 0 && r.Redirects[0] == srv.URL+path {
				return &r
			}
		}
		return nil
	}
	eventually(t, "only the slow request to be under way", func() bool { return p.Log().InFlight() == 1 && find("/stream") != nil })
	if r := find("/ok.js"); r == nil || r.Status != 200 || r.Type != "Script" || r.MIMEType != "text/javascript" || r.End.Before(r.Start) {
		t.Errorf("script %+v", r)
	}
	if r := find("/missing.js"); r == nil || r.Status != 404 {
		t.Errorf("missing script %+v", r)
	}
	if r := find("http://127.0.0.1:1/blocked.png"); r == nil || r.Failed != "net::ERR_UNSAFE_PORT" {
		t.Errorf("blocked picture %+v", r)
	}
	if r := find("/moved"); r == nil || r.URL != srv.URL+"/ok.js" || r.Status != 200 {
		t.Errorf("redirected %+v", r)
	}
	if r := find("/slow"); r == nil || !r.End.IsZero() {
		t.Errorf("slow request %+v", r)
	}
	eventually(t, "Chromium's own notes", func() bool { return len(p.Log().Entries()) > 0 })
	before := p.Log().LastNetworkActivity()
	close(release)
	eventually(t, "nothing under way", func() bool { return p.Log().InFlight() == 0 })
	if !p.Log().LastNetworkActivity().After(before) {
		t.Error("the end of a request is no activity")
	}
}

// A document that is left takes its requests with it.
func TestLeavingLandsRequests(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/frame", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<script>fetch('/hang?frame')</script>`)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<script>fetch('/hang?main')</script><iframe src="%s/frame"></iframe>`, cross(srv))
	})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	eventually(t, "two requests under way", func() bool { return p.Log().InFlight() == 2 })
	open(t, p, "about:blank")
	eventually(t, "none", func() bool { return p.Log().InFlight() == 0 })
}

// A worker of the page's own text that is ended at once leaves nothing under way.
func TestWorkersThatEndAtOnce(t *testing.T) {
	t.Parallel()
	srv := serve(t, map[string]string{"/": `<script>
		const blob = new Blob(['postMessage(1)'], {type: 'text/javascript'});
		for (const url of [URL.createObjectURL(blob), 'data:text/javascript,postMessage(1)']) {
			const worker = new Worker(url);
			worker.terminate();
			URL.revokeObjectURL(url);
		}
	</script>`})
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL)
	asked := func() (n int) {
		for _, r := range p.Log().Requests() {
			if strings.HasPrefix(r.URL, "blob:") || strings.HasPrefix(r.URL, "data:") {
				n++
			}
		}
		return n
	}
	eventually(t, "both to be asked for, and none under way", func() bool { return asked() == 2 && p.Log().InFlight() == 0 })
}
