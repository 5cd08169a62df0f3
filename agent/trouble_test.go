package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
)

// custom makes a tool of a user's.
func custom(t testing.TB, name string, call func(ctx context.Context, in struct {
	N int `json:"n,omitempty"`
}) (*tool.Outcome, error)) tool.Tool {
	t.Helper()
	made, err := tool.New(name, "Something of the user's.", call)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

type number = struct {
	N int `json:"n,omitempty"`
}

// Whatever a tool does, the agent is told in words and goes on.
func TestTroubleWithTools(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	tools := []tool.Tool{
		custom(t, "hangs", func(ctx context.Context, _ number) (*tool.Outcome, error) {
			<-release // whatever the context says
			return nil, nil
		}),
		custom(t, "waits", func(ctx context.Context, _ number) (*tool.Outcome, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
		custom(t, "panics", func(context.Context, number) (*tool.Outcome, error) { panic("out of cheese") }),
		custom(t, "huge", func(context.Context, number) (*tool.Outcome, error) {
			return tool.Say(strings.Repeat("cheese ", 8<<20/7)), nil
		}),
		custom(t, "nothing", func(context.Context, number) (*tool.Outcome, error) { return nil, nil }),
		custom(t, "fails", func(context.Context, number) (*tool.Outcome, error) { return nil, errors.New("no cheese left") }),
	}
	tests := []struct {
		name  string
		turn  turn
		want  string // is part of what the model is told
		fails bool
	}{
		{"hangs for good", call("hangs", "{}"), "hangs did not end within 200ms and was left alone", true},
		{"takes too long", call("waits", "{}"), "waits did not end within 200ms", true},
		{"panics", call("panics", "{}"), "panics broke down: out of cheese", true},
		{"returns 8 MB", call("huge", "{}"), "cheese cheese", false},
		{"returns nothing", call("nothing", "{}"), "Done.", false},
		{"fails", call("fails", "{}"), "It failed: no cheese left", true},
		{"unknown", call("rm_rf", "{}"), `there is no tool "rm_rf"; there are: act, ariaTree, close`, true},
		{"arguments of the wrong kind", call("fails", `{"n":"many"}`), "do not fit", true},
		{"arguments that are missing", call("act", `{}`), "do not fit", true},
		{"arguments that are not JSON", call("act", `{"action":`), "are not JSON", true},
		{"arguments nobody asked for", call("goto", `{"url":"/","force":true}`), "do not fit", true},
		{"an element that is not there", act("click Sell ticket"), "It failed", true},
		{"a key that is none", call("keys", args{"keys": []string{"Cheese"}}), `there is no key "Cheese"`, true},
		{"a place outside", call("clickAt", args{"x": 5000, "y": 1}), "outside of the window", true},
		{"a direction that is none", call("scroll", args{"direction": "inwards"}), "is not up, down, left or right", true},
		{"a page that is not there", call("goto", args{"url": "/nowhere"}), "status 404", true},
		{"a file", call("goto", args{"url": "file:///etc/passwd"}), "is not allowed", true},
		{"a script", call("goto", args{"url": "javascript:alert(1)"}), "is not allowed", true},
		{"back from the first page", call("navback", "{}"), "It failed", true},
		{"no fields", call("fillForm", args{"fields": []any{}}), "give 1 to 40", true},
		{"a schema that is none", call("extract", args{"instruction": "prices", "schema": "{"}), "the schema is not JSON", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := play(t, tt.turn, closing("That was it.", false))
			a := start(t, shop, m, &agent.Options{Tools: tools, Game: true, ToolTimeout: timeoutFor(tt.name)})
			res := run(t, a, "try it")
			if res.Stop != agent.Closed || res.Verified.Calls != 2 || (res.Verified.Failed == 1) != tt.fails {
				t.Errorf("got %+v", res)
			}
			told := m.told(t, 2)
			if !strings.Contains(told, tt.want) {
				t.Errorf("told %s\nwant %s", told[:min(len(told), 2000)], tt.want)
			}
			if len(told) > 80_000 {
				t.Errorf("told %d characters", len(told))
			}
		})
	}
}

// timeoutFor is short only where a timeout is what is tried.
func timeoutFor(name string) time.Duration {
	if strings.HasPrefix(name, "hangs") || strings.HasPrefix(name, "takes") {
		return 200 * time.Millisecond
	}
	return time.Minute
}

// A tool that hangs is not called a second time while it does.
func TestHangingToolIsLeftAlone(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	var began atomic.Int64
	hangs := custom(t, "hangs", func(context.Context, number) (*tool.Outcome, error) {
		began.Add(1)
		<-release
		return nil, nil
	})
	m := play(t, call("hangs", "{}"), call("hangs", `{"n":2}`), closing("Gave up.", false))
	a := start(t, shop, m, &agent.Options{Tools: []tool.Tool{hangs}, ToolTimeout: 100 * time.Millisecond})
	run(t, a, "try it")
	if told := m.told(t, 3); began.Load() != 1 || !strings.Contains(told, "has still not ended") {
		t.Errorf("called %d times; told %s", began.Load(), told)
	}
}

func TestTroubleWithModels(t *testing.T) {
	t.Parallel()
	many := make([][]any, 10)
	for i := range many {
		many[i] = []any{"wait", args{"milliseconds": i}}
	}
	same := make([]turn, 30)
	circle := make([]turn, 30)
	unknown := make([]turn, 30)
	for i := range same {
		same[i] = act("click Nothing here")
		unknown[i] = call("teleport", "{}")
		circle[i] = call("ariaTree", "{}")
		if i%2 == 1 {
			circle[i] = call("extract", "{}")
		}
	}
	broken := func(*model.Request) (*model.Response, error) {
		return nil, &model.Error{Kind: model.ErrAuth, Model: "test/actor", Status: 401}
	}
	long := func(*model.Request) (*model.Response, error) {
		resp := modeltest.Say("I think and think and", usage)
		resp.Stop = model.StopLength
		return resp, nil
	}
	tests := []struct {
		name    string
		turns   []turn
		steps   int
		stop    agent.Stop
		message string
		err     error
	}{
		{"ten calls at once", []turn{calls(many...), closing("Done.", true)}, 0, agent.Closed, "Done.", nil},
		{"no call, then one", []turn{text("Let me think."), closing("Done.", true)}, 0, agent.Closed, "Done.", nil},
		{"no call, ever", []turn{text("The answer is 4."), text("It is 4.")}, 0, agent.Silent, "The answer is 4.\nIt is 4.\nThe agent called no tool.", nil},
		{"nothing at all", []turn{text(""), text("")}, 0, agent.Silent, "The agent called no tool.", nil},
		{"cut off", []turn{long, closing("Done.", true)}, 0, agent.Closed, "Done.", nil},
		{"the same forever", same, 30, agent.Loop, "The agent did the same again and again and nothing changed.", nil},
		{"in circles", circle, 30, agent.Loop, "The agent did the same again and again and nothing changed.", nil},
		{"an unknown tool forever", unknown, 30, agent.Loop, "The agent did the same again and again and nothing changed.", nil},
		{"a step limit", []turn{call("wait", args{"milliseconds": 1}), call("wait", args{"milliseconds": 2})}, 2, agent.StepLimit, "The limit of steps was reached.", nil},
		{"an error midway", []turn{act("click Buy ticket"), broken}, 0, agent.ModelError, "No model could answer.", model.ErrAuth},
		{"too long a conversation", []turn{call("ariaTree", "{}"), func(*model.Request) (*model.Response, error) {
			return nil, &model.Error{Kind: model.ErrContextTooLong, Model: "test/actor"}
		}, closing("Done.", true)}, 0, agent.Closed, "Done.", nil},
		{"close beside others", []turn{calls([]any{"close", args{"reasoning": "Done.", "taskComplete": true}}, []any{"goto", args{"url": "/two"}})}, 0, agent.Closed, "Done.", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := play(t, tt.turns...)
			a := start(t, shop, m, &agent.Options{Limits: agent.Limits{Steps: tt.steps}})
			res, err := a.Run(testContext(t), "try it")
			if res.Stop != tt.stop || res.Message != tt.message || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Errorf("got %s, %q, %v", res.Stop, res.Message, err)
			}
			paired(t, m)
		})
	}
}

