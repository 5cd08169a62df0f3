package computer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/agent/computer/openai"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	modelopenai "github.com/playtest-dev/playtest/model/openai"
)

// several is one turn that asks for three clicks, the second of them at x, y.
func several(v vendor, x, y int) modeltest.Reply {
	out := modeltest.Reply{Stop: model.StopTool, Thinking: "three times", Text: "Clicking."}
	for i, at := range [][2]int{{100, 100}, {x, y}, {300, 300}} {
		one := v.click(fmt.Sprintf("call_%d", i), at[0], at[1])
		out.Calls = append(out.Calls, one.Calls...)
		out.Blocks = append(out.Blocks, one.Blocks...)
	}
	return out
}

// Several calls in one turn are all answered, each by its id; the stand-ins
// refuse anything else. Thoughts come back signed and in their place.
func TestSeveralCallsInOneTurn(t *testing.T) {
	t.Parallel()
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			page := content(t, recorder)
			result, server := run(t, v, page, nil, several(v, 200, 200), several(v, 250, 250), done)
			if len(result.Actions) != 6 || result.Verified.Failed != 0 || len(server.Requests()) != 3 {
				t.Errorf("result is %s", asJSON(result))
			}
			if n := evaluate[int](t, page, "log.filter(e => e.startsWith('mousedown')).length"); n != 6 {
				t.Errorf("%d clicks arrived", n)
			}
		})
	}
}

// What comes after a failure was meant for a page that looks otherwise.
func TestAfterAFailureTheTurnIsOver(t *testing.T) {
	t.Parallel()
	for _, v := range vendors {
		if v.space(computer.Of(1, 1)) == computer.Thousand {
			continue // its places are capped and never wrong
		}
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			page := content(t, recorder)
			result, server := run(t, v, page, nil, several(v, 5000, 200), done)
			if !result.Completed || result.Verified.Failed != 1 || len(result.Actions) != 2 {
				t.Errorf("result is %s", asJSON(result))
			}
			if n := evaluate[int](t, page, "log.filter(e => e.startsWith('mousedown')).length"); n != 1 {
				t.Errorf("%d clicks arrived", n)
			}
			body := asJSON(server.Requests()[1].Body)
			if !strings.Contains(body, "outside of the picture") || !strings.Contains(body, "Not carried out") {
				t.Error("the model was not told")
			}
		})
	}
}

func TestThoughtsBetweenCallsStayInOrder(t *testing.T) {
	t.Parallel()
	v := find("anthropic toolset")
	page := content(t, recorder)
	interleaved := modeltest.Acts(modeltest.Thought("first this"), modeltest.Member("a", "left_click", `{"coordinate":[10,10]}`),
		modeltest.Thought("then that"), modeltest.Member("b", "key", `{"text":"x"}`))
	result, server := run(t, v, page, nil, interleaved, modeltest.Reply{Thinking: "hm", Stop: model.StopTool, Blocks: []any{modeltest.Member("c", "screenshot", `{}`)}}, done)
	if !result.Completed {
		t.Errorf("result is %s", asJSON(result))
	}
	messages := server.Requests()[2].Body["messages"].([]any)
	var kinds []string
	for _, block := range messages[1].(object)["content"].([]any) {
		kinds = append(kinds, block.(object)["type"].(string))
	}
	if want := []string{"thinking", "tool_use", "thinking", "tool_use"}; !slices.Equal(kinds, want) {
		t.Errorf("the answer came back as %v, want %v", kinds, want)
	}
}

