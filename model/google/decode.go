package google

import (
	"encoding/json"
	"fmt"

	"google.golang.org/genai"

	"github.com/playtest-dev/playtest/model"
)

// answer gathers what the vendor said, in one piece or in a stream.
type answer struct {
	begun     bool // a response came
	there     bool // with a candidate in it
	parts     []*genai.Part
	finish    genai.FinishReason
	message   string
	feedback  *genai.GenerateContentResponsePromptFeedback
	usage     *genai.GenerateContentResponseUsageMetadata
	version   string
	requestID string
	sent      []model.Sent
}

func (a *answer) blocked() bool { return a.feedback != nil && a.feedback.BlockReason != "" }

// add takes in a response or a piece of one, and returns what is new to read.
func (a *answer) add(out *genai.GenerateContentResponse) *model.Chunk {
	chunk := &model.Chunk{}
	if out == nil {
		return chunk
	}
	if out.ResponseID != "" {
		a.requestID, a.begun = out.ResponseID, true
	}
	if out.ModelVersion != "" {
		a.version = out.ModelVersion
	}
	if out.UsageMetadata != nil {
		a.usage = out.UsageMetadata // a running total, not an increment
	}
	if out.PromptFeedback != nil {
		a.feedback = out.PromptFeedback
	}
	if len(out.Candidates) == 0 || out.Candidates[0] == nil {
		return chunk
	}
	a.begun, a.there = true, true
	candidate := out.Candidates[0]
	if candidate.FinishReason != "" && candidate.FinishReason != genai.FinishReasonUnspecified {
		a.finish, a.message = candidate.FinishReason, candidate.FinishMessage
	}
	if candidate.Content == nil {
		return chunk
	}
	for _, p := range candidate.Content.Parts {
		if p.Thought {
			chunk.Thinking += p.Text
		} else {
			chunk.Text += p.Text
		}
		a.merge(p)
	}
	return chunk
}

// merge joins pieces of the same text; a signature ends the piece it is on.
func (a *answer) merge(p *genai.Part) {
	plain := func(p *genai.Part) bool {
		return p.FunctionCall == nil && p.InlineData == nil && p.ExecutableCode == nil && p.CodeExecutionResult == nil
	}
	if n := len(a.parts); n > 0 && plain(p) {
		last := a.parts[n-1]
		if plain(last) && last.Thought == p.Thought && len(last.ThoughtSignature) == 0 {
			joined := *last
			joined.Text += p.Text
			joined.ThoughtSignature = p.ThoughtSignature
			a.parts[n-1] = &joined
			return
		}
	}
	a.parts = append(a.parts, p)
}

// stops is what the finish reasons mean where they are not refusals.
var stops = map[genai.FinishReason]model.Stop{
	genai.FinishReasonStop:         model.StopEnd,
	genai.FinishReasonMaxTokens:    model.StopLength,
	genai.FinishReasonContinuation: model.StopPause,
}

// filters are the finish reasons for which a filter is to blame.
var filters = map[genai.FinishReason]bool{
	genai.FinishReasonSafety: true, genai.FinishReasonRecitation: true, genai.FinishReasonBlocklist: true,
	genai.FinishReasonProhibitedContent: true, genai.FinishReasonSPII: true, genai.FinishReasonLanguage: true,
	genai.FinishReasonImageSafety: true, genai.FinishReasonImageProhibitedContent: true, genai.FinishReasonImageRecitation: true,
}

// decode is the vendor's answer in our words.
func (m *Model) decode(req *model.Request, a answer) (*model.Response, error) {
	resp := &model.Response{
		Message:   model.Message{Role: model.Assistant},
		Usage:     usage(a.usage),
		Model:     m.Name(),
		Version:   a.version,
		RequestID: a.requestID,
		Pictures:  a.sent,
	}
	failed := &model.Error{Model: m.Name(), RequestID: a.requestID, Response: resp}
	if a.blocked() {
		failed.Kind, failed.Message = model.ErrFilter, "the request was blocked: "+string(a.feedback.BlockReason)
		return nil, failed
	}
	if !a.begun && a.usage == nil {
		return nil, &model.Error{Kind: model.ErrGarbage, Model: m.Name(), Message: "not a response"}
	}
	for i, p := range a.parts {
		resp.Message.Parts = append(resp.Message.Parts, part(req, p, i))
	}
	stop, known := stops[a.finish]
	switch {
	case filters[a.finish]:
		failed.Kind, failed.Message = model.ErrFilter, string(a.finish)
		return nil, failed
	case a.finish == genai.FinishReasonMalformedFunctionCall, a.finish == genai.FinishReasonUnexpectedToolCall, a.finish == genai.FinishReasonTooManyToolCalls:
		// The vendor keeps the broken call to itself; asking again may help.
		failed.Kind, failed.Message = model.ErrGarbage, model.Explain(string(a.finish)+" "+a.message, m.key)
		return nil, failed
	case len(resp.ToolCalls()) > 0:
		stop = model.StopTool
	case !known || len(a.parts) == 0 && stop == model.StopEnd:
		failed.Kind, failed.Message = model.ErrEmpty, string(a.finish)
		return nil, failed
	}
	resp.Stop = stop
	return resp, nil
}

// part keeps the raw form of what carries a signature, which must come back in
// its place.
func part(req *model.Request, p *genai.Part, n int) model.Part {
	out := model.Part{}
	if len(p.ThoughtSignature) > 0 || p.FunctionCall == nil && p.Text == "" {
		if data, err := json.Marshal(p); err == nil {
			out.Raw = &model.Raw{Vendor: Vendor, Data: data}
		}
	}
	switch {
	case p.FunctionCall != nil:
		call := &model.ToolCall{ID: p.FunctionCall.ID, Name: p.FunctionCall.Name, Arguments: json.RawMessage(`{}`)}
		if call.ID == "" {
			call.ID = fmt.Sprintf("%s%d-%d", localPrefix, len(req.Messages), n)
		}
		if data, err := json.Marshal(p.FunctionCall.Args); err == nil && p.FunctionCall.Args != nil {
			call.Arguments = data
		}
		out.ToolCall = call
	case p.Thought:
		out.Thinking = p.Text
	default:
		out.Text = p.Text
	}
	return out
}

// usage: the vendor counts cached tokens as part of the prompt, and thoughts
// apart from the answer.
func usage(u *genai.GenerateContentResponseUsageMetadata) model.Usage {
	if u == nil {
		return model.Usage{}
	}
	return model.Usage{
		Input:     model.Without(int64(u.PromptTokenCount)+int64(u.ToolUsePromptTokenCount), int64(u.CachedContentTokenCount)),
		CacheRead: int(u.CachedContentTokenCount),
		Output:    int(u.CandidatesTokenCount),
		Thinking:  int(u.ThoughtsTokenCount),
	}
}
