// Package google speaks to Google's Gemini API through the official SDK, for
// [model.Gateway].
package google

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/httptransport"
	"google.golang.org/genai"

	"github.com/playtest-dev/playtest/model"
)

// Vendor is the first half of this vendor's model names, and the name that its
// raw blocks carry.
const Vendor = "google"

// defaultBaseURL is always named to the SDK, which would otherwise look for
// one in the environment.
const defaultBaseURL = "https://generativelanguage.googleapis.com/"

// scope is what the cloud's credentials have to allow.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// Options adjusts an adapter.
type Options struct {
	// BaseURL is the vendor's own unless given.
	BaseURL    string
	HTTPClient *http.Client
	// Provider replaces Vendor in the model's name.
	Provider string
	// Traits is what the model can do, model.DefaultCatalog's word for it
	// unless given.
	Traits *model.Traits
	// Cloud, when set, reaches the model through Vertex AI instead, with the
	// credentials of the cloud and no key.
	Cloud *Cloud
}

// Cloud is a place in Google's cloud.
type Cloud struct {
	Project  string
	Location string
	// Credentials are the environment's own unless given.
	Credentials *auth.Credentials
}

// Model is one of Google's models.
type Model struct {
	name     string
	provider string
	key      model.Secret
	traits   model.Traits
	// Of the SDK's client only these two calls are kept: with the client in a
	// field, the linker keeps every method of every service behind it.
	generate func(context.Context, string, []*genai.Content, *genai.GenerateContentConfig) (*genai.GenerateContentResponse, error)
	stream   func(context.Context, string, []*genai.Content, *genai.GenerateContentConfig) iter.Seq2[*genai.GenerateContentResponse, error]
}

var _ interface {
	model.Streamer
	model.Describer
} = (*Model)(nil)

// imageLimits is what the models look at without shrinking.
var imageLimits = model.ImageLimits{
	Long:  3072,
	Bytes: 7_000_000, // a request holds 20 MB, base64 included
	Types: []string{"image/png", "image/jpeg", "image/webp"},
}

// dialect is the part of JSON Schema that responseJsonSchema accepts. Of the
// formats only those are kept that every version has taken.
var dialect = model.Dialect{
	Keywords: []string{"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems",
		"minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required"},
	Formats: []string{"date-time", "date", "time", "int32", "int64", "float", "double"},
}

// New is the adapter for the model of that name, with that key. It retries
// nothing: the gateway does.
func New(name string, key model.Secret, opts *Options) (*Model, error) {
	if opts == nil {
		opts = &Options{}
	}
	if name == "" || key == "" && opts.Cloud == nil {
		return nil, fmt.Errorf("google: %w: a model name and a key are needed", model.ErrNoModel)
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
	settings, err := config(key, opts)
	if err != nil {
		return nil, fmt.Errorf("google: %s", model.Explain(err.Error(), key))
	}
	client, err := genai.NewClient(context.Background(), settings)
	if err != nil {
		// The SDK prints its configuration, key and all, into such errors.
		return nil, fmt.Errorf("google: %s", model.Explain(err.Error(), key))
	}
	m.generate, m.stream = client.Models.GenerateContent, client.Models.GenerateContentStream
	return m, nil
}

// config is the SDK's, for the Gemini API or for the cloud.
func config(key model.Secret, opts *Options) (*genai.ClientConfig, error) {
	c := &genai.ClientConfig{
		APIKey:      key.Reveal(),
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  observed(model.HTTPClient(opts.HTTPClient)),
		HTTPOptions: genai.HTTPOptions{BaseURL: opts.BaseURL},
	}
	if opts.Cloud == nil {
		if c.HTTPOptions.BaseURL == "" {
			c.HTTPOptions.BaseURL = defaultBaseURL
		}
		return c, nil
	}
	c.APIKey, c.Backend = "", genai.BackendVertexAI
	c.Project, c.Location, c.Credentials = opts.Cloud.Project, opts.Cloud.Location, opts.Cloud.Credentials
	return c, authorize(c)
}

// authorize has the client send the cloud's credentials, and name the project
// that pays. The SDK does both for a client of its own only.
func authorize(c *genai.ClientConfig) error {
	if c.Credentials == nil {
		var err error
		c.Credentials, err = credentials.DetectDefault(&credentials.DetectOptions{Scopes: []string{scope}})
		if err != nil {
			return err
		}
	}
	payer, err := c.Credentials.QuotaProjectID(context.Background())
	if err != nil {
		return err
	}
	if payer != "" {
		c.HTTPOptions.Headers = http.Header{"X-Goog-User-Project": {payer}}
	}
	return httptransport.AddAuthorizationMiddleware(c.HTTPClient, c.Credentials)
}

// Name is "google/" and the model's name.
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

// Generate makes one call.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	contents, config, sent, err := m.encode(req)
	if err != nil {
		return nil, err
	}
	ctx, seen := watch(ctx)
	out, err := m.generate(ctx, m.name, contents, config)
	if err != nil {
		return nil, m.fail(ctx, err, seen)
	}
	a := answer{sent: sent}
	a.add(out)
	return m.decode(req, a)
}

