package clouds_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/provider"
	"github.com/playtest-dev/playtest/model/provider/clouds"
)

// Bedrock is asked in its own way, signed, and no key of the vendor's goes out.
func TestBedrock(t *testing.T) {
	var path, auth string
	var body map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, auth = r.URL.Path, r.Header.Get("Authorization")
		_ = json.NewDecoder(r.Body).Decode(&body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"msg_1","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"ready"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
	}))
	defer server.Close()
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-not-for-amazon-0123456789")
	const name = "us.anthropic.claude-opus-5-v1:0"
	cfg := aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "")}
	traits := model.DefaultCatalog().For("anthropic/" + name)
	m, err := clouds.BedrockWith(cfg, provider.Provider{Name: "bedrock", BaseURL: server.URL}, name, traits)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Generate(t.Context(), &model.Request{Messages: []model.Message{model.UserText("hello")}})
	if err != nil || resp.Text() != "ready" || m.Name() != "bedrock/"+name {
		t.Fatalf("got %v, %v", resp, err)
	}
	if !strings.Contains(path, "/invoke") || !strings.HasPrefix(auth, "AWS4-HMAC-SHA256") || body["anthropic_version"] == nil || body["model"] != nil {
		t.Errorf("asked %s with %q and %v", path, auth, body)
	}
	if caps := model.Describe(m); len(caps.Browser) > 0 || slices.Contains(caps.Computer, "computer_toolset_20260801") || len(caps.Computer) == 0 {
		t.Errorf("tools are %v and %v", caps.Computer, caps.Browser)
	}
}
