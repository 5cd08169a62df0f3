package openai_test

import (
	"testing"

	"playtest/model"
	"playtest/model/modeltest"
	"playtest/model/openai"
)

func adapter(name string) func(testing.TB, *modeltest.Server, model.Secret) model.Model {
	return func(t testing.TB, s *modeltest.Server, key model.Secret) model.Model {
		m, err := openai.New(name, key, &openai.Options{BaseURL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func chatAdapter(opts openai.ChatOptions) func(testing.TB, *modeltest.Server, model.Secret) model.Model {
	return func(t testing.TB, s *modeltest.Server, key model.Secret) model.Model {
		with := opts
		with.Key = key
		m, err := openai.NewChat("local", "qwen3-vl:8b", s.URL, &with)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func TestConformance(t *testing.T) {
	modeltest.Conform(t, modeltest.Subject{
		Server: modeltest.NewOpenAI,
		Model:  adapter("gpt-6-luna"),
		Thinks: true, TextArgs: true, CacheWrites: true,
	})
}

func TestChatConformance(t *testing.T) {
	modeltest.Conform(t, modeltest.Subject{
		Server: modeltest.NewChat,
		Model:  chatAdapter(openai.ChatOptions{}),
		Thinks: true, TextArgs: true, CacheWrites: true,
	})
}
