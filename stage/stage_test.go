package stage_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/anthropic"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/stage"
)

// one Chromium serves all tests of the package, each in its own context.
var chromium *browser.Browser

func TestMain(m *testing.M) {
	browsertest.Main(m, &chromium)
}

// patience is for a loaded machine, also for a single call to the browser; nothing here measures time.
const patience = 90 * time.Second

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return cdp.WithTimeout(ctx, patience)
}

// site serves pages that can be changed while a test runs. {{other}} in a page
// is the same server under the name of another site.
type site struct {
	URL string

	mu    sync.Mutex
	pages map[string]string
	held  map[string]chan struct{}
}

func serve(t testing.TB, pages map[string]string) *site {
	t.Helper()
	s := &site{pages: pages}
	var other string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		page, ok := s.pages[r.URL.Path]
		gate := s.held[r.URL.Path]
		s.mu.Unlock()
		if gate != nil {
			select {
			case <-gate:
			case <-r.Context().Done():
			}
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html>" + strings.ReplaceAll(page, "{{other}}", other)))
	}))
	t.Cleanup(srv.Close)
	s.URL = srv.URL
	other = strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	return s
}

func (s *site) set(path, page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = page
}

// hold keeps a page back until the channel is closed.
func (s *site) hold(path string, until chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = map[string]chan struct{}{path: until}
}

// open opens a page with a probe in it and makes a stage of it.
func open(t testing.TB, url string, m model.Model, opts *stage.Options) *stage.Stage {
	t.Helper()
	ctx := testContext(t)
	c, err := chromium.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	p := probe.New()
	page, err := c.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{p.Script()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := page.Navigate(ctx, url, nil); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	var o stage.Options
	if opts != nil {
		o = *opts
	}
	o.Probe = p
	s, err := stage.New(ctx, page, m, &o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// page opens one page of HTML.
func page(t testing.TB, html string, m model.Model, opts *stage.Options) *stage.Stage {
	t.Helper()
	return open(t, serve(t, map[string]string{"/": html}).URL+"/", m, opts)
}

func eval[T any](t testing.TB, s *stage.Stage, expr string) T {
	t.Helper()
	var v T
	if err := s.Page().Evaluate(testContext(t), expr, &v); err != nil {
		t.Error(err) // and not Fatal: a model may look while it thinks
	}
	return v
}

// scripted is a model that answers from a script, reached through its vendor's
// SDK and the strict stand-in of its API.
type scripted struct {
	*anthropic.Model
	server *modeltest.Server
}

// script answers each call with what the next func makes of the page it is
// shown: a string as it is, anything else as JSON.
func script(t testing.TB, answers ...func(tree string) any) *scripted {
	t.Helper()
	server := modeltest.NewAnthropic(t)
	for _, answer := range answers {
		server.Script(modeltest.Reply{From: func(got modeltest.Received) modeltest.Reply {
			reply := modeltest.Reply{Usage: model.Usage{Input: 100, Output: 10}}
			switch a := answer(told(got)).(type) {
			case string:
				reply.Text = a
			default:
				reply.Text = marshal(t, a)
			}
			return reply
		}})
	}
	m, err := anthropic.New("claude-haiku-5-5", server.Key, &anthropic.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return &scripted{m, server}
}

// told is what a request says about the page.
func told(got modeltest.Received) string {
	return textOf(got.Body["messages"].([]any)[0].(map[string]any)["content"])
}

// textOf joins the blocks of text of a request.
func textOf(blocks any) string {
	var b strings.Builder
	for _, block := range blocks.([]any) {
		text, _ := block.(map[string]any)["text"].(string)
		b.WriteString(text)
	}
	return b.String()
}

// id finds the id of the first line that has the words, such as `button "Save"`.
func id(tree, line string) string {
	m := regexp.MustCompile(`(?m)^(?:[+~] )? *(\d+) ` + regexp.QuoteMeta(line)).FindStringSubmatch(tree)
	if m == nil {
		return "no line " + line
	}
	return m[1]
}

type answer struct {
	Found       bool     `json:"found"`
	ElementID   string   `json:"elementId"`
	Description string   `json:"description"`
	Method      string   `json:"method"`
	Arguments   []string `json:"arguments"`
	TwoStep     bool     `json:"twoStep"`
	Part        int      `json:"part"`
}

// do answers with an action on the line that has the words.
func do(method, line string, args ...string) func(string) any {
	return func(tree string) any {
		a := answer{Found: true, Description: line, Method: method, Arguments: append([]string{}, args...)}
		if line != "" {
			a.ElementID = id(tree, line)
		}
		if method == stage.DragAndDrop {
			a.Arguments = []string{id(tree, args[0])}
		}
		return a
	}
}

// twoStep adds that the choice comes next.
func twoStep(f func(string) any) func(string) any {
	return func(tree string) any {
		a := f(tree).(answer)
		a.TwoStep = true
		return a
	}
}

// say answers with the same text whatever the page is.
func say(text string) func(string) any { return func(string) any { return text } }

func marshal(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}
