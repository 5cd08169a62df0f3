package browser_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// trouble serves what can go wrong with an address.
func trouble(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, body)
		}
	}
	mux.HandleFunc("/ok", page("<title>ok</title>fine"))
	mux.HandleFunc("/empty", page(""))
	mux.HandleFunc("/missing", http.NotFound)
	mux.HandleFunc("/bare404", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) })
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oh no", 500) })
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/loop?"+r.URL.RawQuery+"x", http.StatusFound)
	})
	mux.HandleFunc("/twice", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/once", http.StatusFound) })
	mux.HandleFunc("/once", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusMovedPermanently) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=game.zip")
		fmt.Fprint(w, strings.Repeat("zip", 1000))
	})
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/unfinished", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, strings.Repeat("<p>the beginning</p>", 200))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/hangup", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv
}

func TestNavigate(t *testing.T) {
	t.Parallel()
	srv := trouble(t)
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	t.Cleanup(tls.Close)
	closed := closedPort(t)

	p := newPage(t, chromium, nil, nil)
	tests := []struct {
		name, url string
		status    int
		kind      string // of the error, "" for none
	}{
		{"fine", srv.URL + "/ok", 200, ""},
		{"empty page", srv.URL + "/empty", 200, ""},
		{"404", srv.URL + "/missing", 404, ""},
		{"404 without a body", srv.URL + "/bare404", 404, ""},
		{"500", srv.URL + "/broken", 500, ""},
		{"204", srv.URL + "/nothing", 0, "aborted"},
		{"redirects", srv.URL + "/twice", 200, ""},
		{"redirects in a loop", srv.URL + "/loop", 0, "redirects"},
		{"download", srv.URL + "/file", 0, "download"},
		{"no such host", "http://no-such-host.invalid/", 0, "dns"},
		{"nobody listens", "http://" + closed + "/", 0, "connection"},
		{"hangs up", srv.URL + "/hangup", 0, "connection"},
		{"unsafe port", "http://127.0.0.1:1/", 0, "blocked"},
		{"bad certificate", tls.URL, 0, "tls"},
		{"no answer", srv.URL + "/silent", 0, "timeout"},
		{"never finished", srv.URL + "/unfinished", 200, ""},
		{"no address", "not an address", 0, "url"},
		{"unknown scheme", "game://play", 0, "*"},
		{"data", "data:text/html,<p>hi", 200, ""},
		{"blank", "about:blank", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, err := p.Navigate(testContext(t), tt.url, &browser.NavigateOptions{Timeout: timeoutFor(tt.kind)})
			if tt.kind != "" {
				var nav *browser.NavigationError
				if !errors.As(err, &nav) {
					t.Fatalf("got %+v, %v, want a NavigationError", res, err)
				}
				if tt.kind != "*" && nav.Kind != tt.kind {
					t.Errorf("kind %q (%s), want %q", nav.Kind, nav.Reason, tt.kind)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if tt.status != 0 && res.Status != tt.status {
				t.Errorf("status %d, want %d", res.Status, tt.status)
			}
		})
	}
	// The same page is as good as new afterwards.
	res := open(t, p, srv.URL+"/twice")
	if want := []string{srv.URL + "/twice", srv.URL + "/once"}; !slices.Equal(res.Redirects, want) || res.URL != srv.URL+"/ok" {
		t.Errorf("redirects %q to %s, want %q", res.Redirects, res.URL, want)
	}
	if got := eval[string](t, p, "document.title"); got != "ok" {
		t.Errorf("title %q", got)
	}
	eventually(t, "the refused download in the log", func() bool { return len(p.Log().Downloads()) == 1 })
	if d := p.Log().Downloads()[0]; d.Filename != "game.zip" || d.URL != srv.URL+"/file" {
		t.Errorf("download %+v", d)
	}
}

func timeoutFor(kind string) time.Duration {
	if kind == "timeout" {
		return time.Second
	}
	return 0
}

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestNavigateWithinTheDocument(t *testing.T) {
	t.Parallel()
	srv := trouble(t)
	p := newPage(t, chromium, nil, nil)
	open(t, p, srv.URL+"/ok")
	eval[any](t, p, "window.kept = 1")
	res, err := p.Navigate(testContext(t), srv.URL+"/ok#there", nil)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new address", func() bool { return p.URL() == srv.URL+"/ok#there" })
	if got := eval[int](t, p, "window.kept"); got != 1 || res == nil {
		t.Error("the document was replaced")
	}
	eval[any](t, p, "history.pushState({}, '', '/pushed')")
	eventually(t, "the pushed address", func() bool { return strings.HasSuffix(p.URL(), "/pushed") })
	navs := p.Log().Navigations()
	if last := navs[len(navs)-1]; !last.SameDocument || !strings.HasSuffix(last.URL, "/pushed") {
		t.Errorf("last navigation %+v", last)
	}
}

func TestCancelledNavigationLeavesThePageUsable(t *testing.T) {
	t.Parallel()
	srv := trouble(t)
	p := newPage(t, chromium, nil, nil)
	ctx, cancel := context.WithCancel(testContext(t))
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err := p.Navigate(ctx, srv.URL+"/silent", nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	open(t, p, srv.URL+"/ok")
}

func TestUnfinishedPageCanBeUsed(t *testing.T) {
	t.Parallel()
	srv := trouble(t)
	p := newPage(t, chromium, nil, nil)
	if _, err := p.Navigate(testContext(t), srv.URL+"/unfinished", nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first part", func() bool { return eval[int](t, p, "document.querySelectorAll('p').length") > 100 })
	if _, err := p.Screenshot(testContext(t), nil); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := p.WaitLoad(ctx, browser.Complete); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for the end of what never ends: %v", err)
	}
	if n := p.Log().InFlight(); n != 1 {
		t.Errorf("%d requests under way, want the document", n)
	}
}
