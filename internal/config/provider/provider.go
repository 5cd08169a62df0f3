// Package provider opens the models that a configuration and a chain of names
// call for, with everything that the command links: every vendor and cloud.
package provider

import (
	"fmt"
	"os"

	"github.com/playtest-dev/playtest/internal/config"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/provider"
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
	catalog, err := catalog(c.Catalog)
	if err != nil {
		return nil, err
	}
	return provider.OpenRefs(refs, &provider.Options{Providers: c.Providers(), Catalog: catalog, Openers: openers()})
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

func catalog(path string) (*model.Catalog, error) {
	if path == "" {
		return model.DefaultCatalog(), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	defer f.Close()
	over, err := model.ParseCatalog(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return model.DefaultCatalog().With(over), nil
}
