package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"

	"github.com/playtest-dev/playtest/model"
)

// ChatOptions adjusts an adapter for a compatible server.
type ChatOptions struct {
	// Key may be empty: local servers want none.
	Key        model.Secret
	HTTPClient *http.Client
	// Structured is how the server is made to answer in JSON: Native unless
	// given, which most of them are by now.
	Structured model.Structured
	// NoImages and NoTools say what the model behind the server cannot do.
	NoImages bool
	NoTools  bool
}

// Chat is a model behind a server that is compatible with OpenAI's chat
// completions: Ollama, vLLM, llama.cpp, LM Studio, OpenRouter and the like.
type Chat struct {
	base
	opts ChatOptions
	// Of the SDK's service only these two calls are kept: with the service in a
	// field, the linker keeps every method of everything behind it.
	generate func(context.Context, sdk.ChatCompletionNewParams, ...option.RequestOption) (*sdk.ChatCompletion, error)
	stream   func(context.Context, sdk.ChatCompletionNewParams, ...option.RequestOption) *ssestream.Stream[sdk.ChatCompletionChunk]
}

var _ interface {
	model.Streamer
	model.Describer
} = (*Chat)(nil)

// NewChat is the adapter for a model of that name behind that server. The
// provider is what the user calls the server.
func NewChat(provider, name, baseURL string, opts *ChatOptions) (*Chat, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("%s: the base URL has to be http or https", provider)
	}
	if provider == "" || name == "" {
		return nil, fmt.Errorf("%s: %w: a model name is needed", provider, model.ErrNoModel)
	}
	if opts == nil {
		opts = &ChatOptions{}
	}
	c := &Chat{base: base{name: name, provider: provider, key: opts.Key}, opts: *opts}
	if c.opts.Structured == "" {
		c.opts.Structured = model.Native
	}
	service := sdk.NewChatCompletionService(c.settings(baseURL, opts.HTTPClient)...)
	c.generate, c.stream = service.New, service.NewStreaming
	return c, nil
}

// Capabilities are what was said of the server, for it does not say itself.
func (c *Chat) Capabilities() model.Capabilities {
	return model.Capabilities{
		Images:      !c.opts.NoImages,
		Tools:       !c.opts.NoTools,
		Streaming:   true,
		Temperature: true,
		Structured:  c.opts.Structured,
		Dialect:     &dialect,
		ImageLimits: imageLimits,
	}
}

// Generate makes one call.
func (c *Chat) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	params, sent, err := c.encode(req)
	if err != nil {
		return nil, err
	}
	var raw *http.Response
	out, err := c.generate(ctx, params, option.WithResponseInto(&raw))
	if err != nil {
		return nil, c.fail(ctx, err, raw)
	}
	if out == nil || out.Object == "" && out.ID == "" && len(out.Choices) == 0 {
		return nil, &model.Error{Kind: model.ErrGarbage, Model: c.Name(), Message: "not a chat completion", RequestID: requestID(raw)}
	}
	a := answer{version: out.Model, usage: chatUsage(out.Usage), sent: sent, requestID: requestID(raw)}
	if len(out.Choices) > 0 {
		choice := out.Choices[0]
		a.there = true
		a.text, a.refusal, a.finish = choice.Message.Content, choice.Message.Refusal, choice.FinishReason
		a.thinking = reasoning(choice.Message.JSON.ExtraFields)
		for _, call := range choice.Message.ToolCalls {
			a.calls = append(a.calls, partialCall{call.ID, call.Function.Name, call.Function.Arguments})
		}
	}
	return c.decode(req, a)
}

// Stream makes one call and yields the answer while it is made.
func (c *Chat) Stream(ctx context.Context, req *model.Request) iter.Seq2[*model.Chunk, error] {
	return func(yield func(*model.Chunk, error) bool) {
		params, sent, err := c.encode(req)
		if err != nil {
			yield(nil, err)
			return
		}
		params.StreamOptions = sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)}
		var raw *http.Response
		stream := c.stream(ctx, params, option.WithResponseInto(&raw))
		defer stream.Close()
		a, begun := answer{sent: sent}, false
		for stream.Next() {
			event := stream.Current()
			begun = true
			if event.JSON.Usage.Valid() {
				a.usage = chatUsage(event.Usage)
			}
			if event.Model != "" {
				a.version = event.Model
			}
			if len(event.Choices) == 0 {
				continue
			}
			delta := event.Choices[0].Delta
			chunk := &model.Chunk{Text: delta.Content, Thinking: reasoning(delta.JSON.ExtraFields)}
			a.there = true
			a.add(chunk, delta, event.Choices[0].FinishReason)
			if (chunk.Text != "" || chunk.Thinking != "") && !yield(chunk, nil) {
				return
			}
		}
		a.requestID = requestID(raw)
		if err := stream.Err(); err != nil {
			yield(nil, c.fail(ctx, err, raw))
			return
		}
		if !begun || a.there && a.finish == "" {
			yield(nil, &model.Error{Kind: model.ErrBroken, Model: c.Name(), Message: "the stream ended early", RequestID: a.requestID})
			return
		}
		resp, err := c.decode(req, a)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(&model.Chunk{Response: resp}, nil)
	}
}

