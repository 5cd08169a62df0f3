package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/playtest-dev/playtest/browser"
)

// A password goes to the site that it is for and nowhere else: not into the
// page's address, not to other sites that ask.
func TestCredentialsGoToTheirOriginOnly(t *testing.T) {
	var mu sync.Mutex
	seen := map[string][]string{}
	site := func(name string) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			user, password, given := r.BasicAuth()
			mu.Lock()
			seen[name] = append(seen[name], fmt.Sprintf("%s %v %s:%s", r.URL.Path, given, user, password))
			mu.Unlock()
			w.Header().Set("Access-Control-Allow-Origin", "*")
			if !given || password != "s3cr3t" {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<body>welcome")
		}))
	}
	mine, other := site("mine"), site("other")
	defer mine.Close()
	defer other.Close()
	clean, c := browser.CredentialsOf(strings.Replace(mine.URL, "http://", "http://alice:s3cr3t@", 1) + "/game")
	if clean != mine.URL+"/game" || c == nil || c.Origin != mine.URL {
		t.Fatalf("got %s, %+v", clean, c)
	}
	ctx := testContext(t)
	bc, err := chromium.NewContext(browser.WithCredentials(ctx, c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer bc.Close(ctx)
	p, err := bc.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := p.Navigate(ctx, clean, nil); err != nil || resp.Status != 200 {
		t.Fatalf("got %+v, %v", resp, err)
	}
	eval[any](t, p, `Promise.all([fetch('/relative'), fetch('`+other.URL+`/other').catch(() => {})]).then(() => 1)`)
	eval[any](t, p, `new Promise((done) => { const i = new Image(); i.onload = i.onerror = () => done(1); i.src = '`+other.URL+`/picture' })`)
	if got := eval[string](t, p, "location.href + document.URL"); strings.Contains(got, "s3cr3t") {
		t.Errorf("the page sees %s", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(seen["mine"], "\n"); !strings.Contains(got, "/game true alice:s3cr3t") || !strings.Contains(got, "/relative true alice:s3cr3t") {
		t.Errorf("the site saw\n%s", got)
	}
	if got := strings.Join(seen["other"], "\n"); got == "" || strings.Contains(got, "true") {
		t.Errorf("another site saw\n%s", got)
	}
	for _, r := range p.Log().Requests() {
		if strings.Contains(fmt.Sprint(r.URL, r.Headers, r.Redirects), "s3cr3t") {
			t.Errorf("the log holds the password: %+v", r)
		}
	}
}

// A password that is refused is not sent again and again.
func TestRefusedCredentialsAreSentOnce(t *testing.T) {
	var mu sync.Mutex
	times := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		times++
		mu.Unlock()
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, "no")
	}))
	defer srv.Close()
	p := newPage(t, chromium, &browser.ContextOptions{Credentials: &browser.Credentials{Origin: srv.URL, Username: "a", Password: "b"}}, nil)
	resp, err := p.Navigate(testContext(t), srv.URL, nil)
	if err != nil || resp.Status != http.StatusUnauthorized {
		t.Errorf("got %+v, %v", resp, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if times > 4 { // the favicon asks, too
		t.Errorf("asked %d times", times)
	}
}
