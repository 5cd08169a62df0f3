package modeltest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
)

// NewChat stands in for a server that is compatible with OpenAI's chat
// completions.
func NewChat(t testing.TB) *Server { return newServer(t, chatAPI{}) }

type chatAPI struct{}

func (chatAPI) key(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}
func (chatAPI) base() string      { return "/v1/" }
func (chatAPI) requestID() string { return "X-Request-Id" }

func (chatAPI) streams(_ *http.Request, body map[string]any) bool { return body["stream"] == true }

func (chatAPI) bound(body map[string]any) int {
	n, _ := body["max_tokens"].(float64)
	return int(n)
}

func (a chatAPI) check(c *checker, r *http.Request, body map[string]any) {
	if r.URL.Path != "/v1/chat/completions" {
		c.fault("", "path %s", r.URL.Path)
	}
	shape{
		"model!":              text,
		"messages!":           nil,
		"max_tokens":          number(1, 128_000),
		"temperature":         number(0, 2),
		"stream":              boolean,
		"stream_options":      object(shape{"include_usage": boolean}),
		"parallel_tool_calls": boolean,
		"tools": list(object(shape{"type!": word("function"), "function!": object(shape{
			"name!": name, "description": text, "strict": boolean, "parameters": func(c *checker, path string, v any) {
				if str(v, "type") != "object" {
					c.fault(path, "type must be object")
				}
			},
		})})),
		"tool_choice": func(c *checker, path string, v any) {
			if s, ok := v.(string); ok {
				word("auto", "none", "required")(c, path, s)
				return
			}
			shape{"type!": word("function"), "function!": object(shape{"name!": name})}.check(c, path, v)
		},
		"response_format": object(shape{"type!": word("json_schema"), "json_schema!": func(c *checker, path string, v any) {
			shape{"name!": name, "schema!": nil, "strict": boolean}.check(c, path, v)
			openaiSchema(c, path, v, "schema")
		}}),
	}.check(c, "", body)
	if body["stream_options"] != nil && body["stream"] != true {
		c.fault("", "stream_options without stream")
	}
	a.conversation(c, items(body, "messages"))
}

func (chatAPI) conversation(c *checker, messages []any) {
	if len(messages) == 0 {
		c.fault("messages", "it is empty")
	}
	var calls, results []string
	for i, m := range messages {
		path := fmt.Sprintf("messages[%d]", i)
		role := str(m, "role")
		if role != "tool" {
			pair(c, path, calls, results)
			calls, results = nil, nil
		}
		content := func(c *checker, path string, v any) {
			if s, ok := v.(string); ok {
				text(c, path, s)
				return
			}
			list(func(c *checker, path string, p any) {
				switch kind := str(p, "type"); {
				case kind == "text":
					shape{"type!": nil, "text!": text}.check(c, path, p)
				case kind == "image_url" && role == "user":
					shape{"type!": nil, "image_url!": func(c *checker, path string, v any) {
						shape{"url!": text, "detail": word("auto", "low", "high")}.check(c, path, v)
						c.dataURL(path, str(v, "url"), openaiImages)
					}}.check(c, path, p)
				default:
					c.fault(path, "%q in a message of the %s", kind, role)
				}
			})(c, path, v)
		}
		switch role {
		case "system", "user":
			shape{"role!": nil, "content!": content}.check(c, path, m)
		case "assistant":
			shape{"role!": nil, "content": content, "tool_calls": list(object(shape{
				"id!": text, "type!": word("function"), "function!": object(shape{"name!": name, "arguments!": anyText}),
			}))}.check(c, path, m)
			for _, call := range items(m, "tool_calls") {
				calls = append(calls, str(call, "id"))
			}
		case "tool":
			shape{"role!": nil, "content!": content, "tool_call_id!": text}.check(c, path, m)
			results = append(results, str(m, "tool_call_id"))
		default:
			c.fault(path, "role %q", role)
		}
	}
	pair(c, "messages", calls, results)
}

func (chatAPI) finish(reply Reply) string {
	if reply.Filtered {
		return "content_filter"
	}
	return map[model.Stop]string{model.StopEnd: "stop", model.StopTool: "tool_calls", model.StopLength: "length", model.StopPause: "stop"}[reply.stop()]
}

func (chatAPI) usage(u model.Usage) map[string]any {
	return map[string]any{
		"prompt_tokens": u.In(), "prompt_tokens_details": map[string]any{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
		"completion_tokens": u.Out(), "completion_tokens_details": map[string]any{"reasoning_tokens": u.Thinking}, "total_tokens": u.Total(),
	}
}

func (a chatAPI) answer(reply Reply, body map[string]any) any {
	message := map[string]any{"role": "assistant", "content": nil, "refusal": nil}
	if reply.Text != "" {
		message["content"] = reply.Text
	}
	if reply.Refusal != "" {
		message["refusal"] = reply.Refusal
	}
	if reply.Thinking != "" {
		message["reasoning_content"] = reply.Thinking
	}
	var calls []any
	for _, call := range reply.Calls {
		calls = append(calls, map[string]any{"id": call.ID, "type": "function", "function": map[string]any{"name": call.Name, "arguments": call.Args}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	choices := []any{map[string]any{"index": 0, "message": message, "finish_reason": a.finish(reply), "logprobs": nil}}
	if reply.Empty {
		choices = []any{}
	}
	return map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"], "choices": choices, "usage": a.usage(reply.Usage)}
}

func (a chatAPI) events(reply Reply, body map[string]any) []event {
	chunk := func(choices []any, usage any) event {
		return event{"", map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"], "choices": choices, "usage": usage}}
	}
	piece := func(delta map[string]any, finish any) event {
		return chunk([]any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil}}, nil)
	}
	var events []event
	if !reply.Empty {
		events = append(events, piece(map[string]any{"role": "assistant", "content": ""}, nil))
		if reply.Thinking != "" {
			for _, s := range split(reply.Thinking) {
				events = append(events, piece(map[string]any{"reasoning_content": s}, nil))
			}
		}
		if reply.Text != "" {
			for _, s := range split(reply.Text) {
				events = append(events, piece(map[string]any{"content": s}, nil))
			}
		}
		if reply.Refusal != "" {
			events = append(events, piece(map[string]any{"refusal": reply.Refusal}, nil))
		}
		for i, call := range reply.Calls {
			for j, s := range split(call.Args) {
				delta := map[string]any{"index": i, "function": map[string]any{"arguments": s}}
				if j == 0 {
					delta = map[string]any{"index": i, "id": call.ID, "type": "function", "function": map[string]any{"name": call.Name, "arguments": s}}
				}
				events = append(events, piece(map[string]any{"tool_calls": []any{delta}}, nil))
			}
		}
		if reply.Code != "" {
			return append(events, event{"", map[string]any{"error": map[string]any{"code": reply.Code, "type": reply.Code, "message": reply.Message}}})
		}
		events = append(events, piece(map[string]any{}, a.finish(reply)))
	}
	return append(events, chunk([]any{}, a.usage(reply.Usage)), event{"", "[DONE]"})
}

func (chatAPI) failure(status int, reply Reply) any { return openaiFailure(status, reply) }
