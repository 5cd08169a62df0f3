// Package clouds opens Anthropic's models on Amazon Bedrock and on Vertex AI,
// through the official SDK's own packages for them. They bring a good part of
// those clouds' SDKs, so a program links them only if it asks for them:
//
//	m, err := provider.Open("bedrock/us.anthropic.claude-opus-5-5-v1:0", &provider.Options{Openers: clouds.Openers()})
//
// Credentials are the clouds' own: the environment, a profile, the machine's
// role.
package clouds

import (
	"context"
	"fmt"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/bedrock"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/vertex"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"golang.org/x/oauth2/google"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/anthropic"
	gemini "github.com/playtest-dev/playtest/model/google"
	"github.com/playtest-dev/playtest/model/provider"
)

// Openers are for [provider.Options].
func Openers() map[provider.API]provider.Opener {
	return map[provider.API]provider.Opener{provider.Bedrock: Bedrock, provider.Vertex: Vertex}
}

// Bedrock opens a model of Anthropic's on Amazon Bedrock.
func Bedrock(p provider.Provider, name string, traits model.Traits) (model.Model, error) {
	var load []func(*config.LoadOptions) error
	if p.Region != "" {
		load = append(load, config.WithRegion(p.Region))
	}
	cfg, err := config.LoadDefaultConfig(context.Background(), load...)
	if err != nil {
		return nil, fmt.Errorf("bedrock: %s", model.Explain(err.Error()))
	}
	return BedrockWith(cfg, p, name, traits)
}

// BedrockWith is Bedrock with a configuration that is loaded already.
func BedrockWith(cfg aws.Config, p provider.Provider, name string, traits model.Traits) (model.Model, error) {
	if cfg.Region == "" {
		return nil, fmt.Errorf("bedrock: %w: a region is needed; set AWS_REGION", model.ErrNoModel)
	}
	transport := []option.RequestOption{bedrock.WithConfig(cfg)}
	if p.BaseURL != "" {
		transport = append(transport, option.WithBaseURL(p.BaseURL))
	}
	// What Bedrock does not have yet, though the model does.
	traits.Browser, traits.Computer = nil, without(traits.Computer, "computer_toolset")
	return anthropic.New(name, "", &anthropic.Options{Provider: p.Name, Traits: &traits, Transport: transport})
}

func without(list []string, prefix string) []string {
	var out []string
	for _, each := range list {
		if !strings.HasPrefix(each, prefix) {
			out = append(out, each)
		}
	}
	return out
}

// scope is what a token has to allow.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// Vertex opens a model of Anthropic's or of Google's on Vertex AI.
func Vertex(p provider.Provider, name string, traits model.Traits) (model.Model, error) {
	if !strings.HasPrefix(name, "claude") {
		return gemini.New(name, "", &gemini.Options{BaseURL: p.BaseURL, Provider: p.Name, Traits: &traits, Cloud: &gemini.Cloud{Project: p.Project, Location: p.Region}})
	}
	creds, err := google.FindDefaultCredentials(context.Background(), scope)
	if err != nil {
		return nil, fmt.Errorf("vertex: %s", model.Explain(err.Error()))
	}
	transport := []option.RequestOption{vertex.WithCredentials(context.Background(), p.Region, p.Project, creds)}
	if p.BaseURL != "" {
		transport = append(transport, option.WithBaseURL(p.BaseURL))
	}
	return anthropic.New(name, "", &anthropic.Options{Provider: p.Name, Traits: &traits, Transport: transport})
}
