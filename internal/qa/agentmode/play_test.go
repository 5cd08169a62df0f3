package agentmode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/computer"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/internal/qa/agentmode"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/record"
)

// openGame opens a bundled game.
func openGame(t *testing.T, ctx context.Context, name string) (*browser.Page, *probe.Probe) {
	t.Helper()
	server, err := games.Serve(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b, err := browser.Launch(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	watch := probe.New()
	page, err := c.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{watch.Script()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := page.Navigate(ctx, server.URL(name, 1), nil); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		t.Fatal(err)
	}
	return page, watch
}

// player calls one tool after the other, and closes at the end or fails.
func player(fail error, turns ...[2]string) *modeltest.Fake {
	return modeltest.NewFake("test/player", nil, func(_ context.Context, n int, _ *model.Request) (*model.Response, error) {
		if n > len(turns) {
			return nil, fail
		}
		resp := modeltest.Calls(model.ToolCall{ID: fmt.Sprint("c", n), Name: turns[n-1][0], Arguments: json.RawMessage(turns[n-1][1])})
		resp.Message.Parts = append([]model.Part{model.Text(fmt.Sprintf("Reason %d.", n))}, resp.Message.Parts...)
		return resp, nil
	})
}

var worm = &metadata.Metadata{Title: "Mulch", Genre: "arcade", Objectives: "eat the leaves", Controls: &metadata.ControlLists{Movement: []string{"ArrowUp", "ArrowDown"}}}

func TestPlay(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	page, watch := openGame(t, ctx, "worm")
	m := player(nil,
		[2]string{"screenshot", `{}`},
		[2]string{"keys", `{"keys":["KeyS"]}`},
		[2]string{"keys", `{"keys":["ArrowUp","ArrowLeft"]}`},
		[2]string{"clickAt", `{"x":100000,"y":3}`},
		[2]string{"close", `{"reasoning":"It works.","taskComplete":true}`})
	var told, pictures int
	played, err := agentmode.Play(ctx, page, m, worm, &agentmode.Options{
		Probe: watch, Picture: func(_ context.Context, note string) string { pictures++; return "screenshots/" + note },
		OnAction: func(record.Action) { told++ }, OnDecision: func(record.Decision) { told++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	// Looking and closing are decisions, not actions.
	if len(played.Actions) != 3 || len(played.Decisions) != 5 || told != 8 {
		t.Fatalf("%d actions, %d decisions, %d told", len(played.Actions), len(played.Decisions), told)
	}
	if v := played.Verdict(); pictures != 3 || !v.Success || v.Stop != string(agent.Closed) || v.Steps != 5 || v.Actions != 3 || v.Effective == 0 || !strings.Contains(v.Message, "It works.") {
		t.Errorf("%d pictures, verdict %+v", pictures, v)
	}
	first := played.Actions[0]
	if first.Reasoning != "Reason 2." || first.URL != page.URL() || !strings.HasPrefix(first.Picture, "screenshots/after keypress") {
		t.Errorf("the first action cannot be followed: %+v", first)
	}
	if first.Kind != "keypress" || !first.Success || first.Phase != record.PhaseExplore || first.Effect == "" {
		t.Errorf("the first action is %+v", first)
	}
	if last := played.Actions[2]; last.Success || last.Error == "" {
		t.Errorf("a click outside of the window is %+v", last)
	}
	if d := played.Decisions[1]; d.Why != "Reason 2." || !strings.Contains(d.What, "KeyS") || d.Layer != "agent" {
		t.Errorf("a decision is %+v", d)
	}
	if !played.Result.Completed || played.Result.Stop != agent.Closed {
		t.Errorf("the result is %+v", played.Result)
	}
	request := m.Requests()[0]
	for _, want := range []string{"Title: Mulch", "Genre: arcade", "Objectives: eat the leaves", "ArrowUp"} {
		if !strings.Contains(request.Messages[0].Text(), want) {
			t.Errorf("%q is not in the instruction:\n%s", want, request.Messages[0].Text())
		}
	}
}

// Turns are told in words, with where the pointer went as parts of the window.
func TestTurnsInWords(t *testing.T) {
	size := &tool.Size{Width: 640, Height: 360}
	for _, tt := range []struct {
		name   string
		step   agent.Step
		what   string
		why    string
		target string // of the action, "" where there is none
		at     []record.Spot
	}{
		{"a click", agent.Step{Text: "The door.", Actions: []agent.Action{{Tool: "clickAt", Arguments: json.RawMessage(`{"x":320,"y":90}`), Places: size}}},
			"clickAt at 320,90", "The door.", "at 320,90", []record.Spot{{X: 0.5, Y: 0.25}}},
		{"a drag", agent.Step{Actions: []agent.Action{{Tool: "drag", Arguments: json.RawMessage(`{"path":[{"x":0,"y":0},{"x":640,"y":180}]}`), Places: size}}},
			"drag from 0,0 to 640,180", "the agent gave no reason", "from 0,0 to 640,180", []record.Spot{{}, {X: 1, Y: 0.5}}},
		{"a click that was refused", agent.Step{Actions: []agent.Action{{Tool: "clickAt", Arguments: json.RawMessage(`{"x":1e308,"y":90}`), Error: "outside"}}},
			"", "the agent gave no reason", "", nil},
		{"a computer's click", agent.Step{Actions: []agent.Action{{Tool: "click", Arguments: json.RawMessage(`{"kind":"click","at":{"x":500,"y":250,"space":{"width":1000,"height":1000}},"button":"left","times":1}`)}}},
			"click at (500, 250)", "the agent gave no reason", "at (500, 250)", []record.Spot{{X: 0.5, Y: 0.25}}},
		{"a computer's keys", agent.Step{Thinking: "Up.", Actions: []agent.Action{{Tool: "keypress", Arguments: json.RawMessage(`{"kind":"keypress","keys":["ArrowUp"],"times":2}`)}}},
			"keypress ArrowUp 2 times", "Up.", "ArrowUp 2 times", nil},
		{"somebody else's tool", agent.Step{Actions: []agent.Action{{Tool: "words__hint", Arguments: json.RawMessage(`{"kind":"short"}`)}, {Tool: "words__list", Arguments: json.RawMessage(`{}`)}}},
			`words__hint {"kind":"short"}; words__list`, "the agent gave no reason", "", nil},
		{"a thought", agent.Step{Actions: []agent.Action{{Tool: "think", Arguments: json.RawMessage(`{"thought":"It moves."}`)}}}, "think", "It moves.", "", nil},
		{"the end", agent.Step{Actions: []agent.Action{{Tool: "close", Arguments: json.RawMessage(`{"reasoning":"It is won.","taskComplete":true}`)}}},
			"end: the task is done", "It is won.", "", nil},
		{"giving up", agent.Step{Text: "No way.", Actions: []agent.Action{{Tool: "close", Arguments: json.RawMessage(`{"reasoning":"r","taskComplete":false}`)}}},
			"end: the task is not done", "No way.", "", nil},
		{"words alone", agent.Step{Text: "It works."}, "do nothing", "It works.", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := agentmode.Decision(tt.step); tt.what != "" && d.What != tt.what || d.Why != tt.why {
				t.Errorf("decided %q because %q", d.What, d.Why)
			}
			if len(tt.step.Actions) == 0 {
				return
			}
			a, ok := agentmode.Action(tt.step.Actions[0])
			if ok != (tt.target != "" || tt.step.Actions[0].Error != "") || tt.target != "" && a.Target != tt.target || !slices.Equal(a.At, tt.at) {
				t.Errorf("did %q at %v", a.Target, a.At)
			}
			if _, err := json.Marshal(a); err != nil {
				t.Error(err)
			}
		})
	}
}

// An agent that cannot work is an error, and what it did is kept.
func TestPlayFails(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	page, watch := openGame(t, ctx, "worm")
	m := player(&model.Error{Kind: model.ErrAuth, Model: "test/player"}, [2]string{"keys", `{"keys":["KeyS"]}`})
	played, err := agentmode.Play(ctx, page, m, nil, &agentmode.Options{Probe: watch})
	if !errors.Is(err, model.ErrAuth) || len(played.Actions) != 1 || played.Result.Stop != agent.ModelError {
		t.Errorf("got %+v, %v", played, err)
	}
	if !strings.Contains(m.Requests()[0].Messages[0].Text(), "Nothing is known about it") {
		t.Error("a game without metadata is not said to be unknown")
	}
}

// driver is a computer tool of no vendor: it presses the start key once.
type driver struct {
	computer.Driver
	model model.Model
}

func (d *driver) Model() model.Model                            { return d.model }
func (d *driver) Prepare(*model.Request, computer.Space) error  { return nil }
func (d *driver) Trim(messages []model.Message) []model.Message { return messages }
func (d *driver) Pace() time.Duration                           { return 0 }
func (d *driver) Read(m *model.Message, _ computer.Space) []computer.Call {
	var calls []computer.Call
	for _, c := range m.ToolCalls() {
		calls = append(calls, computer.Call{ID: c.ID, Name: c.Name, Actions: []computer.Action{{Kind: computer.Press, Keys: []string{"KeyS"}}}})
	}
	return calls
}

func (d *driver) Answer(calls []computer.Call, _ []computer.Seen) ([]model.Part, error) {
	var parts []model.Part
	for _, c := range calls {
		parts = append(parts, model.Result(model.ToolCall{ID: c.ID, Name: c.Name}, "done"))
	}
	return parts, nil
}

func TestOperate(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	page, _ := openGame(t, ctx, "worm")
	m := modeltest.NewFake("test/player", nil, func(_ context.Context, n int, _ *model.Request) (*model.Response, error) {
		if n > 1 {
			return modeltest.Say("It works.", model.Usage{Input: 1, Output: 1}), nil
		}
		return modeltest.Calls(model.ToolCall{ID: "c1", Name: "computer", Arguments: json.RawMessage(`{}`)}), nil
	})
	played, err := agentmode.Operate(ctx, page, &driver{model: m}, worm, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(played.Actions) != 1 || played.Actions[0].Kind != "keypress" || !played.Actions[0].Success || len(played.Decisions) == 0 || !played.Result.Completed {
		t.Errorf("got %+v, %+v, %+v", played.Actions, played.Decisions, played.Result)
	}
	if !strings.Contains(m.Requests()[0].Messages[0].Text(), "Title: Mulch") {
		t.Errorf("the instruction is %s", m.Requests()[0].Messages[0].Text())
	}
}

// An agent that finds no end is stopped: after 25 turns of its model, or when its
// time is up however long the model thinks.
func TestLimits(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	page, watch := openGame(t, ctx, "worm")
	thinks := modeltest.NewFake("test/player", nil, func(_ context.Context, n int, _ *model.Request) (*model.Response, error) {
		return modeltest.Calls(model.ToolCall{ID: fmt.Sprint("c", n), Name: "think", Arguments: json.RawMessage(fmt.Sprintf(`{"thought":"Thought %d."}`, n))}), nil
	})
	silent := modeltest.NewFake("test/player", nil, func(ctx context.Context, _ int, _ *model.Request) (*model.Response, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	for _, tt := range []struct {
		name  string
		model *modeltest.Fake
		time  time.Duration
		stop  agent.Stop
		steps int
	}{
		{"turns", thinks, 0, agent.StepLimit, 25},
		{"time", silent, time.Second, agent.TimeLimit, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			played, err := agentmode.Play(ctx, page, tt.model, nil, &agentmode.Options{Probe: watch, Limits: agent.Limits{Time: tt.time}})
			if err != nil {
				t.Fatal(err)
			}
			if v := played.Verdict(); v.Stop != string(tt.stop) || v.Steps != tt.steps || v.Success {
				t.Errorf("ended with %+v", v)
			}
		})
	}
	if agentmode.Time != 240*time.Second {
		t.Errorf("an agent may play for %v", agentmode.Time)
	}
}
