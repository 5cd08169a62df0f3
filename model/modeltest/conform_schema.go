package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
)

// testThinking has a model that thinks for as long as the answer may be, within
// the same bound.
func testThinking(t *testing.T, b *bench) {
	gateway, err := model.NewGateway([]model.Model{b.model}, nil)
	if err != nil {
		t.Fatal(err)
	}
	req := question("Does it pass?")
	req.Schema, req.MaxTokens = verdict, 500
	const answer = `{"pass": true, "score": 70}`
	b.server.Script(Reply{Thinking: "Let me see.", Thoughts: 1500, Text: answer}, Reply{Thinking: "Let me see.", Thoughts: 1500, Text: answer})
	resp, err := gateway.Run(nil).Generate(t.Context(), req)
	if err != nil || resp.Text() != answer {
		t.Fatalf("got %v, %v", resp, err)
	}
	if n := len(b.server.Requests()); n > 1 && model.Describe(b.model).Thinks {
		t.Errorf("a model that is known to think was asked %d times", n)
	}
}

// shapes are schemas that not every vendor can enforce. An answer in their
// shape is had from all.
var shapes = map[string]struct{ schema, wrong, right string }{
	"formats": {
		`{"type":"object","properties":{"link":{"type":"string","format":"uri"},"on":{"type":"string","format":"date"}},"required":["link","on"]}`,
		`{"link":"not one","on":"2026-11-17"}`, `{"link":"https://example.org/","on":"2026-11-17"}`,
	},
	"older definitions": {
		`{"type":"object","properties":{"a":{"$ref":"#/definitions/x"}},"required":["a"],"definitions":{"x":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}`,
		`{"a":{}}`, `{"a":{"n":1}}`,
	},
	"free keys": {
		`{"type":"object","properties":{"by":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["by"]}`,
		`{"by":{"any":"one"}}`, `{"by":{"any":1}}`,
	},
	"a tree": {
		`{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#"}}},"required":["name"]}`,
		`{"kids":[]}`, `{"name":"a","kids":[{"name":"b"}]}`,
	},
	"many items": {
		`{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"},"minItems":3,"uniqueItems":true}},"required":["list"]}`,
		`{"list":["a"]}`, `{"list":["a","b","c"]}`,
	},
	"many fields": {fields(30), `{"f0":"one"}`, `{"f0":["one"]}`},
	"many levels": {levels(12), `{"in":1}`, strings.Repeat(`{"in":`, 12) + "1" + strings.Repeat("}", 12)},
}

// fields is an object with so many lists that may be left out, as a Go struct has
// them.
func fields(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"f%d":{"type":["null","array"],"items":{"type":"string"}}`, i))
	}
	return `{"type":"object","properties":{` + strings.Join(list, ",") + `}}`
}

// levels is so many objects in one another, around a number.
func levels(n int) string {
	return strings.Repeat(`{"type":"object","required":["in"],"properties":{"in":`, n) + `{"type":"integer"}` + strings.Repeat(`}}`, n)
}

// testSchemas leaves it to the stand-in to refuse what the vendor would.
func testSchemas(t *testing.T, b *bench) {
	gateway, err := model.NewGateway([]model.Model{b.model}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range shapes {
		req := question("Say it.")
		req.Schema = &model.Schema{Name: "shape", JSON: json.RawMessage(s.schema)}
		b.server.Script(Reply{Text: s.wrong}, Reply{Text: s.right})
		resp, err := gateway.Run(nil).Generate(t.Context(), req)
		if err != nil || resp.Text() != s.right {
			t.Errorf("%s: got %v, %v", name, resp, err)
		}
		req = question("Do it.")
		req.Tools = []model.Tool{{Name: "tool", Schema: json.RawMessage(s.schema)}}
		b.server.Script(Reply{Text: "No."})
		b.ask(t, req)
	}
}

// testForeignCalls goes on with a conversation that another vendor's model
// began, as after a failover.
func testForeignCalls(t *testing.T, b *bench) {
	call := func(id string) model.Part {
		return model.Part{ToolCall: &model.ToolCall{ID: id, Name: "click", Arguments: json.RawMessage(`{"x":1,"y":2}`)}}
	}
	thought := model.Part{Thinking: "hm", Raw: &model.Raw{Vendor: "elsewhere", Data: json.RawMessage(`{"seal":"x"}`)}}
	req := question("Click start.")
	req.Tools = []model.Tool{clickTool}
	req.Messages = append(req.Messages,
		model.Message{Role: model.Assistant, Parts: []model.Part{thought, model.Text("I click."), call("call_one"), call("call_two")}},
		model.Message{Role: model.User, Parts: []model.Part{model.Result(*call("call_one").ToolCall, "clicked"), model.Result(*call("call_two").ToolCall, "clicked")}})
	b.server.Script(Reply{Text: "Started."})
	b.ask(t, req)
}
