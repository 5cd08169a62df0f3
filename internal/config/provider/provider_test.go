package provider_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/internal/config/provider"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

func load(t *testing.T, text string, vars map[string]string) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(&config.Options{Path: path, Getenv: func(name string) string { return vars[name] }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A chain over every vendor, each at its stand-in, as a user would set it up.
func TestGatewayOverEveryVendor(t *testing.T) {
	claude, gpt, gemini, local := modeltest.NewAnthropic(t), modeltest.NewOpenAI(t), modeltest.NewGoogle(t), modeltest.NewChat(t)
	key := claude.Key.Reveal()
	c := load(t, "model: anthropic/claude-haiku-5-5,openai/gpt-6-luna,google/gemini-3.5-flash,lab/qwen/qwen3:8b\nproviders:\n"+
		"  anthropic: {base_url: '"+claude.URL+"'}\n  openai: {base_url: '"+gpt.URL+"', api: openai}\n  google: {base_url: '"+gemini.URL+"'}\n  lab: {base_url: '"+local.URL+"', key_env: LAB_KEY}\n",
		map[string]string{"ANTHROPIC_API_KEY": key, "OPENAI_API_KEY": key, "GEMINI_API_KEY": key, "LAB_KEY": key})
	gateway, err := provider.Gateway(c, "", &model.Options{Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*modeltest.Server{claude, gpt, gemini} {
		s.Script(modeltest.Reply{Status: 500}, modeltest.Reply{Text: "ready", Usage: model.Usage{Input: 10, Output: 1}})
	}
	local.Script(modeltest.Reply{Text: "from the lab"}, modeltest.Reply{Text: "ready"})
	run := gateway.Run(nil)
	resp, err := run.Generate(t.Context(), &model.Request{Messages: []model.Message{model.UserText("hello")}})
	if err != nil || resp.Text() != "from the lab" || resp.Model != "lab/qwen/qwen3:8b" {
		t.Fatalf("got %v, %v", resp, err)
	}
	if total := run.Ledger().Total(); total.Calls != 4 || total.Failed != 3 || total.Failovers != 3 || total.Cost.Known {
		t.Errorf("total is %+v", total)
	}
	for i, checked := range gateway.Check(t.Context()) {
		if checked.Err != nil || (checked.Price != nil) != (i < 3) || checked.Latency <= 0 || !checked.Capabilities.Tools {
			t.Errorf("%s: %+v", checked.Model, checked)
		}
	}
}

func TestWhatIsMissing(t *testing.T) {
	c := load(t, "", map[string]string{"OPENAI_API_KEY": "sk-0123456789abcdef"})
	for chain, want := range map[string]string{
		"anthropic/x":         "ANTHROPIC_API_KEY",
		"google/x":            "GEMINI_API_KEY",
		"nobody/x":            "base_url",
		"gpt":                 "vendor/name",
		"openai/x,openai/x":   "twice",
		"openai/x,anthropic/": "vendor/name",
	} {
		if _, err := provider.Gateway(c, chain, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v", chain, err)
		}
	}
	if _, err := provider.Gateway(c, "", nil); !errors.Is(err, model.ErrNoModel) {
		t.Errorf("without a chain: %v", err)
	}
	if refs := provider.Trial(c); len(refs) != 1 || refs[0].Provider != "openai" {
		t.Errorf("trial is %v", refs)
	}
	broken := filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Prices = broken
	if _, err := provider.Gateway(c, "openai/x", nil); err == nil || !strings.Contains(err.Error(), "prices") {
		t.Errorf("a broken price file: %v", err)
	}
}

// A catalog of the user's is put over ours by the same means as prices.
func TestCatalogFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.json")
	if err := os.WriteFile(path, []byte(`{"date":"2027-01-01","models":{"openai/gpt-5":{"vision":true,"tools":true,"computer":["computer"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := load(t, "catalog: "+path+"\n", map[string]string{"OPENAI_API_KEY": "sk-0123456789"})
	models, err := provider.Open(c, []model.Ref{{Provider: "openai", Name: "gpt-5"}})
	if err != nil || !model.Describe(models[0]).ComputerUse {
		t.Fatalf("got %v, %v", models, err)
	}
	c = load(t, "catalog: "+path+".none\n", map[string]string{"OPENAI_API_KEY": "sk-0123456789"})
	if _, err := provider.Open(c, []model.Ref{{Provider: "openai", Name: "gpt-5"}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is missing: %v", err)
	}
}
