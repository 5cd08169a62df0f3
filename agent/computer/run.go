package computer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/agent/bounds"
	"github.com/playtest-dev/playtest/agent/internal/fence"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/variable"
	"github.com/playtest-dev/playtest/model"
)

// run is one goal under way.
type run struct {
	*Computer
	screen   screen
	hand     hand
	bounds   *bounds.Bounds
	tools    toolbox
	messages []model.Message
	result   *Result
	habit    habit
	shown    *model.Image // the first picture
	step     agent.Step
	first    int // action of the step
}

// errTime ends a run whose own time is over.
var errTime = errors.New("the run's time is over")

// cutOff is said to a model whose answer was cut off before it asked for
// anything.
const cutOff = "Your answer was cut off. Go on, more briefly."

// Run works towards a goal until the model asks for nothing more or a limit is
// reached, which is a result like any other. The result is never nil: beside an
// error it is what was done until then.
func (c *Computer) Run(ctx context.Context, goal string) (*Result, error) {
	r := c.start()
	if strings.TrimSpace(goal) == "" {
		return r.result, agent.ErrNoGoal
	}
	if c.driver == nil {
		return r.result, fmt.Errorf("computer: %w", model.ErrNoModel)
	}
	if c.opts.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.opts.Time, errTime)
		defer cancel()
	}
	stop, err := r.all(ctx, goal)
	switch {
	case err == nil:
	case errors.Is(err, model.ErrBudget):
		stop, err = agent.MoneyLimit, nil
	case errors.Is(context.Cause(ctx), errTime):
		stop, err = agent.TimeLimit, nil
	case ctx.Err() != nil:
		stop = agent.Aborted
	case stop == agent.Hooked:
	case model.AsError(err) != nil:
		stop = agent.ModelError
	default:
		stop = agent.PageGone
	}
	r.finish(ctx, stop)
	if err != nil {
		return r.result, fmt.Errorf("computer: step %d: %w", r.step.N, err)
	}
	return r.result, nil
}

// start is a run before its first look at the page.
func (c *Computer) start() *run {
	r := &run{Computer: c, result: &Result{}, habit: habit{}, messages: slices.Clone(c.opts.History), tools: c.opts.Tools}
	var limits model.ImageLimits
	if c.driver != nil {
		limits = model.Describe(c.driver.Model()).ImageLimits
	}
	r.screen = newScreen(c.page, limits)
	r.hand = hand{screen: &r.screen, tree: newTree(c.page)}
	r.result.Verified.StartURL = c.mask(c.page.URL())
	return r
}

// within does something while the page is kept within its bounds.
func (r *run) within(ctx context.Context, do func() error) (err error) {
	if err := variable.Check(r.opts.Variables); err != nil {
		return err
	}
	if r.bounds, err = bounds.New(cmp.Or(r.opts.Start, r.page.URL()), r.opts.Origins...); err != nil {
		return err
	}
	r.hand.bounds = r.bounds
	release, err := r.bounds.Enforce(ctx, r.page)
	if err != nil {
		return err
	}
	defer func() {
		if gone := release(context.WithoutCancel(ctx)); err == nil && r.page.Err() == nil {
			err = gone
		}
	}()
	if _, err = r.bounds.Return(ctx, r.page); err != nil {
		return err
	}
	if r.shown, err = r.screen.look(ctx); err != nil {
		return err
	}
	return do()
}

// pace is how long the driver wants to wait between two actions.
func (r *run) pace() time.Duration {
	if r.driver == nil {
		return 0
	}
	return r.driver.Pace()
}

// all is the run, from the first picture on.
func (r *run) all(ctx context.Context, goal string) (stop agent.Stop, err error) {
	err = r.within(ctx, func() (err error) {
		stop, err = r.loop(ctx, goal)
		return err
	})
	return stop, err
}

// loop asks and acts until there is a reason to stop.
func (r *run) loop(ctx context.Context, goal string) (agent.Stop, error) {
	r.messages = append(r.messages, model.Message{Role: model.User, Parts: []model.Part{
		model.Text(goal + "\n\nThe page's address: " + clip(r.mask(r.page.URL()), 300)), model.Picture(r.shown),
	}})
	for r.step.N < r.opts.Steps {
		stop, err := r.turn(ctx)
		if err != nil || stop != "" {
			return stop, err
		}
		if r.opts.Tokens > 0 && r.result.Usage.Tokens.Total() >= r.opts.Tokens {
			return agent.TokenLimit, nil
		}
		if r.opts.Money > 0 && r.result.Cost.Amount >= r.opts.Money {
			return agent.MoneyLimit, nil
		}
	}
	return agent.StepLimit, nil
}

