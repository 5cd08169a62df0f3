package adapt

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// said writes a layer's answer into the record.
func (p *player) said(s decide.Said) {
	if p.opts.Log != nil {
		p.opts.Log(s)
	}
	what := s.Action.String()
	why := s.Reason
	switch {
	case s.Err != nil:
		what, why = "nothing", "it failed: "+s.Err.Error()
	case !s.Taken:
		why += " (not sure enough)"
	}
	p.g.Decided(record.Decision{
		Time: s.Time, Layer: fmt.Sprintf("%d %s", s.Number, s.Layer), Saw: s.Saw, What: what, Why: why,
		Confidence: s.Confidence / 100, Threshold: s.Threshold / 100,
	})
}

// note writes down a choice that the layers did not make.
func (p *player) note(t Turn) {
	if t.Instead != "" {
		p.g.Decided(record.Decision{
			Time: time.Now(), Layer: t.Layer, What: t.Action.String(), Why: t.Instead + ": " + t.Reason,
			Confidence: t.Confidence / 100, Threshold: t.Threshold / 100,
		})
	}
}

// record keeps a turn; sent is how many actions there were before it.
func (p *player) record(t Turn, sent int) {
	p.sum.Turns = append(p.sum.Turns, t)
	p.sum.Progress = append(p.sum.Progress, t.Progress...)
	p.g.Record.Explore.Progress = append(p.g.Record.Explore.Progress, t.Progress...)
	if actions := p.g.Record.Actions; len(actions) > sent {
		actions[len(actions)-1].Effect = t.Effect
	}
	note := ""
	switch {
	case t.Error != "":
		note = "it could not be done: " + t.Error
	case t.Action.Kind == decide.Complete:
		note = "not believed, since nothing that was measured confirms it"
	}
	p.history = append(p.history, decide.Turn{Action: t.Action, Layer: t.Layer, Screen: t.screen, Effect: t.Effect, Note: note, Progress: further(t)})
}

// evidence keeps a picture of every turn, named for what was achieved where
// something was.
func (p *player) evidence(ctx context.Context, t Turn, sent int) {
	stage, name, note := record.StageAfterInteraction, "adaptive", "after "+t.Action.String()
	if len(t.Progress) > 0 {
		stage, name, note = t.Progress[0].What, game.FileName(t.Progress[0].What), said(t.Progress[0])
	}
	path := ""
	if p.now.picture != nil {
		path = p.g.Keep(stage, "phase3-"+name, note, p.now.picture.Data) // the game may be held by now
	} else {
		path = p.g.Screenshot(ctx, stage, "phase3-"+name, note)
	}
	actions := p.g.Record.Actions
	for i := sent; i < len(actions); i++ {
		actions[i].URL = p.g.Page.URL()
	}
	if len(actions) > sent {
		actions[len(actions)-1].Picture = path
	}
}

// The sources' estimate, for models whose price nobody knows.
const (
	perAction = model.Dollar / 100
	perCheck  = 3 * model.Dollar / 100 // the question and its picture
)

// spent is what the loop has cost so far, and whether that is enough.
func (p *player) spent() (model.Money, bool) {
	if p.run == nil {
		return 0, false
	}
	total := p.run.Ledger().Total()
	cost := total.Cost.Amount - p.before.Cost.Amount
	p.sum.Estimated = total.Calls > p.before.Calls && !total.Cost.Known
	if p.sum.Estimated {
		cost = max(cost, perAction*model.Money(len(p.sum.Turns))+perCheck*model.Money(p.sum.Checks))
	}
	return cost, float64(cost) >= stopAt*float64(p.budget)
}

// lessons are what the loop teaches: what brought the game further, what led
// nowhere, which controls it answers to and how it was started.
func (p *player) lessons() []knowledge.Lesson {
	var out []knowledge.Lesson
	for _, t := range p.sum.Turns {
		if t.Action.Kind == decide.Complete || t.Action.Kind == decide.Wait || t.Error != "" {
			continue
		}
		won := advanced(t)
		if l, ok := lesson(knowledge.Progress, t.Action, p.g.Rect, t.situated, won); ok && (won || t.Effect == "") {
			out = append(out, l)
		}
	}
	m := p.opts.Memory
	if m == nil {
		m = &Memory{g: p.g, rect: p.g.Rect}
	}
	return append(append(out, m.startLessons()...), m.controlLessons()...)
}

// further reports whether a turn got further in the round that is played: a
// screen that tells of its end is another screen and no step forward.
func further(t Turn) bool {
	over := slices.ContainsFunc(t.Progress, func(g record.Progress) bool { return g.What == progressOver })
	return slices.ContainsFunc(t.Progress, func(g record.Progress) bool {
		return g.What == progressScore || g.What == progressLevel || g.What == progressScene && !over
	})
}

// advanced reports whether a turn got further: a round that ended is no
// achievement by itself.
func advanced(t Turn) bool {
	for _, g := range t.Progress {
		if g.What != progressOver {
			return true
		}
	}
	return false
}
