// Package onlooker watches a game while somebody else plays it: what their inputs
// brought about that idling did not, which screens they reached, and whether the
// metadata's success indicators were met meanwhile. It looks and never acts.
package onlooker

import (
	"context"
	"time"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

const (
	// idleFor is how long a game is left alone at a time before play begins.
	idleFor = 250 * time.Millisecond
	// settleStep and settleLimit say how what an input set off is waited for.
	settleStep, settleLimit = 150 * time.Millisecond, 1500 * time.Millisecond
	// maxIdle bounds the windows that are kept.
	maxIdle = 40
)

// Onlooker watches the turns of an agent. Its methods are called by one goroutine
// at a time.
type Onlooker struct {
	Indicators *Indicators

	g     *game.Game
	tally *Tally
	began time.Time
	idle  []cause.Window
	// last is the game when it was last looked at, before when a turn's first input
	// was about to be sent; nil while nobody acts.
	last, before *look
	input        string
	keyed        bool
}

// look is the game at a moment.
type look struct {
	reading *probe.Reading
	small   *game.Picture
}

// New watches a game that is about to be played in a mode, with its indicators, and
// looks how it is when it is left alone.
func New(ctx context.Context, g *game.Game, by record.Mode, indicators *Indicators) *Onlooker {
	o := &Onlooker{g: g, tally: NewTally(by), began: time.Now(), Indicators: indicators}
	o.Indicators.Look(ctx)
	o.last = o.look(ctx)
	for range enoughIdle {
		g.Pause(ctx, idleFor)
		o.gap(o.look(ctx))
	}
	return o
}

// Before is called when an input is about to be sent, with whether it is one of
// keys. What happened since the last turn happened by itself: somebody was thinking.
func (o *Onlooker) Before(ctx context.Context, input string, keyed bool) {
	if o.before != nil {
		o.keyed = o.keyed && keyed // the turn goes on
		return
	}
	o.Indicators.Look(ctx)
	o.gap(o.look(ctx))
	o.before, o.input, o.keyed = o.last, input, keyed
}

// After is called when a turn is over. A turn without an input is none.
func (o *Onlooker) After(ctx context.Context) {
	if o.before == nil {
		return
	}
	now := o.settle(ctx)
	before := o.before
	o.before, o.last = nil, now
	o.Indicators.Look(ctx)
	if now == nil {
		return
	}
	o.tally.Turn(o.input, o.keyed, between(before, now, o.input), o.idle, before.small, now.small)
}

// Look looks for the indicators between two turns.
func (o *Onlooker) Look(ctx context.Context) { o.Indicators.Look(ctx) }

// Result is what the play brought about.
func (o *Onlooker) Result() *record.Achieved {
	return o.tally.Result(record.Seconds(time.Since(o.began)), o.Indicators.Met())
}

// gap notes what changed while nothing was sent.
func (o *Onlooker) gap(now *look) {
	if o.last != nil && now != nil {
		w := between(o.last, now, "")
		o.tally.Idle(w)
		if len(o.idle) < maxIdle {
			o.idle = append(o.idle, w)
		}
	}
	o.last = now
}

// look takes the game in, nil when it cannot be seen.
func (o *Onlooker) look(ctx context.Context) *look {
	r, err := o.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true})
	if err != nil {
		return nil
	}
	p := o.g.Picture(ctx)
	if p == nil {
		return nil
	}
	return &look{r, p}
}

// settle waits until what an input set off has come to rest: what still moves when
// the next turn begins would count as moving by itself.
func (o *Onlooker) settle(ctx context.Context) *look {
	now := o.look(ctx)
	if o.tally.got.Moves {
		return now
	}
	for waited := time.Duration(0); waited < settleLimit && ctx.Err() == nil; waited += settleStep {
		o.g.Pause(ctx, settleStep)
		next := o.look(ctx)
		still := now != nil && next != nil && game.Same(now.small, next.small) == 1
		now = next
		if still {
			break
		}
	}
	return now
}

// between is what lies between two looks, in the form that causes are told from.
func between(from, to *look, input string) cause.Window {
	return cause.Window{
		Input: input, Tiles: game.Tiles(from.small, to.small),
		Mutations: to.reading.Mutated() - from.reading.Mutated(), Draws: to.reading.Drawn() - from.reading.Drawn(),
		Ticks:   to.reading.Ticks() - from.reading.Ticks(),
		Redrawn: game.Drawing(from.reading) != game.Drawing(to.reading),
		Texts:   game.NewTexts(from.reading, to.reading),
	}
}
