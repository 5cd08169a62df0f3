// Package anthropic speaks to Anthropic's Messages API through the official
// SDK, for [model.Gateway].
package anthropic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/playtest-dev/playtest/model"
)

// Vendor is the first half of this vendor's model names, and the name that its
// raw blocks carry.
const Vendor = "anthropic"

// Options adjusts an adapter.
type Options struct {
	// BaseURL is the vendor's own unless given.
	BaseURL    string
	HTTPClient *http.Client
	// Provider replaces Vendor in the model's name, for a server that speaks
	// the same language under another name.
	Provider string
	// Traits is what the model can do, model.DefaultCatalog's word for it
	// unless given.
	Traits *model.Traits
	// Transport are options of the SDK for another way to the same API, such
	// as a cloud's. They come last, so they win.
	Transport []option.RequestOption
}

// Model is one of Anthropic's models.
type Model struct {
	name     string
	provider string
	key      model.Secret
	traits   model.Traits
	// Of the SDK's service only these two calls are kept: with the service in a
	// field, the linker keeps every method of everything behind it.
	generate func(context.Context, sdk.MessageNewParams, ...option.RequestOption) (*sdk.Message, error)
	stream   func(context.Context, sdk.MessageNewParams, ...option.RequestOption) *ssestream.Stream[sdk.MessageStreamEventUnion]
}

var _ interface {
	model.Streamer
	model.Describer
} = (*Model)(nil)

// callTimeout bounds a call whose context has no deadline. The SDK refuses
// long answers in one piece unless it is told a time.
const callTimeout = 10 * time.Minute

// New is the adapter for the model of that name, with that key. It reads
// nothing from the environment and retries nothing: the gateway does.
func New(name string, key model.Secret, opts *Options) (*Model, error) {
	if opts == nil {
		opts = &Options{}
	}
	if name == "" || key == "" && len(opts.Transport) == 0 {
		return nil, fmt.Errorf("anthropic: %w: a model name and a key are needed", model.ErrNoModel)
	}
	m := &Model{name: name, provider: Vendor, key: key}
	if opts.Traits != nil {
		m.traits = *opts.Traits
	} else {
		m.traits = model.DefaultCatalog().For(Vendor + "/" + name)
	}
	if opts.Provider != "" {
		m.provider = opts.Provider
	}
	settings := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithoutOpenTelemetry(), // the gateway's spans tell it once
		option.WithEnvironmentProduction(),
		option.WithHTTPClient(model.HTTPClient(opts.HTTPClient)),
		option.WithMaxRetries(0),
		option.WithRequestTimeout(callTimeout),
	}
	if key != "" {
		settings = append(settings, option.WithAPIKey(key.Reveal()))
	}
	if opts.BaseURL != "" {
		settings = append(settings, option.WithBaseURL(opts.BaseURL))
	}
	messages := sdk.NewClient(append(settings, opts.Transport...)...).Messages
	m.generate, m.stream = messages.New, messages.NewStreaming
	return m, nil
}

// Name is "anthropic/" and the model's name.
func (m Model) Name() string { return m.provider + "/" + m.name }

// Format prints the name whatever the verb: fmt would find the key inside.
func (m Model) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, m.Name()) }

// Capabilities are those that the vendor documents for the model.
func (m *Model) Capabilities() model.Capabilities {
	caps := m.traits.Capabilities()
	caps.Dialect, caps.ImageLimits = &dialect, imageLimits
	return caps
}

// Traits is what the vendor documents about the model.
func (m *Model) Traits() model.Traits { return m.traits }

// imageLimits is what every version looks at without shrinking; newer ones
// take more, but less is never wrong.
var imageLimits = model.ImageLimits{
	Long:   1568,
	Pixels: 1_150_000,
	Bytes:  3_750_000, // 5 MB after base64
	Types:  []string{"image/png", "image/jpeg", "image/gif", "image/webp"},
}

// Generate makes one call.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	params, sent, betas, err := m.encode(req)
	if err != nil {
		return nil, err
	}
	var raw *http.Response
	msg, err := m.generate(ctx, params, append(betas, option.WithResponseInto(&raw))...)
	if err != nil {
		return nil, m.fail(ctx, err)
	}
	return m.decode(msg, sent, requestID(raw))
}

// Stream makes one call and yields the answer while it is made.
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[*model.Chunk, error] {
	return func(yield func(*model.Chunk, error) bool) {
		params, sent, betas, err := m.encode(req)
		if err != nil {
			yield(nil, err)
			return
		}
		var raw *http.Response
		stream := m.stream(ctx, params, append(betas, option.WithResponseInto(&raw))...)
		defer stream.Close()
		var whole sdk.Message
		ended := false
		for stream.Next() {
			event := stream.Current()
			if err := whole.Accumulate(event); err != nil {
				yield(nil, model.Garbage(m.Name(), "stream: "+err.Error(), m.key))
				return
			}
			switch event.Type {
			case "message_stop":
				ended = true
			case "content_block_delta":
				chunk := &model.Chunk{Text: event.Delta.Text, Thinking: event.Delta.Thinking}
				if (chunk.Text != "" || chunk.Thinking != "") && !yield(chunk, nil) {
					return
				}
			}
		}
		if err := stream.Err(); err != nil {
			yield(nil, m.fail(ctx, err))
			return
		}
		if !ended {
			yield(nil, &model.Error{Kind: model.ErrBroken, Model: m.Name(), Message: "the stream ended early", RequestID: requestID(raw)})
			return
		}
		resp, err := m.decode(&whole, sent, requestID(raw))
		if err != nil {
			yield(nil, err)
			return
		}
		yield(&model.Chunk{Response: resp}, nil)
	}
}

func requestID(raw *http.Response) string {
	if raw == nil {
		return ""
	}
	return raw.Header.Get("Request-Id")
}

// fail turns the SDK's error into ours, leaving the request inside it behind.
func (m *Model) fail(ctx context.Context, err error) error {
	var api *sdk.Error
	if !errors.As(err, &api) {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return model.TransportError(m.Name(), err, m.key)
	}
	body := parseError(api.RawJSON())
	e := &model.Error{
		Kind:      model.StatusKind(api.StatusCode),
		Model:     m.Name(),
		Message:   model.Explain(body.Error.Message, m.key),
		Status:    api.StatusCode,
		RequestID: api.RequestID,
	}
	if kind, ok := kinds[body.Error.Type]; ok {
		e.Kind = kind
	} else if body.Error.Type == "" {
		e.Message = model.Explain(api.RawJSON(), m.key)
	}
	e.Kind = model.Refine(e.Kind, body.Error.Type, body.Error.Message)
	if api.Response != nil {
		e.RetryAfter = model.RetryAfter(api.Response.Header, time.Now())
	}
	return e
}

// kinds is what the error types mean; inside a stream there is no status.
var kinds = map[string]error{
	"authentication_error": model.ErrAuth,
	"permission_error":     model.ErrPermission,
	"not_found_error":      model.ErrNotFound,
	"request_too_large":    model.ErrContextTooLong,
	"rate_limit_error":     model.ErrRateLimit,
	"billing_error":        model.ErrQuota,
	"timeout_error":        model.ErrTimeout,
	"api_error":            model.ErrServer,
	"overloaded_error":     model.ErrOverloaded,
}