// turn asks the model once and does what it says. It ends the run with a
// reason to stop.
func (r *run) turn(ctx context.Context) (stop agent.Stop, err error) {
	r.step, r.first = agent.Step{N: r.step.N + 1}, len(r.result.Actions)
	began := time.Now()
	if r.opts.BeforeStep != nil {
		if err := r.opts.BeforeStep(ctx, r.step.N); err != nil {
			return agent.Hooked, err
		}
	}
	r.messages = r.driver.Trim(r.messages)
	req := &model.Request{
		Purpose: Purpose, System: r.opts.System, Messages: r.messages, Tools: r.tools.offered(),
		MaxTokens: r.opts.MaxTokens, Effort: r.opts.Effort,
		// The conversation goes on: what was read is to be kept by the vendor.
		Reuse: true,
	}
	if err := r.driver.Prepare(req, r.screen.space()); err != nil {
		return "", err
	}
	resp, err := r.driver.Model().Generate(ctx, req)
	if err != nil {
		return "", err
	}
	defer func() {
		if hook := r.report(ctx, time.Since(began)); hook != nil && err == nil {
			stop, err = agent.Hooked, hook
		}
	}()
	r.result.pay(resp)
	answer := resp.Message
	calls := r.driver.Read(&answer, r.screen.space())
	r.step.Text, r.step.Thinking = strings.TrimSpace(answer.Text()), strings.TrimSpace(answer.Thinking())
	for _, call := range calls {
		r.step.Text = strings.TrimSpace(r.step.Text + "\n" + call.Why)
	}
	r.step.Usage, r.step.Cost = resp.Usage, resp.Cost
	if r.step.Text != "" {
		r.result.Message = r.step.Text
	}
	if open := r.confirm(calls); len(open) > 0 {
		// Nothing of the turn is carried out, and the question stays open.
		r.result.Checks = open
		return Safety, nil
	}
	warn, circles := false, false
	if len(calls) > 0 {
		warn, circles = r.habit.note(calls, r.page.URL(), r.screen.last)
	}
	if circles {
		return agent.Loop, nil
	}
	r.messages = append(r.messages, answer)
	switch {
	case len(calls) > 0:
		return "", r.carryOut(ctx, calls, warn)
	case resp.Stop == model.StopPause:
		return "", nil // to be asked again, with its own words last
	case resp.Stop == model.StopLength:
		r.messages = append(r.messages, model.UserText(cutOff))
		return "", nil
	}
	return agent.Closed, nil
}

// report tells who watches that a turn is over. A hook may end the run.
func (r *run) report(ctx context.Context, took time.Duration) error {
	if r.opts.OnStep == nil && r.opts.AfterStep == nil {
		return nil
	}
	r.step.Took, r.step.Actions = took, slices.Clone(r.result.Actions[r.first:])
	step := Step{Step: r.step, Picture: r.screen.last, URL: r.mask(r.page.URL())}
	if r.opts.OnStep != nil {
		r.opts.OnStep(step)
	}
	if r.opts.AfterStep != nil {
		return r.opts.AfterStep(ctx, step)
	}
	return nil
}

// confirm asks the caller about the vendor's checks. What is open was not
// allowed.
func (r *run) confirm(calls []Call) (open []Check) {
	var allowed []Check
	for _, call := range calls {
		for _, check := range call.Checks {
			if !check.Blocked && r.opts.Acknowledge != nil && r.opts.Acknowledge(check) {
				allowed = append(allowed, check)
			} else {
				open = append(open, check)
			}
		}
	}
	if len(open) == 0 {
		r.result.Acknowledged = append(r.result.Acknowledged, allowed...)
	}
	return open
}

// carryOut does what the model asked for and answers it. After something that
// failed the rest of the turn is not carried out: it was meant for a page that
// looks otherwise.
func (r *run) carryOut(ctx context.Context, calls []Call, warn bool) error {
	seen := make([]Seen, len(calls))
	failed, acted := false, false
	for i, call := range calls {
		switch {
		case call.Tool != nil:
			seen[i] = r.useTool(ctx, *call.Tool)
		case call.Problem != "":
			done := r.begin(call.Name)
			done.Error = call.Problem
			r.note(done, call.Actions)
			seen[i], failed = Seen{Text: call.Problem, Failed: true}, true
		case failed:
			seen[i] = Seen{Text: "Not carried out: something before it in this turn failed.", Failed: true}
		default:
			if acted {
				if err := pause(ctx, r.pace()); err != nil {
					return err
				}
			}
			var err error
			if seen[i], err = r.act(ctx, call.Actions); err != nil {
				return err
			}
			failed, acted = seen[i].Failed, true
		}
		seen[i].Asked = slices.ContainsFunc(call.Actions, func(a Action) bool { return a.Kind == Screenshot || a.Kind == Zoom })
		if seen[i].Picture == nil {
			seen[i].Picture = r.screen.last
		}
		seen[i].URL, seen[i].Title, seen[i].Acknowledged = r.mask(r.page.URL()), r.mask(r.title(ctx)), call.Checks
	}
	if warn {
		seen[len(seen)-1].say(again)
	}
	parts, err := r.driver.Answer(calls, seen)
	if err != nil {
		return err
	}
	r.messages = append(r.messages, model.Message{Role: model.User, Parts: parts})
	return nil
}

