package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/playtest-dev/playtest/model"
)

// dialect is the part of JSON Schema that structured outputs accept.
var dialect = model.Dialect{
	Keywords: []string{"type", "properties", "required", "items", "minItems", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "title", "description", "format"},
	Formats:  []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
	Closed:   true,
	Flat:     true,
	FewItems: true,
	Most:     model.SchemaSize{Optional: 24, Unions: 16},
}

// encode is the request in the SDK's words, what became of its pictures, and
// the options for its previews.
func (m *Model) encode(req *model.Request) (sdk.MessageNewParams, []model.Sent, []option.RequestOption, error) {
	none := sdk.MessageNewParams{}
	messages, sent, err := model.FitAll(req.Messages, imageLimits)
	if err != nil {
		return none, nil, nil, &model.Error{Kind: model.ErrImage, Model: m.Name(), Message: err.Error()}
	}
	e := encoder{toolsets: map[string]string{}}
	params := sdk.MessageNewParams{
		Model:     sdk.Model(m.name),
		MaxTokens: int64(req.Limit()),
	}
	if req.System != "" {
		params.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	for _, msg := range messages {
		params.Messages = e.append(params.Messages, msg)
	}
	for _, t := range req.Tools {
		tool, err := e.tool(t)
		if err != nil {
			return none, nil, nil, &model.Error{Kind: model.ErrUnsupported, Model: m.Name(), Message: err.Error()}
		}
		params.Tools = append(params.Tools, tool)
	}
	params.ToolChoice = toolChoice(req, m.traits.ForcedTools)
	if warm := m.traits.Warm(req.Temperature); warm != nil {
		params.Temperature = sdk.Float(*warm)
	}
	if effort := m.traits.Effort(req.Effort); effort != "" {
		params.OutputConfig.Effort = sdk.OutputConfigEffort(effort)
	}
	if req.Reuse {
		params.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	if req.Schema != nil {
		schema, err := dialect.Translate(req.Schema)
		if err != nil {
			return none, nil, nil, &model.Error{Kind: model.ErrUnsupported, Model: m.Name(), Message: err.Error()}
		}
		params.OutputConfig.Format = sdk.JSONOutputFormatParam{Schema: schema}
	}
	var opts []option.RequestOption
	for _, beta := range e.betas {
		opts = append(opts, option.WithHeaderAdd("anthropic-beta", beta))
	}
	return params, sent, opts, nil
}

// encoder keeps what one part of a request must know of another.
type encoder struct {
	// toolsets are the families of vendor-defined tools by call id: the
	// result has to name the one its call came from.
	toolsets map[string]string
	betas    []string
}

// append puts a message after the others, into the last one when the speaker
// is the same: turns alternate.
func (e *encoder) append(list []sdk.MessageParam, msg model.Message) []sdk.MessageParam {
	role := sdk.MessageParamRoleUser
	if msg.Role == model.Assistant {
		role = sdk.MessageParamRoleAssistant
	}
	var blocks []sdk.ContentBlockParamUnion
	for _, p := range msg.Parts {
		if b, ok := e.block(p); ok {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == 0 {
		return list // it held only another vendor's thoughts
	}
	if n := len(list); n > 0 && list[n-1].Role == role {
		list[n-1].Content = resultsFirst(append(list[n-1].Content, blocks...))
		return list
	}
	return append(list, sdk.MessageParam{Role: role, Content: resultsFirst(blocks)})
}

// resultsFirst puts results before what else the user says, as the API wants.
func resultsFirst(blocks []sdk.ContentBlockParamUnion) []sdk.ContentBlockParamUnion {
	slices.SortStableFunc(blocks, func(a, b sdk.ContentBlockParamUnion) int {
		switch {
		case a.OfToolResult != nil && b.OfToolResult == nil:
			return -1
		case a.OfToolResult == nil && b.OfToolResult != nil:
			return 1
		}
		return 0
	})
	return blocks
}

func (e *encoder) block(p model.Part) (sdk.ContentBlockParamUnion, bool) {
	if p.Raw.For(Vendor) {
		e.note(p)
		return param.Override[sdk.ContentBlockParamUnion](p.Raw.Data), true
	}
	switch {
	case p.ToolCall != nil:
		return sdk.NewToolUseBlock(p.ToolCall.ID, input(p.ToolCall.Arguments), p.ToolCall.Name), true
	case p.ToolResult != nil:
		return sdk.ContentBlockParamUnion{OfToolResult: e.result(p.ToolResult)}, true
	case p.Image != nil:
		return sdk.NewImageBlockBase64(p.Image.MediaType, base64.StdEncoding.EncodeToString(p.Image.Data)), true
	case p.Text != "":
		return sdk.NewTextBlock(p.Text), true
	}
	return sdk.ContentBlockParamUnion{}, false
}

func (e *encoder) note(p model.Part) {
	if p.Raw.Beta != "" {
		e.betas = append(e.betas, p.Raw.Beta)
	}
	var block struct {
		ID      string `json:"id"`
		Toolset string `json:"toolset_name"`
	}
	if json.Unmarshal(p.Raw.Data, &block) == nil && block.Toolset != "" {
		e.toolsets[block.ID] = block.Toolset
	}
}

func (e *encoder) result(r *model.ToolResult) *sdk.ToolResultBlockParam {
	out := &sdk.ToolResultBlockParam{ToolUseID: r.CallID}
	if r.Error {
		out.IsError = sdk.Bool(true)
	}
	if set := e.toolsets[r.CallID]; set != "" {
		out.ToolsetName = sdk.String(set)
	}
	for _, p := range r.Parts {
		switch {
		case p.Raw.For(Vendor):
			out.Content = append(out.Content, param.Override[sdk.ToolResultBlockParamContentUnion](p.Raw.Data))
		case p.Image != nil:
			block := sdk.NewImageBlockBase64(p.Image.MediaType, base64.StdEncoding.EncodeToString(p.Image.Data))
			out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfImage: block.OfImage})
		case p.Text != "":
			out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: p.Text}})
		}
	}
	return out
}

