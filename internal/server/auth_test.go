package server_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/server"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// every calls do for each route that needs a caller, with an address that leads to a
// run, and to a webhook, of the project red.
func every(t *testing.T, r *room, do func(t *testing.T, rt server.RouteInfo, path string)) {
	t.Helper()
	run := r.submit(t, "red", "http://games.example/")
	r.play(t, record.Pass, 90)
	hook, _, err := r.db.Project("red").AddWebhook(t.Context(), "https://hooks.example/")
	if err != nil {
		t.Fatal(err)
	}
	for _, rt := range r.door.Routes() {
		if rt.Scope == "" {
			continue // see TestWhatIsThereForEverybody
		}
		path := strings.ReplaceAll(rt.Path, "{name...}", "console.log")
		id := run
		if strings.Contains(path, "webhooks") {
			id = hook.ID
		}
		path = strings.ReplaceAll(path, "{id}", id)
		switch rt.Path {
		case "/api/compare":
			path += "?a=" + run + "&b=" + run
		case "/api/games/history":
			path += "?url=" + url.QueryEscape("http://games.example/")
		}
		t.Run(rt.Method+" "+rt.Path, func(t *testing.T) { do(t, rt, path) })
	}
}

const someBody = `{"url":"http://other.example/"}`

func bodyFor(method string) string {
	if method == http.MethodPost {
		return someBody
	}
	return ""
}

func TestNoRouteAnswersWithoutAToken(t *testing.T) {
	r := closed(t)
	every(t, r, func(t *testing.T, rt server.RouteInfo, path string) {
		for name, headers := range map[string][]string{
			"nothing":            nil,
			"a token like one":   {"Authorization", "Bearer pt_000000000000_" + strings.Repeat("A", 43)},
			"another scheme":     {"Authorization", "Basic cGxheXRlc3Q6eA=="},
			"an empty bearer":    {"Authorization", "Bearer "},
			"a forged session":   {"Cookie", "playtest_session=" + strings.Repeat("A", 43)},
			"an empty session":   {"Cookie", "playtest_session="},
			"a proxy's word":     {"X-Forwarded-For", "127.0.0.1", "X-Real-Ip", "127.0.0.1"},
			"the name localhost": {"Host", "localhost"},
		} {
			a := r.ask(t, rt.Method, path, bodyFor(rt.Method), headers...)
			if a.StatusCode != http.StatusUnauthorized || a.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s: %d %s %s", name, a.StatusCode, a.Header.Get("Content-Type"), a.body)
			}
		}
	})
}

func TestNoRouteAnswersForAnotherProject(t *testing.T) {
	r := closed(t)
	blue := r.token(t, "blue", store.ScopeAdmin)
	every(t, r, func(t *testing.T, rt server.RouteInfo, path string) {
		if rt.Path == "/api/openapi.json" {
			return // the same for everybody
		}
		if rt.Lasting && !strings.Contains(rt.Path, "{id}") {
			return // the list of one's own: see TestLiveListIsOfAProject
		}
		a := r.ask(t, rt.Method, path, bodyFor(rt.Method), "Authorization", "Bearer "+blue)
		if strings.Contains(string(a.body), "games.example") || strings.Contains(string(a.body), "hooks.example") {
			t.Errorf("it tells of another project: %s", a.body)
		}
		if named := strings.Contains(rt.Path, "{id}") || strings.Contains(path, "?"); named && a.StatusCode != http.StatusNotFound {
			t.Errorf("another project's id gets %d %s", a.StatusCode, a.body)
		}
	})
}

// What another project has and what nobody has cannot be told apart.
func TestAnotherProjectsIdsLookUnknown(t *testing.T) {
	r := closed(t)
	blue := r.token(t, "blue", store.ScopeAdmin)
	theirs := r.submit(t, "red", "http://games.example/")
	for _, path := range []string{"", "/report", "/record", "/events", "/evidence", "/evidence/console.log", "/picture", "/stream"} {
		a := r.ask(t, "GET", "/api/runs/"+theirs+path, "", "Authorization", "Bearer "+blue)
		b := r.ask(t, "GET", "/api/runs/20260101-000000-0000000000000000"+path, "", "Authorization", "Bearer "+blue)
		if a.StatusCode != b.StatusCode || string(a.body) != string(b.body) {
			t.Errorf("%s: %d %s, and of nobody's %d %s", path, a.StatusCode, a.body, b.StatusCode, b.body)
		}
	}
}

