package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"
)

//go:embed hold.md
var holdText string

// maxHold is the longest that keys are held in one call.
const maxHold = 10 * time.Second

type holdArgs struct {
	Keys         []string `json:"keys" jsonschema:"keys to hold down together, such as ArrowRight and Space"`
	Milliseconds int      `json:"milliseconds" jsonschema:"how long, at most 10000"`
}

func (k *Kit) hold() Tool {
	t := must("hold", holdText, func(ctx context.Context, in holdArgs) (*Outcome, error) {
		if len(in.Keys) == 0 || len(in.Keys) > 8 {
			return nil, fmt.Errorf("%d keys: give 1 to 8", len(in.Keys))
		}
		var chord []string
		for _, name := range in.Keys {
			keys, err := chordOf(name)
			if err != nil {
				return nil, err
			}
			chord = append(chord, keys...)
		}
		d := min(time.Duration(max(in.Milliseconds, 1))*time.Millisecond, maxHold)
		var err error
		if len(chord) == 1 {
			err = k.page().Keyboard().HoldRepeat(ctx, chord[0], d)
		} else {
			err = k.page().Keyboard().Chord(ctx, chord, d)
		}
		if err != nil {
			return nil, err
		}
		return Say(fmt.Sprintf("Held %s for %v.", strings.Join(in.Keys, " and "), d)), nil
	})
	t.Repeats = true
	return t
}
