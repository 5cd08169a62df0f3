// Package adapt plays a game that cannot be played by rote: it looks, decides,
// acts, waits for the effect and compares, turn after turn, within a number of
// actions, a time and a budget.
//
// Decisions come from the layers of package decide. Where a model plays, the
// game's time passes only while it is acted on: it is looked at and thought
// about while its clock stands, and a macro lasts as long in the game's own
// time as was decided. So a slow player can play a fast game.
package adapt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/knowledge"
	"github.com/playtest-dev/playtest/internal/qa/onlooker"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// The limits of a run of the loop.
const (
	DefaultActions  = 20
	DefaultDuration = 240 * time.Second
	// stopAt is the share of the budget at which the loop ends: what the last
	// decision costs is known only after it.
	stopAt = 0.9
)

// DefaultBudget is what the loop may spend.
const DefaultBudget = model.Dollar / 2

// Options of Play.
type Options struct {
	// Model looks at the screen. Nil plays without one.
	Model model.Model
	// Book remembers what worked. Nil plays without it and teaches nobody.
	Book *knowledge.Book
	// Memory is how the game was recognised before it was started, where that
	// was asked; nil recognises it by the screen on which the loop begins.
	Memory *Memory
	// MaxActions, MaxDuration and Budget bound the loop; zero and nil take the
	// defaults. A budget of 0 asks no model.
	MaxActions  int
	MaxDuration time.Duration
	Budget      *model.Money
	// Proven names the controls that the game was seen to answer to. Nil takes
	// those of the record's trials.
	Proven map[string]bool
	// Indicators are looked for after every turn; nil looks for none.
	Indicators *onlooker.Indicators
	// NoHold lets the game run on while it is looked at and a model thinks.
	NoHold bool
	// Log is told of every layer's answer. It must not block.
	Log func(decide.Said)
}

// Summary is what came of the loop.
type Summary struct {
	Genre    decide.Genre
	GenreWhy string
	Goals    []string
	Turns    []Turn
	Progress []record.Progress
	// Ended says why the loop stopped. Completed: the goal was claimed to be
	// reached and what was measured confirms it.
	Ended     string
	Completed bool
	// Checks counts the questions to the model, Cost what they came to;
	// Estimated says that no price was known and an estimate counted.
	Checks    int
	Cost      model.Money
	Estimated bool
	// Holds counts how often the game's clock was held, and HeldFor how long.
	Holds   int
	HeldFor time.Duration
	Took    time.Duration
}

// Turn is one round of the loop.
type Turn struct {
	Number int
	Action decide.Action
	// Layer decided; Instead says why its first choice was not taken.
	Layer      string
	Confidence float64
	Threshold  float64
	Reason     string
	Instead    string
	// Effect says what changed because of the action, "" when nothing did.
	Effect   string
	Progress []record.Progress
	Error    string
	// Checks counts the questions to the model in this turn.
	Checks   int
	Took     time.Duration
	situated knowledge.Situation
	screen   string
}

// player is the loop under way.
type player struct {
	g      *game.Game
	opts   Options
	budget model.Money
	run    *model.Run
	brain  *decide.Strategy
	reader *snapshot.Reader
	began  time.Time
	before model.Sum // of the ledger, when the loop began

	sum     Summary
	now     *look
	print   knowledge.Fingerprint
	idle    idleness
	stuck   stuckness
	history []decide.Turn
	held    holding
	visited map[string]bool // screens, by their mark
	tally   *onlooker.Tally
}

// Play plays the game on from where it is. It returns an error only when the
// page is gone or the context ends; whatever was done by then is in the
// summary and in the game's record.
func Play(ctx context.Context, g *game.Game, opts *Options) (*Summary, error) {
	p, err := newPlayer(g, opts)
	if err != nil {
		return &Summary{Ended: err.Error()}, err
	}
	limited, cancel := context.WithTimeout(ctx, p.opts.MaxDuration)
	defer cancel()
	err = p.play(limited)
	p.release(ctx)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err, p.sum.Ended = nil, fmt.Sprintf("the %v of the loop were up", p.opts.MaxDuration)
	}
	p.conclude(ctx, err)
	return &p.sum, err
}

