package openai

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/playtest-dev/playtest/model"
)

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
	// Transport are options of the SDK for another way to the same API, such
	// as a cloud's, with its own way to tell the key. They come last, so they
	// win.
	Transport []option.RequestOption
}

// Model is one of OpenAI's models, through the Responses API.
type Model struct {
	base
	traits model.Traits
	// Of the SDK's service only these two calls are kept, as in [Chat].
	generate func(context.Context, responses.ResponseNewParams, ...option.RequestOption) (*responses.Response, error)
	stream   func(context.Context, responses.ResponseNewParams, ...option.RequestOption) *ssestream.Stream[responses.ResponseStreamEventUnion]
}

var _ interface {
	model.Streamer
	model.Describer
} = (*Model)(nil)

// New is the adapter for the model of that name, with that key. It reads
// nothing from the environment and retries nothing: the gateway does.
func New(name string, key model.Secret, opts *Options) (*Model, error) {
	if opts == nil {
		opts = &Options{}
	}
	if name == "" || key == "" && len(opts.Transport) == 0 {
		return nil, fmt.Errorf("openai: %w: a model name and a key are needed", model.ErrNoModel)
	}
	m := &Model{base: base{name: name, provider: Vendor, key: key, cloud: len(opts.Transport) > 0}}
	if opts.Traits != nil {
		m.traits = *opts.Traits
	} else {
		m.traits = model.DefaultCatalog().For(Vendor + "/" + name)
	}
	if opts.Provider != "" {
		m.provider = opts.Provider
	}
	service := responses.NewResponseService(append(m.settings(opts.BaseURL, opts.HTTPClient), opts.Transport...)...)
	m.generate, m.stream = service.New, service.NewStreaming
	return m, nil
}

// Capabilities are those that the vendor documents for the model.
func (m *Model) Capabilities() model.Capabilities {
	caps := m.traits.Capabilities()
	caps.Dialect, caps.ImageLimits = &dialect, imageLimits
	return caps
}

// Traits is what the vendor documents about the model.
func (m *Model) Traits() model.Traits { return m.traits }

// leastTokens is the smallest bound that the API takes.
const leastTokens = 16

// Generate makes one call.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	params, sent, err := m.encode(req)
	if err != nil {
		return nil, err
	}
	var raw *http.Response
	out, err := m.generate(ctx, params, option.WithResponseInto(&raw))
	if err != nil {
		return nil, m.fail(ctx, err, raw)
	}
	return m.decode(req, out, sent, raw)
}

// Stream makes one call and yields the answer while it is made.
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[*model.Chunk, error] {
	return func(yield func(*model.Chunk, error) bool) {
		params, sent, err := m.encode(req)
		if err != nil {
			yield(nil, err)
			return
		}
		var raw *http.Response
		stream := m.stream(ctx, params, option.WithResponseInto(&raw))
		defer stream.Close()
		for stream.Next() {
			event := stream.Current()
			chunk := &model.Chunk{}
			switch event.Type {
			case "response.output_text.delta":
				chunk.Text = event.Delta
			case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
				chunk.Thinking = event.Delta
			case "error":
				yield(nil, m.refused(0, event.Code, "", event.Message, raw))
				return
			case "response.completed", "response.incomplete", "response.failed":
				resp, err := m.decode(req, &event.Response, sent, raw)
				if err != nil {
					yield(nil, err)
					return
				}
				yield(&model.Chunk{Response: resp}, nil)
				return
			}
			if (chunk.Text != "" || chunk.Thinking != "") && !yield(chunk, nil) {
				return
			}
		}
		if err := stream.Err(); err != nil {
			yield(nil, m.fail(ctx, err, raw))
			return
		}
		yield(nil, &model.Error{Kind: model.ErrBroken, Model: m.Name(), Message: "the stream ended early", RequestID: requestID(raw)})
	}
}

