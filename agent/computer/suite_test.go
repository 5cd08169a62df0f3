package computer_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/agent/computer/anthropic"
	"github.com/playtest-dev/playtest/agent/computer/google"
	"github.com/playtest-dev/playtest/agent/computer/openai"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browsertest"
	"github.com/playtest-dev/playtest/browser/cdp"
	"github.com/playtest-dev/playtest/model"
	modelanthropic "github.com/playtest-dev/playtest/model/anthropic"
	modelgoogle "github.com/playtest-dev/playtest/model/google"
	"github.com/playtest-dev/playtest/model/modeltest"
	modelopenai "github.com/playtest-dev/playtest/model/openai"
)

// one Chromium serves all tests of the package, each in its own context.
var chromium *browser.Browser

func TestMain(m *testing.M) {
	browsertest.Main(m, &chromium)
}

// patience is for a loaded machine, also for a single call to the browser; nothing here measures time.
const patience = 4 * time.Minute

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return cdp.WithTimeout(ctx, patience)
}

// vendor is a driver, the adapter and SDK under it, and the stand-in for its
// vendor.
type vendor struct {
	name   string
	server func(testing.TB) *modeltest.Server
	driver func(t testing.TB, s *modeltest.Server, gateway *model.Options) computer.Driver
	// click and press are replies that ask for one thing.
	click func(id string, x, y int) modeltest.Reply
	press func(id, key string) modeltest.Reply
	// space is what the replies' places are measured in, for pictures of that
	// size.
	space func(picture computer.Space) computer.Space
}

func through(t testing.TB, m model.Model, err error, opts *model.Options) *model.Run {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	g, err := model.NewGateway([]model.Model{m}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return g.Run(nil)
}

func must[D computer.Driver](t testing.TB, d D, err error) D {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func anthropicDriver(v anthropic.Version) func(testing.TB, *modeltest.Server, *model.Options) computer.Driver {
	return func(t testing.TB, s *modeltest.Server, gateway *model.Options) computer.Driver {
		name := map[anthropic.Version]string{anthropic.Computer20251124: "claude-sonnet-4-6", anthropic.Computer20250124: "claude-sonnet-4-5"}[v]
		if name == "" {
			name = "claude-sonnet-5-5"
		}
		m, err := modelanthropic.New(name, s.Key, &modelanthropic.Options{BaseURL: s.URL})
		d, err := anthropic.New(through(t, m, err, gateway), &anthropic.Options{Version: v})
		return must(t, d, err)
	}
}

func openaiDriver(v openai.Version) func(testing.TB, *modeltest.Server, *model.Options) computer.Driver {
	return func(t testing.TB, s *modeltest.Server, gateway *model.Options) computer.Driver {
		name := "gpt-6-sol"
		if v == openai.Preview {
			name = "computer-use-preview"
		}
		m, err := modelopenai.New(name, s.Key, &modelopenai.Options{BaseURL: s.URL})
		d, err := openai.New(through(t, m, err, gateway), &openai.Options{Version: v})
		return must(t, d, err)
	}
}

func googleDriver(name string) func(testing.TB, *modeltest.Server, *model.Options) computer.Driver {
	return func(t testing.TB, s *modeltest.Server, gateway *model.Options) computer.Driver {
		m, err := modelgoogle.New(name, s.Key, &modelgoogle.Options{BaseURL: s.URL})
		d, err := google.New(through(t, m, err, gateway), nil)
		return must(t, d, err)
	}
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func call(id, name string, args any) modeltest.Reply {
	return modeltest.Reply{Calls: []modeltest.Call{{ID: id, Name: name, Args: asJSON(args)}}}
}

type object = map[string]any

func same(s computer.Space) computer.Space   { return s }
func thousand(computer.Space) computer.Space { return computer.Thousand }
func single(v anthropic.Version, name string) vendor {
	return vendor{name, modeltest.NewAnthropic, anthropicDriver(v),
		func(id string, x, y int) modeltest.Reply {
			return call(id, "computer", object{"action": "left_click", "coordinate": []int{x, y}})
		},
		func(id, key string) modeltest.Reply {
			return call(id, "computer", object{"action": "key", "text": key})
		}, same}
}

// vendors are every tool version there is.
var vendors = []vendor{
	{"anthropic toolset", modeltest.NewAnthropic, anthropicDriver(anthropic.Toolset20260801),
		func(id string, x, y int) modeltest.Reply {
			return modeltest.Acts(modeltest.Member(id, "left_click", asJSON(object{"coordinate": []int{x, y}})))
		},
		func(id, key string) modeltest.Reply {
			return modeltest.Acts(modeltest.Member(id, "key", asJSON(object{"text": key})))
		}, same},
	{"anthropic browser", modeltest.NewAnthropic, anthropicDriver(anthropic.Browser20260801),
		func(id string, x, y int) modeltest.Reply {
			return modeltest.Acts(modeltest.BrowserMember(id, "left_click", asJSON(object{"target": object{"type": "coordinate", "x": x, "y": y}})))
		},
		func(id, key string) modeltest.Reply {
			return modeltest.Acts(modeltest.BrowserMember(id, "key", asJSON(object{"text": key})))
		}, same},
	single(anthropic.Computer20251124, "anthropic 2025-11-24"),
	single(anthropic.Computer20250124, "anthropic 2025-01-24"),
	{"openai", modeltest.NewOpenAI, openaiDriver(openai.Computer),
		func(id string, x, y int) modeltest.Reply {
			return modeltest.Acts(modeltest.ComputerCall(id, asJSON([]any{object{"type": "click", "button": "left", "x": x, "y": y}})))
		},
		func(id, key string) modeltest.Reply {
			return modeltest.Acts(modeltest.ComputerCall(id, asJSON([]any{object{"type": "keypress", "keys": []string{key}}})))
		}, same},
	{"openai preview", modeltest.NewOpenAI, openaiDriver(openai.Preview),
		func(id string, x, y int) modeltest.Reply {
			return modeltest.Acts(modeltest.ComputerCall(id, asJSON(object{"type": "click", "button": "left", "x": x, "y": y})))
		},
		func(id, key string) modeltest.Reply {
			return modeltest.Acts(modeltest.ComputerCall(id, asJSON(object{"type": "keypress", "keys": []string{key}})))
		}, same},
	{"google", modeltest.NewGoogle, googleDriver("gemini-3.5-flash"),
		func(id string, x, y int) modeltest.Reply {
			return call(id, "click", object{"x": x, "y": y, "intent": "to see"})
		},
		func(id, key string) modeltest.Reply { return call(id, "press_key", object{"key": key}) }, thousand},
	{"google 2.5", modeltest.NewGoogle, googleDriver("gemini-2.5-computer-use-preview-10-2025"),
		func(id string, x, y int) modeltest.Reply { return call(id, "click_at", object{"x": x, "y": y}) },
		func(id, key string) modeltest.Reply { return call(id, "key_combination", object{"keys": key}) }, thousand},
}

func find(name string) vendor {
	for _, v := range vendors {
		if v.name == name {
			return v
		}
	}
	panic("no vendor " + name)
}

// newest is one vendor of each kind.
func newest() []vendor {
	return []vendor{find("anthropic toolset"), find("openai"), find("google")}
}

// serve serves pages by path. {{other}} in a page is the same server under the
// name of another site.
func serve(t testing.TB, pages map[string]string) string {
	t.Helper()
	var other string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html>" + strings.ReplaceAll(page, "{{other}}", other)))
	}))
	t.Cleanup(srv.Close)
	other = strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	return srv.URL
}