// answer is what a server said, in one piece or gathered from a stream.
type answer struct {
	there                                               bool
	text, thinking, refusal, finish, version, requestID string
	calls                                               []partialCall
	usage                                               model.Usage
	sent                                                []model.Sent
}

type partialCall struct{ id, name, arguments string }

func (a *answer) add(chunk *model.Chunk, delta sdk.ChatCompletionChunkChoiceDelta, finish string) {
	a.text += chunk.Text
	a.thinking += chunk.Thinking
	a.refusal += delta.Refusal
	if finish != "" {
		a.finish = finish
	}
	for _, call := range delta.ToolCalls {
		// A bound on the index: a broken server must not make us allocate.
		for int(call.Index) >= len(a.calls) && call.Index < 256 {
			a.calls = append(a.calls, partialCall{})
		}
		if call.Index < 0 || int(call.Index) >= len(a.calls) {
			continue
		}
		at := &a.calls[call.Index]
		at.id += call.ID
		at.name += call.Function.Name
		at.arguments += call.Function.Arguments
	}
}

func (c *Chat) decode(req *model.Request, a answer) (*model.Response, error) {
	resp := &model.Response{
		Message:   model.Message{Role: model.Assistant},
		Usage:     a.usage,
		Model:     c.Name(),
		Version:   a.version,
		RequestID: a.requestID,
		Pictures:  a.sent,
		Stop:      model.StopEnd,
	}
	if a.thinking != "" {
		resp.Message.Parts = append(resp.Message.Parts, model.Part{Thinking: a.thinking})
	}
	if a.text != "" {
		resp.Message.Parts = append(resp.Message.Parts, model.Text(a.text))
	}
	for i, call := range a.calls {
		if call.id == "" {
			call.id = localID(req, i)
		}
		p := model.Part{ToolCall: &model.ToolCall{ID: call.id, Name: call.name}}
		p.ToolCall.Arguments, p.ToolCall.Invalid = model.ParseArguments(call.arguments)
		resp.Message.Parts = append(resp.Message.Parts, p)
		resp.Stop = model.StopTool
	}
	failed := &model.Error{Model: c.Name(), RequestID: a.requestID, Response: resp}
	switch {
	case a.refusal != "":
		failed.Kind, failed.Message = model.ErrRefusal, model.Explain(a.refusal, c.key)
		return nil, failed
	case a.finish == "content_filter":
		failed.Kind = model.ErrFilter
		return nil, failed
	case a.finish == "length":
		resp.Stop = model.StopLength
	case !a.there, len(resp.Message.Parts) == 0:
		failed.Kind = model.ErrEmpty
		return nil, failed
	}
	return resp, nil
}

