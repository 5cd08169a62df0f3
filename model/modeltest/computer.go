package modeltest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/playtest-dev/playtest/model"
)

// What the vendors ask of requests with a computer tool.

// Member is Anthropic's call of a member of the computer toolset, for
// [Reply.Blocks].
func Member(id, name, input string) any {
	return map[string]any{"type": "tool_use", "id": id, "name": name, "toolset_name": "computer", "input": decoded(input)}
}

// BrowserMember is Anthropic's call of a member of the browser toolset, for
// [Reply.Blocks].
func BrowserMember(id, name, input string) any {
	return map[string]any{"type": "tool_use", "id": id, "name": name, "toolset_name": "browser", "input": decoded(input)}
}

// ComputerCall is OpenAI's call of the computer with a list of actions, for
// [Reply.Blocks]. Checks are the ids of pending safety checks.
func ComputerCall(id, actions string, checks ...string) any {
	pending := []any{}
	for _, check := range checks {
		pending = append(pending, map[string]any{"id": check, "code": "malicious_instructions", "message": "Look at " + check + "."})
	}
	call := map[string]any{"type": "computer_call", "id": "cu_" + id, "call_id": id, "status": "completed", "pending_safety_checks": pending}
	if strings.HasPrefix(strings.TrimSpace(actions), "{") {
		call["action"] = decoded(actions) // the preview has a single one
	} else {
		call["actions"] = decoded(actions)
	}
	return call
}

// Thought is Anthropic's thinking, sealed, for [Reply.Blocks].
func Thought(text string) any {
	return map[string]any{"type": "thinking", "thinking": text, "signature": signature(text)}
}

// Acts is a reply that asks for something in the vendor's own JSON.
func Acts(blocks ...any) Reply { return Reply{Blocks: blocks, Stop: model.StopTool} }

func decoded(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(fmt.Sprintf("modeltest: %s: %v", text, err)) // a mistake in a test
	}
	return v
}

// Pictures are the pictures of a request, oldest first, whichever vendor's it
// is.
func (r Received) Pictures() []image.Image {
	var out []image.Image
	walk(r.Body, func(text string) {
		if img, _, err := image.Decode(bytes.NewReader(pictureData(text))); err == nil {
			out = append(out, img)
		}
	})
	return out
}

// pictureData is the picture that a text holds, by itself or as a data URL.
func pictureData(text string) []byte {
	if len(text) < 100 {
		return nil
	}
	if _, data, ok := strings.Cut(text, ";base64,"); ok {
		text = data
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return raw
}

// walk visits the texts of a value. Of the fields only some hold others'
// words; they are visited in the order in which a conversation has them.
func walk(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, each := range v {
			walk(each, visit)
		}
	case map[string]any:
		for _, name := range []string{"messages", "input", "contents", "content", "parts", "source", "inlineData", "functionResponse", "output", "image_url", "data"} {
			walk(v[name], visit)
		}
	}
}

// computerPicture holds a picture to the size that a vendor looks at without
// shrinking it: beyond that, its coordinates are those of another picture.
func computerPicture(c *checker, path, text string, long, short, pixels int) (width, height int) {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(pictureData(text)))
	if err != nil {
		c.fault(path, "not a picture: %v", err)
		return 0, 0
	}
	w, h := cfg.Width, cfg.Height
	if max(w, h) > long || min(w, h) > short || w*h > pixels {
		c.fault(path, "a screenshot of %dx%d would be shrunk", w, h)
	}
	return w, h
}

// memory is what a stand-in has said: blocks that have to come back in their
// order, thoughts included.
type memory struct {
	mu   sync.Mutex
	said map[string][][]string // by the id of the first call
}

// sequence is what must not change in an answer, and its first call.
func sequence(blocks []any) (first string, out []string) {
	for _, b := range blocks {
		switch kind := str(b, "type"); kind {
		case "thinking":
			out = append(out, kind+" "+str(b, "thinking"))
		case "tool_use":
			out = append(out, kind+" "+str(b, "id")+" "+str(b, "name"))
			if first == "" {
				first = str(b, "id")
			}
		}
	}
	return first, out
}

func (m *memory) add(blocks []map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]any, len(blocks))
	for i, b := range blocks {
		list[i] = b
	}
	if first, seq := sequence(list); first != "" {
		if m.said == nil {
			m.said = map[string][][]string{}
		}
		m.said[first] = append(m.said[first], seq)
	}
}

func (m *memory) check(c *checker, path string, blocks []any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first, seq := sequence(blocks)
	said := m.said[first]
	if len(said) > 0 && !slices.ContainsFunc(said, func(s []string) bool { return slices.Equal(s, seq) }) {
		c.fault(path, "the answer with call %q came back as %v, it was %v", first, seq, said)
	}
}