// paired asserts that no vendor could complain: every call has its result.
func paired(t *testing.T, m *actor) {
	t.Helper()
	for i, req := range m.Requests() {
		open := map[string]bool{}
		for j, msg := range req.Messages {
			if j > 0 && msg.Role == req.Messages[j-1].Role {
				t.Errorf("request %d: messages %d and %d are both of the %s", i, j-1, j, msg.Role)
			}
			for _, p := range msg.Parts {
				if p.ToolCall != nil {
					open[p.ToolCall.ID] = true
				}
				if p.ToolResult != nil {
					if !open[p.ToolResult.CallID] {
						t.Errorf("request %d: a result without a call", i)
					}
					delete(open, p.ToolResult.CallID)
				}
			}
		}
		if len(open) > 0 {
			t.Errorf("request %d: %d calls without a result", i, len(open))
		}
	}
}

// In a game the same key again is no loop, as long as the game goes on.
func TestRepeatedKeysAreNormal(t *testing.T) {
	t.Parallel()
	const game = `<title>Game</title><canvas id="c" width="400" height="200"></canvas>
		<script>let x = 0; const g = c.getContext('2d'); function draw() { g.fillStyle = '#fff'; g.fillRect(0, 0, 400, 200); g.fillStyle = '#000'; g.fillRect(x % 400, 80, 40, 40) }
		function loop() { draw(); requestAnimationFrame(loop) } loop();
		addEventListener('keydown', () => { x += 7; draw() })</script>`
	turns := make([]turn, 25)
	for i := range turns {
		turns[i] = call("keys", args{"keys": []string{"ArrowRight"}})
	}
	m := play(t, turns...)
	res := run(t, start(t, game, m, &agent.Options{Game: true, Limits: agent.Limits{Steps: 25}}), "run")
	if res.Stop != agent.StepLimit || res.Verified.Effective != 25 || res.Verified.Changed {
		t.Errorf("got %s after %d steps: %+v", res.Stop, res.Steps, res.Verified)
	}
}

