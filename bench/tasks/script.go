package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/playtest-dev/playtest/model"
)

// script is a model that knows the task. What it acts on and what it says it
// has to find in the tree that it is sent.
type script struct {
	mu    sync.Mutex
	steps []Step // left to do
	read  []string
	calls int
}

func (s *script) Name() string { return "bench/script" }

func (s *script) Capabilities() model.Capabilities {
	return model.Capabilities{Images: true, Tools: true, Structured: model.Native}
}

// Generate answers a question of a stage, or tells an agent what comes next.
func (s *script) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if req.Purpose == "agent" {
		return s.next()
	}
	tree := req.Messages[len(req.Messages)-1].Text()
	if len(s.steps) == 0 {
		return nil, fmt.Errorf("nothing is left to do, and it was asked to %s", req.Purpose)
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	if step.Find != "" {
		found, err := step.find(tree)
		if err != nil {
			return nil, err
		}
		s.read = append(s.read, found)
		return s.say(req.Schema, found)
	}
	id, err := step.element(tree)
	if err != nil {
		return nil, err
	}
	args := step.Args
	if args == nil {
		args = []string{}
	}
	return text(map[string]any{"found": true, "elementId": id, "description": step.Say, "method": step.Method, "arguments": args, "twoStep": false, "part": 0})
}

// next is the tool that an agent uses for the step, or its last word. The step
// itself is left to the question that the tool asks.
func (s *script) next() (*model.Response, error) {
	name, args := "close", map[string]any{"reasoning": "all of it is done", "taskComplete": true}
	if len(s.steps) > 0 {
		name, args = "act", map[string]any{"action": s.steps[0].Say}
		if s.steps[0].Find != "" {
			name, args = "extract", map[string]any{"instruction": s.steps[0].Say}
		}
	}
	data, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	call := &model.ToolCall{ID: "call_" + strconv.Itoa(s.calls), Name: name, Arguments: data}
	return &model.Response{Message: model.Message{Role: model.Assistant, Parts: []model.Part{{ToolCall: call}}}, Stop: model.StopTool, Model: s.Name()}, nil
}

// say puts a text into the only place that the schema has for one.
func (s *script) say(schema *model.Schema, what string) (*model.Response, error) {
	var shape struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(schema.JSON, &shape); err != nil || len(shape.Properties) != 1 {
		return nil, fmt.Errorf("the answer has no single place: %s", schema.JSON)
	}
	answer := map[string]any{}
	for name := range shape.Properties {
		answer[name] = what
	}
	return text(answer)
}

func text(answer any) (*model.Response, error) {
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &model.Response{Message: model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(string(data))}}, Stop: model.StopEnd, Model: "bench/script"}, nil
}

// element is the id of the line that the step is about.
func (s Step) element(tree string) (string, error) {
	line := regexp.MustCompile(`(?m)^ *(\d+)(?: (?:` + s.Role + `))? "` + regexp.QuoteMeta(s.Name) + `"`)
	found := line.FindAllStringSubmatch(tree, -1)
	if len(found) <= s.Nth {
		return "", fmt.Errorf("%s %q is not in the tree:\n%s", s.Role, s.Name, tree)
	}
	return found[s.Nth][1], nil
}

// find is what is to be read.
func (s Step) find(tree string) (string, error) {
	found := regexp.MustCompile(s.Find).FindStringSubmatch(tree)
	if found == nil {
		return "", fmt.Errorf("%s is not in the tree:\n%s", s.Find, tree)
	}
	return found[1], nil
}
