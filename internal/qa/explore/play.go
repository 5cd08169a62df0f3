package explore

import (
	"context"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

const (
	// minAge is how old a page must be before play may end, so that what
	// breaks after some seconds is seen to break.
	minAge  = 10 * time.Second
	minPlay = 2500 * time.Millisecond
	maxPlay = 30 * time.Second
	// quietFor ends play when nothing new came for so long.
	quietFor   = 2 * time.Second
	pressEvery = 150 * time.Millisecond
)

// play keeps operating what works, guided by what brings new code, until
// nothing new comes, and watches whether the game stays alive.
func (e *Explorer) play(ctx context.Context) error {
	if e.lost {
		e.rec.Ended = "nothing could answer any more"
		return e.g.Alive(ctx)
	}
	plan := e.repertoire()
	// Loaded afresh it is as young as it was at first.
	least := max(minAge-e.readyAt.Sub(e.g.Navigated()), time.Since(e.readyAt)+max(minPlay, minAge-e.g.SinceLoad()))
	limit := max(maxPlay, least) // however long it took to find out how it is played
	if d := e.g.Record.Target.Metadata.PlayFor(); d > 0 {
		limit, least = d, d
	}
	e.g.Emit(record.EventProgress, "playing with %d controls", len(plan))
	start := time.Now()
	e.glimpse(ctx)
	w := newWatch(e)
	if now, ok := e.clock(ctx); ok {
		e.before = setting{now, e.g.Picture(ctx)}
	}
	w.lively = w.alone
	if err := e.tryRest(ctx, w, least); err != nil {
		return err
	}
	news, round := time.Now(), time.Time{}
	for step := 0; ctx.Err() == nil; step++ {
		watched := time.Since(e.readyAt)
		if !slices.ContainsFunc(plan, move.owed) && !e.mayLeave() && time.Since(round) > quietFor &&
			(watched > limit || watched > least && time.Since(news) > quietFor || len(plan) == 0 && watched > least) {
			break
		}
		if len(plan) > 0 {
			i := e.pick(plan)
			fresh := e.g.Fresh()
			if err := e.perform(ctx, &plan[i]); err != nil {
				return err
			}
			e.g.Take(ctx)
			if e.g.Fresh()-fresh > newCode/3 {
				plan[i].news++
				news = time.Now()
			}
			plan[i].used++
		} else {
			e.g.Pause(ctx, 400*time.Millisecond)
			e.g.Take(ctx)
		}
		if err := w.look(ctx); err != nil {
			return err
		}
		if over, err := e.recover(ctx); err != nil {
			return err
		} else if over {
			w, round = w.again(), time.Now() // which must be seen to last
		}
		if e.lost {
			e.rec.Ended = "nothing could answer any more"
			return nil
		}
		e.indicate(ctx)
		e.due(ctx, "playing", "phase3-playing", "while playing")
		if step%12 == 11 && time.Since(start) < 12*time.Second {
			e.g.Screenshot(ctx, "playing", "phase3-playing", "while playing")
		}
	}
	if err := ctx.Err(); err != nil {
		e.rec.Ended = "the time was up"
		return err
	}
	e.rec.Ended = "nothing new came any more"
	if err := e.lastLook(ctx, w); err != nil || !e.responsive() {
		return err
	}
	if err := e.tryLate(ctx); err != nil {
		return err
	}
	return e.restOfKeyboard(ctx)
}

// handOver lets somebody else play, and looks at the game when they are done.
func (e *Explorer) handOver(ctx context.Context) error {
	e.report()
	w := newWatch(e)
	if err := w.look(ctx); err != nil {
		return err
	}
	if err := e.opts.Play(ctx); err != nil {
		return err
	}
	return w.look(ctx)
}

// tryRest uses the time a game is watched anyway to try the controls that were
// not needed for the verdict, each a few times.
func (e *Explorer) tryRest(ctx context.Context, w *watch, least time.Duration) error {
	if !e.responsive() {
		return nil
	}
	for i := range e.lastCandidates {
		c := &e.lastCandidates[i]
		if time.Since(e.readyAt) > least*3/4 {
			return nil
		}
		if aside(c.control) {
			continue
		}
		if _, err := e.try(ctx, c, 2, time.Now().Add(3*time.Second)); err != nil {
			return err
		}
		if err := w.look(ctx); err != nil {
			return err
		}
	}
	return nil
}

// move is something the explorer knows to work.
type move struct {
	control    record.Control
	inputs     []game.Input
	hold       time.Duration
	used, news int
	// declared moves come first, each tapped and then held.
	declared bool
}

// repertoire lists the controls that answered, or, if none did, those that the
// game's code knows.
func (e *Explorer) repertoire() []move {
	var sure, known []move
	for _, id := range e.order {
		r := e.results[id]
		if r == nil || aside(r.control) {
			continue
		}
		m := move{control: r.control, inputs: e.inputsOf(r.control), hold: pressEvery}
		switch r.trial.Outcome {
		case record.Responsive:
			sure = append(sure, m)
		case record.Undecided:
			known = append(known, m)
		}
	}
	// Keys that share code with proven ones were not tried one by one.
	for _, c := range e.g.Record.Discover.Controls {
		if c.Type == record.ControlKey && e.results[c.ID] == nil && rank(c.Keys[0]) < menuKey {
			known = append(known, move{control: c, inputs: e.inputsOf(c), hold: pressEvery})
		}
	}
	return e.declaredFirst(append(sure, known...))
}

func keyOf(c record.Control) string {
	if len(c.Keys) > 0 {
		return c.Keys[0]
	}
	return ""
}

func (e *Explorer) inputsOf(c record.Control) []game.Input {
	if c.Type == record.ControlKey && len(c.Keys) > 0 {
		return []game.Input{{Kind: game.KeyPress, Key: c.Keys[0]}}
	}
	for _, cand := range e.lastCandidates {
		if cand.control.ID == c.ID {
			return append(slices.Clone(cand.before), cand.inputs...)
		}
	}
	if len(c.Keys) > 0 {
		return []game.Input{{Kind: game.KeyPress, Key: c.Keys[0]}}
	}
	if c.Box != nil && c.Type == record.ControlClick {
		return []game.Input{click(*c.Box, c.Text)}
	}
	return nil
}

// pick prefers moves that were used little and brought news.
func (e *Explorer) pick(plan []move) int {
	best, score := 0, -1.0
	for i, m := range plan {
		if len(m.inputs) == 0 {
			continue
		}
		if m.owed() {
			return i
		}
		s := (1 + 2*float64(m.news)) / (1 + float64(m.used)) * (0.7 + 0.6*e.rng.Float64())
		if s > score {
			best, score = i, s
		}
	}
	return best
}

func (e *Explorer) perform(ctx context.Context, m *move) error {
	if len(m.inputs) == 0 {
		e.g.Pause(ctx, pressEvery)
		return nil
	}
	in := m.inputs[m.used%len(m.inputs)]
	in.Why = "play"
	hold := m.hold
	if m.used%3 == 2 || m.declared && m.used == 1 {
		hold = 3 * m.hold // taps and holds are different inputs to many games
	}
	switch {
	case in.Kind != game.KeyPress:
		hold = 60 * time.Millisecond
	case hold > m.hold:
		in.Kind = game.KeyHold
	}
	if err := e.g.Do(ctx, in, hold); err != nil {
		if gone := e.g.Alive(ctx); gone != nil {
			return gone
		}
	}
	e.g.Pause(ctx, pressEvery)
	return nil
}

// recover recognises the end of a round and begins another. It reports
// whether the game was over.
func (e *Explorer) recover(ctx context.Context) (bool, error) {
	text, over, err := e.roundOver(ctx)
	if err != nil {
		return false, err
	}
	if !over {
		e.stuckOver = ""
		return false, nil
	}
	if e.stuckOver == text {
		return false, nil // known, and no restart was found
	}
	recently := len(e.restarts) > 0 && time.Since(e.restarts[len(e.restarts)-1]) < soon
	if recently && !words.SaysOver(text) {
		if e.soonOffered++; e.soonOffered > maxOffers {
			e.known[game.Shape(text)] = true // each round offers it before it is over
			return false, nil
		}
	}
	e.rec.GameOvers++
	e.overs = append(e.overs, time.Now())
	e.rec.Progress = append(e.rec.Progress, record.Progress{Time: time.Now(), What: "game over", To: text})
	e.g.Screenshot(ctx, "game_over", "phase3-game-over", text)
	if recently {
		running, err := e.ends(ctx, text)
		if err != nil || e.lost {
			return false, err
		}
		if running {
			e.rec.Restarts++
			e.restarts = append(e.restarts, time.Now())
			e.rec.Progress = append(e.rec.Progress, record.Progress{Time: time.Now(), What: "restart"})
			return true, nil
		}
	}
	if len(e.overs) > maxRestarts {
		e.stuckOver = text
		return false, nil
	}
	ok, err := e.restart(ctx)
	if err != nil {
		return true, err
	}
	if !ok {
		e.stuckOver = text
		_, err := e.ends(ctx, text)
		return false, err
	}
	e.rec.Progress = append(e.rec.Progress, record.Progress{Time: time.Now(), What: "restart"})
	return true, nil
}

const (
	maxRestarts = 6
	// maxOffers is how often something to press for another round may come right after one
	// has begun and still pass for its end.
	maxOffers = 3
	// soon is a round so short that the next one is timed.
	soon = 3 * time.Second
)
