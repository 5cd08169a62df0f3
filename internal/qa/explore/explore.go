// Package explore is phase 3 of a run: it starts the game, finds out which
// controls it answers to, plays it and watches whether it stays alive.
package explore

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser/coverage"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/cause"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/record"
)

// Explorer plays one game. What it remembers is sorted by how long it is true.
type Explorer struct {
	g    *game.Game
	opts Options
	rec  *record.ExploreRecord
	rng  *rand.Rand

	page
	moment
	rounds
	outings
	repeats

	// results by control, order the one in which they were tried.
	results map[string]*result
	order   []string
	// lastCandidates are the controls that were listed last, eachTried: all of them
	// were tried at least once.
	lastCandidates []candidate
	eachTried      bool
	// promoted counts controls that turned out to be starts, doorsTaken how often each of
	// those was that is gone once it was pressed.
	promoted   int
	doorsTaken map[string]int
	// startCode is the code that ran only for what began the game, deadStart the
	// start that the screen names, if it did nothing.
	startCode coverage.Sample
	deadStart game.Input
	// lost: nothing can answer any more.
	lost bool
	// before is how things stood when play began.
	before setting

	readyAt, beganAt time.Time
	// moved: the picture changed by itself at some time.
	moved bool
	// document: there was no canvas when the game was ready.
	document bool
	// known are texts that were there before any input, by shape; typed are the words
	// that were typed because the screen shows them.
	known, typed map[string]bool
	// mutations and dialogs as of the last look, look what a look takes of late.
	mutations, dialogs int
	look               time.Duration
	// offered are the elements that offer another round, as of the last look.
	offered []string
	// scroll is how far the page was scrolled before the last input.
	scroll record.Point
	// indicators are the metadata's success indicators, indicated when they were
	// last looked for.
	indicators []indicator
	indicated  time.Time
	// changes counts the pictures that were kept of significant changes.
	changes int
}

// page is what is true of the page as it was loaded last.
type page struct {
	url      string // where the game is
	awake    bool   // any key began the game
	forms    int    // how often it was filled in
	told     bool   // much changes although the game's canvas is not shown
	glimpsed bool   // its canvas was seen to show something
	loads    int    // how often it had loaded itself when the game was last started
	// tried are the start gestures that had no effect in the present state, made those
	// that were made in vain, as far as could be seen.
	tried map[string]bool
	made  map[string]replay.Try
	// startedBy are the gestures that lead from the fresh page into the game, begunBy
	// is the one that began the present round.
	startedBy []replay.Try
	begunBy   game.Input
	// startWindows are those of the gestures that might have started it, begun is how
	// many looks at the game's life there were before.
	startWindows []cause.Window
	begun        int
}

func newPage(url string, looks int) page {
	return page{url: url, begun: looks, tried: map[string]bool{}, made: map[string]replay.Try{}}
}

// moment is what is true of the state that the game is in.
type moment struct {
	// idle are windows without input.
	idle []cause.Window
	// spotList are places that the code knows, things what stands on its canvas.
	spotList, things []record.Point
	scanned          bool // the keyboard was asked
	asked            int  // how many keys had been asked for before
}

// result gathers the windows of a control.
type result struct {
	control record.Control
	windows []cause.Window
	trial   record.Trial
	// first is the picture before the first of the windows.
	first *game.Picture
	// rested counts the presses after which the button could not be used for a while.
	rested int
	asleep bool // it did not come back
	// replayed is the signal of a replay that showed the control to work.
	replayed *record.Signal
}

// Options of Run; nil plays as the standard mode does.
type Options struct {
	// Starts are further ways to find the start of a game, tried when the free
	// ones found none.
	Starts []Start
	// Known is what earlier runs found out; nil knows nothing.
	Known *Known
	// Unfit reports whether the game cannot be played in its window after all, nil that it
	// can. It is asked when the game has been started.
	Unfit func(context.Context, *game.Game) bool
	// Play plays the game once its controls are known, instead of the standard way.
	Play func(context.Context) error
}

// Start is a way to find what starts a game, by asking somebody.
type Start struct {
	// Tier is what the record calls attempts of this kind.
	Tier string
	// Find has gestures tried until one starts the game.
	Find func(ctx context.Context, try Try) error
}

// Try makes a gesture that may start the game and says what changed because of
// it, "" when nothing did.
type Try func(ctx context.Context, what string, do func(context.Context) error) (proof string, err error)

// ErrUnfit is returned when the game cannot be played in the window that it is in.
var ErrUnfit = errors.New("the window does not suit the game")

