package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/provider"
)

// A vendor that words its errors in another way is still understood by its
// status, and what it says does not flood anything.
func TestErrorBodiesThatChange(t *testing.T) {
	t.Parallel()
	const key = "sk-test-0123456789abcdefghij"
	bodies := map[string]string{
		"empty":             "",
		"a text":            `"slow down"`,
		"a list":            `[{"problem": "slow down"}]`,
		"another object":    `{"message": "slow down", "detail": [{"loc": ["body"], "msg": "no"}]}`,
		"an error in words": `{"error": "slow down"}`,
		"numbers":           `{"error": {"type": 7, "code": [1], "message": {"text": "slow down"}, "status": 3, "details": "none"}}`,
		"null":              `{"error": null}`,
		"half of it":        `{"error": {"message": "slow d`,
		"HTML":              "<html><body>Bad gateway</body></html>",
		"the key and much":  `{"error": {"message": "key ` + key + ` ` + strings.Repeat("no ", 10_000) + `"}}`,
	}
	kinds := map[int]error{400: model.ErrBadRequest, 401: model.ErrAuth, 429: model.ErrRateLimit, 500: model.ErrServer, 503: model.ErrOverloaded}
	names := map[provider.API]string{provider.Anthropic: "claude-haiku-5-5", provider.OpenAI: "gpt-6-luna", provider.Google: "gemini-3.5-flash", provider.Chat: "llama"}
	for api, name := range names {
		t.Run(string(api), func(t *testing.T) {
			t.Parallel()
			var status int
			var body string
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}))
			t.Cleanup(srv.Close)
			m, err := provider.Open("vendor/"+name, &provider.Options{Providers: map[string]provider.Provider{"vendor": {API: api, BaseURL: srv.URL, Key: key}}})
			if err != nil {
				t.Fatal(err)
			}
			for what, text := range bodies {
				for code, want := range kinds {
					status, body = code, text
					_, err := m.Generate(context.Background(), &model.Request{Messages: []model.Message{model.UserText("?")}, MaxTokens: 100})
					said := fmt.Sprint(err)
					if !errors.Is(err, want) || len(said) > 2000 || strings.Contains(said, "0123456789") {
						t.Errorf("%s with %d: %.300s", what, code, said)
					}
				}
			}
		})
	}
}
