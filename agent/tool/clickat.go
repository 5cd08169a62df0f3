package tool

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/playtest-dev/playtest/browser"
)

//go:embed clickat.md
var clickAtText string

type clickAtArgs struct {
	X      float64 `json:"x" jsonschema:"pixels from the left of the last picture"`
	Y      float64 `json:"y" jsonschema:"pixels from the top of the last picture"`
	Button string  `json:"button,omitempty" jsonschema:"left, middle or right; left if left out"`
	Count  int     `json:"count,omitempty" jsonschema:"2 for a double click; 1 if left out"`
}

func (k *Kit) clickAt() Tool {
	t := must("clickAt", clickAtText, func(ctx context.Context, in clickAtArgs) (*Outcome, error) {
		if in.Button != "" && in.Button != "left" && in.Button != "middle" && in.Button != "right" {
			return nil, fmt.Errorf("button %q is not left, middle or right", in.Button)
		}
		at, places, err := k.point(ctx, in.X, in.Y)
		if err != nil {
			return nil, err
		}
		opts := &browser.ClickOptions{Button: in.Button, Count: min(max(in.Count, 1), 10), Hold: keyTap}
		if err := k.page().Mouse().Click(ctx, at.X, at.Y, opts); err != nil {
			return nil, err
		}
		out := Say(fmt.Sprintf("Clicked at %g,%g.", in.X, in.Y))
		out.Places = &places
		return out, nil
	})
	t.Repeats = true
	return t
}
