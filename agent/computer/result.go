package computer

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/model"
)

// Safety is how a run ends whose vendor wants something confirmed that the
// caller had not allowed.
const Safety agent.Stop = "safety"

// Result is what came of a run: an agent's result, whose actions are those of
// the hand. Their tool is the [Kind] and their arguments are the [Action];
// whether one changed anything is told by the picture, which an animation
// changes too.
type Result struct {
	agent.Result
	// Checks are what the vendor wanted confirmed when the run was stopped for
	// it, and Acknowledged what the caller had allowed before.
	Checks       []Check `json:"checks,omitempty"`
	Acknowledged []Check `json:"acknowledged,omitempty"`
	// Messages is the conversation; see Options.History.
	Messages []model.Message `json:"-"`
}

func (r *Result) pay(resp *model.Response) {
	if r.Usage.Calls == 0 {
		r.Cost.Known = true
	}
	r.Usage.Calls++
	r.Usage.Tokens = r.Usage.Tokens.Add(resp.Usage)
	r.Usage.Input, r.Usage.Output = r.Usage.Tokens.In(), r.Usage.Tokens.Out()
	r.Usage.Inference += resp.Latency
	r.Cost = r.Cost.Add(resp.Cost)
}

// Step is one turn of the model, for who watches.
type Step struct {
	agent.Step
	// Picture is the page after the step, as it was sent, and URL its address.
	Picture *model.Image
	URL     string
}

// note writes down what was done.
func (r *run) note(done agent.Action, arguments any) {
	done.Step = r.step.N
	done.Took = time.Since(done.Time)
	if data, err := json.Marshal(arguments); err == nil {
		done.Arguments = data
	}
	r.result.Actions = append(r.result.Actions, done)
}

// begin is an action about to be carried out.
func (r *run) begin(tool string) agent.Action {
	return agent.Action{Tool: tool, PageURL: r.mask(r.page.URL()), Time: time.Now()}
}

// endings are the last words of runs that the model did not end.
var endings = map[agent.Stop]string{
	agent.StepLimit:  "The limit of steps was reached.",
	agent.TimeLimit:  "The limit of time was reached.",
	agent.TokenLimit: "The limit of tokens was reached.",
	agent.MoneyLimit: "The limit of money was reached.",
	agent.Loop:       "The model asked for the same again and again and nothing changed.",
	agent.Aborted:    "The work was ended from outside.",
	agent.ModelError: "No model could answer.",
	agent.PageGone:   "The page is gone.",
	agent.Hooked:     "The work was ended by a hook.",
	Safety:           "The vendor wants a person to confirm what comes next.",
}

// finish fills in what holds however the run ended.
func (r *run) finish(ctx context.Context, stop agent.Stop) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkLimit)
	defer cancel()
	res, v := r.result, &r.result.Verified
	res.Stop, res.Messages = stop, r.messages
	if stop != agent.Replayed {
		res.Steps = r.step.N
	}
	res.Completed = stop == agent.Closed
	if words := endings[stop]; words != "" {
		res.Message = strings.TrimSpace(res.Message + "\n" + words)
	}
	if r.bounds != nil {
		res.Refused, _ = r.bounds.Refused()
	}
	v.URL, v.Refused = r.mask(r.page.URL()), len(res.Refused)
	v.Moved = v.URL != v.StartURL
	res.Message = r.mask(res.Message)
	if r.shown != nil {
		v.Changed = r.screen.last.Hash() != r.shown.Hash()
	}
	for _, a := range res.Actions {
		v.Calls++
		if a.Error != "" {
			v.Failed++
		}
		if a.Painted {
			v.Effective++
		}
	}
	if r.page.Err() == nil {
		r.hand.letGo(ctx)
		if r.opts.Check != nil {
			v.Checked = true
			if err := r.opts.Check(ctx, r.page); err != nil {
				v.Problem = clip(err.Error(), 500)
			}
		}
	}
	res.Success = res.Completed && v.Problem == ""
}

// checkLimit is how long the caller's check may take.
const checkLimit = 30 * time.Second
