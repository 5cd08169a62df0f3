package stage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/internal/variable"
)

// ObserveOptions tune Observe.
type ObserveOptions struct {
	// Within is the id or selector of the element to look in.
	Within string
	// Ignore are the selectors of what to leave out.
	Ignore []string
	// Variables may be named in the instruction; only their names are sent.
	Variables map[string]string
}

// Observed is what was found.
type Observed struct {
	// Actions are the elements that fit, best first, each with what can be done
	// to it. Perform carries one out.
	Actions []Action `json:"actions"`
	// Dropped counts answers that named an element which is not on the page.
	Dropped int  `json:"dropped,omitempty"`
	Meta    Meta `json:"meta"`
}

type observeReply struct {
	Elements []reply `json:"elements"`
	Part     int     `json:"part" jsonschema:"another part of the page to look at, 0 for none"`
}

var observeSchema = mustSchema[observeReply]("elements")

// Observe finds the elements that an instruction is about, in one call to the
// model. An empty instruction asks for everything that can be acted on.
func (s *Stage) Observe(ctx context.Context, instruction string, opts *ObserveOptions) (*Observed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var o ObserveOptions
	if opts != nil {
		o = *opts
	}
	if instruction == "" {
		instruction = "everything on the page that can be acted on"
	}
	c := s.begin("observe")
	s.secrets.Add(o.Variables)
	out := &Observed{Actions: []Action{}}
	err := s.observe(ctx, c, instruction, &o, out)
	out.Meta = c.end()
	if err != nil {
		return out, fmt.Errorf("observe: %w", err)
	}
	return out, nil
}

func (s *Stage) observe(ctx context.Context, c *call, instruction string, o *ObserveOptions, out *Observed) error {
	if err := variable.Check(o.Variables); err != nil {
		return err
	}
	s.settle(ctx, c)
	snap, err := s.look(ctx, c, o.Ignore)
	if err != nil {
		return err
	}
	began := time.Now()
	where, err := s.within(ctx, snap, o.Within)
	if err != nil {
		return err
	}
	part := 1
	var seen []int
	for range maxParts {
		text := s.format(snap, instruction, where, part)
		seen = append(seen, part)
		var answer observeReply
		err := s.ask(ctx, c, question{
			purpose: "observe", system: observePrompt, user: describe(text.Text, instruction, o.Variables, ""), schema: observeSchema,
		}, &answer)
		if err != nil {
			return err
		}
		for _, r := range answer.Elements {
			a, _, ok := r.action(snap)
			if !ok {
				out.Dropped++
				continue
			}
			out.Actions = append(out.Actions, a)
		}
		if len(answer.Elements) > 0 || answer.Part <= 0 || answer.Part > text.Parts || slices.Contains(seen, answer.Part) {
			break
		}
		part = answer.Part
	}
	s.step("observe", fmt.Sprintf("%d found", len(out.Actions)), began)
	return nil
}
