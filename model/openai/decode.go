package openai

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/responses"

	"github.com/playtest-dev/playtest/model"
)

// decode is the vendor's answer in our words.
func (m *Model) decode(req *model.Request, out *responses.Response, sent []model.Sent, raw *http.Response) (*model.Response, error) {
	if out == nil || out.ID == "" || out.Status == "" {
		return nil, &model.Error{Kind: model.ErrGarbage, Model: m.Name(), Message: "not a response", RequestID: requestID(raw)}
	}
	resp := &model.Response{
		Message:   model.Message{Role: model.Assistant, Vendor: Vendor, ID: out.ID},
		Stop:      model.StopEnd,
		Usage:     responseUsage(out.Usage),
		Model:     m.Name(),
		Version:   out.Model,
		RequestID: requestID(raw),
		Pictures:  sent,
	}
	failed := &model.Error{Model: m.Name(), RequestID: resp.RequestID, Response: resp}
	refusal := ""
	for _, item := range out.Output {
		p, no := outputPart(req, item)
		refusal += no
		resp.Message.Parts = append(resp.Message.Parts, p)
		if p.ToolCall != nil || item.Type == "computer_call" {
			resp.Stop = model.StopTool
		}
	}
	switch {
	case out.Status == responses.ResponseStatusFailed:
		err := m.refused(0, string(out.Error.Code), "", out.Error.Message, raw)
		if e := model.AsError(err); e.Kind == model.ErrGarbage {
			e.Kind = model.ErrServer
		}
		return nil, err
	case refusal != "":
		failed.Kind, failed.Message = model.ErrRefusal, model.Explain(refusal, m.key)
		return nil, failed
	case out.IncompleteDetails.Reason == "content_filter":
		failed.Kind = model.ErrFilter
		return nil, failed
	case out.Status == responses.ResponseStatusIncomplete:
		resp.Stop = model.StopLength
	case len(resp.Message.Parts) == 0:
		failed.Kind = model.ErrEmpty
		return nil, failed
	}
	return resp, nil
}

// outputPart is an item of the answer, with the item itself to be sent back,
// and the words of a refusal if it is one.
func outputPart(req *model.Request, item responses.ResponseOutputItemUnion) (p model.Part, refusal string) {
	p.Raw = &model.Raw{Vendor: Vendor, Data: json.RawMessage(item.RawJSON())}
	switch item.Type {
	case "message":
		for _, c := range item.Content {
			p.Text += c.Text
			refusal += c.Refusal
		}
	case "reasoning":
		var lines []string
		for _, s := range item.Summary {
			lines = append(lines, s.Text)
		}
		p.Thinking = strings.Join(lines, "\n")
	case "function_call":
		call := item.AsFunctionCall()
		p.ToolCall = &model.ToolCall{ID: call.CallID, Name: call.Name}
		p.ToolCall.Arguments, p.ToolCall.Invalid = model.ParseArguments(call.Arguments)
		for _, t := range req.Tools {
			if t.Name == call.Name && len(t.Schema) > 0 && p.ToolCall.Arguments != nil {
				s := model.Schema{Name: t.Name, JSON: t.Schema}
				p.ToolCall.Arguments = s.DropNulls(p.ToolCall.Arguments)
			}
		}
	}
	return p, refusal
}

// responseUsage: the vendor counts cached tokens as part of input, and
// reasoning as part of output.
func responseUsage(u responses.ResponseUsage) model.Usage {
	in, out := u.InputTokensDetails, u.OutputTokensDetails
	return model.Usage{
		Input:      model.Without(u.InputTokens, in.CachedTokens, in.CacheWriteTokens),
		CacheRead:  int(in.CachedTokens),
		CacheWrite: int(in.CacheWriteTokens),
		Output:     model.Without(u.OutputTokens, out.ReasoningTokens),
		Thinking:   int(out.ReasoningTokens),
	}
}
