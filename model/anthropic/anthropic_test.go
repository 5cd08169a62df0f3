package anthropic_test

import (
	"testing"

	"playtest/model"
	"playtest/model/anthropic"
	"playtest/model/modeltest"
)

func adapter(name string) func(testing.TB, *modeltest.Server, model.Secret) model.Model {
	return func(t testing.TB, s *modeltest.Server, key model.Secret) model.Model {
		m, err := anthropic.New(name, key, &anthropic.Options{BaseURL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func TestConformance(t *testing.T) {
	modeltest.Conform(t, modeltest.Subject{
		Server: modeltest.NewAnthropic,
		Model:  adapter("claude-sonnet-5-5"),
		Thinks: true, RefusalOnly: true, CacheWrites: true,
	})
}
