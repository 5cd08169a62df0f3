package azure_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/openai/azure"
)

// The key, the version and the path are those of Azure.
func TestAzure(t *testing.T) {
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Clone(r.Context())
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"resp_1","object":"response","status":"completed","model":"gpt-5","output":[{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":"ready","annotations":[]}]}]}`)
	}))
	defer server.Close()
	m, err := azure.New("mine", "azure-key-0123456789", &azure.Options{Endpoint: server.URL, Local: true})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Generate(t.Context(), &model.Request{Messages: []model.Message{model.UserText("hello")}})
	if err != nil || resp.Text() != "ready" || m.Name() != "azure/mine" {
		t.Fatalf("got %v, %v", resp, err)
	}
	if got.Header.Get("Api-Key") != "azure-key-0123456789" || !strings.HasPrefix(got.URL.Path, "/openai/") || got.URL.Query().Get("api-version") == "" {
		t.Errorf("asked %s with %v", got.URL, got.Header)
	}
	if auth := got.Header.Get("Authorization"); auth != "" {
		t.Errorf("the key went out as %q too", auth)
	}
}
