// Package config finds out what the user has set up: keys and servers of model
// providers, the preferred models, budget and deadlines. It reads the
// environment under the vendors' usual names and one file, and is the only
// library package that reads either.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/provider"
)

// Provider is where models are to be had.
type Provider = provider.Provider

// The languages that a provider may be said to speak.
const (
	OpenAI    = provider.OpenAI
	Chat      = provider.Chat
	Anthropic = provider.Anthropic
	Google    = provider.Google
)

// Config is everything that was found.
type Config struct {
	// Path is the file that was read, "" when there is none.
	Path string
	// Model is the preferred chain, "" when none is set.
	Model string
	// Budget in dollars, 0 when none is set.
	Budget float64
	// Deadlines by purpose, as in model.Options.
	Deadlines map[string][]time.Duration
	// Prices and Catalog are files that override what is built in about prices
	// and about models, "" when none is set.
	Prices  string
	Catalog string
	// MCP is the file that names the MCP servers whose tools agents get, "" when
	// none is set.
	MCP string

	providers map[string]Provider
}

// file is what the file may say.
type file struct {
	Model     string              `yaml:"model"`
	Budget    float64             `yaml:"budget"`
	Deadlines map[string][]string `yaml:"deadlines"`
	Prices    string              `yaml:"prices"`
	Catalog   string              `yaml:"catalog"`
	MCP       string              `yaml:"mcp"`
	Providers map[string]Provider `yaml:"providers"`
}

// Options says where to look.
type Options struct {
	// Path is the file; it must exist when it is named. Otherwise
	// PLAYTEST_CONFIG, or playtest/config.yaml in the user's configuration
	// folder, which may be missing.
	Path string
	// Getenv is os.Getenv unless given.
	Getenv func(string) string
}

// Load reads the environment and the file. The environment wins over the file.
func Load(opts *Options) (*Config, error) {
	if opts == nil {
		opts = &Options{}
	}
	getenv := opts.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	c := &Config{providers: provider.Known()}
	if err := c.readFile(opts.Path, getenv); err != nil {
		return nil, err
	}
	if chain := getenv("PLAYTEST_MODEL"); chain != "" {
		c.Model = chain
	}
	provider.FromEnvironment(c.providers, getenv)
	for name, p := range c.providers {
		p.Name = name
		c.providers[name] = p
	}
	return c, nil
}

func (c *Config) readFile(path string, getenv func(string) string) error {
	named := path != ""
	if !named {
		path = getenv("PLAYTEST_CONFIG")
		named = path != ""
	}
	if !named {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil // no home, no file
		}
		path = filepath.Join(dir, "playtest", "config.yaml")
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	var f file
	if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
		// The library quotes the lines around a mistake, keys and all.
		return fmt.Errorf("read configuration %s: %s", path, firstLine(yaml.FormatError(err, false, false)))
	}
	if err := c.merge(f); err != nil {
		return fmt.Errorf("read configuration %s: %w", path, err)
	}
	if err := c.checkMode(path); err != nil {
		return err
	}
	c.Path = path
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func (c *Config) merge(f file) error {
	c.Model, c.Budget, c.Prices, c.Catalog, c.MCP = f.Model, f.Budget, f.Prices, f.Catalog, f.MCP
	if f.Budget < 0 {
		return errors.New("budget: it is negative")
	}
	for purpose, texts := range f.Deadlines {
		for _, text := range texts {
			d, err := time.ParseDuration(text)
			if err != nil || d <= 0 {
				return fmt.Errorf("deadlines: %s: %q is not a time like 5s", purpose, text)
			}
			if c.Deadlines == nil {
				c.Deadlines = map[string][]time.Duration{}
			}
			c.Deadlines[purpose] = append(c.Deadlines[purpose], d)
		}
	}
	for name, p := range f.Providers {
		base, ok := c.providers[name]
		if !ok {
			base = Provider{API: Chat}
		}
		if p.BaseURL != "" {
			base.BaseURL = p.BaseURL
			if base.API == OpenAI {
				base.API = Chat
			}
		}
		if p.API != "" {
			base.API = p.API
		}
		if p.Key != "" {
			base.Key = p.Key
		}
		if p.KeyEnv != "" {
			base.KeyEnv = p.KeyEnv
		}
		base.Structured, base.NoImages, base.NoTools = p.Structured, p.NoImages, p.NoTools
		base.APIVersion, base.Region, base.Project = p.APIVersion, p.Region, p.Project
		// A cloud's place may come from the environment, which is read later.
		if err := base.Check(); err != nil && base.API != provider.Vertex && base.API != provider.Azure {
			return fmt.Errorf("providers: %s: %w", name, err)
		}
		c.providers[name] = base
	}
	return nil
}

// ErrOpenFile is a file with keys that others can read.
var ErrOpenFile = errors.New("the file holds a key and others can read it")

// checkMode refuses keys from a file that is not the user's alone.
func (c *Config) checkMode(path string) error {
	if !slices.ContainsFunc(slices.Collect(maps.Values(c.providers)), func(p Provider) bool { return p.Key != "" }) {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("read configuration: %w: %s has mode %o; run chmod 600 on it", ErrOpenFile, path, mode)
	}
	return nil
}

// Format prints what was found but no keys, whatever the verb: fmt does not
// ask unexported fields how they want to be printed.
func (c Config) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "config %q, model %q, keys for %v", c.Path, c.Model, c.Ready())
}

// Providers are all that are known, by name.
func (c *Config) Providers() map[string]Provider { return maps.Clone(c.providers) }

// Provider is what is known of a provider.
func (c *Config) Provider(name string) (Provider, bool) {
	p, ok := c.providers[name]
	return p, ok
}

// Ready are the names of providers that have a key, sorted.
func (c Config) Ready() []string {
	var names []string
	for name, p := range c.providers {
		if p.Key != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Secrets are all keys that were found, for whoever writes something down.
func (c *Config) Secrets() []model.Secret {
	var keys []model.Secret
	for _, name := range c.Ready() {
		keys = append(keys, c.providers[name].Key)
	}
	return keys
}
