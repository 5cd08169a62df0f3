package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

type move struct {
	Key        string   `json:"key"`
	Confidence int      `json:"confidence" jsonschema:"0 to 100"`
	Why        string   `json:"why,omitempty"`
	Others     []string `json:"others,omitempty"`
}

func TestStructuredAnswers(t *testing.T) {
	for _, tc := range []struct {
		name    string
		caps    model.Capabilities
		replies []*model.Response
		want    move
		kind    error
		calls   int
	}{
		{
			name:    "native",
			caps:    model.Capabilities{Structured: model.Native},
			replies: []*model.Response{modeltest.Say(`{"key":"Space","confidence":90}`, model.Usage{})},
			want:    move{Key: "Space", Confidence: 90}, calls: 1,
		},
		{
			name:    "by a tool call",
			caps:    model.Capabilities{Structured: model.ByTool, Tools: true},
			replies: []*model.Response{modeltest.Calls(model.ToolCall{ID: "1", Name: "answer", Arguments: json.RawMessage(`{"key":"Space","confidence":90}`)})},
			want:    move{Key: "Space", Confidence: 90}, calls: 1,
		},
		{
			name:    "by prompt, in a fence with prose around",
			caps:    model.Capabilities{Structured: model.ByPrompt},
			replies: []*model.Response{modeltest.Say("Sure!\n```json\n{\"key\":\"Space\",\"confidence\":90}\n```\nDone.", model.Usage{})},
			want:    move{Key: "Space", Confidence: 90}, calls: 1,
		},
		{
			name:    "prose with braces before the value",
			caps:    model.Capabilities{Structured: model.ByPrompt},
			replies: []*model.Response{modeltest.Say(`Use {x}: {"key":"Space","confidence":90} as said`, model.Usage{})},
			want:    move{Key: "Space", Confidence: 90}, calls: 1,
		},
		{
			name: "repaired once",
			caps: model.Capabilities{Structured: model.ByPrompt},
			replies: []*model.Response{
				modeltest.Say(`{"key":"Space","confidence":"high"}`, model.Usage{Input: 1}),
				modeltest.Say(`{"key":"Space","confidence":90}`, model.Usage{Input: 2}),
			},
			want: move{Key: "Space", Confidence: 90}, calls: 2,
		},
		{
			name:    "not repaired twice",
			caps:    model.Capabilities{Structured: model.ByPrompt},
			replies: []*model.Response{modeltest.Say(`I cannot tell.`, model.Usage{}), modeltest.Say(`I still cannot.`, model.Usage{})},
			kind:    model.ErrSchema, calls: 2,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := modeltest.NewFake("a/one", &tc.caps, func(_ context.Context, n int, _ *model.Request) (*model.Response, error) { return tc.replies[n-1], nil })
			run := gatewayOf(t, nil, fake).Run(nil)
			got, resp, err := model.Decode[move](t.Context(), run, hello(""))
			if !errors.Is(err, tc.kind) || err == nil && (got.Key != tc.want.Key || got.Confidence != tc.want.Confidence) {
				t.Fatalf("got %+v, %v", got, err)
			}
			requests := fake.Requests()
			if len(requests) != tc.calls {
				t.Fatalf("%d calls", len(requests))
			}
			switch tc.caps.Structured {
			case model.Native:
				if requests[0].Schema == nil {
					t.Error("the schema was not passed on")
				}
			case model.ByTool:
				if len(requests[0].Tools) != 1 || requests[0].ToolChoice.Mode != model.NamedTool || resp.Stop != model.StopEnd {
					t.Errorf("request is %+v, response %+v", requests[0], resp)
				}
			case model.ByPrompt:
				if requests[0].Schema != nil || !strings.Contains(requests[0].System, `"confidence"`) {
					t.Errorf("request is %+v", requests[0])
				}
			}
			if tc.calls == 2 {
				last := requests[1].Messages
				if len(last) != 3 || last[1].Role != model.Assistant || last[1].Text() != tc.replies[0].Text() {
					t.Errorf("the repair was asked with %+v", last)
				}
			}
			if tc.name == "repaired once" && (resp.Usage.Input != 3 || !strings.Contains(requests[1].Messages[2].Text(), "confidence")) {
				t.Errorf("usage is %+v, the repair says %q", resp.Usage, requests[1].Messages[2].Text())
			}
		})
	}
}

func TestToolsMayComeBeforeTheAnswer(t *testing.T) {
	fake := modeltest.NewFake("a/one", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
		return modeltest.Calls(model.ToolCall{ID: "1", Name: "look", Arguments: json.RawMessage(`{}`)}), nil
	})
	req := hello("")
	req.Tools = []model.Tool{{Name: "look"}}
	req.Schema = must(model.SchemaFor[move]("move"))(t)
	if resp, err := gatewayOf(t, nil, fake).Run(nil).Generate(t.Context(), req); err != nil || len(resp.ToolCalls()) != 1 || len(fake.Requests()) != 1 {
		t.Errorf("got %+v, %v after %d calls", resp, err, len(fake.Requests()))
	}
}

