package qa

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/adapt"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/onlooker"
	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// playing is a game in a window: the live page, and the twins beside it.
type playing struct {
	*run
	g        *game.Game
	open     twin.Opener
	viewport viewport

	twins *twins
	// restart searches once more. The search goes on when the phase that began it is over.
	restart func(limit time.Duration)
	// first is what the twins try before all else: what the metadata declares, what
	// worked in earlier runs, what a model proposes.
	first atomic.Pointer[[]record.Input]
	// prefix is how the twins came to the controls that they proved.
	prefix []record.Step
	proven bool
	// film is the video of the live page, shown whether it was played for that alone.
	film  *film
	shown bool
	// watched is since when it is noted what the live page draws.
	watched time.Time
}

// begin begins the search in the twins, while the live page loads.
func (p *playing) begin(ctx context.Context) {
	declared := declaredInputs(p.rec.Target.Metadata.Bindings(), p.viewport)
	p.first.Store(&declared)
	p.twins = p.search(ctx, searchLimit)
	p.restart = func(limit time.Duration) {
		p.twins.stop()
		p.twins = p.search(ctx, limit)
	}
	p.g.Known = p.twins.done
	p.indicators = onlooker.NewIndicators(p.g)
}

// stop ends the search.
func (p *playing) stop() { p.twins.stop() }

// discover waits until the twins have proven controls or tried everything. The live page
// rests meanwhile, so that they have the machine to themselves.
func (p *playing) discover(ctx context.Context, a *attempt) error {
	p.bring(ctx)
	p.indicators.Look(ctx)
	if a.number > 1 {
		a.instead = "the game was opened afresh"
		if a.late && len(p.proposals(&attempt{})) > 0 {
			a.instead += ", and no model was asked again"
		}
		p.restart(searchLimit)
	} else {
		p.recollect(ctx, p.g)
		p.hint(p.hints(ctx))
	}
	if err := p.wait(ctx); err != nil {
		return err
	}
	for _, ask := range p.proposals(a) {
		if p.proven || ctx.Err() != nil {
			break
		}
		inputs, err := ask(ctx)
		if err != nil {
			p.opts.Log.Info("a model was asked for the start", "run", p.rec.RunID, "error", err)
		}
		if len(inputs) == 0 {
			continue
		}
		before := p.twins.rec
		p.hint(inputs)
		p.restart(proposedLimit)
		if err := p.wait(ctx); err != nil {
			return err
		}
		if !p.proven { // what was seen without the model is more
			p.twins.rec = before
		}
	}
	return ctx.Err()
}

// bring brings the game's canvas into view in the live page, as the search does in the twins. A
// page that does not answer stays as it is.
func (p *playing) bring(ctx context.Context) {
	now, err := screen.Read(ctx, p.g.Page, p.g.Probe, p.g.Viewport, nil)
	if err == nil && now.Under > 0 {
		_ = p.g.Page.MainFrame().EvaluateIsolated(ctx, fmt.Sprintf("window.scrollBy({ top: %f, behavior: 'instant' })", now.Under), nil)
	}
}

// fit makes the live page's window as large as that of the twins where that has grown. A page
// that does not answer keeps its own.
func (p *playing) fit(ctx context.Context) {
	window := p.twins.grown.Load()
	if window != nil && p.g.Page.SetViewport(ctx, int(window.Width), int(window.Height)) == nil {
		p.g.Viewport = *window
	}
}

// wait waits for what the search finds.
func (p *playing) wait(ctx context.Context) error {
	p.freeze(ctx, p.g, true)
	defer p.freeze(ctx, p.g, false)
	if p.prefix, p.proven = p.twins.proof(ctx, p.tell); p.proven || ctx.Err() != nil {
		return ctx.Err()
	}
	if rec := p.twins.rec; !rec.Opened && rec.Alive.Hung == "" {
		return p.twins.err
	}
	return nil
}

// hint adds inputs to those that are tried before all else.
func (p *playing) hint(inputs []record.Input) {
	if len(inputs) > 0 {
		all := slices.Concat(*p.first.Load(), inputs)
		p.first.Store(&all)
	}
}

