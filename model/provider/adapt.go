//go:build !nomodels

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

// adapt makes the adapter for the language that a provider speaks.
func adapt(p Provider, ref model.Ref, traits *model.Traits) (model.Model, error) {
	switch p.API {
	case Anthropic:
		return anthropic.New(ref.Name, p.Key, &anthropic.Options{BaseURL: p.BaseURL, Provider: p.Name, Traits: traits})
	case Google:
		return google.New(ref.Name, p.Key, &google.Options{BaseURL: p.BaseURL, Provider: p.Name, Traits: traits})
	case OpenAI:
		return openai.New(ref.Name, p.Key, &openai.Options{BaseURL: p.BaseURL, Provider: p.Name, Traits: traits})
	case Azure:
		return azure.New(ref.Name, p.Key, &azure.Options{Endpoint: p.BaseURL, APIVersion: p.APIVersion, Provider: p.Name, Traits: traits})
	case Vertex:
		if !strings.HasPrefix(ref.Name, "claude") {
			return google.New(ref.Name, "", &google.Options{BaseURL: p.BaseURL, Provider: p.Name, Traits: traits, Cloud: &google.Cloud{Project: p.Project, Location: p.Region}})
		}
	case Chat:
		return openai.NewChat(p.Name, ref.Name, p.BaseURL, &openai.ChatOptions{
			Key: p.Key, Structured: p.Structured, NoImages: p.NoImages, NoTools: p.NoTools,
		})
	}
	return nil, fmt.Errorf("model %s: %w: this program does not speak %s; see package model/provider/clouds", ref, model.ErrUnsupported, p.API)
}
