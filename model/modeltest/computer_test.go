package modeltest_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// exchange is a request that follows an answer of the stand-in.
type exchange struct {
	name string
	body string
	// want is what the vendor complains about, nothing if the request is good.
	want string
}

func encoded(w, h int) string {
	return base64.StdEncoding.EncodeToString(modeltest.Picture(w, h).Data)
}

// TestStandInsKnowComputerUse sends the mistakes that a driver must not make,
// past the SDKs, after an answer that asks for something.
func TestStandInsKnowComputerUse(t *testing.T) {
	small, big := encoded(64, 36), encoded(1600, 900)

	said := `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"SEAL"},{"type":"tool_use","id":"a","name":"left_click","toolset_name":"computer","input":{"coordinate":[1,2]}}]}`
	anthropic := func(tools, assistant, result string) string {
		return fmt.Sprintf(`{"model":"claude-sonnet-5-5","max_tokens":9,"tools":[%s],"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},%s,{"role":"user","content":[%s]}]}`, tools, assistant, result)
	}
	result := func(family, picture string) string {
		return fmt.Sprintf(`{"type":"tool_result","tool_use_id":"a"%s,"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]}`, family, picture)
	}
	const toolset, family = `{"type":"computer_toolset_20260801"}`, `,"toolset_name":"computer"`

	const members, page = `{"type":"browser_toolset_20260801","configs":{"new_tab":{"enabled":false}}}`,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"SEAL"},{"type":"tool_use","id":"a","name":"left_click","toolset_name":"browser","input":{}}]}`
	const idle, active = `{"tab_id":"1","title":"","url":""}`, `{"tab_id":"1","title":"","url":"","active":true}`
	state := func(failed, tab string) string {
		return fmt.Sprintf(`{"type":"tool_result","tool_use_id":"a","toolset_name":"browser"%s,"content":[{"type":"browser_state","tabs":[%s]}]}`, failed, tab)
	}

	openai := func(tools, extra, output string) string {
		model := "gpt-6-sol"
		if strings.Contains(tools, "preview") {
			model = "computer-use-preview"
		}
		return fmt.Sprintf(`{"model":%q,"store":true,"tools":[%s]%s,"previous_response_id":"resp_1","input":[%s]}`, model, tools, extra, output)
	}
	shot := func(id, checks, picture string) string {
		return fmt.Sprintf(`{"type":"computer_call_output","call_id":"%s","acknowledged_safety_checks":[%s],"output":{"type":"computer_screenshot","image_url":"data:image/png;base64,%s"}}`, id, checks, picture)
	}
	const check = `{"id":"sc_1"}`

	gemini := func(use, declared, args, response string) string {
		return fmt.Sprintf(`{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"click","args":%s}}]},{"role":"user","parts":[{"functionResponse":{"name":"click","response":%s}}]}],"tools":[{"computerUse":%s}%s]}`, args, response, use, declared)
	}
	const place, browser = `{"x":1,"y":2}`, `{"environment":"ENVIRONMENT_BROWSER"}`

	for _, v := range []struct {
		name      string
		server    func(testing.TB) *modeltest.Server
		path      string
		header    map[string]string
		first     string
		reply     modeltest.Reply
		exchanges []exchange
	}{
		{"anthropic", modeltest.NewAnthropic, "/v1/messages", map[string]string{"X-Api-Key": "KEY", "Anthropic-Version": "2023-06-01"},
			`{"model":"claude-sonnet-5-5","max_tokens":9,"tools":[` + toolset + `],"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`,
			modeltest.Reply{Thinking: "hm", Stop: model.StopTool, Blocks: []any{modeltest.Member("a", "left_click", `{"coordinate":[1,2]}`)}},
			[]exchange{
				{"good", anthropic(toolset, said, result(family, small)), ""},
				{"a picture that would be shrunk", anthropic(toolset, said, result(family, big)), "would be shrunk"},
				{"a result of no family", anthropic(toolset, said, result("", small)), "toolset_name"},
				{"a thought that is gone", anthropic(toolset, `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"left_click","toolset_name":"computer","input":{}}]}`, result(family, small)), "came back as"},
				{"the browser's state", anthropic(members, page, state("", active)), ""},
				{"a member that there is none of", anthropic(`{"type":"browser_toolset_20260801","configs":{"fly":{"enabled":true}}}`, page, state("", active)), "unknown field"},
				{"a state after a failure", anthropic(members, page, state(`,"is_error":true`, active)), "failed"},
				{"no active tab", anthropic(members, page, state("", idle)), "are active"},
				{"a state of another tool", anthropic(toolset, said, strings.Replace(state("", active), "browser\",", "computer\",", 1)), "another tool"},
				{"a size for the toolset", anthropic(`{"type":"computer_toolset_20260801","display_width_px":64}`, said, result(family, small)), "unknown field"},
				{"an older tool without its header", anthropic(`{"type":"computer_20251124","name":"computer","display_width_px":64,"display_height_px":36}`, said, result(family, small)), "beta header"},
				{"an older tool without a size", anthropic(`{"type":"computer_20250124","name":"computer"}`, said, result(family, small)), "display_width_px is missing"},
				{"a display of another size", anthropic(`{"type":"computer_20250124","name":"computer","display_width_px":99,"display_height_px":36}`, said, result(family, small)), "no picture has that size"},
			}},
		{"openai", modeltest.NewOpenAI, "responses", map[string]string{"Authorization": "Bearer KEY"},
			`{"model":"gpt-6-sol","store":true,"tools":[{"type":"computer"}],"input":[{"role":"user","content":"x"}]}`,
			modeltest.Acts(modeltest.ComputerCall("c", `[{"type":"screenshot"}]`, "sc_1")),
			[]exchange{
				{"good", openai(`{"type":"computer"}`, "", shot("c", check, small)), ""},
				{"a picture that would be shrunk", openai(`{"type":"computer"}`, "", shot("c", check, big)), "would be shrunk"},
				{"a check that nobody acknowledged", openai(`{"type":"computer"}`, "", shot("c", "", small)), "are pending"},
				{"another call's output", openai(`{"type":"computer"}`, "", shot("d", check, small)), "no computer_call has the id"},
				{"an output of a function", openai(`{"type":"computer"}`, "", `{"type":"function_call_output","call_id":"c","output":"x"}`), "wants a computer_call_output"},
				{"no tool", openai(``, "", shot("c", check, small)), "without the computer tool"},
				{"a size for the tool", openai(`{"type":"computer","display_width":64}`, "", shot("c", check, small)), "unknown field"},
				{"the preview without truncation", openai(`{"type":"computer_use_preview","display_width":64,"display_height":36,"environment":"browser"}`, "", shot("c", check, small)), "needs auto"},
				{"the preview", openai(`{"type":"computer_use_preview","display_width":64,"display_height":36,"environment":"browser"}`, `,"truncation":"auto"`, shot("c", check, small)), ""},
			}},
		{"gemini", modeltest.NewGoogle, "/v1beta/models/gemini-2.5-computer-use-preview-10-2025:generateContent", map[string]string{"X-Goog-Api-Key": "KEY"},
			`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"computerUse":` + browser + `}]}`,
			modeltest.Reply{Calls: []modeltest.Call{{Name: "click", Args: place}}},
			[]exchange{
				{"good", gemini(browser, "", place, `{"url":"http://x/"}`), ""},
				{"no environment", gemini(`{}`, "", place, `{"url":"http://x/"}`), "environment is missing"},
				{"no address", gemini(browser, "", place, `{"output":"ok"}`), "has no url"},
				{"a place beyond the edge", gemini(browser, "", `{"x":1000,"y":2}`, `{"url":"http://x/"}`), "from 0 to 999"},
				{"a confirmation that is missing", gemini(browser, "", `{"x":1,"y":2,"safety_decision":{"decision":"require_confirmation"}}`, `{"url":"http://x/"}`), "does not acknowledge"},
				{"a function that is there already", gemini(browser, `,{"functionDeclarations":[{"name":"scroll"}]}`, place, `{"url":"http://x/"}`), "is predefined"},
				{"unless it is excluded", gemini(`{"environment":"ENVIRONMENT_BROWSER","excludedPredefinedFunctions":["scroll"]}`, `,{"functionDeclarations":[{"name":"scroll"}]}`, place, `{"url":"http://x/"}`), ""},
			}},
	} {
		t.Run(v.name, func(t *testing.T) {
			server := v.server(t)
			server.Script(v.reply)
			status, answer := post(t, server, v.path, v.header, v.first, "")
			if status != http.StatusOK {
				t.Fatalf("the first request: %d %s", status, answer)
			}
			seal := ""
			if _, after, ok := strings.Cut(answer, `"signature":"`); ok {
				seal, _, _ = strings.Cut(after, `"`)
			}
			for _, e := range v.exchanges {
				server.Script(modeltest.Reply{Text: "fine"})
				status, answer := post(t, server, v.path, v.header, strings.ReplaceAll(e.body, "SEAL", seal), "")
				violations := strings.Join(server.Violations(), "; ")
				if e.want == "" && status != http.StatusOK || e.want != "" && (status != http.StatusBadRequest || !strings.Contains(violations, e.want)) {
					t.Errorf("%s: %d %s (%s)", e.name, status, answer, violations)
				}
			}
		})
	}
}