// What ten calls at once come to: eight, and words about the rest.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	many := make([][]any, 10)
	for i := range many {
		many[i] = []any{"wait", args{"milliseconds": i}}
	}
	m := play(t, calls(many...), closing("Done.", true))
	res := run(t, start(t, shop, m, nil), "wait")
	told := m.told(t, 2)
	if len(res.Actions) != 9 || strings.Count(told, "Waited for") != 8 || strings.Count(told, "at most 8 calls of one turn") != 2 {
		t.Errorf("%d actions; told %s", len(res.Actions), told)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	forever := make([]turn, 50)
	for i := range forever {
		forever[i] = call("wait", args{"milliseconds": 20 + i})
	}
	priced := func(m model.Model) model.Model {
		g, err := model.NewGateway([]model.Model{m}, &model.Options{Prices: &model.Prices{Models: map[string]model.Price{"test/actor": {Input: 1, Output: 1}}}})
		if err != nil {
			t.Fatal(err)
		}
		return g.Run(nil)
	}
	tests := []struct {
		name   string
		limits agent.Limits
		stop   agent.Stop
		most   int // steps
	}{
		{"steps", agent.Limits{Steps: 3}, agent.StepLimit, 3},
		{"time", agent.Limits{Steps: 50, Time: 3 * time.Second}, agent.TimeLimit, 49},
		{"tokens", agent.Limits{Steps: 50, Tokens: 300}, agent.TokenLimit, 3},
		// The most that a turn can cost is set aside before it is made.
		{"money", agent.Limits{Steps: 50, Money: model.Dollars(0.012)}, agent.MoneyLimit, 49},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := play(t, forever...)
			a := start(t, shop, priced(m), &agent.Options{Limits: tt.limits})
			res := run(t, a, "wait for ever")
			if res.Stop != tt.stop || res.Steps > tt.most || res.Steps == 0 || res.Completed || res.Success {
				t.Errorf("got %s after %d steps: %+v", res.Stop, res.Steps, res)
			}
			if tt.limits.Money > 0 && res.Cost.Amount > tt.limits.Money {
				t.Errorf("spent %v of %v", res.Cost, tt.limits.Money)
			}
		})
	}
}

func TestAbort(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(testContext(t))
	m := play(t, act("click Buy ticket"), func(*model.Request) (*model.Response, error) {
		cancel()
		return nil, context.Canceled
	})
	a := start(t, shop, m, nil)
	res, err := a.Run(ctx, "buy tickets")
	if !errors.Is(err, context.Canceled) || res.Stop != agent.Aborted || len(res.Actions) != 1 || res.Conversation == nil {
		t.Errorf("got %+v, %v", res, err)
	}
}

