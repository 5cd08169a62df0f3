package modeltest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
)

// NewGoogle stands in for Google's Gemini API.
func NewGoogle(t testing.TB) *Server { return newServer(t, geminiAPI{}) }

type geminiAPI struct{}

func (geminiAPI) key(r *http.Request) string { return r.Header.Get("X-Goog-Api-Key") }
func (geminiAPI) base() string               { return "" }
func (geminiAPI) requestID() string          { return "X-Unused" }

func (geminiAPI) streams(r *http.Request, _ map[string]any) bool {
	return strings.HasSuffix(r.URL.Path, ":streamGenerateContent")
}

var geminiImages = []string{"image/png", "image/jpeg", "image/webp"}

func (geminiAPI) bound(body map[string]any) int {
	config, _ := body["generationConfig"].(map[string]any)
	n, _ := config["maxOutputTokens"].(float64)
	return int(n)
}

func (a geminiAPI) check(c *checker, r *http.Request, body map[string]any) {
	rest, ok := strings.CutPrefix(r.URL.Path, "/v1beta/models/")
	model, method, _ := strings.Cut(rest, ":")
	if !ok || method != "generateContent" && method != "streamGenerateContent" {
		c.fault("", "path %s", r.URL.Path)
	}
	if method == "streamGenerateContent" && r.URL.Query().Get("alt") != "sse" {
		c.fault("", "a stream without alt=sse")
	}
	if r.URL.Query().Has("key") {
		c.fault("", "the key is in the address")
	}
	shape{
		"contents!":         nil,
		"systemInstruction": func(c *checker, path string, v any) { a.content(c, path, v) },
		"tools": list(func(c *checker, path string, v any) {
			shape{"functionDeclarations": list(object(shape{"name!": name, "description": text, "parametersJsonSchema": googleSays.Schema.check})), "computerUse": geminiComputer.check}.check(c, path, v)
			tool, _ := v.(map[string]any)
			if tool["computerUse"] != nil {
				googleSays.tool(c, path, model, "computerUse")
			}
		}),
		"toolConfig": object(shape{"functionCallingConfig": object(shape{"mode!": word("AUTO", "ANY", "NONE"), "allowedFunctionNames": list(name)})}),
		"generationConfig": func(c *checker, path string, v any) {
			shape{
				"temperature": number(0, 2), "maxOutputTokens": number(1, 1<<20), "responseMimeType": word("application/json", "text/plain"),
				"responseJsonSchema": googleSays.Schema.check,
				"thinkingConfig":     object(shape{"thinkingLevel": word("MINIMAL", "LOW", "MEDIUM", "HIGH"), "includeThoughts": boolean, "thinkingBudget": nil}),
			}.check(c, path, v)
			config, _ := v.(map[string]any)
			googleSays.warm(c, model, config["temperature"])
			if config["thinkingConfig"] != nil && googleSays.has(googleSays.NoEffort, model) {
				c.fault(path, "Thinking level is not supported for this model.")
			}
			if config["responseJsonSchema"] != nil && config["responseMimeType"] != "application/json" {
				c.fault(path, "responseJsonSchema needs responseMimeType application/json")
			}
		},
	}.check(c, "", body)
	a.conversation(c, items(body, "contents"))
	a.signatures(c, model, items(body, "contents"))
	a.computer(c, body)
}

// signatures: the first call of every turn has to be signed, by the model that
// made it or with the word that the vendor documents for calls of others.
func (geminiAPI) signatures(c *checker, model string, contents []any) {
	if !googleSays.has(googleSays.Signed, model) {
		return
	}
	for i, content := range contents {
		for j, p := range items(content, "parts") {
			part, _ := p.(map[string]any)
			if part["functionCall"] == nil {
				continue
			}
			if str(p, "thoughtSignature") == "" {
				c.fault(fmt.Sprintf("contents[%d].parts[%d]", i, j), "Function call is missing a thought_signature in functionCall parts.")
			}
			break
		}
	}
}

func (a geminiAPI) content(c *checker, path string, v any) (calls, results []any) {
	shape{"role": word("user", "model"), "parts!": nil}.check(c, path, v)
	parts := items(v, "parts")
	if len(parts) == 0 {
		c.fault(path, "parts must not be empty")
	}
	for i, p := range parts {
		at := fmt.Sprintf("%s.parts[%d]", path, i)
		shape{"text": anyText, "thought": boolean, "thoughtSignature": text, "inlineData": a.blob, "functionCall": nil, "functionResponse": nil}.check(c, at, p)
		part, _ := p.(map[string]any)
		kinds := 0
		for _, kind := range []string{"text", "inlineData", "functionCall", "functionResponse"} {
			if part[kind] != nil {
				kinds++
			}
		}
		if kinds != 1 {
			c.fault(at, "%d kinds of data in one part", kinds)
		}
		if call := part["functionCall"]; call != nil {
			shape{"id": text, "name!": name, "args": nil}.check(c, at, call)
			if seal := str(p, "thoughtSignature"); seal != "" && !slices.Contains(googleSays.Stand, seal) && seal != base64.StdEncoding.EncodeToString([]byte(signature(str(call, "name")))) {
				c.fault(at, "Thought signature is not valid.")
			}
			calls = append(calls, call)
		}
		if result := part["functionResponse"]; result != nil {
			shape{"id": text, "name!": name, "response!": func(c *checker, path string, v any) {
				if _, ok := v.(map[string]any); !ok {
					c.fault(path, "want an object")
				}
			}, "parts": list(object(shape{"inlineData!": a.blob}))}.check(c, at, result)
			results = append(results, result)
		}
	}
	return calls, results
}

