package agent

import (
	"encoding/json"
	"time"

	"github.com/playtest-dev/playtest/agent/bounds"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/stage"
)

// Stop says why an agent ended.
type Stop string

// The reasons.
const (
	Closed     Stop = "closed"  // it said so itself
	StepLimit  Stop = "steps"   // limits: results, not errors
	TimeLimit  Stop = "time"    //
	TokenLimit Stop = "tokens"  //
	MoneyLimit Stop = "money"   //
	Loop       Stop = "loop"    // it did the same again and again and nothing changed
	Silent     Stop = "silent"  // it called no tool, even when asked to
	Aborted    Stop = "aborted" // the context ended
	ModelError Stop = "model"   // no model could answer
	PageGone   Stop = "page"    // the page or the browser is gone
	Replayed   Stop = "replayed"
	Hooked     Stop = "hook" // the caller's hook ended it
)

// Result is what came of a task.
type Result struct {
	// Success is true when the agent says that the task is complete and, where a
	// Check was given, it holds.
	Success bool `json:"success"`
	// Completed is the agent's own word for it.
	Completed bool   `json:"completed"`
	Message   string `json:"message"`
	Stop      Stop   `json:"stop"`
	// Claim is how the agent closed its work, nil when it did not.
	Claim *tool.Closing `json:"claim,omitempty"`
	// Output is the answer in the shape that RunAs asked for.
	Output json.RawMessage `json:"output,omitempty"`
	// Verified is what was measured, whatever was claimed.
	Verified Verified         `json:"verified"`
	Actions  []Action         `json:"actions"`
	Steps    int              `json:"steps"`
	Usage    Usage            `json:"usage"`
	Cost     model.Cost       `json:"cost"`
	Refused  []bounds.Refusal `json:"refused,omitempty"`
	// Conversation is what Continue goes on from.
	Conversation *Conversation `json:"conversation,omitempty"`
}

// Verified is what was measured from outside of the model.
type Verified struct {
	StartURL string `json:"startUrl"`
	URL      string `json:"url"`
	// Moved and Changed compare the page at the end with that at the beginning:
	// its address, and its elements.
	Moved   bool `json:"moved"`
	Changed bool `json:"changed"`
	// Calls of tools were made, of which so many failed; Effective counts acting
	// calls after which the page was different from before.
	Calls     int `json:"calls"`
	Failed    int `json:"failed"`
	Effective int `json:"effective"`
	// Refused counts attempts to leave the allowed origins.
	Refused int `json:"refused"`
	// Checked is set when a Check was given; Problem is what it said.
	Checked bool   `json:"checked"`
	Problem string `json:"problem,omitempty"`
}

// Usage is what a task took of models.
type Usage struct {
	Input     int           `json:"input_tokens"`
	Output    int           `json:"output_tokens"`
	Inference time.Duration `json:"inference_time"`
	Calls     int           `json:"calls"`
	Tokens    model.Usage   `json:"tokens"`
}

func (u *Usage) add(tokens model.Usage, took time.Duration, calls int) {
	u.Tokens = u.Tokens.Add(tokens)
	u.Input, u.Output = u.Tokens.In(), u.Tokens.Out()
	u.Inference += took
	u.Calls += calls
}

// Action is one call of a tool.
type Action struct {
	Step      int             `json:"step"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// PageURL is where the page was when the tool was called.
	PageURL string        `json:"pageUrl"`
	Time    time.Time     `json:"time"`
	Took    time.Duration `json:"took"`
	// Outcome is what the model was told, in short; Error why it failed.
	Outcome string `json:"outcome,omitempty"`
	Error   string `json:"error,omitempty"`
	// Changed and Painted say whether elements, or only the picture, differed
	// afterwards.
	Changed bool `json:"changed,omitempty"`
	Painted bool `json:"painted,omitempty"`
	// Places is what coordinates among the arguments are measured in: the size
	// of the picture that they were read from.
	Places *tool.Size `json:"places,omitempty"`
	// Performed is what was done to which elements, to be done again without a
	// model.
	Performed []stage.Action `json:"performed,omitempty"`
}

// Step is one turn: what the model said, and the calls that came of it.
type Step struct {
	N        int           `json:"step"`
	Text     string        `json:"text,omitempty"`
	Thinking string        `json:"thinking,omitempty"`
	Actions  []Action      `json:"actions"`
	Usage    model.Usage   `json:"usage"`
	Cost     model.Cost    `json:"cost"`
	Took     time.Duration `json:"took"`
}
