package modeltest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/playtest-dev/playtest/model"
)

// NewOpenAI stands in for OpenAI's Responses API.
func NewOpenAI(t testing.TB) *Server {
	return newServer(t, &responsesAPI{stored: map[string][]any{}})
}

type responsesAPI struct {
	mu     sync.Mutex
	stored map[string][]any // calls that a stored response made, by its id
	count  int
}

func (*responsesAPI) key(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}
func (*responsesAPI) base() string      { return "/v1/" }
func (*responsesAPI) requestID() string { return "X-Request-Id" }

func (*responsesAPI) streams(_ *http.Request, body map[string]any) bool {
	return body["stream"] == true
}

var openaiImages = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

func (*responsesAPI) bound(body map[string]any) int {
	n, _ := body["max_output_tokens"].(float64)
	return int(n)
}

func (a *responsesAPI) check(c *checker, r *http.Request, body map[string]any) {
	if r.URL.Path != "/v1/responses" {
		c.fault("", "path %s", r.URL.Path)
	}
	shape{
		"model!":               text,
		"input!":               nil,
		"instructions":         text,
		"max_output_tokens":    number(16, 128_000),
		"store":                boolean,
		"stream":               boolean,
		"truncation":           word("auto", "disabled"),
		"previous_response_id": text,
		"include":              list(word("reasoning.encrypted_content", "computer_call_output.output.image_url")),
		"parallel_tool_calls":  boolean,
		"temperature":          number(0, 2),
		"prompt_cache_key":     text,
		"reasoning":            object(shape{"effort": word("none", "minimal", "low", "medium", "high", "xhigh", "max"), "summary": nil}),
		"tools":                list(func(c *checker, path string, v any) { a.tool(c, path, str(body, "model"), v) }),
		"tool_choice": func(c *checker, path string, v any) {
			if s, ok := v.(string); ok {
				word("auto", "none", "required")(c, path, s)
				return
			}
			shape{"type!": word("function"), "name!": name}.check(c, path, v)
		},
		"text": object(shape{"format": func(c *checker, path string, v any) {
			shape{"type!": word("json_schema"), "name!": name, "schema!": nil, "strict": boolean, "description": text}.check(c, path, v)
			openaiSchema(c, path, v, "schema")
		}}),
	}.check(c, "", body)
	model := str(body, "model")
	openaiSays.warm(c, model, body["temperature"])
	if openaiSays.has(openaiSays.NoEffort, model) && (len(items(body, "include")) > 0 || body["reasoning"] != nil) {
		c.fault("", "Encrypted content is not supported with this model, nor is reasoning.")
	}
	if openaiSays.has(openaiSays.NoSchema, model) && body["text"] != nil {
		c.fault("text.format", "'json_schema' is not supported with this model.")
	}
	a.conversation(c, body)
}

func (*responsesAPI) tool(c *checker, path, model string, v any) {
	kind := str(v, "type")
	if kind != "function" {
		openaiSays.tool(c, path, model, kind)
		if fields := openaiComputers[kind]; fields != nil {
			fields.check(c, path, v)
		}
		return
	}
	shape{"type!": nil, "name!": name, "description": text, "parameters!": nil, "strict!": boolean}.check(c, path, v)
	openaiSchema(c, path, v, "parameters")
}

// openaiSchema checks a schema that is a field of v. Without strict mode it has
// to be an object whose references lead somewhere.
func openaiSchema(c *checker, path string, v any, field string) {
	object, _ := v.(map[string]any)
	if object["strict"] == true {
		openaiSays.Schema.check(c, path+"."+field, object[field])
		return
	}
	if str(object[field], "type") != "object" {
		c.fault(path+"."+field, "schema must be a JSON Schema of 'type: \"object\"'")
	}
	schemaRules{}.references(c, path+"."+field, object[field])
}