func (geminiAPI) blob(c *checker, path string, v any) {
	shape{"mimeType!": nil, "data!": text}.check(c, path, v)
	c.picture(path, str(v, "mimeType"), str(v, "data"), geminiImages, 20<<20, 10_000)
}

func (a geminiAPI) conversation(c *checker, contents []any) {
	if len(contents) == 0 {
		c.fault("contents", "it is empty")
	}
	var open []any
	for i, content := range contents {
		path := fmt.Sprintf("contents[%d]", i)
		want := "user"
		if i%2 == 1 {
			want = "model"
		}
		if role := str(content, "role"); role != want {
			c.fault(path, "roles must alternate: got %q, want %q", role, want)
		}
		calls, results := a.content(c, path, content)
		if len(results) != len(open) {
			c.fault(path, "the number of function response parts (%d) must equal the number of function call parts (%d)", len(results), len(open))
		} else {
			for j := range open {
				if str(open[j], "name") != str(results[j], "name") || str(open[j], "id") != str(results[j], "id") {
					c.fault(path, "response %d does not fit its call", j)
				}
			}
		}
		open = calls
	}
	if len(open) > 0 {
		c.fault("contents", "the last function calls have no responses")
	}
}

func (geminiAPI) usage(u model.Usage) map[string]any {
	return map[string]any{
		"promptTokenCount": u.Input + u.CacheRead + u.CacheWrite, "cachedContentTokenCount": u.CacheRead,
		"candidatesTokenCount": u.Output, "thoughtsTokenCount": u.Thinking, "totalTokenCount": u.Total(),
	}
}

func (geminiAPI) parts(reply Reply) []any {
	var parts []any
	if reply.Thinking != "" {
		parts = append(parts, map[string]any{"text": reply.Thinking, "thought": true})
	}
	if reply.Text != "" {
		parts = append(parts, map[string]any{"text": reply.Text})
	}
	for i, call := range reply.Calls {
		function := map[string]any{"name": call.Name, "args": call.args()}
		if call.ID != "" {
			function["id"] = call.ID
		}
		part := map[string]any{"functionCall": function}
		if i == 0 {
			part["thoughtSignature"] = base64.StdEncoding.EncodeToString([]byte(signature(call.Name)))
		}
		parts = append(parts, part)
	}
	return append(parts, reply.Blocks...)
}

func (geminiAPI) finish(reply Reply) string {
	switch {
	case reply.Finish != "":
		return reply.Finish
	case reply.Filtered:
		return "SAFETY"
	case reply.Refusal != "":
		return "PROHIBITED_CONTENT"
	case reply.stop() == model.StopLength:
		return "MAX_TOKENS"
	}
	return "STOP"
}

func (a geminiAPI) body(reply Reply, parts []any, finish string) map[string]any {
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	out := map[string]any{"responseId": "resp-1", "modelVersion": "gemini-stand-in", "usageMetadata": a.usage(reply.Usage), "candidates": []any{candidate}}
	if reply.Empty {
		delete(out, "candidates")
	}
	return out
}

func (a geminiAPI) answer(reply Reply, _ map[string]any) any {
	return a.body(reply, a.parts(reply), a.finish(reply))
}

func (a geminiAPI) events(reply Reply, _ map[string]any) []event {
	var events []event
	for _, p := range a.parts(reply) {
		part := p.(map[string]any)
		said, ok := part["text"].(string)
		if !ok {
			events = append(events, event{"", a.body(reply, []any{part}, "")})
			continue
		}
		for _, piece := range split(said) {
			half := map[string]any{"text": piece}
			if part["thought"] != nil {
				half["thought"] = true
			}
			events = append(events, event{"", a.body(reply, []any{half}, "")})
		}
	}
	if reply.Code != "" {
		return append(events, event{"", map[string]any{"error": map[string]any{"code": 503, "status": reply.Code, "message": reply.Message}}})
	}
	return append(events, event{"", a.body(reply, nil, a.finish(reply))})
}

func (geminiAPI) failure(status int, reply Reply) any {
	word := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED",
		500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}[status]
	message := reply.Message
	switch reply.Code {
	case ContextTooLong:
		message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
	case ImageTooLarge:
		message = "Unable to process input image. Please retry or report."
	case QuotaExceeded:
		message = "You exceeded your current quota, please check your plan and billing details."
	}
	if message == "" {
		message = http.StatusText(status)
	}
	details := []any{}
	if reply.RetryAfter != "" {
		details = append(details, map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": reply.RetryAfter + "s"})
	}
	return map[string]any{"error": map[string]any{"code": status, "message": message, "status": word, "details": details}}
}
