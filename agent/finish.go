package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

// checkLimit is how long the caller's check may take.
const checkLimit = 30 * time.Second

// finish fills in what can be said at the end.
func (t *task) finish(ctx context.Context) {
	r := t.res
	r.Stop = t.stop
	r.Completed = r.Claim != nil && r.Claim.TaskComplete
	r.Message = t.message()
	t.verify(ctx)
	r.Success = r.Completed && r.Verified.Problem == ""
}

// verify says what was measured, whatever the agent says.
func (t *task) verify(ctx context.Context) {
	a, v := t.agent, &t.res.Verified
	for _, action := range t.res.Actions {
		v.Calls++
		if action.Error != "" {
			v.Failed++
		}
		if action.Changed || action.Painted {
			v.Effective++
		}
	}
	refused, _ := a.bounds.Refused()
	t.res.Refused, v.Refused = refused[min(t.tried, len(refused)):], a.bounds.Tried()-t.tried
	last := t.now
	if ctx.Err() == nil && a.page.Err() == nil {
		last = a.look(ctx)
	}
	v.StartURL, v.URL = a.mask(t.first.url), a.mask(last.url)
	v.Moved = last.url != t.first.url
	v.Changed = last.changed(t.first)
	if a.opts.Check == nil || ctx.Err() != nil {
		return
	}
	v.Checked = true
	if err := held(ctx, a.opts.Check, a.page); err != nil {
		v.Problem = a.mask(line(err.Error(), 500))
	}
}

// held asks the caller's check, which is somebody else's code and may panic.
func held(ctx context.Context, check func(context.Context, *browser.Page) error, page *browser.Page) (err error) {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the check broke down: %v", v)
		}
	}()
	return check(ctx, page)
}

// endings are for results of agents that did not close their work.
var endings = map[Stop]string{
	StepLimit:  "The limit of steps was reached.",
	TimeLimit:  "The limit of time was reached.",
	TokenLimit: "The limit of tokens was reached.",
	MoneyLimit: "The limit of money was reached.",
	Loop:       "The agent did the same again and again and nothing changed.",
	Silent:     "The agent called no tool.",
	Aborted:    "The work was ended from outside.",
	ModelError: "No model could answer.",
	PageGone:   "The page is gone.",
	Replayed:   "The actions were replayed.",
	Hooked:     "The work was ended by a hook.",
}

// maxWords bounds the message, in characters.
const maxWords = 4000

// message is the reasoning that was collected: what the agent said when it
// closed its work, or what it said on the way and why it ended.
func (t *task) message() string {
	if t.res.Claim != nil {
		return t.agent.mask(strings.TrimSpace(t.res.Claim.Reasoning))
	}
	words := strings.Join(t.words, "\n")
	if r := []rune(words); len(r) > maxWords {
		words = "…" + string(r[len(r)-maxWords:])
	}
	return t.agent.mask(strings.TrimSpace(words + "\n" + endings[t.stop]))
}