// proposals are the ways to ask a model for the start. An agent finds it itself, and an
// attempt for which the time was too short is not repeated with the same questions.
func (p *playing) proposals(a *attempt) []func(context.Context) ([]record.Input, error) {
	if p.opts.Model == nil || p.rec.Target.Mode == record.ModeAgent || a.late {
		return nil
	}
	return []func(context.Context) ([]record.Input, error){
		func(ctx context.Context) ([]record.Input, error) { return adapt.StartsByWords(ctx, p.g, p.opts.Model) },
		func(ctx context.Context) ([]record.Input, error) { return adapt.StartsBySight(ctx, p.g, p.opts.Model) },
	}
}

// explore plays the game: a minute of its time in the twins, the inputs that they found in
// the live page, and then whatever the mode and the metadata ask for there.
func (p *playing) explore(ctx context.Context, _ *attempt) error {
	p.g.Phase = record.PhaseExplore
	p.watch(ctx)
	p.fit(ctx)
	if p.proven && p.rec.Target.Mode != record.ModeAgent {
		p.confirm(ctx, p.g, p.prefix)
		p.indicators.Look(ctx)
	}
	if p.playedLive() {
		<-p.twins.done // the live page is played with the machine to itself
	}
	p.rest(ctx)
	p.rec.Twins = p.twins.rec
	p.keepShots(p.g, p.twins)
	if p.g.Alive(ctx) == nil {
		p.g.Screenshot(ctx, record.StageFinalState, "phase3-final-state", "at the end")
		if !p.proven {
			p.rec.Twins.Unlike = p.unlike(ctx)
		}
	}
	p.health(ctx, p.g)
	p.derive(declaredInputs(p.rec.Target.Metadata.Bindings(), p.viewport), p.prefix)
	p.concludeHints()
	err := p.playLive(ctx)
	p.lastPicture(ctx)
	p.indicators.Look(ctx)
	p.rec.Explore.Indicators = p.indicators.Results()
	if errors.Is(err, game.ErrGone) {
		return nil // an incident of the game, written down
	}
	if err == nil {
		p.show(ctx)
	}
	return err
}

// lastPicture keeps the picture at the end of what was played in the live page as the
// final one, whoever played. What was final before it is not any more.
func (p *playing) lastPicture(ctx context.Context) {
	if !p.playedLive() || p.g.Alive(ctx) != nil {
		return
	}
	before := len(p.rec.Screenshots)
	if p.g.Screenshot(ctx, record.StageFinalState, "phase3-final-state", "at the end") == "" {
		return
	}
	for i := range p.rec.Screenshots[:before] {
		if s := &p.rec.Screenshots[i]; s.Stage == record.StageFinalState {
			s.Stage, s.Note = "explored", "when its controls were known"
		}
	}
}

// rest waits for the end of the minute in the twins, while the live page is watched for a
// moment and then rests.
func (p *playing) rest(ctx context.Context) {
	watched := time.NewTimer(watchFor)
	defer watched.Stop()
	for {
		select {
		case <-watched.C:
			p.gather(ctx)
			p.freeze(ctx, p.g, true)
		case e := <-p.twins.said:
			p.tell(e)
		case <-p.twins.done:
			p.gather(ctx)
			p.freeze(ctx, p.g, false)
			return
		}
	}
}

// playedLive reports whether the game is played in the live page beyond what the twins
// found: by a model, or for as long and with the indicators that the metadata names.
func (r *run) playedLive() bool {
	m := r.rec.Target.Metadata
	return r.rec.Target.Mode != record.ModeStandard || m != nil && (len(m.Bindings()) > 0 || len(m.SuccessIndicators) > 0 || m.PlayFor() > 0)
}

// playLive plays the game in the live page as its mode asks.
func (p *playing) playLive(ctx context.Context) error {
	if gone := p.g.Alive(ctx); gone != nil || !p.playedLive() {
		return gone
	}
	defer p.opts.View.Page(p.g.Page)()
	switch p.rec.Target.Mode {
	case record.ModeAdaptive:
		_, err := adapt.Play(ctx, p.g, &adapt.Options{
			Model: p.opts.Model, Book: p.opts.Book, Memory: p.memory, Budget: p.opts.Budget,
			MaxDuration: p.rec.Target.Metadata.PlayFor(), Indicators: p.indicators,
		})
		return err
	case record.ModeAgent:
		return p.handOver(ctx, p.g)
	}
	return p.playOn(ctx, p.g)
}
