package tool

import (
	"context"
	_ "embed"
)

//go:embed think.md
var thinkText string

type thinkArgs struct {
	Thought string `json:"thought" jsonschema:"what you conclude and what you will try next"`
}

func (k *Kit) think() Tool {
	t := must("think", thinkText, func(_ context.Context, in thinkArgs) (*Outcome, error) {
		out := Say("Noted.")
		out.Digest = "Noted: " + shorten(in.Thought, 200)
		return out, nil
	})
	t.Kind = Notes
	return t
}
