package modeltest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
)

var clickTool = model.Tool{
	Name:        "click",
	Description: "Clicks a point.",
	Schema: json.RawMessage(`{"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}, "button": {"type": "string", "enum": ["left", "right"]}},
		"required": ["x", "y"]}`),
}

var lookTool = model.Tool{Name: "look", Description: "Takes a picture."}

func testTools(t *testing.T, b *bench) {
	req := question("Start the game.")
	req.Tools = []model.Tool{clickTool, lookTool}
	reply := Reply{Text: "I will click.", Calls: []Call{{"call_a", "click", `{"x":10,"y":20}`}}}
	if b.Thinks {
		reply.Thinking = "There is a button in the middle."
	}
	b.server.Script(reply)
	resp := b.ask(t, req)
	if b.Thinks && resp.Message.Thinking() != reply.Thinking {
		t.Errorf("thinking is %q", resp.Message.Thinking())
	}
	calls := resp.ToolCalls()
	if resp.Stop != model.StopTool || len(calls) != 1 || calls[0].ID != "call_a" || calls[0].Name != "click" {
		t.Fatalf("response is %+v", resp)
	}
	if err := clickTool.Check(calls[0]); err != nil {
		t.Errorf("check: %v", err)
	}
	// The result, with a picture in it, and the thoughts where they were.
	result := model.Result(calls[0], "clicked")
	result.ToolResult.Parts = append(result.ToolResult.Parts, model.Picture(Picture(64, 36)))
	req.Messages = append(req.Messages, resp.Message, model.Message{Role: model.User, Parts: []model.Part{result}})
	b.server.Script(Reply{Calls: []Call{{"call_b", "look", `{}`}}})
	resp = b.ask(t, req)
	if calls = resp.ToolCalls(); len(calls) != 1 || calls[0].Name != "look" {
		t.Fatalf("response is %+v", resp)
	}
	// A result that is an error, and something said beside it.
	req.Messages = append(req.Messages, resp.Message, model.Message{Role: model.User, Parts: []model.Part{model.Text("Go on."), model.Failure(calls[0], "the page is gone")}})
	b.server.Script(Reply{Text: "It is running."})
	if resp = b.ask(t, req); resp.Text() != "It is running." {
		t.Errorf("text is %q", resp.Text())
	}
	// The same speaker twice, and an answer with nothing in it between.
	req.Messages = append(req.Messages, resp.Message, model.UserText("And now?"), model.Message{Role: model.Assistant}, model.UserText("Well?"))
	b.server.Script(Reply{Text: "Still running."})
	b.ask(t, req)
}

func testParallelTools(t *testing.T, b *bench) {
	req := question("Click both.")
	req.Tools = []model.Tool{clickTool}
	b.server.Script(Reply{Calls: []Call{{"call_a", "click", `{"x":1,"y":2}`}, {"call_b", "click", `{"x":3,"y":4}`}}})
	resp := b.ask(t, req)
	calls := resp.ToolCalls()
	if len(calls) != 2 || calls[0].ID != "call_a" || calls[1].ID != "call_b" {
		t.Fatalf("calls are %+v", calls)
	}
	req.Messages = append(req.Messages, resp.Message, model.Message{Role: model.User, Parts: []model.Part{model.Result(calls[0], "one"), model.Result(calls[1], "two")}})
	b.server.Script(Reply{Text: "Both."})
	b.ask(t, req)
}

func testToolChoice(t *testing.T, b *bench) {
	for _, choice := range []model.ToolChoice{{Mode: model.AnyTool}, {Mode: model.NamedTool, Name: "click"}, {Mode: model.NoTool}, {}} {
		req := question("Click.")
		req.Tools, req.ToolChoice, req.OneTool = []model.Tool{clickTool}, choice, true
		b.server.Script(Reply{Text: "ok"})
		b.ask(t, req)
	}
}

func testInvalidArguments(t *testing.T, b *bench) {
	req := question("Click.")
	req.Tools = []model.Tool{clickTool}
	b.server.Script(Reply{Calls: []Call{{"call_a", "click", `{"x":"left"}`}}})
	resp := b.ask(t, req)
	if err := clickTool.Check(resp.ToolCalls()[0]); err == nil {
		t.Error("arguments that do not fit passed the check")
	}
	if !b.TextArgs {
		return
	}
	b.server.Script(Reply{Calls: []Call{{"call_a", "click", `{"x": 1, "y`}}})
	resp = b.ask(t, req)
	call := resp.ToolCalls()[0]
	if call.Arguments != nil || call.Invalid != `{"x": 1, "y` {
		t.Errorf("call is %+v", call)
	}
	err := clickTool.Check(call)
	if err == nil || !strings.Contains(err.Error(), "not JSON") {
		t.Errorf("check: %v", err)
	}
	// The conversation goes on with the error as the result.
	req.Messages = append(req.Messages, resp.Message, model.Message{Role: model.User, Parts: []model.Part{model.Failure(call, err.Error())}})
	b.server.Script(Reply{Text: "Sorry."})
	b.ask(t, req)
}

// testTemperature leaves it to the stand-in to refuse where the vendor would.
func testTemperature(t *testing.T, b *bench) {
	warm := 1.0 // the one that every model takes which takes any
	req := question("Hello?")
	req.Temperature, req.Effort = &warm, model.LowEffort
	b.server.Script(Reply{Text: "Hello."})
	b.ask(t, req)
	got := b.server.Requests()[0].Body
	config, _ := got["generationConfig"].(map[string]any)
	_, sent := got["temperature"]
	_, nested := config["temperature"]
	if want := model.Describe(b.model).Temperature; (sent || nested) != want {
		t.Errorf("a temperature was sent: %v, want %v", sent || nested, want)
	}
}

func testStops(t *testing.T, b *bench) {
	b.server.Script(Reply{Text: "It is a", Stop: model.StopLength, Usage: model.Usage{Input: 5, Output: 3}})
	if resp := b.ask(t, question("?")); resp.Stop != model.StopLength || resp.Text() != "It is a" {
		t.Errorf("response is %+v", resp)
	}
	if !b.NoRefusal {
		b.server.Script(Reply{Refusal: "I will not.", Usage: model.Usage{Input: 5, Output: 3}})
		e := b.fails(t, question("?"), model.ErrRefusal)
		if e.Response == nil || e.Response.Usage.Input != 5 || !strings.Contains(e.Message, "I will not") {
			t.Errorf("refusal is %+v", e)
		}
	}
	if !b.RefusalOnly {
		b.server.Script(Reply{Text: "It", Filtered: true, Usage: model.Usage{Input: 5, Output: 3}})
		if e := b.fails(t, question("?"), model.ErrFilter); e.Response == nil || e.Response.Usage.Input != 5 {
			t.Errorf("filter stop is %+v", e)
		}
	}
	b.server.Script(Reply{Empty: true, Usage: model.Usage{Input: 5}})
	b.fails(t, question("?"), model.ErrEmpty)
}