// input is a call's arguments as the object that the API insists on.
func input(args json.RawMessage) any {
	var object map[string]any
	if json.Unmarshal(args, &object) != nil || object == nil {
		return map[string]any{}
	}
	return args
}

func (e *encoder) tool(t model.Tool) (sdk.ToolUnionParam, error) {
	if t.Raw != nil {
		if !t.Raw.For(Vendor) {
			return sdk.ToolUnionParam{}, fmt.Errorf("tool %s is %s's", t.Name, t.Raw.Vendor)
		}
		if t.Raw.Beta != "" {
			e.betas = append(e.betas, t.Raw.Beta)
		}
		return param.Override[sdk.ToolUnionParam](t.Raw.Data), nil
	}
	params, err := t.Parameters()
	if err != nil {
		return sdk.ToolUnionParam{}, err
	}
	schema := sdk.ToolInputSchemaParam{Properties: params["properties"], ExtraFields: map[string]any{}}
	for key, value := range params {
		switch key {
		case "type", "properties":
		default:
			schema.ExtraFields[key] = value
		}
	}
	tool := &sdk.ToolParam{Name: t.Name, InputSchema: schema}
	if t.Description != "" {
		tool.Description = sdk.String(t.Description)
	}
	return sdk.ToolUnionParam{OfTool: tool}, nil
}

// toolChoice leaves the choice to a model that refuses to be forced: it then
// may answer in words, which is better than no answer.
func toolChoice(req *model.Request, forced bool) sdk.ToolChoiceUnionParam {
	if len(req.Tools) == 0 {
		return sdk.ToolChoiceUnionParam{}
	}
	mode := req.ToolChoice.Mode
	if !forced && mode != model.NoTool {
		mode = model.AutoTool
	}
	one := param.Opt[bool]{}
	if req.OneTool {
		one = sdk.Bool(true)
	}
	switch mode {
	case model.AnyTool:
		return sdk.ToolChoiceUnionParam{OfAny: &sdk.ToolChoiceAnyParam{DisableParallelToolUse: one}}
	case model.NamedTool:
		return sdk.ToolChoiceUnionParam{OfTool: &sdk.ToolChoiceToolParam{Name: req.ToolChoice.Name, DisableParallelToolUse: one}}
	case model.NoTool:
		return sdk.ToolChoiceUnionParam{OfNone: &sdk.ToolChoiceNoneParam{}}
	}
	if req.OneTool {
		return sdk.ToolChoiceUnionParam{OfAuto: &sdk.ToolChoiceAutoParam{DisableParallelToolUse: one}}
	}
	return sdk.ToolChoiceUnionParam{}
}