// Run fills the record's explore part. It returns an error only when the page
// is gone or the context ends; whatever was found by then is in the record.
func Run(ctx context.Context, g *game.Game, opts *Options) error {
	g.Phase = record.PhaseExplore
	e := explorer(g, opts)
	e.expect()
	err := e.run(ctx)
	e.conclude(ctx, err)
	if errors.Is(err, game.ErrGone) {
		return nil // an incident of the game, written down
	}
	return err
}

func explorer(g *game.Game, opts *Options) *Explorer {
	e := &Explorer{
		g: g, rec: &g.Record.Explore, rng: rand.New(rand.NewPCG(uint64(g.Record.Target.Seed), 7)),
		page: newPage(g.Record.Load.URL, 0), moment: moment{scanned: g.Record.Discover.KeysTried > 0},
		outings: outings{links: map[string]bool{}}, repeats: repeats{inVain: map[string]bool{}, doubted: map[string]bool{}},
		results: map[string]*result{}, doorsTaken: map[string]int{}, known: map[string]bool{}, typed: map[string]bool{}, readyAt: time.Now(),
		document: g.Record.Load.Kind == "dom",
	}
	e.awake = g.Woken != nil
	if opts != nil {
		e.opts = *opts
	}
	return e
}

func (e *Explorer) run(ctx context.Context) error {
	e.indicate(ctx)
	if err := e.watchIdle(ctx, 1); err != nil {
		return err
	}
	e.rememberTexts(ctx)
	if err := e.place(ctx); err != nil {
		return err
	}
	e.glimpse(ctx)
	if err := e.asKnown(ctx); err != nil {
		return err
	}
	limit := e.patience(searchLimit)
	if !e.g.Record.Load.Ready {
		limit /= 4 // what is not there will hardly answer
	}
	if l := &e.g.Record.Load; l.Blank || l.Covered != "" || e.g.Reloads() {
		// Nobody can follow what they cannot see, or what does not stay.
		if _, err := e.hopeless(ctx); err != nil {
			return err
		}
	}
	if !e.lost {
		if err := e.begin(ctx); err != nil {
			return err
		}
	}
	if !e.responsive() && !e.lost {
		if err := e.sprint(ctx); err != nil {
			return err
		}
		// What has stopped must be noticed before it is loaded again.
		if _, err := e.hopeless(ctx); err != nil {
			return err
		}
	}
	if !e.responsive() && !e.lost && e.knowsKeys() {
		// Asking for the keys may have used the game up: a row is full, a snake
		// is dead. What is known by now needs no asking on a fresh page.
		if err := e.startOver(ctx, "its code knows keys but nothing moved"); err != nil {
			return err
		}
	}
	for attempt := 0; !e.lost && !e.responsive(); attempt++ {
		if attempt > 0 && !e.rec.Start.Started {
			break // the same gestures on the same page would do nothing again
		}
		if err := e.search(ctx); err != nil {
			return err
		}
		if e.responsive() || e.lost || e.stumbled() || e.unmoved() || attempt >= 1 || ctx.Err() != nil || time.Since(e.readyAt) > limit {
			break
		}
		// Nothing answered. A player would load the page again.
		if err := e.startOver(ctx, "nothing has answered yet"); err != nil {
			return err
		}
	}
	if !e.playing() && slices.ContainsFunc(e.modalities(ctx), unheard) {
		e.knock(ctx)
	}
	if e.onlyFollows() {
		if err := e.press(ctx); err != nil {
			return err
		}
	}
	e.rec.Exhausted = !e.responsive()
	if err := e.tryDeclared(ctx); err != nil {
		return err
	}
	if e.opts.Play != nil {
		return e.handOver(ctx)
	}
	return e.play(ctx)
}

// startOver loads the game again and starts it.
func (e *Explorer) startOver(ctx context.Context, why string) error {
	e.g.Emit(record.EventProgress, "%s; loading the game afresh", why)
	if err := e.afresh(ctx); err != nil {
		return err
	}
	return e.begin(ctx)
}

// begin starts the game and tries its controls.
func (e *Explorer) begin(ctx context.Context) error {
	if err := e.start(ctx); err != nil {
		return err
	}
	if e.rec.Start.Started && e.opts.Unfit != nil && e.opts.Unfit(ctx, e.g) {
		return ErrUnfit
	}
	return e.tryControls(ctx)
}

