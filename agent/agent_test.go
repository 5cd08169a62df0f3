package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/stage"
)

// one Chromium serves all tests of the package, each in its own context.
var chromium *browser.Browser

func TestMain(m *testing.M) {
	if os.Getenv("PLAYTEST_TEST_SERVER") != "" { // the test binary is also the MCP server
		if err := wordServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		return
	}
	browsertest.Main(m, &chromium)
}

// patience is for a loaded machine, also for a single call to the browser; nothing here measures time.
const patience = 2 * time.Minute

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return cdp.WithTimeout(ctx, patience)
}

// serve serves pages by path. {{here}} in a page is the server's own address.
func serve(t testing.TB, pages map[string]string) string {
	t.Helper()
	var here string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html>" + strings.ReplaceAll(page, "{{here}}", here)))
	}))
	t.Cleanup(srv.Close)
	here = srv.URL
	return srv.URL
}

// open opens a page with a probe in it.
func open(t testing.TB, url string) (*browser.Page, *probe.Probe) {
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
	return page, p
}

// start makes an agent on a page of HTML.
func start(t testing.TB, html string, m model.Model, opts *agent.Options) *agent.Agent {
	t.Helper()
	return startAt(t, serve(t, map[string]string{"/": html, "/two": "<title>Two</title><h1>Second page</h1>"})+"/", m, opts)
}

func startAt(t testing.TB, url string, m model.Model, opts *agent.Options) *agent.Agent {
	t.Helper()
	page, watch := open(t, url)
	var o agent.Options
	if opts != nil {
		o = *opts
	}
	o.Probe = watch
	a, err := agent.New(testContext(t), page, m, &o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func eval[T any](t testing.TB, a *agent.Agent, expr string) T {
	t.Helper()
	var v T
	if err := a.Page().Evaluate(testContext(t), expr, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// turn answers one request of the agent.
type turn func(req *model.Request) (*model.Response, error)

// actor is a model that plays the agent from a script, turn by turn, and that
// answers act by looking the element up by the words after "click" or "fill".
type actor struct {
	*modeltest.Fake
	mu    sync.Mutex
	turns int
	asked []*model.Request // of the agent, not of its tools
}

// usage is what every answer counts for.
var usage = model.Usage{Input: 100, Output: 10}

func play(t testing.TB, turns ...turn) *actor {
	a := &actor{}
	a.Fake = modeltest.NewFake("test/actor", nil, func(_ context.Context, _ int, req *model.Request) (*model.Response, error) {
		if req.Purpose != "agent" {
			return a.tool(req)
		}
		a.mu.Lock()
		n := a.turns
		a.turns++
		a.asked = append(a.asked, req)
		a.mu.Unlock()
		if n >= len(turns) {
			return nil, &model.Error{Kind: model.ErrBadRequest, Model: "test/actor", Message: fmt.Sprintf("turn %d was not expected", n+1)}
		}
		resp, err := turns[n](req)
		if resp != nil {
			resp.Usage = usage
		}
		return resp, err
	})
	return a
}

var wanted = regexp.MustCompile(`(?m)^Instruction: (click|fill in "([^"]*)" for the field:|fill) *(.*)$`)

// tool answers the calls that act makes.
func (a *actor) tool(req *model.Request) (*model.Response, error) {
	text := req.Messages[0].Text()
	m := wanted.FindStringSubmatch(text)
	if m == nil {
		return nil, &model.Error{Kind: model.ErrBadRequest, Model: "test/actor", Message: "not understood: " + text}
	}
	answer := map[string]any{"found": true, "description": m[3], "method": stage.Click, "arguments": []string{}, "twoStep": false, "part": 0}
	name := m[3]
	if what, value, ok := strings.Cut(m[3], " with "); m[1] == "fill" && ok {
		name = what
		answer["method"], answer["arguments"] = stage.Fill, []string{value}
	}
	id := regexp.MustCompile(`(?m)^ *(\d+) [a-z]+ "` + regexp.QuoteMeta(name) + `"`).FindStringSubmatch(text)
	if id == nil {
		answer = map[string]any{"found": false, "elementId": "", "description": "not there", "method": "", "arguments": []string{}, "twoStep": false, "part": 0}
	} else {
		answer["elementId"] = id[1]
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return modeltest.Say(string(data), usage), nil
}

var callCount atomic.Int64

// call is a turn that calls one tool; args is marshalled unless it is a string.
func call(name string, args any) turn { return calls([]any{name, args}) }

// calls is a turn that calls several: pairs of name and arguments.
func calls(list ...[]any) turn {
	return func(*model.Request) (*model.Response, error) {
		var out []model.ToolCall
		for _, c := range list {
			call := model.ToolCall{ID: fmt.Sprintf("call_%d", callCount.Add(1)), Name: c[0].(string)}
			text, ok := c[1].(string)
			if !ok {
				data, err := json.Marshal(c[1])
				if err != nil {
					return nil, err
				}
				text = string(data)
			}
			call.Arguments, call.Invalid = model.ParseArguments(text)
			out = append(out, call)
		}
		return modeltest.Calls(out...), nil
	}
}

type args = map[string]any

func closing(reasoning string, complete bool) turn {
	return call("close", args{"reasoning": reasoning, "taskComplete": complete})
}

func act(what string) turn { return call("act", args{"action": what}) }

func text(s string) turn {
	return func(*model.Request) (*model.Response, error) { return modeltest.Say(s, usage), nil }
}

// told is what the model was told about its last call before its n-th turn.
func (a *actor) told(t testing.TB, n int) string {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.asked) < n {
		t.Fatalf("there were only %d turns", len(a.asked))
	}
	messages := a.asked[n-1].Messages
	var b strings.Builder
	for _, p := range messages[len(messages)-1].Parts {
		b.WriteString(p.Text)
		if p.ToolResult != nil {
			for _, r := range p.ToolResult.Parts {
				b.WriteString(r.Text)
				if r.Image != nil {
					b.WriteString("[picture]")
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func run(t testing.TB, a *agent.Agent, goal string) *agent.Result {
	t.Helper()
	res, err := a.Run(testContext(t), goal)
	if err != nil {
		t.Fatalf("%v (%+v)", err, res)
	}
	return res
}
