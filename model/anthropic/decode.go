package anthropic

import (
	"encoding/json"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/playtest-dev/playtest/model"
)

// decode is the vendor's answer in our words.
func (m *Model) decode(msg *sdk.Message, sent []model.Sent, requestID string) (*model.Response, error) {
	if msg == nil || msg.ID == "" || msg.StopReason == "" {
		return nil, &model.Error{Kind: model.ErrGarbage, Model: m.Name(), Message: "not a message", RequestID: requestID}
	}
	resp := &model.Response{
		Message:   model.Message{Role: model.Assistant},
		Usage:     usage(msg.Usage),
		Model:     m.Name(),
		Version:   string(msg.Model),
		RequestID: requestID,
		Pictures:  sent,
	}
	for _, block := range msg.Content {
		if p, ok := part(block); ok {
			resp.Message.Parts = append(resp.Message.Parts, p)
		}
	}
	failed := &model.Error{Model: m.Name(), RequestID: requestID, Response: resp}
	switch msg.StopReason {
	case sdk.StopReasonToolUse:
		resp.Stop = model.StopTool
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		resp.Stop = model.StopLength
	case sdk.StopReasonPauseTurn:
		resp.Stop = model.StopPause
	case sdk.StopReasonRefusal:
		failed.Kind, failed.Message = model.ErrRefusal, model.Explain(msg.StopDetails.Explanation, m.key)
		return nil, failed
	default:
		resp.Stop = model.StopEnd
	}
	if len(resp.Message.Parts) == 0 && resp.Stop == model.StopEnd {
		failed.Kind = model.ErrEmpty
		return nil, failed
	}
	return resp, nil
}

// part keeps the raw form of what must go back untouched: thinking, which is
// signed, calls of vendor-defined tools, and blocks that we do not know.
func part(block sdk.ContentBlockUnion) (model.Part, bool) {
	raw := &model.Raw{Vendor: Vendor, Data: json.RawMessage(block.RawJSON())}
	switch block.Type {
	case "text":
		return model.Part{Text: block.Text}, block.Text != ""
	case "tool_use":
		p := model.Part{ToolCall: &model.ToolCall{ID: block.ID, Name: block.Name}}
		p.ToolCall.Arguments, p.ToolCall.Invalid = model.ParseArguments(string(block.Input))
		if block.ToolsetName != "" {
			p.Raw = raw
		}
		return p, true
	case "thinking":
		return model.Part{Thinking: block.Thinking, Raw: raw}, true
	}
	return model.Part{Raw: raw}, true
}

// usage: the vendor counts cached tokens apart from input, and thinking as
// part of output.
func usage(u sdk.Usage) model.Usage {
	return model.Usage{
		Input:      int(u.InputTokens),
		CacheRead:  int(u.CacheReadInputTokens),
		CacheWrite: int(u.CacheCreationInputTokens),
		Output:     model.Without(u.OutputTokens, u.OutputTokensDetails.ThinkingTokens),
		Thinking:   int(u.OutputTokensDetails.ThinkingTokens),
	}
}

// errorBody is the vendor's error envelope.
type errorBody struct {
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

func parseError(raw string) errorBody {
	var body errorBody
	_ = json.Unmarshal([]byte(raw), &body) // a proxy's HTML stays an empty body
	return body
}
