package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/model"
)

// maxCalls is how many calls of one turn are carried out.
const maxCalls = 8

// Run carries out a task. The result is never nil. The error is what kept the
// agent from working: a model that cannot be reached, a page that is gone, the
// context's end.
func (a *Agent) Run(ctx context.Context, goal string) (*Result, error) {
	return a.work(ctx, &Conversation{Goals: []string{goal}, URL: a.page.URL()}, goal, order{})
}

// order is what one run is asked for besides its goal.
type order struct {
	// schema is the shape of the result, nil when none is wanted.
	schema *model.Schema
	// say, act and step are told what happens besides the agent's own.
	say  func(Said)
	act  func(Action)
	step func(Step)
	// fresh leaves the cache alone.
	fresh bool
}

// Continue goes on from a conversation, with a new task or more words about the
// old one. The conversation itself stays as it is.
func (a *Agent) Continue(ctx context.Context, c *Conversation, goal string) (*Result, error) {
	next := c.copy()
	next.Goals = append(next.Goals, goal)
	if n := len(next.Turns); n > 0 {
		next.Turns[n-1].Note = strings.TrimSpace(next.Turns[n-1].Note + "\n\nThe task goes on: " + goal)
	}
	return a.work(ctx, next, goal, order{fresh: true})
}

// task is a run on its way.
type task struct {
	agent *Agent
	order order
	tools []tool.Tool // the agent's, with a close that asks for the result
	talk  *Conversation
	res   *Result
	first sight // the page at the start
	now   sight // and when it was last looked at
	fresh bool  // nobody has thought since
	habit habit
	mute  int // turns without a call, in a row
	words []string
	stop  Stop
	// healed is set when a replayed action was found in another way.
	healed bool
	tried  int // attempts to leave before this task
}

func (a *Agent) work(ctx context.Context, talk *Conversation, goal string, o order) (*Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := &task{agent: a, order: o, tools: a.tools, talk: talk, tried: a.bounds.Tried(), res: &Result{Actions: []Action{}, Cost: model.Cost{Known: true}, Conversation: talk}}
	if strings.TrimSpace(goal) == "" {
		return t.res, fmt.Errorf("agent: %w", ErrNoGoal)
	}
	if a.run == nil && a.opts.Cache == nil {
		t.res.Stop = ModelError
		return t.res, fmt.Errorf("agent: %w", model.ErrNoModel)
	}
	if err := t.shape(); err != nil {
		return t.res, fmt.Errorf("agent: %w", err)
	}
	work := ctx
	if a.opts.Time > 0 {
		var cancel context.CancelFunc
		work, cancel = context.WithTimeout(ctx, a.opts.Time)
		defer cancel()
	}
	release, err := a.bounds.Enforce(work, a.page)
	if err != nil {
		t.res.Stop = PageGone
		return t.res, fmt.Errorf("agent: %w", err)
	}
	if _, err = a.bounds.Return(work, a.page); err == nil {
		t.first = a.look(work)
		t.now = t.first
		if !t.recall(work, goal) {
			err = t.steps(work)
		}
	} else {
		t.stop = PageGone
	}
	switch {
	case ctx.Err() != nil:
		t.stop, err = Aborted, context.Cause(ctx)
	case work.Err() != nil && t.stop != Closed:
		t.stop, err = TimeLimit, nil
	}
	t.finish(ctx)
	t.remember(goal)
	// The fence goes last, whatever became of the task.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if rerr := release(ending); rerr != nil && err == nil && a.page.Err() == nil {
		err = rerr
	}
	if err != nil {
		return t.res, fmt.Errorf("agent: %w", err)
	}
	return t.res, nil
}

