package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/stage"
)

//go:embed fillform.md
var fillFormText string

type fillFormArgs struct {
	Fields []formField `json:"fields" jsonschema:"the fields, in the order in which to fill them in"`
}

type formField struct {
	Field string `json:"field" jsonschema:"the field in plain words, such as: the name"`
	Value string `json:"value" jsonschema:"what goes in: text, the name of an option, yes or no for a box to check"`
}

// maxFields bounds what one call does to a page.
const maxFields = 40

func (k *Kit) fillForm() Tool {
	return must("fillForm", fillFormText, func(ctx context.Context, in fillFormArgs) (*Outcome, error) {
		if len(in.Fields) == 0 || len(in.Fields) > maxFields {
			return nil, fmt.Errorf("%d fields: give 1 to %d", len(in.Fields), maxFields)
		}
		out := &Outcome{Cost: model.Cost{Known: true}}
		found, err := k.find(ctx, in.Fields, out)
		if err != nil {
			return out, err
		}
		var failed []error
		for i, f := range in.Fields {
			if err := k.fill(ctx, f, found, i, out); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", f.Field, err))
			}
			if ctx.Err() != nil {
				break
			}
		}
		out.Text = told(out.Actions)
		return out, errors.Join(failed...)
	})
}

// find asks once for all the fields. Nil means that the answer does not fit
// them one by one.
func (k *Kit) find(ctx context.Context, fields []formField, out *Outcome) ([]stage.Action, error) {
	if len(fields) == 1 {
		return nil, nil
	}
	var list strings.Builder
	for i, f := range fields {
		fmt.Fprintf(&list, "\n%d. %s, to be filled in with %q", i+1, f.Field, f.Value)
	}
	found, err := k.Stage.Observe(ctx, fmt.Sprintf("exactly these %d form fields, in this order, one element for each, with the method that fills it in:%s", len(fields), list.String()),
		&stage.ObserveOptions{Variables: k.Variables})
	out.pay(found.Meta)
	if err != nil {
		return nil, err
	}
	if len(found.Actions) != len(fields) {
		return nil, nil
	}
	return found.Actions, nil
}

// fill puts one value in: into the element that was found, or by asking for it
// alone.
func (k *Kit) fill(ctx context.Context, f formField, found []stage.Action, i int, out *Outcome) error {
	opts := &stage.ActOptions{Variables: k.Variables, Files: k.Files}
	var acted *stage.Acted
	var err error
	if found == nil {
		acted, err = k.Stage.Act(ctx, fmt.Sprintf("fill in %q for the field: %s", f.Value, f.Field), opts)
	} else {
		acted, err = k.Stage.Perform(ctx, filled(found[i], f.Value), opts)
	}
	out.pay(acted.Meta)
	out.Actions = append(out.Actions, acted.Actions...)
	return err
}

// filled is the action with the value that was asked for, whatever the model
// that found the element made of it.
func filled(a stage.Action, value string) stage.Action {
	switch a.Method {
	case stage.Fill, stage.Type, stage.SelectOption:
		a.Arguments = []string{value}
	case stage.Click:
		if a.Role == "textbox" || a.Role == "searchbox" || a.Role == "spinbutton" {
			a.Method, a.Arguments = stage.Fill, []string{value}
		}
	}
	return a
}

func (o *Outcome) pay(meta stage.Meta) {
	o.Usage = o.Usage.Add(meta.Usage)
	o.Cost = o.Cost.Add(meta.Cost)
}