// Nor by how long the answer takes: of many pairs of requests, whose project has the run
// and nobody's, either is the slower one about as often.
func TestAnotherProjectsIdsTakeAsLong(t *testing.T) {
	r := closed(t)
	bearer := []string{"Authorization", "Bearer " + r.token(t, "blue", store.ScopeAdmin)}
	r.submit(t, "red", "http://games.example/")
	theirs := r.play(t, record.Pass, 90).ID
	nobodys := "20260101-000000-0000000000000000"
	took := func(id, path string) time.Duration {
		began := time.Now()
		if code, body := answered(t, r.door, "/api/runs/"+id+path, bearer...); code != http.StatusNotFound {
			t.Fatalf("%s%s: %d %s", id, path, code, body)
		}
		return time.Since(began)
	}
	for _, path := range []string{"", "/report", "/evidence/console.log"} {
		const pairs = 400
		slower := 0
		for i := range pairs {
			var a, b time.Duration
			if i%2 == 0 {
				a, b = took(theirs, path), took(nobodys, path)
			} else {
				b, a = took(nobodys, path), took(theirs, path)
			}
			if a > b {
				slower++
			}
		}
		// What asks the database once more is slower nearly always.
		if slower < pairs/4 || slower > pairs*3/4 {
			t.Errorf("%q of another project is slower %d times of %d", path, slower, pairs)
		}
	}
}

func TestScopes(t *testing.T) {
	r := closed(t)
	tokens := map[store.Scope]string{}
	for _, s := range store.Scopes {
		tokens[s] = r.token(t, "red", s)
	}
	every(t, r, func(t *testing.T, rt server.RouteInfo, path string) {
		for has, token := range tokens {
			if has == rt.Scope || has == store.ScopeAdmin {
				continue
			}
			a := r.ask(t, rt.Method, path, bodyFor(rt.Method), "Authorization", "Bearer "+token)
			if a.StatusCode != http.StatusForbidden {
				t.Errorf("with the scope %s: %d %s", has, a.StatusCode, a.body)
			}
		}
	})
}

// What is there for everybody is this, and it tells nothing of anybody.
func TestWhatIsThereForEverybody(t *testing.T) {
	r := closed(t)
	var public []string
	for _, rt := range r.door.Routes() {
		if rt.Scope == "" {
			public = append(public, strings.TrimSpace(rt.Method+" "+rt.Path))
		}
	}
	slices.Sort(public)
	if want := []string{"/", "/api/", "GET /api/health", "GET /api/ready", "GET /assets/{name...}", "GET /login", "POST /login", "POST /logout"}; !slices.Equal(public, want) {
		t.Errorf("there for everybody are %q, not %q", public, want)
	}
	run := r.submit(t, "red", "http://games.example/")
	for path, want := range map[string]int{
		"/api/health": 200, "/api/ready": 200, "/login": 200, "/assets/app.css": 200, "/assets/app.js": 200,
		"/": 303, "/runs/" + run: 303, "/api/": 404, "/api/nothing": 404, "/assets/../server.go": 307, "/assets/index.html": 404, "/assets/none.js": 404,
	} {
		a := r.ask(t, "GET", path, "")
		if a.StatusCode != want || strings.Contains(string(a.body), "games.example") {
			t.Errorf("%s: %d, not %d: %.200s", path, a.StatusCode, want, a.body)
		}
		if a.StatusCode == 303 && a.Header.Get("Location") != "/login" {
			t.Errorf("%s leads to %s", path, a.Header.Get("Location"))
		}
	}
}