// encode is the request in the SDK's words, and what became of its pictures.
func (m *Model) encode(req *model.Request) (responses.ResponseNewParams, []model.Sent, error) {
	none := responses.ResponseNewParams{}
	messages, sent, err := model.FitAll(req.Messages, imageLimits)
	if err != nil {
		return none, nil, &model.Error{Kind: model.ErrImage, Model: m.Name(), Message: err.Error()}
	}
	params := responses.ResponseNewParams{
		Model:           m.name,
		MaxOutputTokens: param.NewOpt(int64(max(req.Limit(), leastTokens))),
		// Nothing is left with the vendor unless the caller wants to continue.
		Store: param.NewOpt(req.Continue),
	}
	if req.System != "" {
		params.Instructions = param.NewOpt(req.System)
	}
	if req.Reuse {
		params.PromptCacheKey = param.NewOpt(cacheKey(req))
	}
	if req.Continue {
		// What is stored grows with every turn; the oldest of it goes first.
		params.Truncation = responses.ResponseNewParamsTruncationAuto
		if id, rest, ok := continued(messages); ok {
			params.PreviousResponseID = param.NewOpt(id)
			messages = rest
		}
	}
	var items responses.ResponseInputParam
	for _, msg := range messages {
		items = append(items, inputItems(msg)...)
	}
	params.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: items}
	for _, t := range req.Tools {
		tool, err := responseTool(t)
		if err != nil {
			return none, nil, &model.Error{Kind: model.ErrUnsupported, Model: m.Name(), Message: err.Error()}
		}
		params.Tools = append(params.Tools, tool)
	}
	params.ToolChoice = responseToolChoice(req, m.traits.ForcedTools)
	if req.OneTool && len(req.Tools) > 0 {
		params.ParallelToolCalls = param.NewOpt(false)
	}
	if m.traits.Thinks {
		params.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffort(m.traits.Effort(req.Effort))}
		if !req.Continue {
			params.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
		}
	}
	if warm := m.traits.Warm(req.Temperature); warm != nil {
		params.Temperature = param.NewOpt(*warm)
	}
	if req.Schema != nil {
		schema, strict, err := dialect.Say(req.Schema)
		if err != nil {
			return none, nil, &model.Error{Kind: model.ErrUnsupported, Model: m.Name(), Message: err.Error()}
		}
		params.Text = responses.ResponseTextConfigParam{Format: responses.ResponseFormatTextConfigUnionParam{
			OfJSONSchema: &responses.ResponseFormatTextJSONSchemaConfigParam{Name: req.Schema.Name, Schema: schema, Strict: param.NewOpt(strict)},
		}}
	}
	return params, sent, nil
}

// cacheKey names a conversation by how it begins, so that its requests meet
// the same cache.
func cacheKey(req *model.Request) string {
	h := sha256.New()
	h.Write([]byte(req.System))
	for _, t := range req.Tools {
		h.Write([]byte("\n" + t.Name))
	}
	if len(req.Messages) > 0 {
		h.Write([]byte("\n" + req.Messages[0].Text()))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// continued finds the stored response to go on from, and what was said since.
func continued(messages []model.Message) (id string, rest []model.Message, ok bool) {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != model.Assistant {
			continue
		}
		if messages[i].Vendor != Vendor || messages[i].ID == "" || i == len(messages)-1 {
			return "", nil, false
		}
		return messages[i].ID, messages[i+1:], true
	}
	return "", nil, false
}

// inputItems is a message as the API's flat list has it: calls, results and
// reasoning are items of their own, text and pictures gather in messages.
func inputItems(msg model.Message) []responses.ResponseInputItemUnionParam {
	var items []responses.ResponseInputItemUnionParam
	var said responses.ResponseInputMessageContentListParam
	flush := func() {
		if len(said) > 0 {
			items = append(items, responses.ResponseInputItemParamOfMessage(said, responses.EasyInputMessageRoleUser))
			said = nil
		}
	}
	for _, p := range msg.Parts {
		switch {
		case p.Raw.For(Vendor):
			flush()
			items = append(items, param.Override[responses.ResponseInputItemUnionParam](p.Raw.Data))
		case p.ToolCall != nil:
			items = append(items, responses.ResponseInputItemParamOfFunctionCall(arguments(p.ToolCall), p.ToolCall.ID, p.ToolCall.Name))
		case p.ToolResult != nil:
			flush()
			items = append(items, callOutput(p.ToolResult))
		case p.Image != nil:
			said = append(said, responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
				Detail: responses.ResponseInputImageDetailHigh, ImageURL: param.NewOpt(dataURL(p.Image)),
			}})
		case p.Text != "" && msg.Role == model.Assistant:
			items = append(items, responses.ResponseInputItemParamOfMessage(p.Text, responses.EasyInputMessageRoleAssistant))
		case p.Text != "":
			said = append(said, responses.ResponseInputContentUnionParam{OfInputText: &responses.ResponseInputTextParam{Text: p.Text}})
		}
	}
	flush()
	return items
}