// knowsKeys reports whether the game's code was found to know keys.
func (e *Explorer) knowsKeys() bool {
	for _, c := range e.g.Record.Discover.Controls {
		if (c.Type == record.ControlKey || c.Type == record.ControlTyping) && slices.Contains(c.Sources, "coverage") {
			return true
		}
	}
	return false
}

// knowsPlay reports whether one of those keys may play the game. A menu knows
// others: to leave it, to turn the sound off.
func (e *Explorer) knowsPlay() bool {
	return slices.ContainsFunc(e.g.Record.Discover.Controls, func(c record.Control) bool {
		return slices.Contains(c.Sources, "coverage") && (c.Type == record.ControlTyping || c.Type == record.ControlKey && rank(c.Keys[0]) < menuKey)
	})
}

// afresh loads the game again and forgets what was true of the old page.
func (e *Explorer) afresh(ctx context.Context) error {
	if err := e.g.Reload(ctx); err != nil {
		if gone := e.g.Alive(ctx); gone != nil {
			return gone
		}
		return err
	}
	if err := load.Wait(ctx, e.g); err != nil {
		return err
	}
	e.page = newPage(e.g.Page.URL(), len(e.g.Record.Health.Samples))
	return e.refresh(ctx)
}

// refresh looks at the page anew after its state changed.
func (e *Explorer) refresh(ctx context.Context) error {
	e.moment = moment{scanned: e.knowsPlay(), asked: e.g.Record.Discover.KeysTried} // which says nothing about this state
	for _, r := range e.results {
		if r.trial.Outcome != record.Responsive {
			r.windows = nil // they are of another state
		}
	}
	if err := load.Survey(ctx, e.g); err != nil {
		return err
	}
	if err := discover.Inventory(ctx, e.g); err != nil {
		return err
	}
	e.settle(ctx)
	return e.watchIdle(ctx, 1)
}

// responsive reports whether a control of the game itself answered.
func (e *Explorer) responsive() bool {
	for _, r := range e.results {
		if r.trial.Outcome == record.Responsive && !aside(r.control) {
			return true
		}
	}
	return false
}

// playing reports whether a control answered that operates the game itself.
func (e *Explorer) playing() bool {
	for _, r := range e.results {
		if r.trial.Outcome == record.Responsive && !aside(r.control) && e.g.Record.Plays(r.control) {
			return true
		}
	}
	return false
}

// conclude writes the trials and the closing pictures into the record.
func (e *Explorer) conclude(ctx context.Context, err error) {
	e.rec.Played = time.Since(e.readyAt)
	e.report()
	e.rec.Indicators = e.indicatorResults()
	if err != nil || ctx.Err() != nil || e.g.Page.Crashed() || e.g.Record.Health.Hung != nil {
		return
	}
	e.g.Record.Health.Modalities = e.modalities(ctx)
	e.silent(ctx)
	e.frozen(ctx)
	if !e.glimpsed || !e.responsive() {
		e.unseen(ctx)
	}
	e.g.Hoards(ctx)
	e.lastPictures(ctx)
	discover.Summarise(e.g)
	discover.Locate(ctx, e.g)
}

// report writes what is known of the controls by now into the record.
func (e *Explorer) report() {
	e.rec.Trials = nil
	for _, r := range e.all() {
		e.rec.Trials = append(e.rec.Trials, r.trial)
		e.list(r.control)
	}
	for _, c := range e.canvasCandidates() {
		e.list(c.control) // its listeners speak for it, whether or not there was time to try
	}
	for i := range e.g.Record.Discover.Controls {
		c := &e.g.Record.Discover.Controls[i]
		c.Aside = aside(*c)
	}
}

// all are the results in the order in which they were tried.
func (e *Explorer) all() []*result {
	var out []*result
	for _, id := range e.order {
		if r := e.results[id]; r != nil && r.trial.Windows > 0 {
			out = append(out, r)
		}
	}
	return out
}

// list makes sure that a control that was tried is among those discovered.
func (e *Explorer) list(c record.Control) {
	for _, have := range e.g.Record.Discover.Controls {
		if have.ID == c.ID {
			return
		}
	}
	e.g.Record.Discover.Controls = append(e.g.Record.Discover.Controls, c)
}

func (e *Explorer) read(ctx context.Context) (*probe.Reading, error) {
	r, err := e.g.Read(ctx, nil)
	if err == nil {
		return r, nil
	}
	if gone := e.g.Alive(ctx); gone != nil {
		return nil, gone
	}
	e.waitLoaded(ctx) // another document may have come in between
	return e.g.Read(ctx, nil)
}