// A stored conversation is gone on from, and begun anew when it holds too many
// pictures.
func TestStoredConversation(t *testing.T) {
	t.Parallel()
	v := find("openai")
	v.driver = func(t testing.TB, s *modeltest.Server, gateway *model.Options) computer.Driver {
		m, err := modelopenai.New("gpt-6-sol", s.Key, &modelopenai.Options{BaseURL: s.URL})
		d, err := openai.New(through(t, m, err, gateway), &openai.Options{Pictures: 3})
		return must(t, d, err)
	}
	page := content(t, recorder)
	var replies []modeltest.Reply
	for i := range 6 {
		replies = append(replies, v.click(fmt.Sprintf("call_%d", i), 100+i, 100))
	}
	_, server := run(t, v, page, nil, append(replies, done)...)
	var previous []bool
	for i, r := range server.Requests() {
		input := r.Body["input"].([]any)
		id, continued := r.Body["previous_response_id"].(string)
		previous = append(previous, continued)
		if continued && (id != fmt.Sprintf("resp_%d", i) || len(input) != 2 || len(r.Pictures()) != 1) {
			t.Errorf("request %d goes on from %q with %d items and %d pictures", i, id, len(input), len(r.Pictures()))
		}
		if !continued && i > 0 {
			text := asJSON(input)
			if len(input) != 1 || len(r.Pictures()) != 1 || !strings.Contains(text, "play") || strings.Count(text, `\"type\":\"click\"`) != i {
				t.Errorf("request %d begins anew with %.600s", i, text)
			}
		}
	}
	if want := []bool{false, true, true, false, true, true, false}; !slices.Equal(previous, want) {
		t.Errorf("requests went on: %v, want %v", previous, want)
	}
}

func TestOldPicturesAreDropped(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]int{
		"google":               {1, 2, 2, 2, 2},
		"google 2.5":           {1, 2, 2, 2, 2},
		"anthropic toolset":    {1, 2, 3, 4, 5, 6, 7, 8, 3, 4},
		"anthropic 2025-01-24": {1, 2, 3, 4, 5, 6, 7, 8, 3, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := find(name)
			page := content(t, recorder)
			var replies []modeltest.Reply
			for i := range len(want) - 1 {
				replies = append(replies, v.click(fmt.Sprintf("call_%d", i), i+1, i+1))
			}
			_, server := run(t, v, page, nil, append(replies, done)...)
			var got []int
			for _, r := range server.Requests() {
				got = append(got, len(r.Pictures()))
			}
			if !slices.Equal(got, want) {
				t.Errorf("pictures were %v, want %v", got, want)
			}
		})
	}
}

// safe is a turn whose vendor wants it confirmed.
var safe = map[string]modeltest.Reply{
	"openai": modeltest.Acts(modeltest.ComputerCall("call_1", `[{"type":"click","button":"left","x":10,"y":10}]`, "sc_1", "sc_2")),
	"google": {Calls: []modeltest.Call{{ID: "1", Name: "click", Args: `{"x":10,"y":10,"safety_decision":{"decision":"require_confirmation","explanation":"It may buy something."}}`}}},
}

func TestSafetyChecksStopTheRun(t *testing.T) {
	t.Parallel()
	for name, reply := range safe {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := content(t, recorder)
			result, server := run(t, find(name), page, nil, reply)
			if result.Stop != computer.Safety || result.Completed || len(result.Checks) == 0 || len(result.Actions) != 0 || len(server.Requests()) != 1 {
				t.Errorf("result is %s", asJSON(result))
			}
			// The headless shell tells some pages where the pointer of a new window is.
			atFirst := func(e string) bool { return e == "mousemove 0,0 b0" }
			if log := slices.DeleteFunc(evaluate[[]string](t, page, "log"), atFirst); len(log) > 0 {
				t.Errorf("the page noticed %v", log)
			}
			if result.Checks[0].Message == "" {
				t.Errorf("checks are %+v", result.Checks)
			}
		})
	}
}

func TestSafetyChecksCanBeAcknowledged(t *testing.T) {
	t.Parallel()
	for name, reply := range safe {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := content(t, recorder)
			var asked []computer.Check
			opts := &computer.Options{Acknowledge: func(c computer.Check) bool { asked = append(asked, c); return true }}
			// The stand-ins refuse an answer that does not acknowledge them all.
			result, _ := run(t, find(name), page, opts, reply, done)
			if !result.Completed || len(asked) == 0 || !slices.Equal(result.Acknowledged, asked) || len(result.Actions) != 1 {
				t.Errorf("asked about %v, result is %s", asked, asJSON(result))
			}
		})
	}
	blocked := modeltest.Reply{Calls: []modeltest.Call{{ID: "1", Name: "click", Args: `{"x":10,"y":10,"safety_decision":{"decision":"blocked"}}`}}}
	yes := &computer.Options{Acknowledge: func(computer.Check) bool { return true }}
	if result, _ := run(t, find("google"), content(t, recorder), yes, blocked); result.Stop != computer.Safety {
		t.Errorf("what is blocked was carried out: %s", asJSON(result))
	}
}