// steps goes on until something stops it.
func (t *task) steps(ctx context.Context) error {
	opts := t.agent.opts
	if t.agent.run == nil {
		t.stop = ModelError
		return model.ErrNoModel
	}
	for t.stop == "" {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case t.agent.page.Closed():
			t.stop = PageGone
			return t.agent.page.Err()
		case t.res.Steps >= opts.Steps:
			t.stop = StepLimit
		case opts.Tokens > 0 && t.res.Usage.Tokens.Total() >= opts.Tokens:
			t.stop = TokenLimit
		case opts.Money > 0 && t.res.Cost.Amount >= opts.Money:
			t.stop = MoneyLimit
		default:
			if err := t.step(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// step is one turn: the model answers, its calls are carried out.
func (t *task) step(ctx context.Context) error {
	began := time.Now()
	t.res.Steps++
	if before := t.agent.opts.BeforeStep; before != nil {
		if err := before(ctx, t.res.Steps); err != nil {
			t.stop = Hooked
			return err
		}
	}
	resp, err := t.ask(ctx)
	if err != nil {
		switch {
		case errors.Is(err, model.ErrBudget):
			t.stop = MoneyLimit
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		t.stop = ModelError
		return err
	}
	t.fresh = false
	turn := Turn{Answer: resp.Message}
	if text := strings.TrimSpace(resp.Text()); text != "" {
		t.words = append(t.words, text)
	}
	first := len(t.res.Actions)
	calls := resp.ToolCalls()
	for i, call := range calls {
		turn.Results = append(turn.Results, t.handle(ctx, i, call))
	}
	turn.Note = t.silence(resp, len(calls))
	t.talk.Turns = append(t.talk.Turns, turn)
	t.talk.shrink()
	return t.told(ctx, Step{
		N: t.res.Steps, Text: t.agent.mask(resp.Text()), Thinking: t.agent.mask(resp.Message.Thinking()),
		Actions: t.res.Actions[first:], Usage: resp.Usage, Cost: resp.Cost, Took: time.Since(began),
	})
}

// told tells who watches that a turn is over. A hook may end the task.
func (t *task) told(ctx context.Context, step Step) error {
	for _, on := range []func(Step){t.agent.opts.OnStep, t.order.step} {
		if on != nil {
			on(step)
		}
	}
	if after := t.agent.opts.AfterStep; after != nil {
		if err := after(ctx, step); err != nil {
			t.stop = Hooked
			return err
		}
	}
	return nil
}

// ask has the model take its turn. A conversation that has become too long for
// it is made as short as can be, once.
func (t *task) ask(ctx context.Context) (*model.Response, error) {
	resp, err := t.generate(ctx)
	if errors.Is(err, model.ErrContextTooLong) && len(t.talk.Turns) > 0 {
		t.talk.digest(0, 0)
		resp, err = t.generate(ctx)
	}
	return resp, err
}

func (t *task) generate(ctx context.Context) (*model.Response, error) {
	a := t.agent
	tools := make([]model.Tool, len(t.tools))
	for i, each := range t.tools {
		tools[i] = each.Tool
	}
	began := time.Now()
	resp, err := t.answer(ctx, &model.Request{
		Purpose: "agent", System: a.system(), Messages: t.talk.messages(), Tools: tools, Temperature: a.opts.Temperature, Reuse: true,
	})
	paid := resp
	if e := model.AsError(err); e != nil {
		paid = e.Response // a refusal or a cut-off answer has been paid for
	}
	if paid != nil {
		t.res.Usage.add(paid.Usage, time.Since(began), 1)
		t.res.Cost = t.res.Cost.Add(paid.Cost)
	}
	return resp, err
}

// silence is what a model is told that called no tool. A second time in a row
// ends the work: it has nothing more to say.
func (t *task) silence(resp *model.Response, calls int) string {
	if calls > 0 || resp.Stop == model.StopPause {
		t.mute = 0
		return ""
	}
	if t.mute++; t.mute > 1 {
		t.stop = Silent
	}
	if resp.Stop == model.StopLength {
		return "Your answer was cut off because it was too long. Be brief, and call a tool."
	}
	return "You called no tool, so nothing was done. Call the next tool, or close if the task is done or cannot be done."
}

// handle carries out one call and says what the model is told about it.
func (t *task) handle(ctx context.Context, i int, call model.ToolCall) Told {
	told := Told{Call: call}
	if told.Call.Arguments == nil {
		told.Call.Arguments = []byte("{}")
	}
	refuse := func(text string) Told {
		told.Parts, told.Digest, told.Error = []model.Part{model.Text(text)}, line(text, 200), true
		return told
	}
	switch {
	case t.stop == Closed:
		return refuse("Not done: the work was closed.")
	case t.stop != "" || ctx.Err() != nil:
		return refuse("Not done: the work was stopped.")
	case i >= maxCalls:
		return refuse(fmt.Sprintf("Not done: at most %d calls of one turn are carried out. Ask again if it is still wanted.", maxCalls))
	}
	each, err := find(t.tools, call.Name)
	if err != nil {
		t.record(Action{Step: t.res.Steps, Tool: call.Name, Arguments: told.Call.Arguments, PageURL: t.agent.page.URL(), Time: time.Now(), Error: err.Error()})
		if t.habit.unknown(call.Name, call.Arguments) {
			t.stop = Loop
		}
		return refuse(err.Error())
	}
	return t.carryOut(ctx, each, call, told)
}

func (t *task) carryOut(ctx context.Context, each *tool.Tool, call model.ToolCall, told Told) Told {
	a := t.agent
	acts := each.Kind == tool.Acts
	if acts && !t.fresh {
		t.now, t.fresh = a.look(ctx), true
	}
	before := t.now
	warn, stop := t.habit.note(each, told.Call.Arguments, before)
	action := Action{Step: t.res.Steps, Tool: call.Name, Arguments: told.Call.Arguments, PageURL: a.page.URL(), Time: time.Now()}
	err := t.approve(ctx, each, action)
	var out *tool.Outcome
	if err == nil {
		out, err = a.call(ctx, each, call)
	}
	action.Took = time.Since(action.Time)
	var more, data string
	if acts {
		more, data = t.measure(ctx, &action, before)
	}
	if out != nil {
		t.res.Usage.add(out.Usage, 0, 0)
		t.res.Cost = t.res.Cost.Add(out.Cost)
		action.Performed, action.Places = out.Actions, out.Places
		told.Digest = out.Digest
		if out.Closing != nil && err == nil {
			t.res.Claim, t.res.Output, t.stop = out.Closing, out.Closing.Result, Closed
		}
		if told.Digest == "" {
			told.Digest = out.Text
		}
	}
	if err != nil {
		told.Error, told.Digest = true, "Failed: "+err.Error()
		action.Error = a.mask(line(err.Error(), 500))
	}
	if stop {
		t.stop = Loop
	} else if warn {
		more = joined(more, "You have made this very call on this very page before, and it did not bring you further. Try something else.")
	}
	told.Looks = each.Kind == tool.Looks
	told.Parts = a.parts(each, out, err, more, data)
	told.Digest = a.mask(line(told.Digest, 300))
	action.Outcome = told.Digest
	t.record(action)
	return told
}

// measure looks at the page after an action, and brings it back should it have
// strayed.
func (t *task) measure(ctx context.Context, action *Action, before sight) (told, data string) {
	a := t.agent
	if a.page.Closed() {
		return "The page is gone.", ""
	}
	if a.page.Crashed() {
		return "The page has crashed. goto opens it again.", ""
	}
	strayed, err := a.bounds.Return(ctx, a.page)
	t.now = a.look(ctx)
	action.Changed, action.Painted = t.now.changed(before), t.now.painted(before)
	told, data = t.now.difference(before)
	switch {
	case err != nil:
		told = joined("The page had left the allowed origins and could not be brought back.", told)
	case strayed:
		told = joined("The page had left the allowed origins and was brought back.", told)
	}
	return told, data
}

func (t *task) record(action Action) {
	action.PageURL = t.agent.mask(action.PageURL)
	t.res.Actions = append(t.res.Actions, action)
	if t.order.act != nil {
		t.order.act(action)
	}
	if t.agent.opts.OnAction != nil {
		t.agent.opts.OnAction(action)
	}
}
