package openai_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/model/openai"
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

// Names that look like a reasoning model's and are not, and the other way
// round. The stand-in refuses reasoning and temperature where the vendor does.
func TestModelsThatDoNotReason(t *testing.T) {
	for name, warm := range map[string]bool{"gpt-5-chat-latest": true, "chatgpt-4o-latest": true, "ft:gpt-4o-2024-08-06:company::x": true, "gpt-4.1": true, "gpt-5": false, "o3": false} {
		server := modeltest.NewOpenAI(t)
		server.Script(modeltest.Reply{Text: "Yes."})
		low := 0.1
		req := ask("?")
		req.Temperature, req.Effort = &low, model.LowEffort
		m := adapter(name)(t, server, server.Key)
		if _, err := m.Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		body := server.Requests()[0].Body
		if got := body["temperature"] != nil; got != warm || (body["reasoning"] != nil) == warm {
			t.Errorf("%s: asked with %v", name, body)
		}
		if model.Describe(m).ComputerUse {
			t.Errorf("%s is said to use computers", name)
		}
	}
}

func ask(text string) *model.Request {
	return &model.Request{Messages: []model.Message{model.UserText(text)}}
}

// With Continue, only what is new is sent; without it, everything is and
// nothing stays with the vendor.
func TestContinuation(t *testing.T) {
	server := modeltest.NewOpenAI(t)
	m := adapter("gpt-6-luna")(t, server, server.Key)
	req := ask("Look.")
	req.Tools, req.Continue = []model.Tool{{Name: "look"}}, true
	server.Script(modeltest.Reply{Thinking: "hm", Calls: []modeltest.Call{{ID: "call_a", Name: "look", Args: "{}"}}})
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, resp.Message, model.Message{Role: model.User, Parts: []model.Part{model.Result(resp.ToolCalls()[0], "a game")}})
	server.Script(modeltest.Reply{Text: "A game."}, modeltest.Reply{Text: "A game."})
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	stateless := *req
	stateless.Continue = false
	if _, err := m.Generate(t.Context(), &stateless); err != nil {
		t.Fatal(err)
	}
	got := server.Requests()
	if body := got[1].Body; body["previous_response_id"] != resp.Message.ID || len(body["input"].([]any)) != 1 || body["store"] != true {
		t.Errorf("continued with %v", body)
	}
	if body := got[2].Body; body["previous_response_id"] != nil || len(body["input"].([]any)) != 4 || body["store"] != false || body["include"] == nil {
		t.Errorf("without continuing: %v", body)
	}
}

// A conversation that goes on keeps its key in the vendor's cache.
func TestReuseNamesTheCache(t *testing.T) {
	server := modeltest.NewOpenAI(t)
	m := adapter("gpt-6-luna")(t, server, server.Key)
	req := ask("Look.")
	for _, reuse := range []bool{true, true, false} {
		req.Reuse = reuse
		server.Script(modeltest.Reply{Text: "Yes."})
		resp, err := m.Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, resp.Message, model.UserText("Again."))
	}
	got := server.Requests()
	if key := got[0].Body["prompt_cache_key"]; key == nil || got[1].Body["prompt_cache_key"] != key || got[2].Body["prompt_cache_key"] != nil {
		t.Errorf("keys are %v, %v, %v", key, got[1].Body["prompt_cache_key"], got[2].Body["prompt_cache_key"])
	}
}

// The computer tool is the vendor's own; its calls and their answers are raw.
func TestComputerItemsGoThrough(t *testing.T) {
	server := modeltest.NewOpenAI(t)
	m := adapter("gpt-6-sol")(t, server, server.Key)
	req := ask("Click start.")
	req.Tools = []model.Tool{{Name: "computer", Raw: &model.Raw{Vendor: openai.Vendor, Data: json.RawMessage(`{"type":"computer"}`)}}}
	server.Script(modeltest.Reply{Blocks: []any{map[string]any{"type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed",
		"actions": []any{map[string]any{"type": "click", "x": 10, "y": 20, "button": "left"}}, "pending_safety_checks": []any{}}}})
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	raw := resp.Message.Parts[0].Raw
	if resp.Stop != model.StopTool || !raw.For(openai.Vendor) || !strings.Contains(string(raw.Data), `"x":10`) {
		t.Fatalf("response is %+v", resp)
	}
	picture := base64.StdEncoding.EncodeToString(modeltest.Picture(64, 36).Data)
	answer := model.Part{Raw: &model.Raw{Vendor: openai.Vendor, Data: json.RawMessage(`{"type":"computer_call_output","call_id":"call_1","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,` + picture + `"}}`)}}
	req.Messages = append(req.Messages, resp.Message, model.Message{Role: model.User, Parts: []model.Part{answer}})
	server.Script(modeltest.Reply{Text: "Done."})
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if body, _ := json.Marshal(server.Requests()[1].Body["input"]); !strings.Contains(string(body), `"computer_call_output"`) || !strings.Contains(string(body), `"cu_1"`) {
		t.Errorf("input is %s", body)
	}
}

