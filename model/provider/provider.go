// Package provider goes from a name such as "anthropic/claude-haiku-5-5" to a
// model: it knows the vendors, takes keys from the environment under their
// usual names, and makes the adapter.
//
//	m, err := provider.Open("anthropic/claude-haiku-5-5", nil)
//
// A program with a configuration of its own gives the providers itself and no
// environment is read.
package provider

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/playtest-dev/playtest/model"
)

// API is the language that a provider's server speaks.
type API string

// The languages. Bedrock, and Claude on Vertex, need an opener of package
// clouds: they bring a cloud's whole SDK with them.
const (
	OpenAI    API = "openai"    // the Responses API
	Chat      API = "chat"      // chat completions, for compatible servers
	Anthropic API = "anthropic" // the Messages API
	Google    API = "google"    // the Gemini API
	Azure     API = "azure"     // the Responses API on Azure
	Bedrock   API = "bedrock"   // Anthropic's models on Amazon Bedrock
	Vertex    API = "vertex"    // Gemini and Claude on Vertex AI
)

var apis = []API{OpenAI, Chat, Anthropic, Google, Azure, Bedrock, Vertex}

// Provider is where models are to be had.
type Provider struct {
	Name string `yaml:"-"`
	API  API    `yaml:"api"`
	// BaseURL is the vendor's own when empty. On Azure it is the resource's
	// endpoint.
	BaseURL string `yaml:"base_url"`
	// Key is only read from a file that nobody else can read. KeyEnv names a
	// variable of the environment to take it from instead.
	Key    model.Secret `yaml:"key"`
	KeyEnv string       `yaml:"key_env"`
	// Structured, NoImages and NoTools tell what a compatible server can do.
	Structured model.Structured `yaml:"structured"`
	NoImages   bool             `yaml:"no_images"`
	NoTools    bool             `yaml:"no_tools"`
	// APIVersion is Azure's; Region and Project are a cloud's.
	APIVersion string `yaml:"api_version"`
	Region     string `yaml:"region"`
	Project    string `yaml:"project"`
}

// needsKey reports whether the provider is of no use without a key. Clouds
// have credentials of their own.
func (p Provider) needsKey() bool { return !slices.Contains([]API{Chat, Bedrock, Vertex}, p.API) }

// Check says what is wrong with a provider.
func (p Provider) Check() error {
	switch {
	case !slices.Contains(apis, p.API):
		return fmt.Errorf("api: %q is none of %v", p.API, apis)
	case (p.API == Chat || p.API == Azure) && p.BaseURL == "":
		return errors.New("base_url is missing")
	case p.API == Vertex && (p.Project == "" || p.Region == ""):
		return errors.New("project and region are needed")
	case !slices.Contains([]model.Structured{"", model.Native, model.ByTool, model.ByPrompt}, p.Structured):
		return fmt.Errorf("structured: %q is none of native, tool, prompt", p.Structured)
	}
	return nil
}

// Known are the providers that need no configuration but a key, and the local
// servers at the ports where they usually are.
func Known() map[string]Provider {
	known := map[string]Provider{
		"anthropic":  {API: Anthropic},
		"openai":     {API: OpenAI},
		"google":     {API: Google},
		"openrouter": {API: Chat, BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY"},
		"ollama":     {API: Chat, BaseURL: "http://localhost:11434/v1"},
		"lmstudio":   {API: Chat, BaseURL: "http://localhost:1234/v1"},
		"vllm":       {API: Chat, BaseURL: "http://localhost:8000/v1"},
		"llamacpp":   {API: Chat, BaseURL: "http://localhost:8080/v1"},
		"azure":      {API: Azure},
		"bedrock":    {API: Bedrock},
		"vertex":     {API: Vertex},
	}
	for name, p := range known {
		p.Name = name
		known[name] = p
	}
	return known
}

// variables are the vendors' own names of variables.
var variables = map[string]struct {
	keys                          []string
	url, version, region, project string
}{
	"anthropic": {keys: []string{"ANTHROPIC_API_KEY"}, url: "ANTHROPIC_BASE_URL"},
	"openai":    {keys: []string{"OPENAI_API_KEY"}, url: "OPENAI_BASE_URL"},
	"google":    {keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, url: "GOOGLE_GEMINI_BASE_URL"},
	"azure":     {keys: []string{"AZURE_OPENAI_API_KEY"}, url: "AZURE_OPENAI_ENDPOINT", version: "OPENAI_API_VERSION"},
	"bedrock":   {region: "AWS_REGION"},
	"vertex":    {region: "GOOGLE_CLOUD_LOCATION", project: "GOOGLE_CLOUD_PROJECT"},
}

// FromEnvironment puts keys and servers from the environment into providers,
// under the names that the vendors' own tools use.
func FromEnvironment(providers map[string]Provider, getenv func(string) string) {
	for name, vars := range variables {
		p, ok := providers[name]
		if !ok {
			continue
		}
		for _, v := range slices.Backward(vars.keys) {
			if key := getenv(v); key != "" {
				p.Key = model.Secret(key)
			}
		}
		for variable, field := range map[string]*string{vars.version: &p.APIVersion, vars.region: &p.Region, vars.project: &p.Project} {
			if variable != "" && getenv(variable) != "" {
				*field = getenv(variable)
			}
		}
		if vars.url != "" && getenv(vars.url) != "" {
			p.BaseURL = getenv(vars.url)
			// Only the vendor itself speaks its newer language.
			if p.API == OpenAI {
				p.API = Chat
			}
		}
		providers[name] = p
	}
	for name, p := range providers {
		if p.KeyEnv != "" && getenv(p.KeyEnv) != "" {
			p.Key = model.Secret(getenv(p.KeyEnv))
			providers[name] = p
		}
	}
}

// Opener makes the model of that name at a provider, with those traits.
type Opener func(p Provider, name string, traits model.Traits) (model.Model, error)

// Options say what there is. The zero value is the providers that we know,
// with what the environment holds.
type Options struct {
	// Providers are looked up by the first part of a name. When they are given
	// the environment is not read.
	Providers map[string]Provider
	// Catalog is model.DefaultCatalog unless given.
	Catalog *model.Catalog
	// Openers are for languages that this package does not link; see package
	// clouds.
	Openers map[API]Opener
}

func (o *Options) defaults() Options {
	with := Options{}
	if o != nil {
		with = *o
	}
	if with.Providers == nil {
		with.Providers = Known()
		FromEnvironment(with.Providers, os.Getenv)
	}
	if with.Catalog == nil {
		with.Catalog = model.DefaultCatalog()
	}
	return with
}

// Open is the model of that name: "vendor/name".
func Open(name string, opts *Options) (model.Model, error) {
	refs, err := model.ParseChain(name)
	if err != nil {
		return nil, err
	}
	if len(refs) != 1 {
		return nil, fmt.Errorf("model %q: it is a chain; use OpenAll", name)
	}
	return open(refs[0], opts.defaults())
}

// OpenAll is the models of a chain, "vendor/name,vendor/name", in its order,
// for model.NewGateway.
func OpenAll(chain string, opts *Options) ([]model.Model, error) {
	refs, err := model.ParseChain(chain)
	if err != nil {
		return nil, err
	}
	return OpenRefs(refs, opts)
}

// OpenRefs is OpenAll for names that are taken apart already.
func OpenRefs(refs []model.Ref, opts *Options) ([]model.Model, error) {
	with := opts.defaults()
	var models []model.Model
	for _, ref := range refs {
		m, err := open(ref, with)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}