// anthropicComputers are the single tools, with the preview each belongs to.
var anthropicComputers = map[string]struct {
	beta   string
	fields shape
}{
	"computer_20251124": {"computer-use-2025-11-24", shape{"enable_zoom": boolean}},
	"computer_20250124": {"computer-use-2025-01-24", shape{}},
}

// computer checks what comes with Anthropic's computer tools.
func (anthropicAPI) computer(c *checker, r *http.Request, body map[string]any) {
	using := false
	var display [2]int
	for i, t := range items(body, "tools") {
		path := fmt.Sprintf("tools[%d]", i)
		kind := str(t, "type")
		if kind == "computer_toolset_20260801" {
			using = true
			shape{"type!": nil, "configs": nil, "cache_control": nil}.check(c, path, t)
		}
		if members := anthropicSays.Members[kind]; members != nil {
			using = true
			config := object(shape{"enabled": boolean, "defer_loading": boolean})
			known := shape{}
			for _, m := range members {
				known[m] = config
			}
			shape{"type!": nil, "configs": object(known), "cache_control": nil}.check(c, path, t)
		}
		single, ok := anthropicComputers[kind]
		if !ok {
			continue
		}
		using = true
		fields := shape{"type!": nil, "name!": word("computer"), "display_width_px!": number(1, 8000), "display_height_px!": number(1, 8000), "display_number": nil, "cache_control": nil}
		for name, rule := range single.fields {
			fields[name] = rule
		}
		fields.check(c, path, t)
		if !slices.Contains(r.Header.Values("Anthropic-Beta"), single.beta) {
			c.fault(path, "%s needs the beta header %s", kind, single.beta)
		}
		tool, _ := t.(map[string]any)
		w, _ := tool["display_width_px"].(float64)
		h, _ := tool["display_height_px"].(float64)
		display = [2]int{int(w), int(h)}
	}
	if !using {
		return
	}
	declared := display[0] == 0
	some := false
	walk(body["messages"], func(text string) {
		if len(pictureData(text)) == 0 {
			return
		}
		w, h := computerPicture(c, "messages", text, 1568, 1568, 1_200_000)
		some, declared = true, declared || display == [2]int{w, h}
	})
	if some && !declared {
		c.fault("tools", "the display is %v, no picture has that size", display)
	}
}

// browserState checks what is told of a browser after a call of its tools.
func browserState(c *checker, path string, v any) {
	tab := object(shape{"tab_id!": text, "title!": anyText, "url!": anyText, "active": boolean})
	shape{"type!": nil, "tabs!": list(tab), "state_changes": nil, "cache_control": nil}.check(c, path, v)
	tabs, active := items(v, "tabs"), 0
	for _, t := range tabs {
		if entry, _ := t.(map[string]any); entry["active"] == true {
			active++
		}
	}
	if len(tabs) > 0 && active != 1 {
		c.fault(path, "%d of %d tabs are active, want one", active, len(tabs))
	}
}

// browserStates checks where a browser's state stands: once, in the result of a
// call of the browser's tools that succeeded.
func browserStates(c *checker, path string, result any) {
	n := 0
	for _, part := range items(result, "content") {
		if str(part, "type") == "browser_state" {
			n++
		}
	}
	block, _ := result.(map[string]any)
	switch {
	case n > 1:
		c.fault(path, "%d browser_state blocks, want at most one", n)
	case n > 0 && block["is_error"] == true:
		c.fault(path, "browser_state in the result of a call that failed")
	case n > 0 && str(result, "toolset_name") != "browser":
		c.fault(path, "browser_state in the result of another tool")
	}
}

// openaiComputers are the two tools.
var openaiComputers = map[string]shape{
	"computer": {"type!": nil},
	"computer_use_preview": {"type!": nil, "display_width!": number(1, 8000), "display_height!": number(1, 8000),
		"environment!": word("windows", "mac", "linux", "ubuntu", "browser")},
}

// computerCalls are OpenAI's calls of the computer, by id.
type computerCalls map[string]any

func (k computerCalls) add(item any) {
	if str(item, "type") == "computer_call" {
		k[str(item, "call_id")] = item
	}
}