// say adds a line to what a model is told.
func (s *Seen) say(line string) {
	if line != "" {
		s.Text = strings.TrimSpace(s.Text + "\n" + line)
	}
}

// act carries actions out and looks at what came of them. The error is that of
// a page that is gone; all else is for the model.
func (r *run) act(ctx context.Context, actions []Action) (Seen, error) {
	var seen Seen
	before, navigations, refused := r.screen.last, r.page.Log().Counts().Navigations, r.bounds.Tried()
	first := len(r.result.Actions)
	for i, action := range actions {
		if i > 0 {
			if err := pause(ctx, r.pace()); err != nil {
				return seen, err
			}
		}
		done := r.begin(string(action.Kind))
		done.Outcome = action.String()
		err := r.approve(ctx, string(action.Kind), action, action.Kind.acts())
		var got did
		if err == nil {
			got, err = r.do(ctx, &action)
		}
		if err != nil {
			done.Error, seen.Failed = r.mask(err.Error()), true
			seen.say(done.Error)
		}
		r.note(done, action)
		if gone := r.gone(ctx, err); gone != nil {
			return seen, gone
		}
		seen.Picture = got.picture
		if got.foreign {
			seen.say(fence.Text("the page", r.mask(got.text)))
		} else {
			seen.say(got.text)
		}
		if err != nil {
			break
		}
	}
	if err := r.settle(ctx, navigations); err != nil {
		return seen, err
	}
	_, err := r.bounds.Return(ctx, r.page)
	if gone := r.gone(ctx, err); gone != nil {
		return seen, gone
	}
	if r.bounds.Tried() > refused {
		seen.say("The page wanted to leave for an address that is not allowed here, and was kept from it.")
	}
	after, err := r.screen.look(ctx)
	if gone := r.gone(ctx, err); gone != nil {
		return seen, gone
	}
	if err != nil {
		// The page lives and cannot be seen: the old picture, and the truth.
		seen.say("No new picture could be taken; this is the one from before.")
		after = before
	}
	changed := after.Hash() != before.Hash()
	for i, action := range actions[:len(r.result.Actions)-first] {
		r.result.Actions[first+i].Painted = changed && action.Kind.acts()
	}
	return seen, nil
}

// do carries an action out, with the values of variables in what is typed.
func (r *run) do(ctx context.Context, action *Action) (did, error) {
	filled := *action
	if action.Kind == Type || action.Kind == Fill {
		text, err := r.typed(ctx, action)
		if err != nil {
			return did{}, err
		}
		filled.Text = text
	}
	out, err := r.hand.do(ctx, &filled)
	action.Found = filled.Found
	return out, err
}

// titleLimit bounds the waiting for a page's title, which a page that is busy
// does not tell.
const titleLimit = time.Second

// title is what the page calls itself, empty where it does not answer.
func (r *run) title(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, titleLimit)
	defer cancel()
	var title string
	if err := r.page.MainFrame().EvaluateIsolated(ctx, "document.title", &title); err != nil {
		return ""
	}
	return clip(title, 200)
}

// gone is the error that ends the run: the page or the time is over.
func (r *run) gone(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case r.page.Err() != nil:
		return r.page.Err()
	case errors.Is(err, browser.ErrPageClosed), errors.Is(err, browser.ErrCrashed), errors.Is(err, browser.ErrClosed):
		return err
	}
	return nil
}

// loading is how long a new document is waited for.
const loading = 5 * time.Second

// settle gives the page a moment to react, and a new document the time to
// load. Games never come to rest, so rest is not waited for.
func (r *run) settle(ctx context.Context, navigations int) error {
	if err := pause(ctx, r.opts.Settle); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, loading)
	defer cancel()
	for r.leaving() && pause(wait, 20*time.Millisecond) == nil {
	}
	if r.page.Log().Counts().Navigations != navigations {
		_ = r.page.WaitLoad(wait, browser.Complete) // a slow page is looked at as it is
	}
	return ctx.Err()
}

// leaving reports whether the page is on its way to another document.
func (r *run) leaving() bool {
	if r.page.Log().InFlight() == 0 {
		return false
	}
	main := r.page.MainFrame().ID()
	return slices.ContainsFunc(r.page.Log().Requests(), func(q browser.Request) bool {
		return q.Type == "Document" && q.FrameID == main && q.Status == 0 && q.End.IsZero()
	})
}
