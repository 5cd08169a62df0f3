package google

import (
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/genai"

	"github.com/playtest-dev/playtest/model"
)

// encode is the request in the SDK's words, and what became of its pictures.
func (m *Model) encode(req *model.Request) ([]*genai.Content, *genai.GenerateContentConfig, []model.Sent, error) {
	fail := func(kind error, err error) ([]*genai.Content, *genai.GenerateContentConfig, []model.Sent, error) {
		return nil, nil, nil, &model.Error{Kind: kind, Model: m.Name(), Message: err.Error()}
	}
	messages, sent, err := model.FitAll(req.Messages, imageLimits)
	if err != nil {
		return fail(model.ErrImage, err)
	}
	var contents []*genai.Content
	for _, msg := range messages {
		if contents, err = m.append(contents, msg); err != nil {
			return fail(model.ErrBadRequest, err)
		}
	}
	// A continuation would be another call, paid for and not written down.
	again := false
	config := &genai.GenerateContentConfig{
		MaxOutputTokens:       int32(req.Limit()),
		AutomaticContinuation: &again,
	}
	if req.System != "" {
		config.SystemInstruction = genai.NewContentFromText(req.System, "")
	}
	if warm := m.traits.Warm(req.Temperature); warm != nil {
		config.Temperature = genai.Ptr(float32(*warm))
	}
	if effort := m.traits.Effort(req.Effort); effort != "" {
		config.ThinkingConfig = &genai.ThinkingConfig{ThinkingLevel: genai.ThinkingLevel(strings.ToUpper(string(effort)))}
	}
	if m.traits.Signatures && sign(contents) {
		config.HTTPOptions = &genai.HTTPOptions{ExtrasRequestProvider: unsealed}
	}
	if err := addTools(config, req, m.traits.ForcedTools); err != nil {
		return fail(model.ErrUnsupported, err)
	}
	if req.Schema != nil {
		schema, err := dialect.Translate(req.Schema)
		if err != nil {
			return fail(model.ErrUnsupported, err)
		}
		config.ResponseMIMEType = "application/json"
		config.ResponseJsonSchema = schema
	}
	return contents, config, sent, nil
}

// append puts a message after the others, into the last one when the speaker
// is the same: turns alternate.
func (m *Model) append(list []*genai.Content, msg model.Message) ([]*genai.Content, error) {
	role := string(genai.RoleUser)
	if msg.Role == model.Assistant {
		role = string(genai.RoleModel)
	}
	var parts []*genai.Part
	for _, p := range msg.Parts {
		encoded, err := m.parts(p)
		if err != nil {
			return nil, err
		}
		parts = append(parts, encoded...)
	}
	if len(parts) == 0 {
		return list, nil // it held only another vendor's thoughts
	}
	if n := len(list); n > 0 && list[n-1].Role == role {
		list[n-1].Parts = append(list[n-1].Parts, parts...)
		return list, nil
	}
	return append(list, &genai.Content{Role: role, Parts: parts}), nil
}

func (m *Model) parts(p model.Part) ([]*genai.Part, error) {
	switch {
	case p.Raw.For(Vendor):
		var raw genai.Part
		if err := json.Unmarshal(p.Raw.Data, &raw); err != nil {
			return nil, fmt.Errorf("raw part: %w", err)
		}
		return []*genai.Part{&raw}, nil
	case p.ToolCall != nil:
		var args map[string]any
		_ = json.Unmarshal(p.ToolCall.Arguments, &args) // invalid ones go back as none
		return []*genai.Part{{FunctionCall: &genai.FunctionCall{ID: ownID(p.ToolCall.ID), Name: p.ToolCall.Name, Args: args}}}, nil
	case p.ToolResult != nil:
		return m.result(p.ToolResult), nil
	case p.Image != nil:
		return []*genai.Part{genai.NewPartFromBytes(p.Image.Data, p.Image.MediaType)}, nil
	case p.Text != "":
		return []*genai.Part{genai.NewPartFromText(p.Text)}, nil
	}
	return nil, nil
}

// result is the answer to a call. Pictures are inside it for the models that
// take them there, and after it for those that do not.
func (m *Model) result(r *model.ToolResult) []*genai.Part {
	var text strings.Builder
	var inside []*genai.FunctionResponsePart
	var after []*genai.Part
	response := map[string]any{}
	for _, p := range r.Parts {
		text.WriteString(p.Text)
		if p.Image == nil {
			continue
		}
		if m.traits.Signatures || len(m.traits.Computer) > 0 {
			inside = append(inside, genai.NewFunctionResponsePartFromBytes(p.Image.Data, p.Image.MediaType))
		} else {
			after = append(after, genai.NewPartFromBytes(p.Image.Data, p.Image.MediaType))
		}
	}
	// A result that is an object is given as one: computer use expects its
	// fields (url and so on) at the top.
	if json.Unmarshal([]byte(text.String()), &response) != nil || response == nil {
		key := "output"
		if r.Error {
			key = "error"
		}
		response = map[string]any{key: text.String()}
	}
	answer := &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: ownID(r.CallID), Name: r.Name, Response: response, Parts: inside}}
	return append([]*genai.Part{answer}, after...)
}

// localPrefix marks ids of calls that the vendor gave none. It is not told
// them: it pairs such calls by name and order.
const localPrefix = "local-"

func ownID(id string) string {
	if strings.HasPrefix(id, localPrefix) {
		return ""
	}
	return id
}

func addTools(config *genai.GenerateContentConfig, req *model.Request, forced bool) error {
	if len(req.Tools) == 0 {
		return nil
	}
	var functions []*genai.FunctionDeclaration
	for _, t := range req.Tools {
		if t.Raw != nil {
			if !t.Raw.For(Vendor) {
				return fmt.Errorf("tool %s is %s's", t.Name, t.Raw.Vendor)
			}
			var raw genai.Tool
			if err := json.Unmarshal(t.Raw.Data, &raw); err != nil {
				return fmt.Errorf("tool %s: %w", t.Name, err)
			}
			config.Tools = append(config.Tools, &raw)
			continue
		}
		schema, err := parameters(t)
		if err != nil {
			return err
		}
		functions = append(functions, &genai.FunctionDeclaration{Name: t.Name, Description: t.Description, ParametersJsonSchema: schema})
	}
	if len(functions) > 0 {
		config.Tools = append(config.Tools, &genai.Tool{FunctionDeclarations: functions})
	}
	calling := &genai.FunctionCallingConfig{}
	switch mode := req.ToolChoice.Mode; {
	case mode == model.NoTool:
		calling.Mode = genai.FunctionCallingConfigModeNone
	case !forced:
		return nil // it is left to the model
	case mode == model.AnyTool:
		calling.Mode = genai.FunctionCallingConfigModeAny
	case mode == model.NamedTool:
		calling.Mode, calling.AllowedFunctionNames = genai.FunctionCallingConfigModeAny, []string{req.ToolChoice.Name}
	default:
		return nil
	}
	config.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: calling}
	return nil
}

// parameters is a tool's schema as far as the vendor understands it. The whole
// of it is checked when the model has made its call.
func parameters(t model.Tool) (map[string]any, error) {
	params, err := t.Parameters()
	if err != nil || len(t.Schema) == 0 {
		return params, err
	}
	if said, err := dialect.Translate(&model.Schema{Name: t.Name, JSON: t.Schema}); err == nil {
		return said, nil
	}
	return params, nil
}
