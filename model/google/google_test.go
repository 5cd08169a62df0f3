package google_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/google"
	"github.com/playtest-dev/playtest/model/modeltest"
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

// Google warns of loops below 1 on Gemini 3; older models are fine there.
func TestTemperatureBelowOne(t *testing.T) {
	for name, sent := range map[string]bool{"gemini-3.5-flash": false, "gemini-2.5-flash": true} {
		server := modeltest.NewGoogle(t)
		server.Script(modeltest.Reply{Text: "Yes."})
		low := 0.1
		req := look()
		req.Temperature = &low
		if _, err := adapter(name)(t, server, server.Key).Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		config, _ := server.Requests()[0].Body["generationConfig"].(map[string]any)
		if _, got := config["temperature"]; got != sent {
			t.Errorf("%s: a temperature was sent: %v", name, got)
		}
	}
}

func look() *model.Request {
	return &model.Request{Messages: []model.Message{model.UserText("Look.")}, Tools: []model.Tool{{Name: "look"}}}
}

// Calls come without ids from some versions. We need them, the vendor must not
// be told ours, and signatures go back in their place.
func TestCallsWithoutIDs(t *testing.T) {
	server := modeltest.NewGoogle(t)
	m := adapter("gemini-2.5-flash")(t, server, server.Key)
	req := look()
	server.Script(modeltest.Reply{Calls: []modeltest.Call{{Name: "look", Args: "{}"}, {Name: "look", Args: "{}"}}})
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	calls := resp.ToolCalls()
	if len(calls) != 2 || calls[0].ID == "" || calls[0].ID == calls[1].ID {
		t.Fatalf("calls are %+v", calls)
	}
	shown := model.Result(calls[0], `{"url":"http://localhost/"}`)
	shown.ToolResult.Parts = append(shown.ToolResult.Parts, model.Picture(modeltest.Picture(32, 32)))
	req.Messages = append(req.Messages, resp.Message, model.Message{Role: model.User, Parts: []model.Part{shown, model.Failure(calls[1], "gone")}})
	server.Script(modeltest.Reply{Text: "A game."})
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	body, _ := json.Marshal(server.Requests()[1].Body)
	for _, want := range []string{`"thoughtSignature"`, `"response":{"url":"http://localhost/"}`, `"response":{"error":"gone"}`, `"inlineData"`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
	if strings.Contains(string(body), "local-") {
		t.Errorf("our ids were sent: %s", body)
	}
}

func TestFinishReasons(t *testing.T) {
	for finish, want := range map[string]error{
		"MALFORMED_FUNCTION_CALL": model.ErrGarbage, "UNEXPECTED_TOOL_CALL": model.ErrGarbage,
		"SAFETY": model.ErrFilter, "RECITATION": model.ErrFilter, "SPII": model.ErrFilter, "OTHER": model.ErrEmpty,
	} {
		server := modeltest.NewGoogle(t)
		server.Script(modeltest.Reply{Finish: finish, Usage: model.Usage{Input: 9}})
		_, err := adapter("gemini-3.5-flash")(t, server, server.Key).Generate(t.Context(), look())
		if e := model.AsError(err); !errors.Is(err, want) || e.Response == nil || e.Response.Usage.Input != 9 {
			t.Errorf("%s: %v", finish, err)
		}
	}
}

// The SDK would go on by itself and spend money that nobody reserved.
func TestNoAutomaticContinuation(t *testing.T) {
	web := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		web++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"responseId":"r","candidates":[{"content":{"role":"model","parts":[{"text":"half"}]},"finishReason":"CONTINUATION","continuationToken":"AAAA"}]}`)
	}))
	defer server.Close()
	m, err := google.New("gemini-3.5-flash", "AIza-some-key-of-length", &google.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Generate(t.Context(), look())
	if err != nil || resp.Stop != model.StopPause || web != 1 {
		t.Errorf("got %+v, %v after %d requests", resp, err, web)
	}
}

func TestBlockedRequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"responseId":"r","promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":4}}`)
	}))
	defer server.Close()
	t.Setenv("GOOGLE_API_KEY", "AIza-from-the-environment")
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1/")
	m, err := google.New("gemini-3.5-flash", "AIza-some-key-of-length", &google.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), look()); !errors.Is(err, model.ErrFilter) {
		t.Errorf("error is %v", err)
	}
	if _, err := google.New("gemini-3.5-flash", "", nil); !errors.Is(err, model.ErrNoModel) {
		t.Errorf("without a key: %v", err)
	}
}

func TestVendorDefinedTools(t *testing.T) {
	server := modeltest.NewGoogle(t)
	m := adapter("gemini-3.5-flash")(t, server, server.Key)
	req := look()
	req.Tools = append(req.Tools, model.Tool{Name: "computer", Raw: &model.Raw{Vendor: google.Vendor, Data: json.RawMessage(`{"computerUse":{"environment":"ENVIRONMENT_BROWSER"}}`)}})
	server.Script(modeltest.Reply{Calls: []modeltest.Call{{ID: "1", Name: "click_at", Args: `{"x":500,"y":250}`}}})
	resp, err := m.Generate(t.Context(), req)
	if err != nil || resp.ToolCalls()[0].Name != "click_at" {
		t.Fatalf("got %+v, %v", resp, err)
	}
	if body, _ := json.Marshal(server.Requests()[0].Body["tools"]); !strings.Contains(string(body), "ENVIRONMENT_BROWSER") {
		t.Errorf("tools are %s", body)
	}
	req.Tools[1].Raw.Vendor = "anthropic"
	if _, err := m.Generate(t.Context(), req); !errors.Is(err, model.ErrUnsupported) {
		t.Errorf("another vendor's tool: %v", err)
	}
}
