package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/model"
)

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func write(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

const full = `
model: anthropic/claude-haiku-5-5,ollama/qwen3
budget: 0.5
prices: prices.json
deadlines:
  decision: [3s, 8s]
providers:
  anthropic:
    key: sk-ant-from-the-file-0123456789
  ollama:
    base_url: http://gpu:11434/v1
    structured: tool
    no_images: true
  mine:
    base_url: https://models.example/v1
    key_env: MINE_KEY
  second:
    api: anthropic
    base_url: https://proxy.example
    key: proxy-key-0123456789
`

func TestFile(t *testing.T) {
	path := write(t, full, 0o600)
	c, err := config.Load(&config.Options{Path: path, Getenv: env(map[string]string{"MINE_KEY": "mine-0123456789"})})
	if err != nil {
		t.Fatal(err)
	}
	if c.Path != path || c.Budget != 0.5 || c.Prices != "prices.json" || !strings.HasPrefix(c.Model, "anthropic/") {
		t.Errorf("config is %+v", c)
	}
	if d := c.Deadlines["decision"]; !slices.Equal(d, []time.Duration{3 * time.Second, 8 * time.Second}) {
		t.Errorf("deadlines are %v", d)
	}
	for name, want := range map[string]config.Provider{
		"anthropic": {Name: "anthropic", API: config.Anthropic, Key: "sk-ant-from-the-file-0123456789"},
		"ollama":    {Name: "ollama", API: config.Chat, BaseURL: "http://gpu:11434/v1", Structured: model.ByTool, NoImages: true},
		"mine":      {Name: "mine", API: config.Chat, BaseURL: "https://models.example/v1", KeyEnv: "MINE_KEY", Key: "mine-0123456789"},
		"second":    {Name: "second", API: config.Anthropic, BaseURL: "https://proxy.example", Key: "proxy-key-0123456789"},
		"lmstudio":  {Name: "lmstudio", API: config.Chat, BaseURL: "http://localhost:1234/v1"},
	} {
		if got, ok := c.Provider(name); !ok || got != want {
			t.Errorf("%s is %+v, want %+v", name, got, want)
		}
	}
	if got := c.Ready(); !slices.Equal(got, []string{"anthropic", "mine", "second"}) || len(c.Secrets()) != 3 {
		t.Errorf("ready are %v", got)
	}
	if text := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(text, "0123456789") {
		t.Errorf("a key is in %s", text)
	}
}

func TestEnvironment(t *testing.T) {
	c, err := config.Load(&config.Options{Path: write(t, full, 0o600), Getenv: env(map[string]string{
		"ANTHROPIC_API_KEY": "from-env", "GOOGLE_API_KEY": "second-choice", "GEMINI_API_KEY": "first-choice",
		"OPENAI_API_KEY": "oai", "OPENAI_BASE_URL": "http://localhost:9/v1", "PLAYTEST_MODEL": "google/gemini-3.5-flash",
	})})
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{"anthropic": "from-env", "google": "first-choice", "openai": "oai"} {
		if p, _ := c.Provider(name); p.Key.Reveal() != key {
			t.Errorf("%s has key %q", name, p.Key.Reveal())
		}
	}
	if p, _ := c.Provider("openai"); p.API != config.Chat || p.BaseURL != "http://localhost:9/v1" {
		t.Errorf("another base URL speaks %s at %s", p.API, p.BaseURL)
	}
	if c.Model != "google/gemini-3.5-flash" {
		t.Errorf("model is %s", c.Model)
	}
}

func TestNothingConfigured(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	c, err := config.Load(&config.Options{Getenv: env(nil)})
	if err != nil || c.Path != "" || c.Model != "" || len(c.Ready()) != 0 {
		t.Errorf("config is %+v, %v", c, err)
	}
}

func TestMistakes(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"others can read": {full, 0o644, "chmod 600"},
		"group can read":  {full, 0o640, "chmod 600"},
		"unknown field":   {"modle: x\nproviders:\n  anthropic: {key: sk-secret-0123456789}\n", 0o600, "modle"},
		"not YAML":        {"providers:\n  anthropic: {key: sk-secret-0123456789\n", 0o600, "read configuration"},
		"negative budget": {"budget: -1\n", 0o600, "budget"},
		"bad time":        {"deadlines: {decision: [soon]}\n", 0o600, "soon"},
		"bad api":         {"providers: {x: {api: soap, base_url: http://h}}\n", 0o600, "soap"},
		"no address":      {"providers: {x: {key: sk-secret-0123456789}}\n", 0o600, "base_url"},
		"bad structured":  {"providers: {x: {base_url: http://h, structured: xml}}\n", 0o600, "xml"},
	} {
		_, err := config.Load(&config.Options{Path: write(t, tc.text, tc.mode), Getenv: env(nil)})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error is %v", name, err)
			continue
		}
		if strings.Contains(err.Error(), "0123456789") {
			t.Errorf("%s: the key is in the error: %v", name, err)
		}
	}
	if _, err := config.Load(&config.Options{Path: write(t, "budget: 1\n", 0o644), Getenv: env(nil)}); err != nil {
		t.Errorf("a file without keys may be read by others: %v", err)
	}
	if _, err := config.Load(&config.Options{Path: filepath.Join(t.TempDir(), "none"), Getenv: env(nil)}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a named file that is missing: %v", err)
	}
	_, err := config.Load(&config.Options{Path: write(t, full, 0o644), Getenv: env(nil)})
	if !errors.Is(err, config.ErrOpenFile) {
		t.Errorf("error is %v", err)
	}
}
