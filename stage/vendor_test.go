//go:build !race

// What the vendors' SDKs do is looked at without the race detector, so that they
// need not be compiled for it: they are the largest part of the program.

package stage_test

import (
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/anthropic"
	"github.com/playtest-dev/playtest/model/google"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/model/openai"
	"github.com/playtest-dev/playtest/stage"
)

// All three pipelines against the strict stand-ins of every vendor's API.
func TestVendors(t *testing.T) {
	must := func(m model.Model, err error) model.Model {
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	vendors := []struct {
		name   string
		server func(testing.TB) *modeltest.Server
		model  func(*modeltest.Server) model.Model
	}{
		{"anthropic", modeltest.NewAnthropic, func(s *modeltest.Server) model.Model {
			return must(anthropic.New("claude-haiku-5-5", s.Key, &anthropic.Options{BaseURL: s.URL}))
		}},
		{"openai", modeltest.NewOpenAI, func(s *modeltest.Server) model.Model {
			return must(openai.New("gpt-6-luna", s.Key, &openai.Options{BaseURL: s.URL}))
		}},
		{"google", modeltest.NewGoogle, func(s *modeltest.Server) model.Model {
			return must(google.New("gemini-3.5-flash", s.Key, &google.Options{BaseURL: s.URL}))
		}},
		{"compatible", modeltest.NewChat, func(s *modeltest.Server) model.Model {
			return must(openai.NewChat("lab", "qwen", s.URL, &openai.ChatOptions{Key: s.Key}))
		}},
	}
	const html = `<h1>Shop</h1><button onclick="document.title='bought'">Buy</button><a href="/tea">Tea, 4.50</a>`
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			server := v.server(t)
			s := page(t, html, v.model(server), nil)
			ctx := testContext(t)
			snap, err := s.Snapshot(ctx)
			if err != nil {
				t.Fatal(err)
			}
			tree := snap.Format(nil).Text
			server.Script(
				modeltest.Reply{Text: marshal(t, elements{Elements: []map[string]any{element(id(tree, `button "Buy"`), stage.Click)}})},
				modeltest.Reply{Text: marshal(t, do(stage.Click, `button "Buy"`)(tree))},
				modeltest.Reply{Text: `{"name": "Tea", "price": 4.5, "page": "` + id(tree, `link "Tea, 4.50"`) + `"}`},
			)
			if got, err := s.Observe(ctx, "buy", nil); err != nil || len(got.Actions) != 1 {
				t.Fatalf("observe: %v, %+v", err, got)
			}
			if _, err := s.Act(ctx, "buy", nil); err != nil {
				t.Fatal(err)
			}
			if title := eval[string](t, s, "document.title"); title != "bought" {
				t.Errorf("title %q", title)
			}
			got, err := stage.Extract[product](ctx, s, "the product", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.Data.Name != "Tea" || got.Data.Price != 4.5 || !strings.HasSuffix(string(got.Data.Page), "/tea") {
				t.Errorf("got %+v", got.Data)
			}
		})
	}
}
