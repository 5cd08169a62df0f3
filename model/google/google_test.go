package google_test

import (
	"testing"

	"playtest/model"
	"playtest/model/google"
	"playtest/model/modeltest"
)

func adapter(name string) func(testing.TB, *modeltest.Server, model.Secret) model.Model {
	return func(t testing.TB, s *modeltest.Server, key model.Secret) model.Model {
		m, err := google.New(name, key, &google.Options{BaseURL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func TestConformance(t *testing.T) {
	modeltest.Conform(t, modeltest.Subject{
		Server: modeltest.NewGoogle,
		Model:  adapter("gemini-3.5-flash"),
		Thinks: true, NoRefusal: true,
	})
}
