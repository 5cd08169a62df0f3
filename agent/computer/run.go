package computer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"playtest/agent/bounds"
	"playtest/browser"
	"playtest/model"
)

// run is one goal under way.
type run struct {
	*Computer
	hand     hand
	screen   screen
	bounds   *bounds.Bounds
	tools    toolbox
	messages []model.Message
	result   *Result
	step     Step
	first    int // action of the step
}

// errTime ends a run whose own time is over.
var errTime = errors.New("the run's time is over")

// cutOff is said to a model whose answer was cut off before it asked for
// anything.
const cutOff = "Your answer was cut off. Go on, more briefly."

// Run works towards a goal until the model asks for nothing more or a limit is
// reached, which is a result like any other. There is a result even beside an
// error: what was done until then.
func (c *Computer) Run(ctx context.Context, goal string) (*Result, error) {
	r := &run{Computer: c, result: &Result{Stop: StopError}, messages: slices.Clone(c.opts.History), tools: c.opts.Tools}
	if strings.TrimSpace(goal) == "" {
		return r.result, errors.New("computer: no goal is given")
	}
	if c.opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.opts.Timeout, errTime)
		defer cancel()
	}
	err := r.all(ctx, goal)
	r.end(ctx)
	switch {
	case err == nil:
		return r.result, nil
	case errors.Is(err, model.ErrBudget):
		r.result.Stop = StopBudget
		return r.result, nil
	case errors.Is(context.Cause(ctx), errTime), errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.result.Stop = StopTime
		return r.result, nil
	}
	return r.result, fmt.Errorf("computer: step %d: %w", r.step.N, err)
}

// all is the loop.
func (r *run) all(ctx context.Context, goal string) (err error) {
	if r.bounds, err = bounds.New(r.page.URL(), r.opts.Origins...); err != nil {
		return err
	}
	release, err := r.bounds.Enforce(ctx, r.page)
	if err != nil {
		return err
	}
	defer func() {
		if gone := release(context.WithoutCancel(ctx)); err == nil && r.page.Err() == nil {
			err = gone
		}
	}()
	r.screen = screen{page: r.page, limits: model.Describe(r.driver.Model()).ImageLimits}
	r.hand = hand{screen: &r.screen, bounds: r.bounds}
	picture, err := r.screen.look(ctx)
	if err != nil {
		return err
	}
	r.messages = append(r.messages, model.Message{Role: model.User, Parts: []model.Part{
		model.Text(goal + "\n\n" + address(r.page.URL())), model.Picture(picture),
	}})
	for r.step.N < r.opts.Steps {
		over, err := r.turn(ctx)
		if err != nil || over {
			return err
		}
		if used := r.result.Usage.Tokens.Total(); r.opts.Tokens > 0 && used >= r.opts.Tokens {
			r.result.Stop = StopTokens
			return nil
		}
	}
	r.result.Stop = StopSteps
	return nil
}

// address tells a model where the page is.
func address(url string) string { return "The page's address: " + clip(url, 300) }

// end fills in what holds however the run ended.
func (r *run) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if r.hand.screen != nil && r.page.Err() == nil {
		r.hand.letGo(ctx)
	}
	r.result.Steps, r.result.URL, r.result.Messages = r.step.N, r.page.URL(), r.messages
	if r.bounds != nil {
		r.result.Refused, _ = r.bounds.Refused()
	}
}

// turn asks the model once and does what it says.
func (r *run) turn(ctx context.Context) (over bool, err error) {
	r.step, r.first = Step{N: r.step.N + 1, Time: time.Now()}, len(r.result.Actions)
	r.messages = r.driver.Trim(r.messages)
	req := &model.Request{
		Purpose: Purpose, System: r.opts.System, Messages: r.messages, Tools: r.tools.offered(),
		MaxTokens: r.opts.MaxTokens, Effort: r.opts.Effort,
	}
	if err := r.driver.Prepare(req, r.screen.space()); err != nil {
		return false, err
	}
	resp, err := r.driver.Model().Generate(ctx, req)
	if err != nil {
		return false, err
	}
	r.result.Usage.add(resp)
	answer := resp.Message
	calls := r.driver.Read(&answer, r.screen.space())
	if text := strings.TrimSpace(answer.Text()); text != "" {
		r.result.Message = text
	}
	r.step.Reasoning = strings.TrimSpace(answer.Thinking() + "\n" + answer.Text())

	acknowledged, open := r.confirm(calls)
	if len(open) > 0 {
		// Nothing of the turn is carried out, and the question stays open.
		r.result.Checks, r.result.Stop = open, StopSafety
		r.report()
		return true, nil
	}
	r.messages = append(r.messages, answer)
	switch {
	case len(calls) > 0:
		return false, r.carryOut(ctx, calls, acknowledged)
	case resp.Stop == model.StopPause:
		return false, nil // to be asked again, with its own words last
	case resp.Stop == model.StopLength:
		r.messages = append(r.messages, model.UserText(cutOff))
		return false, nil
	}
	r.result.Completed, r.result.Stop = true, StopDone
	r.report()
	return true, nil
}

