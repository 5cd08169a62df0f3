package computer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/agent/internal/fence"
	"github.com/playtest-dev/playtest/agent/tool"
	"github.com/playtest-dev/playtest/model"
)

const (
	// toolTime is how long a tool may take that says nothing else.
	toolTime = 60 * time.Second
	// toolText is how much of a tool's words a model is shown.
	toolText = 100_000
)

// toolbox holds the tools beside the computer. What is in it at the start is
// all there is.
type toolbox []tool.Tool

// offered are the tools as the model is told of them.
func (b toolbox) offered() []model.Tool {
	var out []model.Tool
	for _, t := range b {
		out = append(out, t.Tool)
	}
	return out
}

// useTool calls a tool. Whatever goes wrong is told to the model.
func (r *run) useTool(ctx context.Context, call model.ToolCall) Seen {
	done := r.begin(call.Name)
	foreign := r.tools.foreign(call.Name)
	err := r.approve(ctx, call.Name, call.Arguments, !foreign)
	var out *tool.Outcome
	if err == nil {
		out, err = r.tools.call(ctx, call)
	} else {
		foreign = false // the words are the caller's
	}
	if err != nil {
		done.Error = r.mask(clip(err.Error(), 2000))
		r.note(done, call.Arguments)
		if foreign {
			return Seen{Text: "It failed.\n" + fence.Text("the tool "+call.Name, done.Error), Failed: true}
		}
		return Seen{Text: done.Error, Failed: true}
	}
	seen := Seen{Text: r.mask(short(out.Text)), Images: out.Images}
	if foreign && seen.Text != "" {
		seen.Text = fence.Text("the tool "+call.Name, seen.Text)
	}
	if out.Data != "" {
		seen.say(fence.Text("the tool "+call.Name, r.mask(short(out.Data))))
	}
	if seen.Text == "" {
		seen.Text = "done"
	}
	done.Outcome = clip(seen.Text, 300)
	r.note(done, call.Arguments)
	return seen
}

// short is as much of a text as a model is shown.
func short(text string) string {
	if len(text) <= toolText {
		return text
	}
	return fmt.Sprintf("%s\n(%d bytes more)", clip(text, toolText), len(text)-toolText)
}

// foreign reports whether a tool's words are not ours. So are those of a tool
// that nobody knows: its name is the model's.
func (b toolbox) foreign(name string) bool {
	i := slices.IndexFunc(b, func(t tool.Tool) bool { return t.Name == name })
	return i >= 0 && b[i].Foreign
}

// find is the tool of a name.
func (b toolbox) find(name string) (*tool.Tool, error) {
	i := slices.IndexFunc(b, func(t tool.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no tool called %q", clip(name, 64))
	}
	return &b[i], nil
}

func (b toolbox) call(ctx context.Context, call model.ToolCall) (*tool.Outcome, error) {
	t, err := b.find(call.Name)
	if err != nil {
		return nil, err
	}
	if err := t.Check(call); err != nil {
		return nil, err
	}
	limit := t.Timeout
	if limit <= 0 {
		limit = toolTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type outcome struct {
		out *tool.Outcome
		err error
	}
	// A tool that ignores its context is left behind with its goroutine: the
	// run must go on, and Go has no way to end it.
	ended := make(chan outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				ended <- outcome{err: fmt.Errorf("the tool %s failed inside", call.Name)}
			}
		}()
		out, err := t.Call(ctx, call.Arguments)
		if err == nil && out == nil {
			err = fmt.Errorf("the tool %s returned nothing", call.Name)
		}
		ended <- outcome{out, err}
	}()
	select {
	case o := <-ended:
		return o.out, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("the tool %s did not answer within %v", call.Name, limit)
	}
}