// reasoning is what servers show of a model's thinking, under names that are
// not the vendor's.
func reasoning(extra map[string]respjson.Field) string {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		var text string
		if json.Unmarshal([]byte(extra[name].Raw()), &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

func chatUsage(u sdk.CompletionUsage) model.Usage {
	in, out := u.PromptTokensDetails, u.CompletionTokensDetails
	return model.Usage{
		Input:      model.Without(u.PromptTokens, in.CachedTokens, in.CacheWriteTokens),
		CacheRead:  int(in.CachedTokens),
		CacheWrite: int(in.CacheWriteTokens),
		Output:     model.Without(u.CompletionTokens, out.ReasoningTokens),
		Thinking:   int(out.ReasoningTokens),
	}
}

// encode is the request in the SDK's words, and what became of its pictures.
func (c *Chat) encode(req *model.Request) (sdk.ChatCompletionNewParams, []model.Sent, error) {
	none := sdk.ChatCompletionNewParams{}
	messages, sent, err := model.FitAll(req.Messages, imageLimits)
	if err != nil {
		return none, nil, &model.Error{Kind: model.ErrImage, Model: c.Name(), Message: err.Error()}
	}
	params := sdk.ChatCompletionNewParams{
		Model: c.name,
		// The older name of the bound is the one that every server knows.
		MaxTokens: param.NewOpt(int64(req.Limit())),
	}
	if req.System != "" {
		params.Messages = append(params.Messages, sdk.SystemMessage(req.System))
	}
	for _, msg := range messages {
		params.Messages = append(params.Messages, chatMessages(msg)...)
	}
	for _, t := range req.Tools {
		if t.Raw != nil {
			return none, nil, &model.Error{Kind: model.ErrUnsupported, Model: c.Name(), Message: "tool " + t.Name + " is " + t.Raw.Vendor + "'s"}
		}
		schema, err := t.Parameters()
		if err != nil {
			return none, nil, &model.Error{Kind: model.ErrUnsupported, Model: c.Name(), Message: err.Error()}
		}
		function := shared.FunctionDefinitionParam{Name: t.Name, Parameters: schema}
		if t.Description != "" {
			function.Description = param.NewOpt(t.Description)
		}
		params.Tools = append(params.Tools, sdk.ChatCompletionFunctionTool(function))
	}
	if len(req.Tools) > 0 {
		params.ToolChoice = chatToolChoice(req.ToolChoice)
		if req.OneTool {
			params.ParallelToolCalls = param.NewOpt(false)
		}
	}
	if req.Temperature != nil {
		params.Temperature = param.NewOpt(*req.Temperature)
	}
	if req.Schema != nil {
		schema, strict, err := dialect.Say(req.Schema)
		if err != nil {
			return none, nil, &model.Error{Kind: model.ErrUnsupported, Model: c.Name(), Message: err.Error()}
		}
		params.ResponseFormat = sdk.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: req.Schema.Name, Schema: schema, Strict: param.NewOpt(strict)},
		}}
	}
	return params, sent, nil
}

// chatMessages is a message as this language has it: each result of a tool a
// message of its own, right after the calls, and pictures only from the user.
func chatMessages(msg model.Message) []sdk.ChatCompletionMessageParamUnion {
	if msg.Role == model.Assistant {
		out := sdk.ChatCompletionAssistantMessageParam{}
		if text := msg.Text(); text != "" {
			out.Content.OfString = param.NewOpt(text)
		}
		for _, call := range msg.ToolCalls() {
			out.ToolCalls = append(out.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID:       call.ID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: arguments(&call)},
			}})
		}
		if len(out.ToolCalls) == 0 && msg.Text() == "" {
			return nil
		}
		return []sdk.ChatCompletionMessageParamUnion{{OfAssistant: &out}}
	}
	var results []sdk.ChatCompletionMessageParamUnion
	var said []sdk.ChatCompletionContentPartUnionParam
	for _, p := range msg.Parts {
		switch {
		case p.ToolResult != nil:
			text, pictures := splitResult(p.ToolResult)
			results = append(results, sdk.ToolMessage(text, p.ToolResult.CallID))
			said = append(said, pictures...)
		case p.Image != nil:
			said = append(said, picture(p.Image))
		case p.Text != "":
			said = append(said, sdk.TextContentPart(p.Text))
		}
	}
	if len(said) > 0 {
		results = append(results, sdk.UserMessage(said))
	}
	return results
}

// splitResult separates what a tool message can hold from what must follow it.
func splitResult(r *model.ToolResult) (string, []sdk.ChatCompletionContentPartUnionParam) {
	var text strings.Builder
	var pictures []sdk.ChatCompletionContentPartUnionParam
	if r.Error {
		text.WriteString("error: ")
	}
	for _, p := range r.Parts {
		text.WriteString(p.Text)
		if p.Image != nil {
			pictures = append(pictures, sdk.TextContentPart("The picture that "+r.Name+" returned:"), picture(p.Image))
		}
	}
	if text.Len() == 0 {
		text.WriteString("done")
	}
	return text.String(), pictures
}

func picture(img *model.Image) sdk.ChatCompletionContentPartUnionParam {
	return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: dataURL(img), Detail: "high"})
}

func chatToolChoice(choice model.ToolChoice) sdk.ChatCompletionToolChoiceOptionUnionParam {
	switch choice.Mode {
	case model.AnyTool:
		return sdk.ChatCompletionToolChoiceOptionUnionParam{OfAuto: param.NewOpt("required")}
	case model.NoTool:
		return sdk.ChatCompletionToolChoiceOptionUnionParam{OfAuto: param.NewOpt("none")}
	case model.NamedTool:
		return sdk.ToolChoiceOptionFunctionToolChoice(sdk.ChatCompletionNamedToolChoiceFunctionParam{Name: choice.Name})
	}
	return sdk.ChatCompletionToolChoiceOptionUnionParam{}
}