// confirm asks the caller about the vendor's checks.
func (r *run) confirm(calls []Call) (acknowledged, open []Check) {
	for _, call := range calls {
		for _, check := range call.Checks {
			if !check.Blocked && r.opts.Acknowledge != nil && r.opts.Acknowledge(check) {
				acknowledged = append(acknowledged, check)
			} else {
				open = append(open, check)
			}
		}
	}
	return acknowledged, open
}

func (r *run) report() {
	r.step.Picture, r.step.URL, r.step.Done = r.screen.last, r.page.URL(), slices.Clone(r.result.Actions[r.first:])
	if r.opts.OnStep != nil {
		r.opts.OnStep(r.step)
	}
}

// carryOut does what the model asked for and answers it. After something that
// failed the rest of the turn is not carried out: it was meant for a page that
// looks otherwise.
func (r *run) carryOut(ctx context.Context, calls []Call, acknowledged []Check) error {
	r.result.Acknowledged = append(r.result.Acknowledged, acknowledged...)
	seen := make([]Seen, len(calls))
	failed, acted := false, false
	for i, call := range calls {
		switch {
		case call.Tool != nil:
			seen[i] = r.useTool(ctx, call)
		case call.Problem != "":
			seen[i], failed = Seen{Text: call.Problem, Failed: true}, true
			r.note(Done{Call: call.Name, Error: call.Problem, URL: r.page.URL(), Time: time.Now()}, call)
		case failed:
			seen[i] = Seen{Text: "Not carried out: something before it in this turn failed.", Failed: true}
		default:
			if acted {
				if err := pause(ctx, r.driver.Pace()); err != nil {
					return err
				}
			}
			var err error
			if seen[i], err = r.act(ctx, call); err != nil {
				return err
			}
			failed, acted = seen[i].Failed, true
		}
		if seen[i].Picture == nil {
			seen[i].Picture = r.screen.last
		}
		seen[i].URL, seen[i].Acknowledged = r.page.URL(), call.Checks
	}
	parts, err := r.driver.Answer(calls, seen)
	if err != nil {
		return err
	}
	r.messages = append(r.messages, model.Message{Role: model.User, Parts: parts})
	r.report()
	return nil
}

// act carries one call out and looks at what came of it. The error is that of
// a page that is gone; all else is for the model.
func (r *run) act(ctx context.Context, call Call) (Seen, error) {
	var seen Seen
	before, navigations := r.screen.last, r.page.Log().Counts().Navigations
	refused, _ := r.bounds.Refused()
	first := len(r.result.Actions)
	for i, action := range call.Actions {
		if i > 0 {
			if err := pause(ctx, r.driver.Pace()); err != nil {
				return seen, err
			}
		}
		done := Done{Call: call.Name, Action: action, URL: r.page.URL(), Time: time.Now()}
		got, err := r.hand.do(ctx, action)
		done.Took = time.Since(done.Time)
		if err != nil {
			done.Error, seen.Failed = err.Error(), true
			seen.Text = strings.TrimSpace(seen.Text + "\n" + err.Error())
		}
		r.note(done, call)
		if gone := r.gone(ctx, err); gone != nil {
			return seen, gone
		}
		seen.Picture = got.picture
		if got.text != "" {
			seen.Text = strings.TrimSpace(seen.Text + "\n" + got.text)
		}
		if err != nil {
			break
		}
	}
	if err := r.settle(ctx, navigations); err != nil {
		return seen, err
	}
	strayed, err := r.bounds.Return(ctx, r.page)
	if gone := r.gone(ctx, err); gone != nil {
		return seen, gone
	}
	if now, _ := r.bounds.Refused(); len(now) > len(refused) || strayed {
		seen.Text = strings.TrimSpace(seen.Text + "\nThe page wanted to go to " + now[len(now)-1].URL + ", which is not allowed here.")
	}
	after, err := r.screen.look(ctx)
	if err != nil {
		if gone := r.gone(ctx, err); gone != nil {
			return seen, gone
		}
		// The page lives and cannot be seen: the old picture, and the truth.
		seen.Text = strings.TrimSpace(seen.Text + "\nNo new picture could be taken; this is the one from before.")
		after = before
	}
	changed := after.Hash() != before.Hash()
	for i := first; i < len(r.result.Actions); i++ {
		r.result.Actions[i].Changed = changed
	}
	return seen, nil
}

// note writes down what was done.
func (r *run) note(done Done, call Call) {
	done.Step, done.Reasoning = r.step.N, call.Why
	if done.Reasoning == "" {
		done.Reasoning = clip(r.step.Reasoning, 2000)
	}
	r.result.Actions = append(r.result.Actions, done)
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
	if r.page.Log().Counts().Navigations == navigations {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, loading)
	defer cancel()
	_ = r.page.WaitLoad(wait, browser.Complete) // a slow page is looked at as it is
	return ctx.Err()
}
