package provider_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/model/provider"
)

// From a name to an answer, in the way of a program with nothing but a key in
// its environment.
func TestOpen(t *testing.T) {
	for _, tc := range []struct {
		name, key, url string
		server         func(testing.TB) *modeltest.Server
	}{
		{"anthropic/claude-haiku-5-5", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", modeltest.NewAnthropic},
		{"google/gemini-3.5-flash", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", modeltest.NewGoogle},
		{"openai/qwen3", "OPENAI_API_KEY", "OPENAI_BASE_URL", modeltest.NewChat},
	} {
		server := tc.server(t)
		t.Setenv(tc.key, server.Key.Reveal())
		t.Setenv(tc.url, server.URL)
		server.Script(modeltest.Reply{Text: "ready"})
		m, err := provider.Open(tc.name, nil)
		if err != nil || m.Name() != tc.name {
			t.Fatalf("%s: %v, %v", tc.name, m, err)
		}
		resp, err := m.Generate(t.Context(), &model.Request{Messages: []model.Message{model.UserText("hello")}})
		if err != nil || resp.Text() != "ready" {
			t.Errorf("%s: %v, %v", tc.name, resp, err)
		}
	}
	models, err := provider.OpenAll("anthropic/claude-haiku-5-5, google/gemini-3.5-flash", nil)
	if err != nil || len(models) != 2 {
		t.Errorf("a chain: %v, %v", models, err)
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	providers := provider.Known()
	opts := &provider.Options{Providers: providers}
	for name, want := range map[string]string{
		"anthropic/claude-haiku-5-5":      "set ANTHROPIC_API_KEY",
		"nobody/x":                        "no provider",
		"claude":                          "vendor/name",
		"vertex/gemini-3.5-flash":         "project and region",
		"bedrock/anthropic.claude-opus-5": "clouds",
		"azure/mine":                      "AZURE_OPENAI_API_KEY",
	} {
		if _, err := provider.Open(name, opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := provider.Open("openai/gpt-5", opts); !errors.Is(err, model.ErrNoModel) {
		t.Errorf("without a key: %v", err)
	}
}

// A cloud's name for a model has the model's traits, and a user's catalog
// counts first.
func TestTraitsOfClouds(t *testing.T) {
	over, err := model.ParseCatalog(strings.NewReader(`{"date":"2027-01-01","models":{"azure/mine":{"tools":true,"vision":true,"structured":"native"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]model.Traits{}
	spy := func(p provider.Provider, name string, traits model.Traits) (model.Model, error) {
		seen[p.Name+"/"+name] = traits
		return modeltest.Replies("x/y"), nil
	}
	providers := provider.Known()
	provider.FromEnvironment(providers, func(name string) string {
		return map[string]string{"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "eu"}[name]
	})
	opts := &provider.Options{Providers: providers, Catalog: model.DefaultCatalog().With(over),
		Openers: map[provider.API]provider.Opener{provider.Azure: spy, provider.Bedrock: spy, provider.Vertex: spy}}
	for _, name := range []string{"azure/mine", "azure/gpt-5", "bedrock/us.anthropic.claude-opus-5-5-v1:0", "vertex/claude-opus-5@20260724", "vertex/gemini-3.5-flash"} {
		if _, err := provider.Open(name, opts); err != nil {
			t.Fatal(err)
		}
	}
	for name, ok := range map[string]bool{
		"azure/mine":  seen["azure/mine"].Vision && !seen["azure/mine"].Thinks,
		"azure/gpt-5": seen["azure/gpt-5"].Thinks, "bedrock": !seen["bedrock/us.anthropic.claude-opus-5-5-v1:0"].ForcedTools && seen["bedrock/us.anthropic.claude-opus-5-5-v1:0"].Output == 128000,
		"vertex claude": seen["vertex/claude-opus-5@20260724"].ForcedTools, "vertex gemini": seen["vertex/gemini-3.5-flash"].Signatures,
	} {
		if !ok {
			t.Errorf("%s: %+v", name, seen)
		}
	}
}
