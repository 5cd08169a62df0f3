package stage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"playtest/browser"
	"playtest/browser/browsertest"
	"playtest/browser/probe"
	"playtest/model"
	"playtest/model/modeltest"
	"playtest/stage"
)

// one Chromium serves all tests of the package, each in its own context.
var chromium *browser.Browser

func TestMain(m *testing.M) {
	browsertest.Main(m, &chromium)
}

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// site serves pages that can be changed while a test runs. {{other}} in a page
// is the same server under the name of another site.
type site struct {
	URL string

	mu    sync.Mutex
	pages map[string]string
}

func serve(t testing.TB, pages map[string]string) *site {
	t.Helper()
	s := &site{pages: pages}
	var other string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		page, ok := s.pages[r.URL.Path]
		s.mu.Unlock()
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
		t.Fatal(err)
	}
	return v
}

// script is a model that answers each call with what the next func makes of
// the page it is shown.
func script(t testing.TB, answers ...func(tree string) any) *modeltest.Fake {
	t.Helper()
	return modeltest.NewFake("test/script", nil, func(_ context.Context, n int, req *model.Request) (*model.Response, error) {
		if n > len(answers) {
			return nil, fmt.Errorf("call %d was not expected: %s", n, req.Messages[0].Text())
		}
		switch a := answers[n-1](req.Messages[0].Text()).(type) {
		case string:
			return modeltest.Say(a, model.Usage{Input: 100, Output: 10}), nil
		default:
			data, err := json.Marshal(a)
			if err != nil {
				return nil, err
			}
			return modeltest.Say(string(data), model.Usage{Input: 100, Output: 10}), nil
		}
	})
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
