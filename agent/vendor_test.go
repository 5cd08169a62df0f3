//go:build !race

// What the vendors' SDKs do is looked at without the race detector, so that they
// need not be compiled for it: they are the largest part of the program.

package agent_test

import (
	"testing"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/anthropic"
	"github.com/playtest-dev/playtest/model/google"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/model/openai"
)

// The conversation is one that every vendor accepts: through the real SDKs, the
// strict stand-ins find nothing to complain about, in a long run with pictures,
// several calls at once, errors and silence, and when it is continued.
func TestVendors(t *testing.T) {
	t.Parallel()
	anthropicAPI, openaiAPI, chatAPI, googleAPI := modeltest.NewAnthropic(t), modeltest.NewOpenAI(t), modeltest.NewChat(t), modeltest.NewGoogle(t)
	must := func(m model.Model, err error) model.Model {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	tests := []struct {
		name   string
		server *modeltest.Server
		model  model.Model
	}{
		{"anthropic", anthropicAPI, must(anthropic.New("claude-haiku-5-5", anthropicAPI.Key, &anthropic.Options{BaseURL: anthropicAPI.URL}))},
		{"openai", openaiAPI, must(openai.New("gpt-6-luna", openaiAPI.Key, &openai.Options{BaseURL: openaiAPI.URL}))},
		{"google", googleAPI, must(google.New("gemini-3.1-flash-lite", googleAPI.Key, &google.Options{BaseURL: googleAPI.URL}))},
		{"chat", chatAPI, must(openai.NewChat("lab", "qwen", chatAPI.URL, &openai.ChatOptions{Key: chatAPI.Key}))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			reply := func(calls ...string) modeltest.Reply {
				r := modeltest.Reply{Text: "Next.", Usage: usage}
				for i := 0; i < len(calls); i += 2 {
					n++
					r.Calls = append(r.Calls, modeltest.Call{ID: "call_" + string(rune('a'+n%26)) + string(rune('a'+n/26)), Name: calls[i], Args: calls[i+1]})
				}
				return r
			}
			tt.server.Script(
				reply("ariaTree", `{}`),
				reply("screenshot", `{}`, "keys", `{"keys":["a"]}`, "teleport", `{}`),
				modeltest.Reply{Text: "I wonder.", Thinking: "What now?", Usage: usage},
				modeltest.Reply{Status: 503},
			)
			for range 14 { // enough for old turns to be dropped, and not yet a loop
				tt.server.Script(reply("keys", `{"keys":["ArrowUp","ArrowDown"]}`))
			}
			tt.server.Script(
				reply("screenshot", `{}`), reply("ariaTree", `{}`), reply("extract", `{}`), reply("goto", `{"url":"http://elsewhere.test/"}`),
				reply("close", `{"reasoning":"Tried all.","taskComplete":true}`),
				reply("close", `{"reasoning":"Nothing more.","taskComplete":true}`),
			)
			a := start(t, shop, tt.model, &agent.Options{Game: true, Limits: agent.Limits{Steps: 40}})
			res := run(t, a, "try everything")
			if !res.Success || res.Message != "Tried all." || res.Usage.Input == 0 {
				t.Errorf("got %s, %q, %+v", res.Stop, res.Message, res.Usage)
			}
			again, err := a.Continue(testContext(t), res.Conversation, "and once more")
			if err != nil || again.Message != "Nothing more." {
				t.Errorf("continued: %+v, %v", again, err)
			}
		})
	}
}