// answer holds an output against its call.
func (k computerCalls) answer(c *checker, path string, item any) {
	check := object(shape{"id!": text, "code": nil, "message": nil})
	shape{"type!": nil, "call_id!": text, "id": nil, "status": nil, "acknowledged_safety_checks": list(check), "output!": func(c *checker, path string, v any) {
		shape{"type!": word("computer_screenshot"), "image_url!": text}.check(c, path, v)
		c.dataURL(path, str(v, "image_url"), openaiImages)
		computerPicture(c, path, str(v, "image_url"), 2048, 768, 2048*768)
	}}.check(c, path, item)
	call, ok := k[str(item, "call_id")]
	if !ok {
		c.fault(path, "no computer_call has the id %q", str(item, "call_id"))
		return
	}
	var pending, known []string
	for _, p := range items(call, "pending_safety_checks") {
		pending = append(pending, str(p, "id"))
	}
	for _, a := range items(item, "acknowledged_safety_checks") {
		known = append(known, str(a, "id"))
	}
	if !slices.Equal(pending, known) {
		c.fault(path, "safety checks %v are pending, %v acknowledged", pending, known)
	}
}

// tools checks what a request must have for its computer calls.
func (k computerCalls) tools(c *checker, body map[string]any) {
	offered := ""
	for _, t := range items(body, "tools") {
		if kind := str(t, "type"); openaiComputers[kind] != nil {
			offered = kind
		}
	}
	if len(k) > 0 && offered == "" {
		c.fault("tools", "a computer call without the computer tool")
	}
	if offered == "computer_use_preview" && str(body, "truncation") != "auto" {
		c.fault("truncation", "computer_use_preview needs auto")
	}
}

var geminiComputer = shape{"environment!": word("ENVIRONMENT_BROWSER", "ENVIRONMENT_MOBILE", "ENVIRONMENT_DESKTOP"), "excludedPredefinedFunctions": list(name),
	"enablePromptInjectionDetection": boolean, "disabledSafetyPolicies": nil}

// geminiFunctions are what Gemini calls in a browser, of both generations.
var geminiFunctions = []string{
	"open_web_browser", "wait_5_seconds", "go_back", "go_forward", "search", "navigate", "click_at", "hover_at", "type_text_at", "key_combination",
	"scroll_document", "scroll_at", "drag_and_drop",
	"click", "double_click", "triple_click", "middle_click", "right_click", "mouse_down", "mouse_up", "move", "type", "wait", "press_key", "key_down",
	"key_up", "hotkey", "take_screenshot", "scroll", "long_press",
}

// computer checks what comes with Gemini's computer use.
func (geminiAPI) computer(c *checker, body map[string]any) {
	var tool map[string]any
	var own []string
	for _, t := range items(body, "tools") {
		each, _ := t.(map[string]any)
		if use, ok := each["computerUse"].(map[string]any); ok {
			tool = use
		}
		for _, f := range items(t, "functionDeclarations") {
			own = append(own, str(f, "name"))
		}
	}
	if tool == nil {
		return
	}
	predefined := func(name string) bool {
		return slices.Contains(geminiFunctions, name) && !slices.Contains(items(tool, "excludedPredefinedFunctions"), any(name))
	}
	for _, name := range own {
		if predefined(name) {
			c.fault("tools", "function %s is predefined", name)
		}
	}
	var calls []any
	for i, content := range items(body, "contents") {
		path := fmt.Sprintf("contents[%d]", i)
		var asked []any
		n := 0
		for _, p := range items(content, "parts") {
			part, _ := p.(map[string]any)
			if call := part["functionCall"]; call != nil {
				asked = append(asked, call)
				if predefined(str(call, "name")) {
					geminiPlaces(c, path, call)
				}
			}
			if answer := part["functionResponse"]; answer != nil && n < len(calls) {
				if predefined(str(answer, "name")) {
					geminiAnswer(c, path, calls[n], answer)
				}
				n++
			}
		}
		calls = asked
	}
}

// geminiPlaces refuses coordinates that the vendor's own schema does not know.
func geminiPlaces(c *checker, path string, call any) {
	whole, _ := call.(map[string]any)
	args, _ := whole["args"].(map[string]any)
	for _, name := range []string{"x", "y", "destination_x", "destination_y", "start_x", "start_y", "end_x", "end_y"} {
		if v, ok := args[name]; ok {
			number(0, 999)(c, path+"."+name, v)
		}
	}
}

// geminiAnswer wants the address, a picture, and the confirmation that was
// asked for.
func geminiAnswer(c *checker, path string, call, answer any) {
	whole, _ := answer.(map[string]any)
	if str(whole["response"], "url") == "" {
		c.fault(path, "the response to %s has no url", str(answer, "name"))
	}
	asked, _ := call.(map[string]any)
	args, _ := asked["args"].(map[string]any)
	if str(args["safety_decision"], "decision") == "require_confirmation" && str(whole["response"], "safety_acknowledgement") != "true" {
		c.fault(path, "%s needed a confirmation, which the response does not acknowledge", str(answer, "name"))
	}
}
