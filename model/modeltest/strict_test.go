package modeltest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model/modeltest"
)

// TestStandInsRefuseWhatVendorsRefuse sends mistakes that an adapter must not
// make, one at a time, past the SDKs.
func TestStandInsRefuseWhatVendorsRefuse(t *testing.T) {
	const tiny = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	anthropic := map[string]string{
		"unknown field":       `{"model":"claude-haiku-5-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"max_token":1}`,
		"missing field":       `{"model":"claude-haiku-5-5","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`,
		"roles":               `{"model":"claude-haiku-5-5","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"text","text":"x"}]}]}`,
		"empty text":          `{"model":"claude-haiku-5-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":""}]}]}`,
		"call without result": `{"model":"claude-haiku-5-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{}}]},{"role":"user","content":[{"type":"text","text":"x"}]}]}`,
		"result without call": `{"model":"claude-haiku-5-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"}]}]}]}`,
		"image type":          `{"model":"claude-haiku-5-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"` + tiny + `"}}]}]}`,
		"image data":          `{"model":"claude-haiku-5-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}`,
		"temperature":         `{"model":"claude-opus-5","max_tokens":9,"temperature":0.5,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`,
		"open schema":         `{"model":"claude-opus-5","max_tokens":9,"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{}}}},"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`,
		"changed thought":     `{"model":"claude-opus-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"forged"}]},{"role":"user","content":[{"type":"text","text":"x"}]}]}`,
		"not JSON":            `{`,
	}
	responses := map[string]string{
		"unknown field":    `{"model":"gpt-5","input":[{"role":"user","content":"x"}],"messages":[]}`,
		"no input":         `{"model":"gpt-5","input":[]}`,
		"output of no one": `{"model":"gpt-5","input":[{"type":"function_call_output","call_id":"a","output":"x"}]}`,
		"open call":        `{"model":"gpt-5","input":[{"type":"function_call","call_id":"a","name":"b","arguments":"{}"}]}`,
		"loose strict":     `{"model":"gpt-5","input":[{"role":"user","content":"x"}],"text":{"format":{"type":"json_schema","name":"a","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}}}}`,
		"strict keyword":   `{"model":"gpt-5","input":[{"role":"user","content":"x"}],"text":{"format":{"type":"json_schema","name":"a","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"],"additionalProperties":false}}}}`,
		"temperature":      `{"model":"gpt-5","input":[{"role":"user","content":"x"}],"temperature":1}`,
		"unknown previous": `{"model":"gpt-5","input":[{"role":"user","content":"x"}],"previous_response_id":"resp_x"}`,
		"name":             `{"model":"gpt-5","input":[{"role":"user","content":"x"}],"tools":[{"type":"function","name":"a b","parameters":{},"strict":false}]}`,
		"lone reasoning":   `{"model":"gpt-5","input":[{"type":"reasoning","id":"r","summary":[],"encrypted_content":"x"}]}`,
	}
	chat := map[string]string{
		"unknown field":    `{"model":"m","messages":[{"role":"user","content":"x"}],"input":"x"}`,
		"role":             `{"model":"m","messages":[{"role":"function","content":"x"}]}`,
		"tool of no one":   `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}]}`,
		"image in a tool":  `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"b","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + tiny + `"}}]}]}`,
		"stray options":    `{"model":"m","messages":[{"role":"user","content":"x"}],"stream_options":{"include_usage":true}}`,
		"image by address": `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://host/x.png"}}]}]}`,
	}
	gemini := map[string]string{
		"unknown field":       `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"model":"x"}`,
		"roles":               `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"user","parts":[{"text":"x"}]}]}`,
		"two kinds":           `{"contents":[{"role":"user","parts":[{"text":"x","functionCall":{"name":"a"}}]}]}`,
		"open call":           `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}}]},{"role":"user","parts":[{"text":"x"}]}]}`,
		"schema without type": `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"responseJsonSchema":{"type":"object"}}}`,
		"schema keyword":      `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","patternProperties":{}}}}`,
		"image type":          `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/bmp","data":"` + tiny + `"}}]}]}`,
	}
	for _, v := range []struct {
		name     string
		server   func(testing.TB) *modeltest.Server
		path     string
		header   map[string]string
		good     string
		mistakes map[string]string
	}{
		{"anthropic", modeltest.NewAnthropic, "/v1/messages", map[string]string{"X-Api-Key": "KEY", "Anthropic-Version": "2023-06-01"},
			`{"model":"claude-haiku-5-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`, anthropic},
		{"responses", modeltest.NewOpenAI, "responses", map[string]string{"Authorization": "Bearer KEY"},
			`{"model":"gpt-5","input":[{"role":"user","content":"x"}]}`, responses},
		{"chat", modeltest.NewChat, "chat/completions", map[string]string{"Authorization": "Bearer KEY"},
			`{"model":"m","messages":[{"role":"user","content":"x"}]}`, chat},
		{"gemini", modeltest.NewGoogle, "/v1beta/models/g:generateContent", map[string]string{"X-Goog-Api-Key": "KEY"},
			`{"contents":[{"role":"user","parts":[{"text":"x"}]}]}`, gemini},
	} {
		t.Run(v.name, func(t *testing.T) {
			server := v.server(t)
			post := func(body string, without string) (int, string) {
				return post(t, server, v.path, v.header, body, without)
			}
			server.Script(modeltest.Reply{Text: "fine"})
			if status, body := post(v.good, ""); status != 200 || !strings.Contains(body, "fine") {
				t.Fatalf("a good request: %d %s", status, body)
			}
			for name, body := range v.mistakes {
				if status, answer := post(body, ""); status != 400 || !strings.Contains(answer, "error") {
					t.Errorf("%s: %d %s", name, status, answer)
				}
				if len(server.Violations()) == 0 {
					t.Errorf("%s: not noticed", name)
				}
			}
			for header := range v.header {
				if status, _ := post(v.good, header); status != 401 && status != 400 {
					t.Errorf("without %s: %d", header, status)
				}
				server.Violations()
			}
			if status, _ := post(v.good, "Content-Type"); status != 400 {
				t.Errorf("without a content type: %d", status)
			}
			server.Violations()
		})
	}
}

// post sends a body past the SDKs, with the server's key for KEY in the headers
// and without one of them.
func post(t *testing.T, server *modeltest.Server, path string, header map[string]string, body, without string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, strings.Replace(value, "KEY", server.Key.Reveal(), 1))
	}
	r.Header.Del(without)
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}
