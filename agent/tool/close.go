package tool

import (
	"context"
	_ "embed"
)

//go:embed close.md
var closeText string

func (k *Kit) close() Tool {
	t := must("close", closeText, func(_ context.Context, in Closing) (*Outcome, error) {
		out := Say("Closed.")
		out.Closing = &in
		return out, nil
	})
	t.Kind = Notes
	return t
}