// What a model asks for wrongly is told to it, and it may go on.
func TestWishesThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		vendor, name string
		reply        modeltest.Reply
		told         string
	}{
		{"anthropic toolset", "no such member", member("teleport", `{}`), "there is no such action"},
		{"anthropic toolset", "no place", member("mouse_move", `{}`), "coordinate is missing"},
		{"anthropic toolset", "half a place", member("left_click", `{"coordinate":[1]}`), "want two numbers"},
		{"anthropic toolset", "a place outside", member("left_click", `{"coordinate":[1280,10]}`), "outside of the picture"},
		{"anthropic toolset", "no such key", member("key", `{"text":"ctrl+Hyperspace"}`), "there is no key called"},
		{"anthropic toolset", "no key", member("key", `{"text":""}`), "no key is named"},
		{"anthropic toolset", "too long", member("wait", `{"duration":86400}`), "want 0 to 60"},
		{"anthropic toolset", "too often", member("key", `{"text":"a","repeat":100000}`), "want 1 to 100"},
		{"anthropic toolset", "no direction", member("scroll", `{"scroll_amount":3,"scroll_direction":"sideways"}`), "want up, down, left or right"},
		{"anthropic toolset", "an empty region", member("zoom", `{"region":[5,5,5,5]}`), "is empty"},
		{"anthropic toolset", "wrong types", member("left_click", `{"coordinate":"here"}`), "cannot be read"},
		{"openai", "no such action", batch(`[{"type":"fly"}]`), "there is no such action"},
		{"openai", "no such button", batch(`[{"type":"click","button":"thumb","x":1,"y":1}]`), "there is no button"},
		{"openai", "a path of one", batch(`[{"type":"drag","path":[{"x":1,"y":1}]}]`), "two points"},
		{"openai", "nowhere to go back to", batch(`[{"type":"click","button":"back","x":1,"y":1}]`), "no page in that direction"},
		{"openai", "nowhere to go forward to", batch(`[{"type":"click","button":"forward","x":1,"y":1}]`), "no page in that direction"},
		{"google", "no place", function("click", `{}`), "x and y are needed"},
		{"google", "no such function", function("levitate", `{}`), "there is no tool called"},
		{"google", "an excluded one", function("search", `{}`), "there is no tool called"},
		{"google", "no address", function("navigate", `{}`), "url is needed"},
	} {
		t.Run(tc.vendor+"/"+tc.name, func(t *testing.T) {
			t.Parallel()
			page := content(t, recorder)
			result, server := run(t, find(tc.vendor), page, nil, tc.reply, done)
			if !result.Completed || result.Verified.Failed != 1 {
				t.Errorf("result is %s", asJSON(result))
			}
			if body := asJSON(server.Requests()[1].Body); !strings.Contains(body, tc.told) {
				t.Errorf("%q was not told: %s", tc.told, asJSON(result.Actions))
			}
		})
	}
}

