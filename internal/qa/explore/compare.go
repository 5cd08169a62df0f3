package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/record"
)

// comparison is a plan that was played, and what came of it.
type comparison struct {
	plan   replay.Plan
	owners []*candidate // the controls of its tries, nil for gestures that may start the game
	answer replay.Answer
	// doubtful: what differed had to show again. once: what is any key made a
	// difference, and pressed again it made none.
	doubtful, once bool
}

// compare plays a plan and draws the conclusion; owners are the controls of its
// tries, nil for gestures that may start the game.
func (e *Explorer) compare(ctx context.Context, plan replay.Plan, owners []*candidate) (began bool, err error) {
	e.g.Emit(record.EventProgress, "playing the same seconds with and without input")
	c := &comparison{plan: plan, owners: owners}
	e.meanwhile(ctx, func() {
		ctx, cancel := context.WithTimeout(ctx, e.patience(replayLimit))
		defer cancel()
		err = e.carryOut(ctx, c)
	})
	if gone := e.place(ctx); gone != nil {
		return false, gone // the page left meanwhile
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if e.unanswered(c, err) {
		return false, nil
	}
	proof := fmt.Sprintf("the same seconds played with it and without it differ by %d pixels, two without it by %d", c.answer.Pixels, c.answer.Chance)
	in := c.plan.Tries[c.answer.Cause].Input
	if owner := c.owners[c.answer.Cause]; owner != nil && !c.once {
		return e.controls(ctx, owner, in, c.answer, proof)
	}
	before, made := e.made[in.String()]
	began, err = e.tryStart(ctx, gesture{input: in, tier: "replay", hit: true})
	if err != nil || began || c.once {
		e.doubted[e.named(in)] = !began
		return began, err
	}
	if !made {
		return e.beginAfresh(ctx, in)
	}
	// It does something on a fresh page and was made on this one: it began the game
	// then, and too much moved for that to be seen.
	e.credit(ctx, before, proof)
	return true, nil
}

// carryOut plays the plan, and again where the answer is in doubt.
func (e *Explorer) carryOut(ctx context.Context, c *comparison) (err error) {
	c.answer, err = replay.Compare(ctx, e.g.NewContext, c.plan)
	if leaves := (*replay.LeavesError)(nil); errors.As(err, &leaves) && len(c.plan.Tries) > 1 {
		c.plan.Tries, c.owners = slices.Delete(c.plan.Tries, leaves.Try, leaves.Try+1), slices.Delete(c.owners, leaves.Try, leaves.Try+1)
		c.answer, err = replay.Compare(ctx, e.g.NewContext, c.plan)
	}
	if err == nil && c.answer.Cause >= 0 && (c.answer.Chance > 0 || c.answer.Pixels < fewPixels) {
		// The game is only nearly repeatable, or the difference could be that something
		// arrived late: what was seen must show again.
		c.doubtful = true
		// Those before it come again too, since it may have followed from them.
		if n := c.answer.Cause + 1; !c.answer.Again {
			c.plan.Tries, c.owners = c.plan.Tries[:n], c.owners[:n]
		}
		c.answer, err = replay.Compare(ctx, e.g.NewContext, c.plan)
	}
	if n := c.answer.Cause; err == nil && n >= 0 && c.owners[n] != nil && c.owners[n].control.ID == anyKey {
		c.once = !e.twice(ctx, c.plan, c.answer)
	}
	return err
}

// unanswered reports whether a comparison has no answer, and writes down why.
func (e *Explorer) unanswered(c *comparison, err error) bool {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.tooSlow = true
		e.g.Decide("go on without a replay", "it takes too long on this machine", 0.5)
	case err != nil:
		e.g.Decide("go on without a replay", err.Error(), 0.5)
	case !c.answer.Repeatable:
		e.g.Decide("go on without a replay", "the game is never twice the same", 0.7)
	case c.answer.Cause < 0 && c.doubtful:
		e.g.Decide("go on without a replay", "what differed did not differ again", 0.7)
	case c.answer.Cause < 0:
		for _, t := range c.plan.Tries {
			e.inVain[e.named(t.Input)] = true
		}
		e.g.Decide("look further", fmt.Sprintf("the same seconds with and without %d inputs show the same picture", len(c.plan.Tries)), 0.7)
	default:
		return false
	}
	return true
}

// controls settles a control whose input made a difference, unless it opens the game.
func (e *Explorer) controls(ctx context.Context, c *candidate, in game.Input, answer replay.Answer, proof string) (began bool, err error) {
	if c.control.Type == record.ControlKey && e.unheardKeys(ctx) {
		e.g.Decide("go on without a replay", "no key is heard, so what differed followed from something before it", 0.7)
		return false, nil
	}
	if shows, err := e.shows(ctx, in); err != nil || !shows {
		return false, err
	}
	if began, err := e.opensGame(ctx, c, in, proof); err != nil || began {
		return began, err
	}
	e.settled(c, answer, proof)
	return false, nil
}
