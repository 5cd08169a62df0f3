package model

import (
	"encoding/json"
	"strings"
)

// Role says who speaks. What the system says is not a message, it is
// [Request.System].
type Role string

// The two speakers of a conversation. Results of tools are the user's.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`

	// Vendor and ID name the stored response that this message came from,
	// on vendors that store one. They let a later request continue it
	// instead of sending everything again; see [Request.Continue].
	Vendor string `json:"vendor,omitempty"`
	ID     string `json:"id,omitempty"`
}

// Part is one piece of a message. Exactly one of Text, Image, ToolCall,
// ToolResult and Thinking is set, or none of them when only Raw is.
//
// Raw, where it is set beside another field, is the same piece in the vendor's
// own form. An adapter sends the raw form back, untouched and in its place,
// when it is its own vendor's, and otherwise the neutral form. That is how
// signed thinking and reasoning items survive a conversation, and how a
// conversation survives a change of vendor.
type Part struct {
	Text       string      `json:"text,omitempty"`
	Image      *Image      `json:"image,omitempty"`
	ToolCall   *ToolCall   `json:"tool_call,omitempty"`
	ToolResult *ToolResult `json:"tool_result,omitempty"`
	// Thinking is what the vendor shows of the model's reasoning. It is never
	// sent to another vendor.
	Thinking string `json:"thinking,omitempty"`
	Raw      *Raw   `json:"raw,omitempty"`
}

// Raw is a block in a vendor's own JSON that this package does not look into.
type Raw struct {
	Vendor string          `json:"vendor"`
	Data   json.RawMessage `json:"data"`
	// Beta names the preview feature that the vendor wants announced with a
	// request that carries the block. Empty for most.
	Beta string `json:"beta,omitempty"`
}

// For reports whether the block is there and in the vendor's language.
func (r *Raw) For(vendor string) bool { return r != nil && r.Vendor == vendor }

// ToolCall is the model's wish to have a tool run.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is a JSON value, nil when the model wrote something that is
	// not JSON; then Invalid holds what it wrote.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Invalid   string          `json:"invalid,omitempty"`
}

// ToolResult answers the call with the same id. It may hold text and images.
type ToolResult struct {
	CallID string `json:"call_id"`
	Name   string `json:"name"`
	Parts  []Part `json:"parts"`
	Error  bool   `json:"error,omitempty"`
}

// Text is a part of plain text.
func Text(s string) Part { return Part{Text: s} }

// UserText is a user's message of plain text.
func UserText(s string) Message { return Message{Role: User, Parts: []Part{Text(s)}} }

// Picture is a part that shows an image.
func Picture(img *Image) Part { return Part{Image: img} }

// Result is a part that answers a call with text.
func Result(call ToolCall, text string) Part {
	return Part{ToolResult: &ToolResult{CallID: call.ID, Name: call.Name, Parts: []Part{Text(text)}}}
}

// Failure is a part that answers a call with an error the model should see.
func Failure(call ToolCall, text string) Part {
	p := Result(call, text)
	p.ToolResult.Error = true
	return p
}

// Text is all the text of the message, in order.
func (m Message) Text() string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Thinking is all the reasoning that the vendor showed, in order.
func (m Message) Thinking() string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Thinking)
	}
	return b.String()
}

// ToolCalls are the message's calls, in order.
func (m Message) ToolCalls() []ToolCall {
	var calls []ToolCall
	for _, p := range m.Parts {
		if p.ToolCall != nil {
			calls = append(calls, *p.ToolCall)
		}
	}
	return calls
}