// Stream makes one call and yields the answer while it is made.
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[*model.Chunk, error] {
	return func(yield func(*model.Chunk, error) bool) {
		contents, config, sent, err := m.encode(req)
		if err != nil {
			yield(nil, err)
			return
		}
		ctx, seen := watch(ctx)
		a := answer{sent: sent}
		for out, err := range m.stream(ctx, m.name, contents, config) {
			if err != nil {
				yield(nil, m.fail(ctx, err, seen))
				return
			}
			chunk := a.add(out)
			if (chunk.Text != "" || chunk.Thinking != "") && !yield(chunk, nil) {
				return
			}
		}
		if a.there && a.finish == "" && !a.blocked() {
			yield(nil, &model.Error{Kind: model.ErrBroken, Model: m.Name(), Message: "the stream ended early", RequestID: a.requestID})
			return
		}
		resp, err := m.decode(req, a)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(&model.Chunk{Response: resp}, nil)
	}
}

// fail turns the SDK's error into ours.
func (m *Model) fail(ctx context.Context, err error, seen *seen) error {
	var api genai.APIError
	if !errors.As(err, &api) {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return model.TransportError(m.Name(), err, m.key)
	}
	if seen.status >= 400 {
		api.Code = seen.status
	}
	words := []string{api.Status, api.Message}
	e := &model.Error{
		Kind:       model.StatusKind(api.Code),
		Model:      m.Name(),
		Message:    model.Explain(api.Message, m.key),
		Status:     api.Code,
		RetryAfter: model.RetryAfter(seen.header, time.Now()),
	}
	for _, detail := range api.Details {
		if reason, ok := detail["reason"].(string); ok {
			words = append(words, reason)
		}
		// The vendor says when to come back in the body, not in a header.
		if delay, ok := detail["retryDelay"].(string); ok {
			if d, err := time.ParseDuration(delay); err == nil && d > 0 {
				e.RetryAfter = d
			}
		}
	}
	// The vendor speaks of quota for limits by the minute too; those come with
	// a time to come back.
	if e.Kind != model.ErrRateLimit || e.RetryAfter == 0 {
		e.Kind = model.Refine(e.Kind, words...)
	}
	return e
}

// seen is what the SDK leaves out of its errors: the status and headers of the
// response. The transport puts them where the call's context says.
type seen struct {
	status int
	header http.Header
}

type seenKey struct{}

func watch(ctx context.Context) (context.Context, *seen) {
	s := &seen{}
	return context.WithValue(ctx, seenKey{}, s), s
}

type observer struct{ next http.RoundTripper }

func observed(client *http.Client) *http.Client {
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	client.Transport = observer{next}
	return client
}

func (o observer) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := o.next.RoundTrip(r)
	if s, ok := r.Context().Value(seenKey{}).(*seen); ok && resp != nil {
		s.status, s.header = resp.StatusCode, resp.Header
	}
	return resp, err
}
