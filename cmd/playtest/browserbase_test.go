package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"github.com/playtest-dev/playtest/internal/browserbasetest"
	"github.com/playtest-dev/playtest/record"
)

func TestRunAtBrowserbase(t *testing.T) {
	s := browserbasetest.New(t, browserbasetest.Chromium(t))
	t.Setenv("BROWSERBASE_API_KEY", browserbasetest.Key)
	t.Setenv("BROWSERBASE_PROJECT_ID", browserbasetest.Project)
	t.Setenv("BROWSERBASE_BASE_URL", s.URL)
	var dies atomic.Bool
	game := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if dies.Load() { // its browser is gone before it is judged
			s.HangUp()
		}
		http.NotFound(w, r)
	}))
	defer game.Close()
	run := func() (record.Report, string, int) {
		var stdout, stderr bytes.Buffer
		code := execute([]string{"run", game.URL, "--browser", "browserbase?region=eu-central-1", "--no-memory", "--out", filepath.Join(t.TempDir(), "out")}, nil, &stdout, &stderr)
		var rep record.Report
		if stdout.Len() > 0 {
			if err := json.Unmarshal(stdout.Bytes(), &rep); err != nil {
				t.Fatal(err)
			}
		}
		return rep, stderr.String(), code
	}
	rep, said, code := run()
	if code != codeFail || rep.Status != record.Fail {
		t.Errorf("exits with %d\n%s", code, said)
	}
	if !strings.HasPrefix(rep.Metadata.Environment.Session, "https://www.browserbase.com/sessions/") {
		t.Errorf("the report does not say where the session is: %+v", rep.Metadata.Environment)
	}
	dies.Store(true)
	if rep, said, code = run(); code != codeUnjudged {
		t.Errorf("a session that dies midway exits with %d (%s)\n%s", code, rep.Summary, said)
	}
	if made, open := s.Sessions(); made != 2 || open != 0 {
		t.Errorf("%d sessions were made and %d are open", made, open)
	}
	if strings.Contains(said, browserbasetest.Key) {
		t.Error("the key is printed")
	}
}

func TestBrowserbaseIsCheckedEarly(t *testing.T) {
	t.Setenv("BROWSERBASE_API_KEY", "")
	s := browserbasetest.New(t, "")
	t.Setenv("BROWSERBASE_BASE_URL", s.URL)
	for choice, want := range map[string]string{
		"browserbase":             "BROWSERBASE_API_KEY",
		"browserbase?region=moon": "moon",
		"browserbase?timeout=5":   "timeout",
		"browserbase?speed=9":     "speed",
		"browserbase?proxies=oui": "proxies",
		"browserbase?region=%zz":  "cannot be read",
	} {
		key := browserbasetest.Key
		if choice == "browserbase" {
			key = ""
		}
		t.Setenv("BROWSERBASE_API_KEY", key)
		var stderr bytes.Buffer
		code := execute([]string{"run", "http://127.0.0.1:9/", "--browser", choice, "--no-memory", "--out", filepath.Join(t.TempDir(), "out")}, nil, &bytes.Buffer{}, &stderr)
		if code == codePass || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s exits with %d\n%s", choice, code, stderr.String())
		}
	}
	if n := s.Requests(); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

// A remote browser that wants a token gets it with the handshake.
func TestBrowserHeaders(t *testing.T) {
	var sent atomic.Pointer[http.Header]
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Store(new(r.Header.Clone()))
		if c, err := websocket.Accept(w, r, nil); err == nil {
			c.CloseNow()
		}
	}))
	defer remote.Close()
	address := "ws" + strings.TrimPrefix(remote.URL, "http") + "/devtools?token=hidden"
	run := func() (string, int) {
		var stderr bytes.Buffer
		code := execute([]string{"run", "http://127.0.0.1:9/", "--browser", address, "--no-memory", "--out", filepath.Join(t.TempDir(), "out")}, nil, &bytes.Buffer{}, &stderr)
		return stderr.String(), code
	}
	t.Setenv("PLAYTEST_BROWSER_HEADERS", "Authorization: Bearer abc\nX-Project: games\n")
	said, code := run()
	if got := *sent.Load(); code != codeUnjudged || got.Get("Authorization") != "Bearer abc" || got.Get("X-Project") != "games" {
		t.Errorf("exits with %d, sent %v\n%s", code, got, said)
	}
	if strings.Contains(said, "hidden") || strings.Contains(said, "abc") {
		t.Errorf("a secret is printed:\n%s", said)
	}
	t.Setenv("PLAYTEST_BROWSER_HEADERS", "nonsense")
	if said, code = run(); code == codePass || !strings.Contains(said, "no header") {
		t.Errorf("exits with %d\n%s", code, said)
	}
}
