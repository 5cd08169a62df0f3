package clouds_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/provider"
	"github.com/playtest-dev/playtest/model/provider/clouds"
)

// account writes the key of a service account, whose tokens come from a server.
func account(t *testing.T, tokens string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "shop", "private_key_id": "one", "client_email": "tester@shop.iam.gserviceaccount.com", "client_id": "1", "quota_project_id": "payer",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": tokens,
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Both vendors' models on Vertex AI are asked with Google Cloud's own
// credentials, and with no key of the vendors'.
func TestVertex(t *testing.T) {
	var path string
	var header http.Header
	var body map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/token" {
			fmt.Fprint(w, `{"access_token":"ya29.token","token_type":"Bearer","expires_in":3600}`)
			return
		}
		path, header, body = r.URL.Path, r.Header.Clone(), nil
		_ = json.NewDecoder(r.Body).Decode(&body)
		if strings.Contains(r.URL.Path, "claude") {
			fmt.Fprint(w, `{"id":"msg_1","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"ready"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
			return
		}
		fmt.Fprint(w, `{"candidates":[{"content":{"role":"model","parts":[{"text":"ready"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}`)
	}))
	t.Cleanup(server.Close)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", account(t, server.URL+"/token"))
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-not-for-google-0123456789")
	t.Setenv("GEMINI_API_KEY", "AIza-not-for-the-cloud-0123456789")
	for _, tt := range []struct{ name, vendor, path, version string }{
		{"claude-opus-5@20260724", "anthropic", "/projects/shop/locations/eu/publishers/anthropic/models/claude-opus-5@20260724:rawPredict", "vertex-2023-10-16"},
		{"gemini-3.5-flash", "google", "/projects/shop/locations/eu/publishers/google/models/gemini-3.5-flash:generateContent", ""},
	} {
		t.Run(tt.vendor, func(t *testing.T) {
			traits := model.DefaultCatalog().For(tt.vendor + "/" + tt.name)
			m, err := clouds.Vertex(provider.Provider{Name: "vertex", BaseURL: server.URL, Project: "shop", Region: "eu"}, tt.name, traits)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := m.Generate(t.Context(), &model.Request{Messages: []model.Message{model.UserText("hello")}})
			if err != nil || resp.Text() != "ready" || m.Name() != "vertex/"+tt.name {
				t.Fatalf("got %v, %v", resp, err)
			}
			if !strings.HasSuffix(path, tt.path) || header.Get("Authorization") != "Bearer ya29.token" {
				t.Errorf("asked %s with %q", path, header.Get("Authorization"))
			}
			if payer := header.Get("X-Goog-User-Project"); tt.vendor == "google" && payer != "payer" {
				t.Errorf("%q is to pay", payer)
			}
			if version, _ := body["anthropic_version"].(string); version != tt.version || body["model"] != nil {
				t.Errorf("the body is %v", body)
			}
			for name, values := range header {
				if strings.Contains(strings.Join(values, " "), "not-for-") {
					t.Errorf("%s has the vendor's key", name)
				}
			}
		})
	}
}
