package tool

import (
	"context"
	_ "embed"
	"fmt"
	"time"
)

//go:embed wait.md
var waitText string

// settleStep is how often something that is waited for is looked at.
const settleStep = 20 * time.Millisecond

// maxWait is the longest that an agent may ask to wait.
const maxWait = 20 * time.Second

type waitArgs struct {
	Milliseconds int `json:"milliseconds" jsonschema:"how long to wait, at most 20000"`
}

func (k *Kit) wait() Tool {
	t := must("wait", waitText, func(ctx context.Context, in waitArgs) (*Outcome, error) {
		d := min(time.Duration(max(in.Milliseconds, 0))*time.Millisecond, maxWait)
		if err := pause(ctx, d); err != nil {
			return nil, err
		}
		return Say(fmt.Sprintf("Waited for %v.", d)), nil
	})
	t.Repeats = true
	return t
}
