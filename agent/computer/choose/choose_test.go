package choose_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/agent/computer/choose"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/anthropic"
	"github.com/playtest-dev/playtest/model/google"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/model/openai"
)

func TestDriver(t *testing.T) {
	const key = "sk-some-key-of-length"
	deployed := model.DefaultCatalog().For("openai/gpt-5.4")
	for _, tc := range []struct {
		name string
		make func(name string) (model.Model, error)
		tool string
	}{
		// Of a cloud or a proxy, under a name that tells nothing of the vendor.
		{"our-deployment", func(n string) (model.Model, error) {
			return openai.New(n, key, &openai.Options{Provider: "azure", Traits: &deployed})
		}, `"computer"`},
		{"claude-opus-5@20260724", func(n string) (model.Model, error) {
			return anthropic.New(n, key, &anthropic.Options{Provider: "vertex"})
		}, "computer_toolset_20260801"},
		{"gemini-3.5-flash", func(n string) (model.Model, error) { return google.New(n, key, &google.Options{Provider: "proxy"}) }, "ENVIRONMENT_BROWSER"},
		{"claude-sonnet-5-5", func(n string) (model.Model, error) { return anthropic.New(n, key, nil) }, "computer_toolset_20260801"},
		{"claude-opus-4-6", func(n string) (model.Model, error) { return anthropic.New(n, key, nil) }, "computer_20251124"},
		{"claude-sonnet-4-5-20250929", func(n string) (model.Model, error) { return anthropic.New(n, key, nil) }, "computer_20250124"},
		{"gpt-6-sol", func(n string) (model.Model, error) { return openai.New(n, key, nil) }, `"computer"`},
		{"computer-use-preview", func(n string) (model.Model, error) { return openai.New(n, key, nil) }, "computer_use_preview"},
		{"gemini-3.5-flash", func(n string) (model.Model, error) { return google.New(n, key, nil) }, "ENVIRONMENT_BROWSER"},
		{"gpt-4.1", func(n string) (model.Model, error) { return openai.New(n, key, nil) }, ""},
		{"gemini-2.5-flash", func(n string) (model.Model, error) { return google.New(n, key, nil) }, ""},
		{"other/model", func(string) (model.Model, error) { return &modeltest.Fake{}, nil }, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := tc.make(tc.name)
			if err != nil {
				t.Fatal(err)
			}
			d, err := choose.Driver(m)
			if tc.tool == "" {
				if !errors.Is(err, model.ErrUnsupported) {
					t.Errorf("got %v, %v", d, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			req := &model.Request{}
			if err := d.Prepare(req, computer.Of(1280, 720)); err != nil {
				t.Fatal(err)
			}
			if data, _ := json.Marshal(req.Tools); !strings.Contains(string(data), tc.tool) {
				t.Errorf("the tool is %s, want %s", data, tc.tool)
			}
		})
	}
	if _, err := choose.Driver(nil); !errors.Is(err, model.ErrNoModel) {
		t.Errorf("without a model: %v", err)
	}
}

// Elements are for models that have tools for them; the others are refused.
func TestBrowser(t *testing.T) {
	for name, ok := range map[string]bool{"claude-sonnet-5-5": true, "claude-opus-4-6": false} {
		m, err := anthropic.New(name, "sk-some-key-of-length", nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := choose.Browser(m)
		if (err == nil) != ok || !ok && !errors.Is(err, model.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
		if !ok {
			continue
		}
		req := &model.Request{}
		if err := d.Prepare(req, computer.Of(640, 400)); err != nil || !strings.Contains(string(req.Tools[0].Raw.Data), "browser_toolset_20260801") {
			t.Errorf("the tools are %+v, %v", req.Tools, err)
		}
	}
	if _, err := choose.Browser(nil); !errors.Is(err, model.ErrNoModel) {
		t.Errorf("no model: %v", err)
	}
}
