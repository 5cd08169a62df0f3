package modeltest

import (
	"context"
	"sync"

	"github.com/playtest-dev/playtest/model"
)

// Fake is a model without a vendor: a function answers. Safe for use by many
// goroutines if the function is.
type Fake struct {
	name string
	caps model.Capabilities
	fn   func(ctx context.Context, n int, req *model.Request) (*model.Response, error)

	mu       sync.Mutex
	requests []*model.Request
}

// NewFake answers the n-th request, counted from 1, with what fn says. Nil
// capabilities are everything but streaming and a temperature.
func NewFake(name string, caps *model.Capabilities, fn func(ctx context.Context, n int, req *model.Request) (*model.Response, error)) *Fake {
	f := &Fake{name: name, fn: fn, caps: model.Capabilities{Images: true, Tools: true, Structured: model.Native}}
	if caps != nil {
		f.caps = *caps
	}
	return f
}

// Name is the name that the fake was given.
func (f *Fake) Name() string { return f.name }

// Capabilities are those that the fake was given.
func (f *Fake) Capabilities() model.Capabilities { return f.caps }

// Generate books the request and answers it.
func (f *Fake) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	f.mu.Lock()
	f.requests = append(f.requests, req)
	n := len(f.requests)
	f.mu.Unlock()
	return f.fn(ctx, n, req)
}

// Requests are those received so far.
func (f *Fake) Requests() []*model.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*model.Request(nil), f.requests...)
}

// Say is a plain answer.
func Say(text string, usage model.Usage) *model.Response {
	return &model.Response{
		Message: model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(text)}},
		Stop:    model.StopEnd,
		Usage:   usage,
	}
}

// Calls is an answer that asks for tools.
func Calls(calls ...model.ToolCall) *model.Response {
	resp := &model.Response{Message: model.Message{Role: model.Assistant}, Stop: model.StopTool}
	for _, call := range calls {
		resp.Message.Parts = append(resp.Message.Parts, model.Part{ToolCall: &call})
	}
	return resp
}

// Replies answers with one text after the other, and then fails.
func Replies(name string, texts ...string) *Fake {
	return NewFake(name, nil, func(_ context.Context, n int, _ *model.Request) (*model.Response, error) {
		if n > len(texts) {
			return nil, &model.Error{Kind: model.ErrBadRequest, Model: name, Message: "no reply was scripted"}
		}
		return Say(texts[n-1], model.Usage{Input: 10, Output: 5}), nil
	})
}