func TestFailedResponse(t *testing.T) {
	for code, want := range map[string]error{"server_error": model.ErrServer, "rate_limit_exceeded": model.ErrRateLimit, "image_too_large": model.ErrImage, "something_new": model.ErrServer} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"id":"resp_1","object":"response","status":"failed","output":[],"error":{"code":%q,"message":"no"}}`, code)
		}))
		m, err := openai.New("gpt-6-luna", "sk-some-key-of-length", &openai.Options{BaseURL: web.URL})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Generate(t.Context(), ask("?")); !errors.Is(err, want) {
			t.Errorf("%s: error is %v, want %v", code, err, want)
		}
		web.Close()
	}
}

func TestChatModes(t *testing.T) {
	schema := &model.Schema{Name: "x", JSON: json.RawMessage(`{"type":"object","properties":{"pass":{"type":"boolean"}},"required":["pass"]}`)}
	for mode, reply := range map[model.Structured]modeltest.Reply{
		model.Native:   {Text: `{"pass":true}`},
		model.ByTool:   {Calls: []modeltest.Call{{ID: "", Name: "answer", Args: `{"pass":true}`}}},
		model.ByPrompt: {Text: "```json\n{\"pass\":true}\n```"},
	} {
		server := modeltest.NewChat(t)
		m := chatAdapter(openai.ChatOptions{Structured: mode})(t, server, server.Key)
		gateway, err := model.NewGateway([]model.Model{m}, nil)
		if err != nil {
			t.Fatal(err)
		}
		req := ask("?")
		req.Schema = schema
		server.Script(reply)
		if resp, err := gateway.Run(nil).Generate(t.Context(), req); err != nil || resp.Text() != `{"pass":true}` {
			t.Errorf("%s: %v, %v", mode, resp, err)
		}
		if body := server.Requests()[0].Body; (body["response_format"] != nil) != (mode == model.Native) || (body["tools"] != nil) != (mode == model.ByTool) {
			t.Errorf("%s: body is %v", mode, body)
		}
	}
}

// Servers in the wild: no key, no ids, errors in forms of their own.
func TestChatServersInTheWild(t *testing.T) {
	for _, tc := range []struct {
		name, answer string
		status       int
		want         error
		check        func(*model.Response) bool
	}{
		{"calls without ids", `{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"look","arguments":"{}"}},{"function":{"name":"look","arguments":"{}"}}]},"finish_reason":"stop"}]}`, 200, nil,
			func(r *model.Response) bool {
				c := r.ToolCalls()
				return len(c) == 2 && c[0].ID != "" && c[0].ID != c[1].ID && r.Stop == model.StopTool
			}},
		{"error as a text", `{"error":"model 'x' not found"}`, 404, model.ErrNotFound, nil},
		{"error with a number", `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, 400, model.ErrContextTooLong, nil},
		{"error without JSON", `loading model`, 503, model.ErrOverloaded, nil},
		{"reasoning under another name", `{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"ok","reasoning":"hm"},"finish_reason":"stop"}]}`, 200, nil,
			func(r *model.Response) bool { return r.Message.Thinking() == "hm" && r.Text() == "ok" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			auth := "unset"
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				auth = r.Header.Get("Authorization")
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tc.status)
				fmt.Fprint(w, tc.answer)
			}))
			defer web.Close()
			t.Setenv("OPENAI_API_KEY", "sk-from-the-environment")
			t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
			m, err := openai.NewChat("ollama", "x", web.URL+"/v1", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := m.Generate(t.Context(), ask("?"))
			if !errors.Is(err, tc.want) || tc.check != nil && (err != nil || !tc.check(resp)) {
				t.Errorf("got %+v, %v", resp, err)
			}
			if auth != "" {
				t.Errorf("authorization is %q, there is no key", auth)
			}
		})
	}
	for _, bad := range []string{"", "localhost:11434", "ftp://host/v1", "http://"} {
		if _, err := openai.NewChat("ollama", "x", bad, nil); err == nil {
			t.Errorf("base URL %q was taken", bad)
		}
	}
}