func newPlayer(g *game.Game, opts *Options) (*player, error) {
	p := &player{g: g, began: time.Now(), budget: DefaultBudget, visited: map[string]bool{}, tally: onlooker.NewTally(record.ModeAdaptive)}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.MaxActions <= 0 {
		p.opts.MaxActions = DefaultActions
	}
	if p.opts.MaxDuration <= 0 {
		p.opts.MaxDuration = DefaultDuration
	}
	if p.opts.Budget != nil {
		p.budget = *p.opts.Budget
	}
	if p.opts.Proven == nil {
		p.opts.Proven = map[string]bool{}
		for _, t := range g.Record.Explore.Trials {
			p.opts.Proven[t.ControlID] = t.Outcome == record.Responsive
		}
	}
	layers := []decide.Layer{decide.Heuristics{Book: p.opts.Book}}
	if p.opts.Model != nil && p.budget > 0 {
		run, err := metered(p.opts.Model)
		if err != nil {
			return nil, err
		}
		vision, err := decide.NewVision(run)
		if err != nil {
			return nil, err
		}
		p.run, p.before = run, run.Ledger().Total()
		layers = append(layers, vision)
	}
	if p.opts.Book != nil {
		layers = append(layers, decide.NewRecall(p.opts.Book))
	}
	p.brain = decide.New(layers, &decide.Options{Log: p.said, Around: p.around})
	p.reader = snapshot.New(g.Page, &snapshot.Options{Probe: g.Probe})
	return p, nil
}

// metered is the model behind a gateway, whose ledger tells what it costs.
func metered(m model.Model) (*model.Run, error) {
	run, err := model.Direct(m)
	if err != nil {
		return nil, fmt.Errorf("play adaptively: %w", err)
	}
	return run, nil
}

func (p *player) play(ctx context.Context) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	for n := 1; n <= p.opts.MaxActions; n++ {
		if spent, enough := p.spent(); enough {
			p.sum.Ended = fmt.Sprintf("%v of the budget of %v is spent", spent, p.budget)
			return nil
		}
		done, err := p.turn(ctx, n)
		if err != nil || done {
			return err
		}
	}
	p.sum.Ended = fmt.Sprintf("all %d actions are used", p.opts.MaxActions)
	return nil
}

// begin looks at the game for the first time and learns how it is when left
// alone.
func (p *player) begin(ctx context.Context) error {
	if err := p.watch(ctx, idleLooks); err != nil {
		return err
	}
	rec := p.g.Record
	p.sum.Genre, p.sum.GenreWhy = decide.Recognise(rec.Target.Metadata, rec.Discover.Controls, p.now.items)
	p.sum.Goals = goals(rec.Target.Metadata, rec.Discover.Instructions, p.now.items)
	p.print = fingerprint(p.g, p.now.items, p.now.small)
	p.print.Genre = string(p.sum.Genre)
	if p.opts.Memory != nil {
		p.print = p.opts.Memory.print
	}
	p.indicate(ctx)
	p.g.Decide("play it as a "+string(p.sum.Genre), p.sum.GenreWhy, 0)
	return nil
}

// turn is one round. It reports whether the loop is over.
func (p *player) turn(ctx context.Context, n int) (done bool, err error) {
	began, asked := time.Now(), p.sum.Checks
	state := p.state(n)
	d, instead, err := p.choose(ctx, state)
	if err != nil {
		var crash *decide.CrashError
		if errors.As(err, &crash) {
			return p.lost(ctx, n, crash)
		}
		return true, err
	}
	p.stuck.lost = 0
	t := Turn{
		Number: n, Action: d.Action, Layer: d.Layer, Confidence: d.Confidence, Threshold: d.Threshold,
		Reason: d.Reason, Instead: instead, Checks: p.sum.Checks - asked, situated: state.Situation, screen: state.Screen,
	}
	p.note(t)
	if d.Action.Kind == decide.Complete {
		p.free(ctx)
		return p.complete(t, state), nil
	}
	p.g.Progress(n, p.opts.MaxActions, "%s (%s)", d.Action, d.Layer)
	from := p.now
	sent := len(p.g.Record.Actions)
	if err := p.perform(ctx, d.Action, d.Reason); err != nil {
		if gone := p.g.Alive(ctx); gone != nil {
			return true, gone
		}
		t.Error = err.Error()
	}
	p.settle(ctx, d.Action)
	if err := p.look(ctx); err != nil {
		return true, err
	}
	t.Effect, t.Progress = p.compare(from, p.now, d.Action)
	p.indicate(ctx)
	if d.Action.Kind != decide.Wait {
		p.tally.Turn(d.Action.String(), d.Action.Keyed(), p.window(from, p.now, d.Action.String()), p.idle.windows, from.small, p.now.small)
	}
	if !p.idle.moves && from.situation.Similarity(p.now.situation) < otherScene {
		// A still menu tells nothing about the game behind it.
		if err := p.watch(ctx, idleLooks); err != nil {
			return true, err
		}
		p.now.changes = p.now.since(from) // not since a moment ago
	}
	t.Took = time.Since(began)
	p.record(t, sent)
	p.evidence(ctx, t, sent)
	p.stuck.turn(from.mark, t, p.idle.moves)
	return false, nil
}

