package agent

import (
	"context"
	"iter"

	"github.com/playtest-dev/playtest/model"
)

// Event is something that happens while an agent works. One field is set.
type Event struct {
	// Said is a piece of what the model says.
	Said *Said `json:"said,omitempty"`
	// Action is a call of a tool that was made, Step a turn that is over.
	Action *Action `json:"action,omitempty"`
	Step   *Step   `json:"step,omitempty"`
	// Result is the end. It comes once, last, unless the loop was left.
	Result *Result `json:"result,omitempty"`
}

// Stream carries out a task like Run and tells what happens while it does. The
// last event has the result, and the error that Run would have returned comes
// with it. Leaving the loop ends the task.
func (a *Agent) Stream(ctx context.Context, goal string) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		left := false
		tell := func(e *Event) {
			if !left && !yield(e, nil) {
				left = true
				cancel()
			}
		}
		res, err := a.work(ctx, &Conversation{Goals: []string{goal}, URL: a.page.URL()}, goal, order{
			say:  func(s Said) { tell(&Event{Said: &s}) },
			act:  func(action Action) { tell(&Event{Action: &action}) },
			step: func(s Step) { tell(&Event{Step: &s}) },
		})
		if !left {
			yield(&Event{Result: res}, err)
		}
	}
}

// answer has the model answer, in pieces where somebody listens.
func (t *task) answer(ctx context.Context, req *model.Request) (*model.Response, error) {
	a := t.agent
	if a.opts.OnText == nil && t.order.say == nil {
		return a.run.Generate(ctx, req)
	}
	tell := func(said Said) {
		for _, on := range []func(Said){a.opts.OnText, t.order.say} {
			if on != nil && (said.Text != "" || said.Thinking != "") {
				on(said)
			}
		}
	}
	var text, thinking string // not told yet: a value may begin in it
	for chunk, err := range a.run.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		if chunk.Response != nil {
			tell(Said{Step: t.res.Steps, Text: a.mask(text), Thinking: a.mask(thinking)})
			return chunk.Response, nil
		}
		said := Said{Step: t.res.Steps}
		said.Text, text = a.stage.MaskReady(text+chunk.Text, a.opts.Variables)
		said.Thinking, thinking = a.stage.MaskReady(thinking+chunk.Thinking, a.opts.Variables)
		tell(said)
	}
	return nil, &model.Error{Kind: model.ErrBroken, Model: a.run.Name(), Message: "the stream ended without an answer"}
}
