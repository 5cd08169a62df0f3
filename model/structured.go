package model

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed structured.md
var structuredPrompt string

//go:embed repair.md
var repairPrompt string

// answerTool is the tool that stands for a structured answer on models that
// have tools and no native form.
const answerTool = "answer"

// lower is the request as a model of these capabilities can understand it, and
// what brings its answer back to the form that was asked for: JSON as text.
//
// A schema that the vendor cannot enforce is shown to it as a hint where it
// takes one, and written into the prompt otherwise. A tool is forced only on
// models that have no native form at all: newer ones refuse to be forced.
func lower(req *Request, caps Capabilities) (*Request, func(*Response)) {
	out := bounded(req, caps)
	keep := func(*Response) {}
	if req.Schema == nil || caps.native(req.Schema) {
		return out, keep
	}
	out.Schema = nil
	if caps.Structured == ByTool && caps.Tools && len(req.Tools) == 0 {
		out.Tools = []Tool{{Name: answerTool, Description: "Gives the answer.", Schema: req.Schema.JSON}}
		out.ToolChoice = ToolChoice{Mode: NamedTool, Name: answerTool}
		out.OneTool = true
		return out, liftAnswer
	}
	out.System = strings.TrimSpace(req.System + "\n\n" + strings.ReplaceAll(structuredPrompt, "{{schema}}", string(req.Schema.JSON)))
	return out, keep
}

// native reports whether the vendor takes this schema, to enforce it or as a
// hint.
func (c Capabilities) native(s *Schema) bool {
	if c.Structured != Native || c.Dialect == nil {
		return c.Structured == Native
	}
	_, _, err := c.Dialect.Say(s)
	return err == nil
}

// liftAnswer turns the forced call into the text that it stands for.
func liftAnswer(resp *Response) {
	for i, p := range resp.Message.Parts {
		if p.ToolCall == nil || p.ToolCall.Name != answerTool {
			continue
		}
		text := string(p.ToolCall.Arguments)
		if p.ToolCall.Arguments == nil {
			text = p.ToolCall.Invalid
		}
		parts := slices.Clone(resp.Message.Parts)
		parts[i] = Part{Text: text}
		resp.Message.Parts = parts
		if resp.Stop == StopTool {
			resp.Stop = StopEnd
		}
		return
	}
}

// structured makes the call and checks the answer against the schema, with one
// repair: the model is shown its answer and what is wrong with it. An answer
// that was cut off before it was of use is asked for once more with a larger
// bound. once makes a call; every further call is one like any other, paid for
// and written down.
func structured(ctx context.Context, req *Request, caps Capabilities, once func(context.Context, *Request) (*Response, error)) (*Response, error) {
	resp, err := once(ctx, req)
	if err != nil {
		return nil, err
	}
	if cutOff(req, resp) {
		more := wider(req, caps)
		if more == nil {
			return lost(req, resp)
		}
		again, err := once(ctx, more)
		if err != nil {
			return nil, err
		}
		again.add(resp)
		if resp, req = again, more; cutOff(req, resp) {
			return lost(req, resp)
		}
	}
	if req.Schema == nil {
		return resp, nil
	}
	wrong := settle(req.Schema, resp)
	if wrong == nil {
		return resp, nil
	}
	if len(resp.ToolCalls()) > 0 {
		return resp, nil // it asks for tools first; the answer comes later
	}
	repair := *req
	repair.Messages = append(slices.Clone(req.Messages),
		Message{Role: Assistant, Parts: []Part{Text(orNothing(resp.Text()))}},
		UserText(strings.ReplaceAll(repairPrompt, "{{error}}", clip(wrong.Error(), 500))))
	second, err := once(ctx, &repair)
	if err != nil {
		return nil, err
	}
	second.add(resp)
	if wrong := settle(req.Schema, second); wrong != nil {
		return nil, &Error{Kind: ErrSchema, Model: second.Model, Message: clip(wrong.Error(), 500), Response: second}
	}
	return second, nil
}

// cutOff reports whether the bound was reached before there was an answer: a
// JSON value that is not whole, or nothing but thoughts.
func cutOff(req *Request, resp *Response) bool {
	if resp.Stop != StopLength {
		return false
	}
	if req.Schema != nil {
		_, err := req.Schema.read(resp)
		return err != nil
	}
	return strings.TrimSpace(resp.Text()) == "" && len(resp.ToolCalls()) == 0
}

// lost is what is left to say of an answer that no larger bound would mend.
// Words without a schema are for the caller to judge.
func lost(req *Request, resp *Response) (*Response, error) {
	if req.Schema == nil {
		return resp, nil
	}
	return nil, &Error{Kind: ErrLength, Model: resp.Model, Message: fmt.Sprintf("%d tokens were not enough for the JSON", req.Limit()), Response: resp}
}

// add puts what an earlier call of the same question took on the books of
// this one.
func (r *Response) add(earlier *Response) {
	r.Usage = r.Usage.Add(earlier.Usage)
	r.Cost = r.Cost.Add(earlier.Cost)
	r.Latency += earlier.Latency
}

// settle leaves the validated JSON, and nothing else, as the answer's text.
func settle(schema *Schema, resp *Response) error {
	data, err := schema.read(resp)
	if err != nil {
		return err
	}
	if string(data) == resp.Text() {
		return nil
	}
	kept := slices.DeleteFunc(slices.Clone(resp.Message.Parts), func(p Part) bool { return p.Text != "" })
	resp.Message.Parts = append(kept, Text(string(data)))
	return nil
}

func orNothing(s string) string {
	if strings.TrimSpace(s) == "" {
		return "(nothing)"
	}
	return s
}
