package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
)

// NewAnthropic stands in for Anthropic's Messages API.
func NewAnthropic(t testing.TB) *Server { return newServer(t, anthropicAPI{said: &memory{}}) }

type anthropicAPI struct{ said *memory }

func (anthropicAPI) key(r *http.Request) string { return r.Header.Get("X-Api-Key") }
func (anthropicAPI) base() string               { return "" }
func (anthropicAPI) requestID() string          { return "Request-Id" }

func (anthropicAPI) streams(_ *http.Request, body map[string]any) bool { return body["stream"] == true }

var anthropicImages = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

func (anthropicAPI) bound(body map[string]any) int {
	n, _ := body["max_tokens"].(float64)
	return int(n)
}

func (a anthropicAPI) check(c *checker, r *http.Request, body map[string]any) {
	if r.URL.Path != "/v1/messages" {
		c.fault("", "path %s", r.URL.Path)
	}
	if v := r.Header.Get("Anthropic-Version"); v != "2023-06-01" {
		c.fault("", "anthropic-version is %q", v)
	}
	cache := object(shape{"type!": word("ephemeral"), "ttl": word("5m", "1h")})
	shape{
		"model!":        text,
		"max_tokens!":   number(1, 128_000),
		"messages!":     nil,
		"system":        list(object(shape{"type!": word("text"), "text!": text, "cache_control": cache})),
		"stream":        boolean,
		"temperature":   number(0, 1),
		"cache_control": cache,
		"tools":         list(func(c *checker, path string, v any) { a.tool(c, path, str(body, "model"), v) }),
		"tool_choice": func(c *checker, path string, v any) {
			shape{"type!": word("auto", "any", "tool", "none"), "name": name, "disable_parallel_tool_use": boolean}.check(c, path, v)
			if (str(v, "type") == "tool") != (str(v, "name") != "") {
				c.fault(path, "type tool and a name go together")
			}
		},
		"output_config": object(shape{
			"effort": word("low", "medium", "high", "xhigh", "max"),
			"format": object(shape{"type!": word("json_schema"), "schema!": anthropicSays.Schema.check}),
		}),
	}.check(c, "", body)
	model := str(body, "model")
	anthropicSays.warm(c, model, body["temperature"])
	if choice := str(body["tool_choice"], "type"); (choice == "any" || choice == "tool") && anthropicSays.has(anthropicSays.Unforceable, model) {
		c.fault("tool_choice", "type %q is not supported for this model", choice)
	}
	if output, _ := body["output_config"].(map[string]any); output != nil {
		if output["effort"] != nil && anthropicSays.has(anthropicSays.NoEffort, model) {
			c.fault("output_config.effort", "it is not supported by this model")
		}
		if output["format"] != nil && anthropicSays.has(anthropicSays.NoSchema, model) {
			c.fault("output_config.format", "it is not supported by this model")
		}
	}
	if body["tool_choice"] != nil && len(items(body, "tools")) == 0 {
		c.fault("", "tool_choice without tools")
	}
	a.conversation(c, items(body, "messages"))
	a.computer(c, r, body)
}

func (anthropicAPI) tool(c *checker, path, model string, v any) {
	if kind := str(v, "type"); kind != "" && kind != "custom" {
		anthropicSays.tool(c, path, model, kind)
		return
	}
	shape{"type": nil, "name!": name, "description": text, "strict": boolean, "cache_control": nil, "input_schema!": func(c *checker, path string, v any) {
		if str(v, "type") != "object" {
			c.fault(path, "type must be object")
		}
		schemaRules{}.references(c, path, v)
	}}.check(c, path, v)
}

