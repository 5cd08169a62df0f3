package provider

import (
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/anthropic"
	"github.com/playtest-dev/playtest/model/google"
	"github.com/playtest-dev/playtest/model/openai"
	"github.com/playtest-dev/playtest/model/openai/azure"
)

func open(ref model.Ref, opts Options) (model.Model, error) {
	p, ok := opts.Providers[ref.Provider]
	if !ok {
		return nil, fmt.Errorf("model %s: no provider %q; name its base_url in the configuration file", ref, ref.Provider)
	}
	if p.Name == "" {
		p.Name = ref.Provider
	}
	if p.needsKey() && p.Key == "" {
		return nil, fmt.Errorf("model %s: %w: there is no key for %s; set %s", ref, model.ErrNoModel, ref.Provider, keyName(p))
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("model %s: %w", ref, err)
	}
	traits := traitsOf(opts.Catalog, p, ref)
	if opener := opts.Openers[p.API]; opener != nil {
		return opener(p, ref.Name, traits)
	}
	switch p.API {
	case Anthropic:
		return anthropic.New(ref.Name, p.Key, &anthropic.Options{BaseURL: p.BaseURL, Provider: p.Name, Traits: &traits})
	case Google:
		return google.New(ref.Name, p.Key, &google.Options{BaseURL: p.BaseURL, Provider: p.Name, Traits: &traits})
	case OpenAI:
		return openai.New(ref.Name, p.Key, &openai.Options{BaseURL: p.BaseURL, Provider: p.Name, Traits: &traits})
	case Azure:
		return azure.New(ref.Name, p.Key, &azure.Options{Endpoint: p.BaseURL, APIVersion: p.APIVersion, Provider: p.Name, Traits: &traits})
	case Vertex:
		if !strings.HasPrefix(ref.Name, "claude") {
			return google.New(ref.Name, "", &google.Options{BaseURL: p.BaseURL, Provider: p.Name, Traits: &traits, Cloud: &google.Cloud{Project: p.Project, Location: p.Region}})
		}
	case Chat:
		return openai.NewChat(p.Name, ref.Name, p.BaseURL, &openai.ChatOptions{
			Key: p.Key, Structured: p.Structured, NoImages: p.NoImages, NoTools: p.NoTools,
		})
	}
	return nil, fmt.Errorf("model %s: %w: this program does not speak %s; see package model/provider/clouds", ref, model.ErrUnsupported, p.API)
}

// vendors are whose models a language is for, where the provider's name does
// not tell.
var vendors = map[API]string{OpenAI: openai.Vendor, Azure: openai.Vendor, Anthropic: anthropic.Vendor, Bedrock: anthropic.Vendor, Google: google.Vendor}

// traitsOf is what is known of a model: under the provider's own name, or under
// that of the vendor whose model it is.
func traitsOf(catalog *model.Catalog, p Provider, ref model.Ref) model.Traits {
	if name := ref.String(); catalog.Known(name) {
		return catalog.For(name)
	}
	vendor := vendors[p.API]
	if p.API == Vertex {
		vendor = google.Vendor
		if strings.HasPrefix(ref.Name, "claude") {
			vendor = anthropic.Vendor
		}
	}
	return catalog.For(vendor + "/" + ref.Name)
}

// keyName is the variable that a user would set.
func keyName(p Provider) string {
	switch {
	case p.KeyEnv != "":
		return p.KeyEnv
	case p.API == Google:
		return "GEMINI_API_KEY"
	case p.API == Anthropic:
		return "ANTHROPIC_API_KEY"
	case p.API == Azure:
		return "AZURE_OPENAI_API_KEY"
	}
	return "OPENAI_API_KEY"
}