// A schema with free keys is nobody's strict mode, and newer models refuse to be
// forced to call a tool. It is sent as a hint where the vendor takes hints and
// put into the prompt otherwise, and checked by us in either case.
func TestFreeKeysForceNoTool(t *testing.T) {
	for _, hints := range []bool{true, false} {
		dialect := model.Dialect{Keywords: []string{"type", "properties", "required", "additionalProperties"}, Closed: true, Hints: hints}
		caps := model.Capabilities{Structured: model.Native, Tools: true, Dialect: &dialect}
		answers := []string{`{"any": "one"}`, `{"any": 1}`}
		fake := modeltest.NewFake("a/one", &caps, func(_ context.Context, n int, req *model.Request) (*model.Response, error) {
			if len(req.Tools) > 0 {
				return nil, fail(model.ErrBadRequest, 400)
			}
			return modeltest.Say(answers[n-1], model.Usage{}), nil
		})
		req := hello("")
		req.Schema = &model.Schema{Name: "free", JSON: json.RawMessage(`{"type":"object","additionalProperties":{"type":"integer"}}`)}
		resp, err := gatewayOf(t, nil, fake).Run(nil).Generate(t.Context(), req)
		if err != nil || resp.Text() != `{"any": 1}` || len(fake.Requests()) != 2 {
			t.Errorf("hints %v: got %v, %v", hints, resp, err)
		}
		sent := fake.Requests()[0]
		if (sent.Schema != nil) != hints || strings.Contains(sent.System, "additionalProperties") == hints {
			t.Errorf("hints %v: asked with %+v", hints, sent)
		}
		req.Schema = &model.Schema{Name: "broken", JSON: json.RawMessage(`{"type":`)}
		if _, err := gatewayOf(t, nil, fake).Run(nil).Generate(t.Context(), req); !errors.Is(err, model.ErrBadRequest) {
			t.Errorf("a broken schema: %v", err)
		}
	}
}

// A vendor may find a schema too large that is of the kind it takes. Then it is
// told in words, and the answer is held against it here.
func TestSchemaThatIsTooLarge(t *testing.T) {
	for message, asked := range map[string]int{
		"output_config.format.schema: The compiled grammar is too large, simplify your schema.": 2,
		"The specified schema produces a constraint that has too many states for serving.":      2,
		"messages: roles must alternate": 1,
	} {
		fake := modeltest.NewFake("a/one", &model.Capabilities{Structured: model.Native}, func(_ context.Context, _ int, req *model.Request) (*model.Response, error) {
			if req.Schema != nil {
				return nil, &model.Error{Kind: model.ErrBadRequest, Model: "a/one", Status: 400, Message: message}
			}
			return modeltest.Say(`{"key":"Space","confidence":90}`, model.Usage{}), nil
		})
		got, _, err := model.Decode[move](t.Context(), gatewayOf(t, nil, fake).Run(nil), hello(""))
		sent := fake.Requests()
		if len(sent) != asked || (err == nil) != (asked == 2) || err == nil && (got.Key != "Space" || !strings.Contains(sent[1].System, `"confidence"`)) {
			t.Errorf("%s: got %+v, %v after %d calls", message, got, err, len(sent))
		}
	}
}

func TestDropNulls(t *testing.T) {
	schema := &model.Schema{Name: "x", JSON: json.RawMessage(`{
		"type": "object",
		"properties": {
			"must": {"type": ["string", "null"]}, "may": {"type": "string"}, "nullable": {"type": ["integer", "null"]},
			"list": {"type": "array", "items": {"$ref": "#/$defs/item"}}, "either": {"anyOf": [{"type": "string"}, {"type": "null"}]}
		},
		"required": ["must"],
		"$defs": {"item": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"enum": ["x", "y"]}}, "required": ["a"]}}
	}`)}
	got := schema.DropNulls(json.RawMessage(`{"must":null,"may":null,"nullable":null,"either":null,"list":[{"a":1.50,"b":null}],"big":12345678901234567890}`))
	var value map[string]json.RawMessage
	if err := json.Unmarshal(got, &value); err != nil {
		t.Fatal(err)
	}
	if _, there := value["may"]; there || string(value["list"]) != `[{"a":1.50}]` || string(value["big"]) != "12345678901234567890" || len(value) != 5 {
		t.Errorf("got %s", got)
	}
}

func FuzzStructuredAnswer(f *testing.F) {
	for _, s := range []string{`{"key":"a","confidence":1}`, "```json\n{}\n```", `{"a":[[[{`, "[[[[", `null`, "{\"key\":null}", "``` ```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// Whatever a model says, it is an answer that fits or an error.
		fake := modeltest.NewFake("a/one", nil, func(context.Context, int, *model.Request) (*model.Response, error) {
			return modeltest.Say(text, model.Usage{}), nil
		})
		req := hello("")
		req.Schema = must(model.SchemaFor[move]("move"))(t)
		resp, err := gatewayOf(t, nil, fake).Run(nil).Generate(t.Context(), req)
		if err == nil {
			err = req.Schema.Validate(json.RawMessage(resp.Text()))
		}
		if err != nil && !errors.Is(err, model.ErrSchema) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
