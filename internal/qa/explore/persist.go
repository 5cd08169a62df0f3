package explore

import (
	"context"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/record"
)

const (
	// persistent is how many times in all inputs are made again and again, some
	// three of them a second, atOnce how many different ones.
	persistent = 20
	atOnce     = 2
)

// persist makes the inputs that the game's code runs for, without anything to be
// seen of it, again and again in a replay: on the beat, when the needle is in the
// green, once the gun is loaded they may do something.
func (e *Explorer) persist(ctx context.Context, list []candidate) (began bool, err error) {
	if e.persisted || e.still() || e.g.Slow() || !e.replayable() {
		return false, nil
	}
	var chosen []*candidate
	for i := range list {
		c := &list[i]
		r := e.results[c.control.ID]
		if r == nil || !r.trial.Recognised || aside(c.control) || c.before != nil || ways(c) == 0 || len(chosen) == atOnce {
			continue
		}
		if t := c.control.Type; t == record.ControlKey || t == record.ControlClick && !c.group {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return false, nil
	}
	e.persisted = true
	plan, scroll := e.plan(), e.scrolled(ctx)
	plan.Later = 0
	var owners []*candidate
	for n := range persistent {
		c := chosen[n%len(chosen)]
		in := c.inputs[n/len(chosen)%len(c.inputs)]
		if in.Kind == game.KeyHold {
			in.Kind = game.KeyPress
		}
		plan.Tries, owners = append(plan.Tries, replay.Try{Input: in, Scroll: scroll}), append(owners, c)
	}
	return e.compare(ctx, plan, owners)
}