func TestPeopleLogInWithATokenAndOut(t *testing.T) {
	r := closed(t)
	token := r.token(t, "red", store.ScopeRead)
	post := func(path, form, cookie string) answer {
		return r.ask(t, "POST", path, form, "Content-Type", "application/x-www-form-urlencoded", "Cookie", cookie)
	}
	if a := post("/login", "token=pt_wrong", ""); a.StatusCode != 303 || a.Header.Get("Location") != "/login?wrong=1" || a.Header.Get("Set-Cookie") != "" {
		t.Fatalf("a wrong token: %d %v", a.StatusCode, a.Header)
	}
	a := post("/login", url.Values{"token": {token}}.Encode(), "")
	cookies := a.Cookies()
	if a.StatusCode != 303 || len(cookies) != 1 {
		t.Fatalf("log in: %d %s", a.StatusCode, a.body)
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" {
		t.Errorf("the cookie is %+v", c)
	}
	cookie := c.Name + "=" + c.Value
	if a := r.ask(t, "GET", "/api/runs", "", "Cookie", cookie); a.StatusCode != 200 {
		t.Fatalf("with a session: %d %s", a.StatusCode, a.body)
	}
	if a := post("/logout", "", cookie); a.StatusCode != 303 {
		t.Fatalf("log out: %d", a.StatusCode)
	}
	if a := r.ask(t, "GET", "/api/runs", "", "Cookie", cookie); a.StatusCode != 401 {
		t.Errorf("the session goes on: %d", a.StatusCode)
	}
}

func TestTheDoorIsClosedToOtherSites(t *testing.T) {
	r := local(t)
	for name, tt := range map[string]struct {
		method, path string
		headers      []string
		want         int
	}{
		"our own page":                       {"POST", "/api/runs", []string{"Origin", "http://" + r.Listener.Addr().String(), "Sec-Fetch-Site", "same-origin"}, 202},
		"a program":                          {"POST", "/api/runs", nil, 202},
		"another site's form":                {"POST", "/api/runs", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403},
		"another site in an old browser":     {"POST", "/api/runs", []string{"Origin", "https://evil.example"}, 403},
		"a name that leads here":             {"GET", "/api/runs", []string{"Host", "evil.example"}, 421},
		"an address of the network":          {"GET", "/api/runs", []string{"Host", "192.168.0.7:7788"}, 421},
		"localhost":                          {"GET", "/api/runs", []string{"Host", "localhost:9"}, 200},
		"a loopback address of version 6":    {"GET", "/api/runs", []string{"Host", "[::1]:9"}, 200},
		"a wrong token where none is needed": {"GET", "/api/runs", []string{"Authorization", "Bearer pt_x_y"}, 401},
		"a token in the address":             {"GET", "/api/runs?search=pt_000000000000_x", nil, 400},
		"a parameter called token":           {"GET", "/api/runs?token=x", nil, 400},
	} {
		body := ""
		if tt.method == "POST" {
			body = someBody
		}
		if a := r.ask(t, tt.method, tt.path, body, tt.headers...); a.StatusCode != tt.want {
			t.Errorf("%s: %d, not %d: %s", name, a.StatusCode, tt.want, a.body)
		}
	}
}

func TestEveryAnswerIsHardened(t *testing.T) {
	r := local(t)
	for _, path := range []string{"/", "/login", "/assets/app.js", "/api/runs", "/api/nothing"} {
		h := r.ask(t, "GET", path, "").Header
		if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Frame-Options") != "DENY" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

func TestWhatWasDoneIsNoted(t *testing.T) {
	r := closed(t)
	admin := r.token(t, "red", store.ScopeAdmin)
	bearer := []string{"Authorization", "Bearer " + admin}
	var got server.Submitted
	r.ask(t, "POST", "/api/runs", someBody, bearer...).decode(t, &got)
	r.ask(t, "POST", "/api/runs/"+got.ID+"/cancel", "", bearer...)
	var log struct{ Notes []store.Audit }
	if err := json.Unmarshal(r.ask(t, "GET", "/api/audit", "", bearer...).body, &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Notes) != 2 || log.Notes[0].Action != "run.cancel" || log.Notes[1].Action != "run.submit" || log.Notes[1].Subject != got.ID || !strings.HasPrefix(log.Notes[0].Actor, "test (token ") {
		t.Errorf("noted %+v", log.Notes)
	}
}
