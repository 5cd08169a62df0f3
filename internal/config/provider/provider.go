// Package provider opens the models that a configuration and a chain of names
// call for. It is apart from config because it brings the vendors' SDKs.
package provider

import (
	"fmt"
	"os"

	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/anthropic"
	"github.com/playtest-dev/playtest/model/google"
	"github.com/playtest-dev/playtest/model/openai"
)

// cheapest is a small model of each vendor, for a first try of a key.
var cheapest = map[string]string{
	"anthropic": "claude-haiku-5-5",
	"openai":    "gpt-6-luna",
	"google":    "gemini-3.1-flash-lite",
}

// Trial is a chain of one cheap model for each provider that has a key.
// Providers whose models we cannot know are left out.
func Trial(c *config.Config) []model.Ref {
	var refs []model.Ref
	for _, name := range c.Ready() {
		if small, ok := cheapest[name]; ok {
			refs = append(refs, model.Ref{Provider: name, Name: small})
		}
	}
	return refs
}

// Open is the models by those names.
func Open(c *config.Config, refs []model.Ref) ([]model.Model, error) {
	var models []model.Model
	for _, ref := range refs {
		m, err := open(c, ref)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

func open(c *config.Config, ref model.Ref) (model.Model, error) {
	p, ok := c.Provider(ref.Provider)
	if !ok {
		return nil, fmt.Errorf("model %s: no provider %q; name its base_url in the configuration file", ref, ref.Provider)
	}
	if p.NeedsKey() && p.Key == "" {
		return nil, fmt.Errorf("model %s: %w: there is no key for %s; set %s", ref, model.ErrNoModel, ref.Provider, keyName(p))
	}
	switch p.API {
	case config.Anthropic:
		return anthropic.New(ref.Name, p.Key, &anthropic.Options{BaseURL: p.BaseURL, Provider: p.Name})
	case config.Google:
		return google.New(ref.Name, p.Key, &google.Options{BaseURL: p.BaseURL, Provider: p.Name})
	case config.OpenAI:
		return openai.New(ref.Name, p.Key, &openai.Options{BaseURL: p.BaseURL, Provider: p.Name})
	}
	return openai.NewChat(p.Name, ref.Name, p.BaseURL, &openai.ChatOptions{
		Key: p.Key, Structured: p.Structured, NoImages: p.NoImages, NoTools: p.NoTools,
	})
}

// keyName is the variable that a user would set.
func keyName(p config.Provider) string {
	switch {
	case p.KeyEnv != "":
		return p.KeyEnv
	case p.API == config.Google:
		return "GEMINI_API_KEY"
	case p.API == config.Anthropic:
		return "ANTHROPIC_API_KEY"
	}
	return "OPENAI_API_KEY"
}

// Gateway is the chain behind a gateway, with the configuration's prices and
// deadlines put into the options unless they are set there. An empty chain
// takes the configuration's; when that is empty too, there is no model, and
// that is model.ErrNoModel: a normal way to run.
func Gateway(c *config.Config, chain string, opts *model.Options) (*model.Gateway, error) {
	if chain == "" {
		chain = c.Model
	}
	if chain == "" {
		return nil, model.ErrNoModel
	}
	refs, err := model.ParseChain(chain)
	if err != nil {
		return nil, err
	}
	return Chain(c, refs, opts)
}

// Chain is Gateway for models that are named already.
func Chain(c *config.Config, refs []model.Ref, opts *model.Options) (*model.Gateway, error) {
	models, err := Open(c, refs)
	if err != nil {
		return nil, err
	}
	with := model.Options{}
	if opts != nil {
		with = *opts
	}
	if with.Deadlines == nil {
		with.Deadlines = c.Deadlines
	}
	if with.Prices == nil {
		if with.Prices, err = prices(c.Prices); err != nil {
			return nil, err
		}
	}
	return model.NewGateway(models, &with)
}

func prices(path string) (*model.Prices, error) {
	if path == "" {
		return model.DefaultPrices(), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	defer f.Close()
	over, err := model.ParsePrices(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return model.DefaultPrices().With(over), nil
}