func (a *responsesAPI) conversation(c *checker, body map[string]any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var calls, results []string
	computer := computerCalls{}
	if id := str(body, "previous_response_id"); id != "" {
		earlier, ok := a.stored[id]
		if !ok {
			c.fault("previous_response_id", "Previous response with id %q not found.", id)
		}
		for _, call := range earlier {
			calls = append(calls, str(call, "call_id"))
			computer.add(call)
		}
	}
	list := items(body, "input")
	if len(list) == 0 {
		c.fault("input", "it is empty")
	}
	for i, item := range list {
		path := fmt.Sprintf("input[%d]", i)
		switch kind := str(item, "type"); kind {
		case "", "message":
			a.message(c, path, item)
		case "function_call":
			shape{"type!": nil, "call_id!": text, "name!": name, "arguments!": anyText, "id": text, "status": nil}.check(c, path, item)
			calls = append(calls, str(item, "call_id"))
		case "function_call_output":
			shape{"type!": nil, "call_id!": text, "output!": a.output, "id": nil, "status": nil}.check(c, path, item)
			if _, of := computer[str(item, "call_id")]; of {
				c.fault(path, "a computer_call wants a computer_call_output")
			}
			results = append(results, str(item, "call_id"))
		case "reasoning":
			shape{"type!": nil, "id!": text, "summary!": nil, "encrypted_content": text, "status": nil, "content": nil}.check(c, path, item)
			var said string
			for _, s := range items(item, "summary") {
				said += str(s, "text")
			}
			if str(item, "encrypted_content") != signature(said) {
				c.fault(path, "the encrypted content for item %q could not be verified", str(item, "id"))
			}
			if i+1 == len(list) || str(list[i+1], "role") == "user" {
				c.fault(path, "item of type 'reasoning' was provided without its required following item")
			}
		case "computer_call":
			calls = append(calls, str(item, "call_id"))
			computer.add(item)
		case "computer_call_output":
			computer.answer(c, path, item)
			results = append(results, str(item, "call_id"))
		default:
			c.fault(path, "unknown item %q", kind)
		}
	}
	pair(c, "input", calls, results)
	computer.tools(c, body)
}

func (*responsesAPI) message(c *checker, path string, v any) {
	role := str(v, "role")
	shape{"type": nil, "id": nil, "status": nil, "phase": nil, "role!": word("user", "assistant", "system", "developer"), "content!": func(c *checker, path string, content any) {
		if s, ok := content.(string); ok {
			text(c, path, s)
			return
		}
		list(func(c *checker, path string, p any) {
			switch kind := str(p, "type"); {
			case kind == "input_text" && role != "assistant":
				shape{"type!": nil, "text!": text}.check(c, path, p)
			case kind == "input_image" && role == "user":
				shape{"type!": nil, "image_url!": text, "detail!": word("low", "high", "auto", "original")}.check(c, path, p)
				c.dataURL(path, str(p, "image_url"), openaiImages)
			case kind == "output_text" && role == "assistant":
				shape{"type!": nil, "text!": anyText, "annotations": nil, "logprobs": nil}.check(c, path, p)
			default:
				c.fault(path, "%q in a message of the %s", kind, role)
			}
		})(c, path, content)
	}}.check(c, path, v)
}

func (*responsesAPI) output(c *checker, path string, v any) {
	if _, ok := v.(string); ok {
		return
	}
	list(func(c *checker, path string, p any) {
		switch str(p, "type") {
		case "input_text":
			shape{"type!": nil, "text!": text}.check(c, path, p)
		case "input_image":
			shape{"type!": nil, "image_url!": text, "detail": nil}.check(c, path, p)
			c.dataURL(path, str(p, "image_url"), openaiImages)
		default:
			c.fault(path, "unknown output %q", str(p, "type"))
		}
	})(c, path, v)
}