func (a anthropicAPI) conversation(c *checker, messages []any) {
	if len(messages) == 0 {
		c.fault("messages", "at least one message is required")
	}
	var open []string // tool calls of the message before
	families := map[string]string{}
	for i, m := range messages {
		path := fmt.Sprintf("messages[%d]", i)
		role := str(m, "role")
		want := "user"
		if i%2 == 1 {
			want = "assistant"
		}
		if role != want {
			c.fault(path, "roles must alternate: got %q, want %q", role, want)
		}
		shape{"role!": word("user", "assistant"), "content!": nil}.check(c, path, m)
		content := items(m, "content")
		if len(content) == 0 {
			c.fault(path, "content must not be empty")
		}
		var calls, results []string
		for j, block := range content {
			at := fmt.Sprintf("%s.content[%d]", path, j)
			a.block(c, at, role, block)
			switch str(block, "type") {
			case "tool_use":
				calls = append(calls, str(block, "id"))
				families[str(block, "id")] = str(block, "toolset_name")
			case "tool_result":
				if of, has := families[str(block, "tool_use_id")], str(block, "toolset_name"); of != has {
					c.fault(at, "toolset_name is %q, that of its tool_use %q", has, of)
				}
				if len(results) != j {
					c.fault(at, "tool_result blocks must come first")
				}
				results = append(results, str(block, "tool_use_id"))
			case "thinking":
				if j > 0 && str(content[j-1], "type") != "thinking" && str(content[0], "type") != "thinking" {
					c.fault(at, "thinking must come first")
				}
			}
		}
		a.said.check(c, path, content)
		pair(c, path, open, results)
		open = calls
	}
	pair(c, "messages", open, nil)
}

// pair holds results against the calls that they answer.
func pair(c *checker, path string, calls, results []string) {
	answered := map[string]int{}
	for _, id := range results {
		answered[id]++
	}
	for _, id := range calls {
		if answered[id] != 1 {
			c.fault(path, "call %q has %d results", id, answered[id])
		}
		delete(answered, id)
	}
	for id := range answered {
		c.fault(path, "result for %q, which was not called", id)
	}
}

func (a anthropicAPI) block(c *checker, path, role string, v any) {
	cache := object(shape{"type!": word("ephemeral"), "ttl": nil})
	only := func(want string) {
		if role != want {
			c.fault(path, "%s belongs to the %s", str(v, "type"), want)
		}
	}
	switch kind := str(v, "type"); kind {
	case "text":
		shape{"type!": nil, "text!": text, "cache_control": cache, "citations": nil}.check(c, path, v)
	case "image":
		only("user")
		shape{"type!": nil, "cache_control": cache, "source!": func(c *checker, path string, v any) {
			shape{"type!": word("base64"), "media_type!": nil, "data!": text}.check(c, path, v)
			c.picture(path, str(v, "media_type"), str(v, "data"), anthropicImages, 5<<20, 8000)
		}}.check(c, path, v)
	case "tool_use":
		only("assistant")
		shape{"type!": nil, "id!": text, "name!": name, "caller": nil, "toolset_name": text, "input!": func(c *checker, path string, v any) {
			if _, ok := v.(map[string]any); !ok {
				c.fault(path, "input must be an object")
			}
		}}.check(c, path, v)
	case "tool_result":
		only("user")
		shape{"type!": nil, "tool_use_id!": text, "is_error": boolean, "toolset_name": text, "content": list(func(c *checker, path string, v any) {
			switch kind := str(v, "type"); kind {
			case "text", "image":
				a.block(c, path, "user", v)
			case "browser_state":
				browserState(c, path, v)
			default:
				c.fault(path, "%s in a tool_result", kind)
			}
		})}.check(c, path, v)
		browserStates(c, path, v)
	case "thinking":
		only("assistant")
		shape{"type!": nil, "thinking!": anyText, "signature!": text}.check(c, path, v)
		if str(v, "signature") != signature(str(v, "thinking")) {
			c.fault(path, "Invalid signature in thinking block")
		}
	default:
		c.fault(path, "unknown block %q", kind)
	}
}

func (anthropicAPI) usage(u model.Usage) map[string]any {
	return map[string]any{
		"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite,
		"output_tokens": u.Output + u.Thinking, "output_tokens_details": map[string]any{"thinking_tokens": u.Thinking},
	}
}

