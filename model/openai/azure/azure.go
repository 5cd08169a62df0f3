// Package azure reaches OpenAI's models on Azure through the official SDK's own
// option. It is apart from package openai because it brings Azure's SDK.
package azure

import (
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3/azure"
	"github.com/openai/openai-go/v3/option"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/openai"
)

// DefaultVersion is the version of Azure's API that is asked for unless
// another one is given.
const DefaultVersion = "2025-04-01-preview"

// Options say where.
type Options struct {
	// Endpoint is the resource's, such as https://name.openai.azure.com.
	Endpoint   string
	APIVersion string
	HTTPClient *http.Client
	// Provider is the first half of the model's name ("azure").
	Provider string
	// Traits is what the model behind the deployment can do. A deployment's
	// name is the user's and tells nothing.
	Traits *model.Traits
	// Local allows an endpoint of this machine without TLS.
	Local bool
}

// New is the model of a deployment.
func New(deployment string, key model.Secret, opts *Options) (*openai.Model, error) {
	if opts == nil || opts.Endpoint == "" {
		return nil, errors.New("azure: the resource's endpoint is needed")
	}
	version, provider := opts.APIVersion, opts.Provider
	if version == "" {
		version = DefaultVersion
	}
	if provider == "" {
		provider = "azure"
	}
	transport := []option.RequestOption{azure.WithEndpoint(opts.Endpoint, version), azure.WithAPIKey(key.Reveal())}
	if opts.Local {
		transport = append(transport, azure.WithUnsafeAllowHTTP())
	}
	return openai.New(deployment, key, &openai.Options{
		HTTPClient: opts.HTTPClient, Provider: provider, Traits: opts.Traits, Transport: transport,
	})
}