// open opens a page.
func open(t testing.TB, url string, opts *browser.ContextOptions) *browser.Page {
	t.Helper()
	ctx := testContext(t)
	c, err := chromium.NewContext(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	page, err := c.NewPage(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := page.Navigate(ctx, url, nil); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	return page
}

// content opens one page of HTML, in a small window: a picture is taken of it
// at every turn.
func content(t testing.TB, html string) *browser.Page {
	t.Helper()
	return open(t, serve(t, map[string]string{"/": html})+"/", &browser.ContextOptions{Width: 640, Height: 400})
}

func evaluate[T any](t testing.TB, page *browser.Page, expr string) T {
	t.Helper()
	var out T
	if err := page.Evaluate(testContext(t), expr, &out); err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return out
}

// run has a vendor's stand-in say these things, and ends well.
func run(t testing.TB, v vendor, page *browser.Page, opts *computer.Options, replies ...modeltest.Reply) (*computer.Result, *modeltest.Server) {
	t.Helper()
	server := v.server(t)
	server.Script(replies...)
	// Most pages here react at once. Those that need a moment say so.
	quick := computer.Options{Settle: 10 * time.Millisecond}
	if opts != nil {
		quick = *opts
	}
	result, err := computer.New(v.driver(t, server, nil), page, &quick).Run(testContext(t), "play")
	if err != nil {
		t.Fatalf("%v\n%s", err, asJSON(result))
	}
	return result, server
}

var done = modeltest.Reply{Text: "It is done."}

// large is a page that no vendor takes as it is.
var large = &browser.ContextOptions{Width: 1600, Height: 1000, DeviceScale: 1.5}

func newGoogle(m model.Model) *google.Driver {
	d, err := google.New(m, nil)
	if err != nil {
		panic(err)
	}
	return d
}
