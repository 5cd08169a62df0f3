package model

import (
	"context"
	"iter"
	"time"
)

// Model answers requests. It is safe for use by many goroutines.
type Model interface {
	// Name is "vendor/name", the words a user chose it by.
	Name() string
	// Generate makes one call and returns the whole answer. An error is an
	// [*Error], or wraps the context's.
	Generate(ctx context.Context, req *Request) (*Response, error)
}

// Streamer is a Model that can tell its answer while it is being made.
type Streamer interface {
	Model
	// Stream yields pieces as they arrive. The last one has Response set; an
	// error ends the sequence. Leaving the loop early ends the call.
	Stream(ctx context.Context, req *Request) iter.Seq2[*Chunk, error]
}

// Chunk is a piece of an answer that is still being made.
type Chunk struct {
	Text     string
	Thinking string
	// Response is the whole answer, set on the last chunk only.
	Response *Response
}

// Describer is a Model that knows what it can do. A Model that does not say
// is taken for one that can do nothing beyond text; see [Describe].
type Describer interface {
	Capabilities() Capabilities
}

// Capabilities is what a model can do and will accept.
type Capabilities struct {
	Images      bool       `json:"images"`
	Tools       bool       `json:"tools"`
	Streaming   bool       `json:"streaming"`
	Temperature bool       `json:"temperature"`
	ComputerUse bool       `json:"computer_use"`
	Structured  Structured `json:"structured"`
	// Dialect is what native structured output understands of JSON Schema;
	// what it cannot say is asked for in the next best way.
	Dialect *Dialect `json:"-"`
	// ImageLimits is what the vendor will look at without shrinking it.
	ImageLimits ImageLimits `json:"image_limits"`
	// Thinks is set for models that think before they answer, within the same
	// bound; Efforts are the levels that they can be told, the least first.
	Thinks  bool     `json:"thinks,omitempty"`
	Efforts []Effort `json:"efforts,omitempty"`
	// Output is the most tokens that an answer may have, 0 when nobody says.
	Output int `json:"output,omitempty"`
	// Computer and Browser are the types of the vendor's tools for operating
	// a computer and a browser that the model takes, the newest first.
	Computer []string `json:"computer,omitempty"`
	Browser  []string `json:"browser,omitempty"`
}

// Structured is how a model is made to answer in JSON.
type Structured string

// The ways, best first.
const (
	Native   Structured = "native" // the vendor enforces the schema
	ByTool   Structured = "tool"   // a forced call of a tool with the schema
	ByPrompt Structured = "prompt" // asked nicely, and checked
)

// Describe is what the model says it can do, or the least that any can.
func Describe(m Model) Capabilities {
	if d, ok := m.(Describer); ok {
		return d.Capabilities()
	}
	return Capabilities{Structured: ByPrompt}
}

// DefaultMaxTokens bounds an answer whose request names no bound. Every call
// has one, because without it no budget could be kept.
const DefaultMaxTokens = 4096

// Request is one question to a model. It is not changed by a call.
type Request struct {
	// Purpose names the use: deadlines and the ledger go by it. Not sent.
	Purpose string `json:"-"`

	System     string     `json:"system,omitempty"`
	Messages   []Message  `json:"messages"`
	Tools      []Tool     `json:"tools,omitempty"`
	ToolChoice ToolChoice `json:"tool_choice,omitzero"`
	// OneTool forbids several tool calls in one answer.
	OneTool bool `json:"one_tool,omitempty"`
	// Schema asks for an answer in JSON.
	Schema *Schema `json:"schema,omitempty"`
	// MaxTokens bounds the answer; 0 is DefaultMaxTokens. A gateway adds room
	// for thinking where a model thinks within the same bound.
	MaxTokens int `json:"max_tokens,omitempty"`
	// Temperature is dropped for models that refuse one.
	Temperature *float64 `json:"temperature,omitempty"`
	// Effort is how hard to think, for models that can be told. When it is not
	// given, a gateway asks for little of it where a small answer is wanted.
	Effort Effort `json:"effort,omitempty"`
	// Reuse says that the conversation will go on, so that a vendor who keeps
	// prefixes only when asked should keep this one.
	Reuse bool `json:"reuse,omitempty"`
	// Continue lets the vendor go on from the last assistant message's stored
	// response instead of being sent the history again. Messages is the whole
	// conversation all the same, so that another vendor can take over.
	Continue bool `json:"continue,omitempty"`
	// Retries, where given, replaces the gateway's own retrying: how long to
	// wait before each further attempt, longer only if the vendor says so. Not
	// sent.
	Retries []time.Duration `json:"-"`
}

// Limit is the request's bound on the answer's tokens.
func (r *Request) Limit() int {
	if r.MaxTokens > 0 {
		return r.MaxTokens
	}
	return DefaultMaxTokens
}

// Stop says why an answer ended.
type Stop string

// The reasons. Refusals and filters are errors, not answers; see
// [ErrRefusal] and [ErrFilter].
const (
	StopEnd    Stop = "end"    // it was finished
	StopTool   Stop = "tool"   // it wants tools run
	StopLength Stop = "length" // MaxTokens or the context window was reached
	StopPause  Stop = "pause"  // the vendor wants to be asked to go on
)

// Response is a model's answer.
type Response struct {
	Message Message `json:"message"`
	Stop    Stop    `json:"stop"`
	Usage   Usage   `json:"usage"`
	// Model is the Name of the model that answered, Version what the vendor
	// calls it.
	Model   string `json:"model"`
	Version string `json:"version,omitempty"`
	// RequestID is the vendor's name for the call, for its support and our log.
	RequestID string `json:"request_id,omitempty"`
	// Pictures tells, for each image of the request in order, what was sent.
	Pictures []Sent `json:"pictures,omitempty"`

	// Cost, Latency and Cached are filled in by the gateway.
	Cost    Cost          `json:"cost"`
	Latency time.Duration `json:"latency"`
	Cached  bool          `json:"cached,omitempty"`
}

// Text is all the text of the answer.
func (r *Response) Text() string { return r.Message.Text() }

// ToolCalls are the calls that the answer asks for.
func (r *Response) ToolCalls() []ToolCall { return r.Message.ToolCalls() }