// Pages do things of their own while an agent acts on them.
func TestTroubleWithPages(t *testing.T) {
	t.Parallel()
	const page = `<title>Odd</title><h1>Odd</h1>
		<button onclick="location.href='/two'">Leave</button>
		<button onclick="window.close()">Shut</button>
		<button onclick="alert('hello'); document.title='Asked'">Ask</button>
		<button onclick="document.body.innerHTML=''">Wipe</button>`
	t.Run("a navigation during an action", func(t *testing.T) {
		t.Parallel()
		m := play(t, act("click Leave"), closing("There.", true))
		a := start(t, page, m, nil)
		res := run(t, a, "go on")
		if !res.Verified.Moved || !strings.HasSuffix(res.Verified.URL, "/two") || !res.Actions[0].Changed {
			t.Errorf("got %+v", res)
		}
		if told := m.told(t, 2); !strings.Contains(told, "The page is now at") || !strings.Contains(told, "Second page") {
			t.Errorf("told %s", told)
		}
	})
	t.Run("a dialog", func(t *testing.T) {
		t.Parallel()
		m := play(t, act("click Ask"), closing("There.", true))
		a := start(t, page, m, nil)
		run(t, a, "ask")
		if got := eval[string](t, a, "document.title"); got != "Asked" {
			t.Errorf("the page is stuck: %q", got)
		}
	})
	t.Run("everything gone", func(t *testing.T) {
		t.Parallel()
		m := play(t, act("click Wipe"), act("click Ask"), closing("It is empty.", false))
		res := run(t, start(t, page, m, nil), "wipe")
		if res.Actions[1].Error == "" || res.Stop != agent.Closed {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("a crash, and back again", func(t *testing.T) {
		t.Parallel()
		var a *agent.Agent
		crash := custom(t, "crash", func(ctx context.Context, _ number) (*tool.Outcome, error) {
			err := a.Page().Session().Call(ctx, "Page.crash", nil, nil)
			for !a.Page().Crashed() && ctx.Err() == nil {
				runtime.Gosched()
			}
			return nil, err
		})
		m := play(t, call("crash", "{}"), act("click Ask"), call("goto", args{"url": "/two"}), closing("There.", true))
		a = start(t, page, m, &agent.Options{Tools: []tool.Tool{crash}})
		res := run(t, a, "crash")
		if res.Actions[0].Error == "" || res.Actions[1].Error == "" || res.Actions[2].Error != "" || !strings.HasSuffix(res.Verified.URL, "/two") {
			t.Errorf("got %+v", res.Actions)
		}
		if told := m.told(t, 2); !strings.Contains(told, "The page has crashed. goto opens it again.") {
			t.Errorf("told %s", told)
		}
	})
	t.Run("a page that closes", func(t *testing.T) {
		t.Parallel()
		var a *agent.Agent
		shut := custom(t, "shut", func(ctx context.Context, _ number) (*tool.Outcome, error) { return nil, a.Page().Close(ctx) })
		m := play(t, call("shut", "{}"))
		a = start(t, page, m, &agent.Options{Tools: []tool.Tool{shut}})
		res, err := a.Run(testContext(t), "shut it")
		if !errors.Is(err, browser.ErrPageClosed) || res.Stop != agent.PageGone || len(res.Actions) != 1 {
			t.Errorf("got %+v, %v", res, err)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	page, _ := open(t, serve(t, map[string]string{"/": shop})+"/")
	m := play(t)
	named := func(name string) tool.Tool {
		return tool.Tool{Tool: model.Tool{Name: name}, Call: func(context.Context, json.RawMessage) (*tool.Outcome, error) { return nil, nil }}
	}
	tests := []struct {
		name string
		opts agent.Options
		want string
	}{
		{"two tools of a name", agent.Options{Tools: []tool.Tool{named("act")}}, `two tools named "act"`},
		{"a tool that does nothing", agent.Options{Tools: []tool.Tool{{Tool: model.Tool{Name: "idle"}}}}, `"idle" cannot be called`},
		{"a tool that is not there", agent.Options{Only: []string{"fly"}}, `no tool "fly"`},
		{"a variable without a proper name", agent.Options{Variables: map[string]string{"two words": "x"}}, "is no name"},
		{"an origin that is none", agent.Options{Origins: []string{"example.com"}}, "example.com"},
		{"a schema of no object", agent.Options{Tools: []tool.Tool{func() tool.Tool {
			t := named("odd")
			t.Schema = json.RawMessage(`{"type":"string"}`)
			return t
		}()}}, "want object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := agent.New(testContext(t), page, m, &tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	a, err := agent.New(testContext(t), page, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(testContext(t), " "); !errors.Is(err, agent.ErrNoGoal) {
		t.Errorf("an empty task is %v", err)
	}
	if a, err = agent.New(testContext(t), page, nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(testContext(t), "go"); !errors.Is(err, model.ErrNoModel) {
		t.Errorf("no model is %v", err)
	}
	if got := fmt.Sprint(a.Tools()); strings.Contains(got, "screenshot") {
		t.Errorf("without a model that sees, there are %s", got)
	}
}