// lost is a turn in which nobody knew what to do. A model that could not be
// had, or whose answer could not be carried out, may do better when it is told
// so; after a few such turns the game is given up.
func (p *player) lost(ctx context.Context, n int, crash *decide.CrashError) (done bool, err error) {
	if p.stuck.rung > 1 {
		p.sum.Ended = "stuck: an alternative and another strategy brought nothing; " + crash.Error()
		return true, nil
	}
	if p.stuck.lost++; p.stuck.lost >= maxLost {
		p.sum.Ended = crash.Error()
		return true, nil
	}
	var notes []string
	for _, s := range crash.Said {
		notes = append(notes, s.String())
	}
	p.history = append(p.history, decide.Turn{Note: strings.Join(notes, "; ")})
	p.sum.Turns = append(p.sum.Turns, Turn{Number: n, Error: crash.Error()})
	p.free(ctx)
	p.live(ctx, lostWait)
	return false, p.look(ctx)
}

const (
	maxLost  = 3
	lostWait = 700 * time.Millisecond
)

// complete judges the claim that the goal is reached. A model may say so
// whatever it sees; the game must have got somewhere for it to count.
func (p *player) complete(t Turn, s *decide.State) bool {
	if text, over := s.Over(); over || len(p.sum.Progress) > 0 {
		t.Effect = "confirmed: " + p.achieved(text)
		p.record(t, len(p.g.Record.Actions))
		p.sum.Ended, p.sum.Completed = "the goal is reached: "+t.Reason, true
		return true
	}
	p.g.Decided(record.Decision{Time: time.Now(), Layer: "measured", What: "do not believe it", Why: "nothing that was measured says that the goal is reached"})
	if p.stuck.claims++; p.stuck.claims > 1 {
		p.sum.Ended = "the goal is said to be reached, twice, and nothing that was measured confirms it"
		return true
	}
	p.record(t, len(p.g.Record.Actions))
	p.stuck.turn(p.now.mark, t, p.idle.moves)
	return false
}

// indicate looks for the success indicators. A clock that stands does not keep a
// page from answering.
func (p *player) indicate(ctx context.Context) {
	if p.opts.Indicators != nil {
		p.opts.Indicators.Look(ctx)
	}
}

func (p *player) achieved(over string) string {
	if n := len(p.sum.Progress); n > 0 {
		return said(p.sum.Progress[n-1])
	}
	return fmt.Sprintf("the screen says %q", over)
}

// state is what the layers are told.
func (p *player) state(n int) *decide.State {
	rec := p.g.Record
	s := &decide.State{
		Turn: n, Genre: p.sum.Genre, Metadata: rec.Target.Metadata, Goals: p.sum.Goals,
		Controls: rec.Discover.Controls, Proven: p.opts.Proven,
		Items: p.now.items, Game: p.g.Rect, Viewport: p.g.Viewport,
		Tree: p.now.tree, Changes: p.now.changes, Picture: p.now.picture,
		History: p.history, Futile: p.stuck.futile[p.now.mark], Stuck: p.stuck.turns, Skip: p.stuck.skip,
		Progress: p.sum.Progress, Print: p.print, Situation: p.now.situation, Screen: p.now.mark,
	}
	return s
}

// conclude writes down how the loop ended and teaches the book.
func (p *player) conclude(ctx context.Context, err error) {
	spent, _ := p.spent()
	p.sum.Cost, p.sum.Took = spent, time.Since(p.began)
	p.sum.Holds, p.sum.HeldFor = p.held.times, p.held.total
	if err != nil && p.sum.Ended == "" {
		p.sum.Ended = err.Error()
	}
	p.g.Decide("stop playing adaptively", p.sum.Ended, 0)
	if p.sum.Holds > 0 {
		p.g.Decide("the game's clock was held", fmt.Sprintf("%d times, %v in all, while a model thought; it also stood while the game was looked at", p.sum.Holds, p.sum.HeldFor.Round(time.Millisecond)), 0)
	}
	p.g.Record.Explore.Ended = p.sum.Ended
	met := 0
	if p.opts.Indicators != nil {
		met = p.opts.Indicators.Met()
	}
	p.g.Record.Explore.Achieved = p.tally.Result(record.Seconds(p.sum.Took), met)
	if p.opts.Book == nil {
		return
	}
	if lerr := p.opts.Book.Learn(context.WithoutCancel(ctx), p.print, p.lessons()); lerr != nil {
		p.g.Emit(record.EventWarning, "what was learned could not be kept: %v", lerr)
	}
}