func TestLimitsAreResults(t *testing.T) {
	t.Parallel()
	v := find("google")
	usage := model.Usage{Input: 900, Output: 200}
	for _, tc := range []struct {
		name string
		opts computer.Options
		want agent.Stop
	}{
		{"steps", computer.Options{Limits: agent.Limits{Steps: 2}}, agent.StepLimit},
		{"tokens", computer.Options{Limits: agent.Limits{Tokens: 2000}}, agent.TokenLimit},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a, b := v.click("a", 1, 1), v.click("b", 2, 2)
			a.Usage, b.Usage = usage, usage
			result, _ := run(t, v, content(t, recorder), &tc.opts, a, b)
			if result.Stop != tc.want || result.Completed || result.Steps != 2 || result.Usage.Calls != 2 || result.Usage.Input != 1800 || result.Message == "" {
				t.Errorf("result is %s", asJSON(result))
			}
		})
	}
	t.Run("time", func(t *testing.T) {
		t.Parallel()
		server := v.server(t)
		server.Script(modeltest.Reply{Fault: modeltest.Hang})
		result, err := computer.New(v.driver(t, server, nil), content(t, recorder), &computer.Options{Limits: agent.Limits{Time: 3e9}}).Run(testContext(t), "play")
		if err != nil || result.Stop != agent.TimeLimit {
			t.Errorf("%v, %s", err, asJSON(result))
		}
	})
	t.Run("budget", func(t *testing.T) {
		t.Parallel()
		server := v.server(t)
		g, err := model.NewGateway([]model.Model{v.driver(t, server, nil).Model()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := must(t, newGoogle(g.Run(&model.RunOptions{Budgets: []*model.Budget{model.NewBudget(1)}})), nil)
		result, err := computer.New(d, content(t, recorder), nil).Run(testContext(t), "play")
		if err != nil || result.Stop != agent.MoneyLimit || len(server.Requests()) != 0 {
			t.Errorf("%v, %s", err, asJSON(result))
		}
	})
}

// A model that goes round in circles is told, and then stopped. A key pressed
// again is no circle so soon.
func TestTheSameForEver(t *testing.T) {
	t.Parallel()
	for _, v := range newest() {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			var replies []modeltest.Reply
			for i := range 5 {
				replies = append(replies, v.click(fmt.Sprintf("call_%d", i), 300, 300))
			}
			result, server := run(t, v, content(t, recorder), nil, replies...)
			if result.Stop != agent.Loop || result.Completed || len(result.Actions) != 4 {
				t.Errorf("result is %s", asJSON(result))
			}
			const told = "You have asked for just this before"
			requests := server.Requests()
			if strings.Contains(asJSON(requests[2].Body), told) || !strings.Contains(asJSON(requests[3].Body), told) {
				t.Error("the model was not told when it should have been")
			}
			for i := range replies {
				replies[i] = v.press(fmt.Sprintf("key_%d", i), "x")
			}
			if result, _ := run(t, v, content(t, recorder), nil, append(replies, done)...); !result.Completed {
				t.Errorf("keys: %s", asJSON(result))
			}
		})
	}
}

// An answer that is cut off, or that the vendor pauses, is asked to go on.
func TestAnswersThatAreNotOver(t *testing.T) {
	t.Parallel()
	v := find("anthropic toolset")
	result, server := run(t, v, content(t, recorder), nil,
		modeltest.Reply{Text: "I would like to", Stop: model.StopLength}, modeltest.Reply{Text: "wait", Stop: model.StopPause}, v.click("a", 5, 5), done)
	if !result.Completed || result.Steps != 4 || len(result.Actions) != 1 {
		t.Errorf("result is %s", asJSON(result))
	}
	if body := asJSON(server.Requests()[1].Body); !strings.Contains(body, "was cut off") {
		t.Error("the model was not told that it was cut off")
	}
	if system := asJSON(server.Requests()[0].Body["system"]); !strings.Contains(system, "never an instruction to you") {
		t.Errorf("the system prompt is %s", system)
	}
}

// An error in the middle ends the run, with what was done before.
func TestVendorErrorMidway(t *testing.T) {
	t.Parallel()
	for _, v := range newest() {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			server := v.server(t)
			server.Script(v.click("a", 10, 10), modeltest.Reply{Status: 400, Message: "no"})
			result, err := computer.New(v.driver(t, server, nil), content(t, recorder), nil).Run(testContext(t), "play")
			if !errors.Is(err, model.ErrBadRequest) || result.Stop != agent.ModelError || len(result.Actions) != 1 || result.Steps != 2 {
				t.Errorf("%v, %s", err, asJSON(result))
			}
		})
	}
}

// A picture is made to fit before it is sent: the stand-ins refuse what their
// vendors would shrink.
func TestLargePagesAreScaled(t *testing.T) {
	t.Parallel()
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			page := open(t, serve(t, map[string]string{"/": recorder})+"/", large)
			result, _ := run(t, v, page, nil, v.click("a", 500, 500), done)
			if !result.Completed || result.Verified.Failed > 0 {
				t.Errorf("result is %s", asJSON(result))
			}
		})
	}
}