func dataURL(img *model.Image) string {
	return "data:" + img.MediaType + ";base64," + base64.StdEncoding.EncodeToString(img.Data)
}

// arguments is what the model wrote, valid or not: the API takes a string.
func arguments(call *model.ToolCall) string {
	if call.Arguments == nil {
		return call.Invalid
	}
	return string(call.Arguments)
}

func callOutput(r *model.ToolResult) responses.ResponseInputItemUnionParam {
	var list responses.ResponseFunctionCallOutputItemListParam
	var text strings.Builder
	pictures := false
	for i, p := range r.Parts {
		if r.Error && i == 0 {
			p.Text = "error: " + p.Text
		}
		switch {
		case p.Image != nil:
			pictures = true
			list = append(list, responses.ResponseFunctionCallOutputItemUnionParam{OfInputImage: &responses.ResponseInputImageContentParam{
				Detail: responses.ResponseInputImageContentDetailHigh, ImageURL: param.NewOpt(dataURL(p.Image)),
			}})
		case p.Text != "":
			text.WriteString(p.Text)
			list = append(list, responses.ResponseFunctionCallOutputItemUnionParam{OfInputText: &responses.ResponseInputTextContentParam{Text: p.Text}})
		}
	}
	out := &responses.ResponseInputItemFunctionCallOutputParam{CallID: param.NewOpt(r.CallID)}
	if pictures {
		out.Output.OfResponseFunctionCallOutputItemArray = list
	} else {
		out.Output.OfString = param.NewOpt(text.String())
	}
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: out}
}

// responseTool is strict wherever strict mode can say the tool's schema.
func responseTool(t model.Tool) (responses.ToolUnionParam, error) {
	if t.Raw != nil {
		if !t.Raw.For(Vendor) {
			return responses.ToolUnionParam{}, fmt.Errorf("tool %s is %s's", t.Name, t.Raw.Vendor)
		}
		return param.Override[responses.ToolUnionParam](t.Raw.Data), nil
	}
	params, err := t.Parameters()
	if err != nil {
		return responses.ToolUnionParam{}, err
	}
	strict := false
	if data, err := json.Marshal(params); err == nil {
		// A schema that makes no sense is sent as it is; the vendor says why.
		if said, ok, err := dialect.Say(&model.Schema{Name: t.Name, JSON: data}); err == nil {
			params, strict = said, ok
		}
	}
	tool := &responses.FunctionToolParam{Name: t.Name, Parameters: params, Strict: param.NewOpt(strict)}
	if t.Description != "" {
		tool.Description = param.NewOpt(t.Description)
	}
	return responses.ToolUnionParam{OfFunction: tool}, nil
}

func responseToolChoice(req *model.Request, forced bool) responses.ResponseNewParamsToolChoiceUnion {
	mode := func(m responses.ToolChoiceOptions) responses.ResponseNewParamsToolChoiceUnion {
		return responses.ResponseNewParamsToolChoiceUnion{OfToolChoiceMode: param.NewOpt(m)}
	}
	switch {
	case len(req.Tools) == 0:
	case !forced && req.ToolChoice.Mode != model.NoTool: // it is left to the model
	case req.ToolChoice.Mode == model.AnyTool:
		return mode(responses.ToolChoiceOptionsRequired)
	case req.ToolChoice.Mode == model.NoTool:
		return mode(responses.ToolChoiceOptionsNone)
	case req.ToolChoice.Mode == model.NamedTool:
		return responses.ResponseNewParamsToolChoiceUnion{OfFunctionTool: &responses.ToolChoiceFunctionParam{Name: req.ToolChoice.Name}}
	}
	return responses.ResponseNewParamsToolChoiceUnion{}
}
