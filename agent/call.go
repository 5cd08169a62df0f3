package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/agent/internal/fence"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/model"
)

// grace is how long a tool may take to notice that its time is over.
const grace = 2 * time.Second

// maxImages bounds the pictures of one result.
const maxImages = 4

// hung are the tools that did not come back in time. A Go function cannot be
// ended from outside; it is left alone, and its tool is not called again as long
// as it is still at work, so that at most one goroutine a tool is ever left.
type hung struct {
	mu    sync.Mutex
	names map[string]bool
}

func (h *hung) set(name string, is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names == nil {
		h.names = make(map[string]bool)
	}
	h.names[name] = is
}

func (h *hung) is(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names[name]
}

// find finds a tool by the name a model gave.
func find(tools []tool.Tool, name string) (*tool.Tool, error) {
	i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no tool %q; there are: %s", line(name, 64), strings.Join(toolNames(tools), ", "))
	}
	return &tools[i], nil
}

func toolNames(tools []tool.Tool) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

// ErrNotApproved is a call that the caller did not allow.
var ErrNotApproved = errors.New("this call was not approved")

// approve asks the caller about a call. Closing is the agent's own business.
func (t *task) approve(ctx context.Context, each *tool.Tool, action Action) error {
	ask := t.agent.opts.Approve
	if ask == nil || each.Name == "close" {
		return nil
	}
	err := ask(ctx, Proposed{Step: action.Step, Tool: action.Tool, Arguments: action.Arguments, PageURL: action.PageURL, Acts: each.Kind == tool.Acts})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotApproved, err)
	}
	return nil
}

// call has a tool do its work, within its time, whatever it does.
func (a *Agent) call(ctx context.Context, t *tool.Tool, call model.ToolCall) (*tool.Outcome, error) {
	if err := t.Check(call); err != nil {
		return nil, err
	}
	if a.hung.is(t.Name) {
		return nil, fmt.Errorf("an earlier call of %s has still not ended; use another tool", t.Name)
	}
	limit := t.Timeout
	if limit <= 0 {
		limit = a.opts.ToolTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type answer struct {
		out *tool.Outcome
		err error
	}
	// The channel has room, so a tool that comes back late can still end.
	done := make(chan answer, 1)
	a.hung.set(t.Name, true)
	go func() {
		var got answer
		defer func() {
			if v := recover(); v != nil {
				got = answer{nil, fmt.Errorf("%s broke down: %s", t.Name, line(fmt.Sprint(v), 200))}
			}
			a.hung.set(t.Name, false)
			done <- got
		}()
		got.out, got.err = t.Call(ctx, call.Arguments)
	}()
	var got answer
	select {
	case got = <-done:
	case <-ctx.Done():
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case got = <-done:
		case <-timer.C:
			return nil, fmt.Errorf("%s did not end within %v and was left alone", t.Name, limit)
		}
	}
	a.follow(ctx)
	if got.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		got.err = fmt.Errorf("%s did not end within %v: %w", t.Name, limit, got.err)
	}
	if got.out == nil && got.err == nil {
		got.out = tool.Say("Done.")
	}
	return got.out, got.err
}

// parts is an outcome as the model is shown it: no longer than allowed, the
// words of others as data, no value of a variable.
func (a *Agent) parts(t *tool.Tool, out *tool.Outcome, err error, more, data string) []model.Part {
	limit := t.Tokens
	if limit <= 0 {
		limit = a.opts.ToolTokens
	}
	source := "the page"
	if t.Foreign {
		source = "the tool " + t.Name
	}
	var texts []string
	say := func(text string) {
		if text != "" {
			texts = append(texts, text)
		}
	}
	quote := func(from, text string) {
		if text == "" {
			return
		}
		text, short := cut(text, limit)
		say(fence.Text(from, text))
		if short {
			say(fmt.Sprintf("(That was too long; it was cut at about %d tokens.)", limit))
		}
	}
	var images []*model.Image
	if out != nil {
		if t.Foreign {
			quote(source, out.Text)
		} else {
			text, _ := cut(out.Text, limit)
			say(text)
		}
		quote(source, out.Data)
		images = out.Images
	}
	if err != nil {
		text, _ := cut(err.Error(), 500)
		if t.Foreign {
			say("It failed.")
			quote(source, text)
		} else {
			say("It failed: " + text)
		}
	}
	say(more)
	quote("the page", data)
	if len(images) > 0 && !a.caps.Images {
		say("(There were pictures, which you cannot see.)")
		images = nil
	}
	if len(images) > maxImages {
		say(fmt.Sprintf("(%d more pictures are left out.)", len(images)-maxImages))
		images = images[:maxImages]
	}
	if len(texts) == 0 {
		say("Done.")
	}
	parts := []model.Part{model.Text(a.mask(strings.Join(texts, "\n")))}
	for _, img := range images {
		parts = append(parts, model.Picture(img))
	}
	return parts
}

func (a *Agent) mask(text string) string { return a.stage.Mask(text, a.opts.Variables) }
