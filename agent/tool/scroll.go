package tool

import (
	"context"
	_ "embed"
	"fmt"
)

//go:embed scroll.md
var scrollText string

type scrollArgs struct {
	Direction string   `json:"direction" jsonschema:"up, down, left or right"`
	Screens   float64  `json:"screens,omitempty" jsonschema:"how many windows to scroll by; 0.8 if left out"`
	X         *float64 `json:"x,omitempty" jsonschema:"where to scroll, for a part of the page that scrolls by itself; the middle of the window if left out"`
	Y         *float64 `json:"y,omitempty" jsonschema:"see x"`
}

func (k *Kit) scroll() Tool {
	t := must("scroll", scrollText, func(ctx context.Context, in scrollArgs) (*Outcome, error) {
		width, height, err := k.viewport(ctx)
		if err != nil {
			return nil, err
		}
		x, y := width/2, height/2
		out := Say("Scrolled " + in.Direction + ".")
		if in.X != nil && in.Y != nil {
			at, places, err := k.point(ctx, *in.X, *in.Y)
			if err != nil {
				return nil, err
			}
			x, y, out.Places = at.X, at.Y, &places
		}
		screens := in.Screens
		if screens <= 0 {
			screens = 0.8
		}
		screens = min(screens, 50)
		var dx, dy float64
		switch in.Direction {
		case "up":
			dy = -height * screens
		case "down":
			dy = height * screens
		case "left":
			dx = -width * screens
		case "right":
			dx = width * screens
		default:
			return nil, fmt.Errorf("direction %q is not up, down, left or right", in.Direction)
		}
		if err := k.page().Mouse().Wheel(ctx, x, y, dx, dy); err != nil {
			return nil, err
		}
		return out, nil
	})
	t.Repeats = true
	return t
}
