// Package openai speaks to OpenAI's Responses API, and through chat
// completions to any server that is compatible with it, by the official SDK,
// for [model.Gateway].
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/playtest-dev/playtest/model"
)

// Vendor is the first half of the vendor's own model names, and the name that
// its raw blocks carry.
const Vendor = "openai"

// imageLimits is what every model looks at without shrinking: 2048 square,
// then 768 on the shorter side.
var imageLimits = model.ImageLimits{
	Long:  2048,
	Short: 768,
	Bytes: 15_000_000,
	Types: []string{"image/png", "image/jpeg", "image/webp", "image/gif"},
}

// dialect is the part of JSON Schema that strict mode accepts. What it cannot
// say is sent without strict mode.
var dialect = model.Dialect{
	Keywords: []string{"type", "properties", "required", "items", "enum", "anyOf", "$ref", "$defs", "title", "description",
		"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"},
	Formats:     []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
	Closed:      true,
	AllRequired: true,
	Hints:       true,
	Most:        model.SchemaSize{Properties: 5000, Depth: 10, Choices: 1000},
}

// base is what both of the vendor's languages have in common.
type base struct {
	name     string
	provider string
	key      model.Secret
	// cloud is set when the key is told in another way, by the transport.
	cloud bool
}

// Name is the provider and the model's name.
func (b base) Name() string { return b.provider + "/" + b.name }

// Format prints the name whatever the verb: fmt would find the key inside.
func (b base) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, b.Name()) }

// settings are the SDK's options. The services are made with these and not
// through the SDK's client, which would read the environment.
func (b *base) settings(baseURL string, client *http.Client) []option.RequestOption {
	out := []option.RequestOption{
		option.WithEnvironmentProduction(),
		option.WithHTTPClient(model.HTTPClient(client)),
		option.WithMaxRetries(0),
	}
	if baseURL != "" {
		out = append(out, option.WithBaseURL(baseURL))
	}
	if b.key != "" && !b.cloud {
		out = append(out, option.WithAPIKey(b.key.Reveal()))
	}
	return out
}

// fail turns the SDK's error into ours, leaving the request inside it behind.
// raw is the response as far as there was one.
func (b *base) fail(ctx context.Context, err error, raw *http.Response) error {
	var api *sdk.Error
	var inStream *ssestream.StreamError
	switch {
	case errors.As(err, &api):
		return b.refused(api.StatusCode, api.Code, api.Type, api.Message, raw)
	case errors.As(err, &inStream):
		var body errorBody
		_ = json.Unmarshal(inStream.Event.Data, &body) // unreadable ones stay empty
		return b.refused(0, fmt.Sprint(body.Error.Code), body.Error.Type, body.Error.Message, raw)
	case raw != nil && raw.StatusCode >= 400:
		// The SDK gives up on error bodies that are not its vendor's.
		text, _ := io.ReadAll(io.LimitReader(raw.Body, 4096))
		return b.refused(raw.StatusCode, "", "", string(text), raw)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	e := model.TransportError(b.Name(), err, b.key)
	e.RequestID = requestID(raw)
	return e
}

type errorBody struct {
	Error struct {
		Code    any    `json:"code"` // a number on some servers
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// refused is an answer that says no.
func (b *base) refused(status int, code, kind, message string, raw *http.Response) error {
	e := &model.Error{
		Kind:      model.StatusKind(status),
		Model:     b.Name(),
		Message:   model.Explain(message, b.key),
		Status:    status,
		RequestID: requestID(raw),
	}
	for _, word := range []string{code, kind} {
		if k, ok := kinds[word]; ok && (status == 0 || e.Kind == model.ErrBadRequest) {
			e.Kind = k
			break
		}
	}
	e.Kind = model.Refine(e.Kind, code, kind, message)
	if raw != nil {
		e.RetryAfter = model.RetryAfter(raw.Header, time.Now())
	}
	return e
}

// kinds is what error codes and types mean where no status says it: in a
// stream, or in a response that failed after it began.
var kinds = map[string]error{
	"server_error":                   model.ErrServer,
	"api_error":                      model.ErrServer,
	"rate_limit_exceeded":            model.ErrRateLimit,
	"rate_limit_error":               model.ErrRateLimit,
	"invalid_api_key":                model.ErrAuth,
	"model_not_found":                model.ErrNotFound,
	"context_length_exceeded":        model.ErrContextTooLong,
	"invalid_prompt":                 model.ErrFilter,
	"bio_policy":                     model.ErrFilter,
	"misalignment_policy_violation":  model.ErrFilter,
	"content_filter":                 model.ErrFilter,
	"image_content_policy_violation": model.ErrFilter,
	"image_too_large":                model.ErrImage,
	"image_too_small":                model.ErrImage,
	"image_parse_error":              model.ErrImage,
	"image_file_too_large":           model.ErrImage,
	"invalid_image":                  model.ErrImage,
	"invalid_image_format":           model.ErrImage,
	"invalid_base64_image":           model.ErrImage,
	"unsupported_image_media_type":   model.ErrImage,
}

func requestID(raw *http.Response) string {
	if raw == nil {
		return ""
	}
	return raw.Header.Get("X-Request-Id")
}

// localID names a call that the server gave no id.
func localID(req *model.Request, n int) string {
	return fmt.Sprintf("call_%d_%d", len(req.Messages), n)
}
