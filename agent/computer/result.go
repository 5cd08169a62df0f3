package computer

import (
	"time"

	"playtest/agent/bounds"
	"playtest/model"
)

// Stop says why a run ended.
type Stop string

// The reasons. All but StopError are results, not failures.
const (
	StopDone   Stop = "done"   // the model asked for nothing more
	StopSteps  Stop = "steps"  // the limit on steps
	StopTime   Stop = "time"   // the limit on time
	StopTokens Stop = "tokens" // the limit on tokens
	StopBudget Stop = "budget" // the gateway's budget
	StopSafety Stop = "safety" // the vendor wants something confirmed
	StopError  Stop = "error"
)

// Result is what came of a run.
type Result struct {
	// Completed is the model's claim: it asked for nothing more. What was
	// measured is in the actions: whether the picture changed, where the page
	// is, what failed.
	Completed bool   `json:"completed"`
	Message   string `json:"message"` // its last words
	Stop      Stop   `json:"stop"`
	Steps     int    `json:"steps"`
	Actions   []Done `json:"actions"`
	Usage     Usage  `json:"usage"`
	// Checks are what the vendor wanted confirmed when the run was stopped for
	// it, and Acknowledged what the caller had allowed before.
	Checks       []Check `json:"checks,omitempty"`
	Acknowledged []Check `json:"acknowledged,omitempty"`
	// URL is where the page was at the end, Refused where it was kept from
	// going.
	URL     string           `json:"url"`
	Refused []bounds.Refusal `json:"refused,omitempty"`
	// Messages is the conversation, to go on from; see Options.History.
	Messages []model.Message `json:"-"`
}

// Usage is what a run's calls to the model came to.
type Usage struct {
	Calls     int           `json:"calls"`
	Tokens    model.Usage   `json:"tokens"`
	Cost      model.Cost    `json:"cost"`
	Inference time.Duration `json:"inference"`
}

func (u *Usage) add(resp *model.Response) {
	if u.Calls == 0 {
		u.Cost.Known = true
	}
	u.Calls++
	u.Tokens = u.Tokens.Add(resp.Usage)
	u.Cost = u.Cost.Add(resp.Cost)
	u.Inference += resp.Latency
}

// Done is an action that was carried out, or a tool that was called.
type Done struct {
	Step int       `json:"step"`
	Time time.Time `json:"time"`
	// Call is the vendor's word for what was asked, Action what was done.
	Call   string `json:"call"`
	Action Action `json:"action,omitzero"`
	Tool   string `json:"tool,omitempty"`
	// Reasoning is what the model said on the way to it.
	Reasoning string        `json:"reasoning,omitempty"`
	URL       string        `json:"url"` // of the page, before
	Took      time.Duration `json:"took"`
	Error     string        `json:"error,omitempty"`
	// Changed is whether the picture after it differs from the one before. An
	// animation changes it, too.
	Changed bool `json:"changed"`
}

// String is what was done in a few words.
func (d Done) String() string {
	if d.Tool != "" {
		return "tool " + d.Tool
	}
	return d.Action.String()
}

// Step is one turn of the model, for who watches.
type Step struct {
	N         int
	Time      time.Time
	Reasoning string
	Done      []Done
	// Picture is the page after the step, as it was sent.
	Picture *model.Image
	URL     string
}