func (anthropicAPI) blocks(reply Reply) []map[string]any {
	blocks := []map[string]any{}
	if reply.Empty {
		return blocks
	}
	if reply.Thinking != "" {
		blocks = append(blocks, map[string]any{"type": "thinking", "thinking": reply.Thinking, "signature": signature(reply.Thinking)})
	}
	if reply.Text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": reply.Text, "citations": nil})
	}
	for _, call := range reply.Calls {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": call.ID, "name": call.Name, "input": call.args()})
	}
	for _, b := range reply.Blocks {
		blocks = append(blocks, b.(map[string]any))
	}
	return blocks
}

func (anthropicAPI) stopReason(reply Reply) string {
	switch {
	case reply.Finish != "":
		return reply.Finish
	case reply.Refusal != "" || reply.Filtered:
		return "refusal"
	}
	return map[model.Stop]string{model.StopEnd: "end_turn", model.StopTool: "tool_use", model.StopLength: "max_tokens", model.StopPause: "pause_turn"}[reply.stop()]
}

func (a anthropicAPI) answer(reply Reply, body map[string]any) any {
	a.said.add(a.blocks(reply))
	out := map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
		"content": a.blocks(reply), "stop_reason": a.stopReason(reply), "stop_sequence": nil, "usage": a.usage(reply.Usage),
	}
	if reply.Refusal != "" {
		out["stop_details"] = map[string]any{"type": "refusal", "category": nil, "explanation": reply.Refusal}
	}
	return out
}

func (a anthropicAPI) events(reply Reply, body map[string]any) []event {
	named := func(kind string, fields map[string]any) event {
		fields["type"] = kind
		return event{kind, fields}
	}
	start := a.answer(reply, body).(map[string]any)
	stop, details := start["stop_reason"], start["stop_details"]
	start["content"], start["stop_reason"], start["stop_details"] = []any{}, nil, nil
	events := []event{named("message_start", map[string]any{"message": start}), named("ping", map[string]any{})}
	for i, block := range a.blocks(reply) {
		begin := map[string]any{"type": block["type"]}
		var deltas []map[string]any
		switch block["type"] {
		case "text":
			begin["text"] = ""
			for _, piece := range split(block["text"].(string)) {
				deltas = append(deltas, map[string]any{"type": "text_delta", "text": piece})
			}
		case "thinking":
			begin["thinking"], begin["signature"] = "", ""
			for _, piece := range split(block["thinking"].(string)) {
				deltas = append(deltas, map[string]any{"type": "thinking_delta", "thinking": piece})
			}
			deltas = append(deltas, map[string]any{"type": "signature_delta", "signature": block["signature"]})
		case "tool_use":
			begin["id"], begin["name"], begin["input"] = block["id"], block["name"], map[string]any{}
			input, _ := json.Marshal(block["input"])
			for _, piece := range split(string(input)) {
				deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": piece})
			}
		}
		events = append(events, named("content_block_start", map[string]any{"index": i, "content_block": begin}))
		for _, d := range deltas {
			events = append(events, named("content_block_delta", map[string]any{"index": i, "delta": d}))
		}
		events = append(events, named("content_block_stop", map[string]any{"index": i}))
	}
	if reply.Code != "" {
		return append(events, event{"error", map[string]any{"type": "error", "error": map[string]any{"type": reply.Code, "message": reply.Message}}})
	}
	return append(events,
		named("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil, "stop_details": details}, "usage": a.usage(reply.Usage)}),
		named("message_stop", map[string]any{}))
}

func (anthropicAPI) failure(status int, reply Reply) any {
	kind := map[int]string{400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
		413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 504: "timeout_error", 529: "overloaded_error"}[status]
	message := reply.Message
	switch reply.Code {
	case ContextTooLong:
		message = "prompt is too long: 250000 tokens > 200000 maximum"
	case ImageTooLarge:
		message = "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"
	case QuotaExceeded:
		message = "Your credit balance is too low to access the Anthropic API."
	}
	if message == "" {
		message = strings.ToLower(http.StatusText(status))
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}, "request_id": "req_body"}
}
