package tool

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/browser"
)

//go:embed drag.md
var dragText string

type dragArgs struct {
	Path []place `json:"path" jsonschema:"places to go through, from where the button is pressed to where it is let go, in pixels of the last picture"`
}

type place struct {
	X float64 `json:"x" jsonschema:"pixels from the left"`
	Y float64 `json:"y" jsonschema:"pixels from the top"`
}

// dragPace is between two moves: a hand is not faster, and games look at frames.
const dragPace = 8 * time.Millisecond

func (k *Kit) drag() Tool {
	t := must("drag", dragText, func(ctx context.Context, in dragArgs) (*Outcome, error) {
		if len(in.Path) < 2 || len(in.Path) > 100 {
			return nil, fmt.Errorf("a path of %d places: give 2 to 100", len(in.Path))
		}
		path := make([]browser.Point, len(in.Path))
		var places Size
		for i, p := range in.Path {
			at, size, err := k.point(ctx, p.X, p.Y)
			if err != nil {
				return nil, err
			}
			path[i], places = at, size
		}
		if err := k.page().Mouse().Drag(ctx, path, &browser.DragOptions{Hold: keyTap, Pace: dragPace}); err != nil {
			return nil, err
		}
		from, to := in.Path[0], in.Path[len(in.Path)-1]
		out := Say(fmt.Sprintf("Dragged from %g,%g to %g,%g.", from.X, from.Y, to.X, to.Y))
		out.Places = &places
		return out, nil
	})
	t.Repeats = true
	return t
}
