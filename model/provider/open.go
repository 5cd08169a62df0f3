package provider

import (
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/model"
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
	return adapt(p, ref, &traits)
}

// vendors are whose models a language is for, where the provider's name does
// not tell.
var vendors = map[API]string{OpenAI: "openai", Azure: "openai", Anthropic: "anthropic", Bedrock: "anthropic", Google: "google"}

// traitsOf is what is known of a model: under the provider's own name, or under
// that of the vendor whose model it is.
func traitsOf(catalog *model.Catalog, p Provider, ref model.Ref) model.Traits {
	if name := ref.String(); catalog.Known(name) {
		return catalog.For(name)
	}
	vendor := vendors[p.API]
	if p.API == Vertex {
		vendor = "google"
		if strings.HasPrefix(ref.Name, "claude") {
			vendor = "anthropic"
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
