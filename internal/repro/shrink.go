package repro

import (
	"context"
	"slices"

	"github.com/playtest-dev/playtest/record"
)

// Try tells whether a claim holds.
type Try func(ctx context.Context, c *Claim) (bool, error)

// Shrink finds a short list of inputs that still shows what is claimed, by leaving
// inputs out: half of them, then a quarter, down to single ones. The frames of the
// others stay. It returns the best one found also when it is told to stop.
func Shrink(ctx context.Context, c *Claim, try Try) (*Claim, error) {
	best := *c
	for size := len(best.Prefix); size > 0; {
		smaller := false
		for from := 0; from < len(best.Prefix); {
			if err := ctx.Err(); err != nil {
				return &best, err
			}
			without := best
			without.Prefix = slices.Concat(best.Prefix[:from], best.Prefix[min(from+size, len(best.Prefix)):])
			holds, err := try(ctx, &without)
			if err != nil {
				return &best, err
			}
			if holds {
				best, smaller = without, true
				continue // what follows has moved here
			}
			from += size
		}
		if size = min(size, len(best.Prefix)); !smaller || size > 1 {
			size /= 2
		}
	}
	if best.Prefix == nil {
		best.Prefix = []record.Step{}
	}
	return &best, nil
}