func (*responsesAPI) items(reply Reply) []any {
	out := []any{}
	if reply.Empty {
		return out
	}
	if reply.Thinking != "" {
		out = append(out, map[string]any{"type": "reasoning", "id": "rs_1", "summary": []any{map[string]any{"type": "summary_text", "text": reply.Thinking}},
			"encrypted_content": signature(reply.Thinking)})
	}
	message := func(content map[string]any) {
		out = append(out, map[string]any{"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": []any{content}})
	}
	if reply.Refusal != "" {
		message(map[string]any{"type": "refusal", "refusal": reply.Refusal})
	} else if reply.Text != "" {
		message(map[string]any{"type": "output_text", "text": reply.Text, "annotations": []any{}})
	}
	for i, call := range reply.Calls {
		out = append(out, map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%d", i), "call_id": call.ID, "name": call.Name, "arguments": call.Args, "status": "completed"})
	}
	return append(out, reply.Blocks...)
}

func (a *responsesAPI) answer(reply Reply, body map[string]any) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	id := fmt.Sprintf("resp_%d", a.count)
	if body["store"] != false {
		calls := []any{}
		for _, item := range a.items(reply) {
			if str(item, "call_id") != "" {
				calls = append(calls, item)
			}
		}
		a.stored[id] = calls
	}
	u := reply.Usage
	out := map[string]any{
		"id": id, "object": "response", "created_at": 1, "model": body["model"], "status": "completed", "output": a.items(reply),
		"error": nil, "incomplete_details": nil,
		"usage": map[string]any{
			"input_tokens": u.In(), "input_tokens_details": map[string]any{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
			"output_tokens": u.Out(), "output_tokens_details": map[string]any{"reasoning_tokens": u.Thinking}, "total_tokens": u.Total(),
		},
	}
	switch {
	case reply.Filtered:
		out["status"], out["incomplete_details"] = "incomplete", map[string]any{"reason": "content_filter"}
	case reply.stop() == model.StopLength:
		out["status"], out["incomplete_details"] = "incomplete", map[string]any{"reason": "max_output_tokens"}
	}
	return out
}

func (a *responsesAPI) events(reply Reply, body map[string]any) []event {
	whole := a.answer(reply, body).(map[string]any)
	var events []event
	add := func(kind string, fields map[string]any) {
		fields["type"], fields["sequence_number"] = kind, len(events)
		events = append(events, event{kind, fields})
	}
	add("response.created", map[string]any{"response": map[string]any{"id": whole["id"], "object": "response", "status": "in_progress", "output": []any{}}})
	for i, item := range a.items(reply) {
		add("response.output_item.added", map[string]any{"output_index": i, "item": item})
		switch str(item, "type") {
		case "message":
			for _, piece := range split(reply.Text) {
				if piece != "" {
					add("response.output_text.delta", map[string]any{"output_index": i, "item_id": "msg_1", "content_index": 0, "delta": piece, "logprobs": []any{}})
				}
			}
		case "reasoning":
			for _, piece := range split(reply.Thinking) {
				add("response.reasoning_summary_text.delta", map[string]any{"output_index": i, "item_id": "rs_1", "summary_index": 0, "delta": piece})
			}
		case "function_call":
			for _, piece := range split(str(item, "arguments")) {
				add("response.function_call_arguments.delta", map[string]any{"output_index": i, "item_id": str(item, "id"), "delta": piece})
			}
		}
		add("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	if reply.Code != "" {
		add("error", map[string]any{"code": reply.Code, "message": reply.Message, "param": nil})
		return events
	}
	add("response."+whole["status"].(string), map[string]any{"response": whole})
	return events
}

func (*responsesAPI) failure(status int, reply Reply) any { return openaiFailure(status, reply) }

// openaiFailure is the error body of both of the vendor's APIs.
func openaiFailure(status int, reply Reply) any {
	kind, code, message := "invalid_request_error", any(nil), reply.Message
	switch status {
	case 401:
		code, message = "invalid_api_key", "Incorrect API key provided: "+reply.Message
	case 404:
		code = "model_not_found"
	case 429:
		kind, code = "requests", "rate_limit_exceeded"
	case 500, 502, 503:
		kind = "server_error"
	}
	switch reply.Code {
	case ContextTooLong:
		code, message = "context_length_exceeded", "Your input exceeds the context window of this model."
	case ImageTooLarge:
		code, message = "image_too_large", "The image is too large."
	case QuotaExceeded:
		kind, code, message = "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."
	}
	if message == "" {
		message = http.StatusText(status)
	}
	return map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": code}}
}
