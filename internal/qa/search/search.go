// Package search plays a game in two pages under one stepped clock and writes
// down what each input changed. It goes from screen to screen: what is offered on
// the screens that were reached is tried, the most promising first, and every input
// that changes something leads on from there. It observes and never judges; whether
// enough is known is asked of its caller.
package search

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// Options of a search.
type Options struct {
	Open     twin.Opener
	URL      string
	Viewport record.Rect
	// Small opens the game in a smaller window, for scenes that this machine hardly
	// draws in the other. It may be nil.
	Small         twin.Opener
	SmallViewport record.Rect
	// Large opens the game in a window of another size, for pages that do not fit into the
	// usual one. It may be nil.
	Large func(size record.Rect) twin.Opener
	// Lean orders offers by their labels; nil orders them by looks alone.
	Lean screen.Lean
	// First says which inputs to try before all others, such as those of the metadata:
	// on every screen until a control is proven, and then where the game is played. It
	// may be nil, and may know more when it is asked again.
	First func() []record.Input
	// Enough is asked after every effect whether the search may end.
	Enough func(*record.TwinRecord) bool
	// Matters is asked, when the controls have stopped working in the minute of play, whether
	// the reason could change the verdict.
	Matters func(*record.TwinRecord) bool
	// Proven is told once, when enough was found, how to get there from the first byte.
	// It must not block. It may be nil.
	Proven func([]record.Step)
	// FirstFor is how long those that are to be tried first are given once a control is
	// proven, the constant if that is more.
	FirstFor time.Duration
	// Limit bounds the search, PlayFor is how much game time the minute of play lasts.
	Limit   time.Duration
	PlayFor time.Duration
	// Emit is told of progress, with how many of the seconds of play are over once it is
	// played; Keep stores a picture and returns its path. Both may be nil.
	Emit func(done, total int, text string)
	Keep func(name string, img *image.RGBA) string
	// Looks is given what the screens looked like, when the search has ended. It may be nil.
	Looks func([]twin.Signature)
	// Watched is given the pictures of the page that gets the inputs, as they are taken for
	// comparing: watching costs the search nothing. Observed is told of each effect. They
	// must not block, and may be nil.
	Watched  func(*browser.Page, *image.RGBA)
	Observed func(record.Observation)
}

const (
	// settleFor is how much game time passes before the first input.
	settleFor = 2 * time.Second
	// blankFor is how much more passes while nothing can be seen.
	blankFor = 14 * time.Second
	// maxEffects bounds how many inputs with an effect are followed, maxHidden how
	// many whose effect cannot be seen, maxReturns how often an earlier screen is
	// returned to.
	maxEffects, maxHidden, maxReturns = 16, 6, 12
	// maxControls is how many controls are looked for, moreTries and moreEffects with how
	// many inputs and effects once the first is proven.
	maxControls, moreTries, moreEffects = 3, 12, 2
	// moreFor is how long they are looked for at most. They are for the report.
	moreFor = 2 * time.Second
	// FirstFor is how long that takes at most for those that are to be tried first.
	FirstFor = 30 * time.Second
	// maxOpens is how often the twins are opened until they show the same.
	maxOpens = 3
	// maxFlashes is how many inputs are looked at while they are held.
	maxFlashes = 12
	// maxHurried is how many inputs are repeated soon, since what they began may be over.
	maxHurried = 4
	// maxMessages is after how many dialogs that say something new what was refused is pressed again.
	maxMessages = 6
	// maxTicked is after how many choices of a form what sends it is pressed again.
	maxTicked = 6
	// maxSilent is how many things that show nothing when they are pressed are taken for chosen.
	maxSilent = 4
	// maxRests is how many waits for a screen to rest may bring nothing new.
	maxRests = 4
	// maxOpened is how many lists and the like are opened to press what is in them.
	maxOpened = 4
	// maxChoices is at how many moments several keys are tried.
	maxChoices = 2
	// earlyTries is how many inputs are tried in the game's first moments, earlyFor for how
	// long at most.
	earlyTries, earlyFor = 24, 40 * time.Second
	// maxStarts is after how many inputs that began something all is tried again at once,
	// roundsEnd in how many stretches of settleFor it is over.
	maxStarts, roundsEnd = 2, 4
	// lastMoments are those before the game stood still in which inputs are tried, too.
	lastMoments = 1500 * time.Millisecond
	// checkEvery is after how many inputs without an effect the screen is read again.
	checkEvery = 16
	// longReplay is how much longer than necessary a return may take.
	longReplay = 1500 * time.Millisecond
	// animatedFor is for how many frames nothing is sent, to see whether the picture changes.
	animatedFor = 30
)

// waits are the stretches of game time after which everything is tried again
// while nothing had an effect: splash screens, countdowns.
var waits = []time.Duration{5 * time.Second, 15 * time.Second}

// searcher is one search.
type searcher struct {
	Options
	pair
	graph
	rec *record.TwinRecord

	started time.Time
	prefix  []record.Step
	// unchosen is the prefix without what was taken for chosen, nil if nothing is.
	unchosen []record.Step
	// singly: each thing is pressed right after the choice, since another one may have undone
	// it, which would not show, either.
	singly  bool
	base    []record.Step // what brings the game's canvas into view, in its first moments
	effects int
	hidden  int
	waited  int
	dialogs int // that were opened before the first input
	returns int
	flashes int // inputs that were looked at while they were held
	chosen  int // moments at which several keys were tried
	opened  int // lists that were opened
	silent  int // things that were taken for chosen though nothing showed it
	starts  []start
	// messages are what dialogs said, denied what was answered by one alone since the last new one.
	messages, denied map[string]bool
	rests            int // waits for a screen to rest that brought nothing new
	// leftToItself: it was looked whether the page loads itself again and again.
	leftToItself bool
	// interviews are questions that were answered in different ways.
	interviews int
	hurried    int // inputs that were repeated soon
	dead       int // inputs without an effect since the screen was read
	// pointed are those of them that press something.
	pointed []screen.Offer
	proven  bool
	// provenBy is what offered the input that proved it.
	provenBy screen.Source
	provenAt time.Time
	refills  int // fields that were filled in again
	wording  int // which of the answers to a field is written
	enough   int // effects by then
	after    int // inputs that were tried since then
	states   []twin.Signature
	minuted  []record.Step // everything up to the end of the minute of play
}

// Run plays the game and returns what was observed. An error means that the
// game's pages could not be opened or stepped; what was observed until then is
// in the record all the same.
//
// A game that hangs is played again with other chance, since it may be one draw in many
// that hangs it.
func Run(ctx context.Context, opts Options) (*record.TwinRecord, error) {
	rec, err := play(ctx, opts, 0)
	if rec.Alive.Hung == "" || ctx.Err() != nil {
		return rec, err
	}
	again, againErr := play(ctx, opts, 1)
	if again.Alive.Hung != "" || again.Alive.Seconds == 0 {
		return rec, err
	}
	again.HungOnce = true
	return again, againErr
}

func play(ctx context.Context, opts Options, draw int) (*record.TwinRecord, error) {
	s := &searcher{
		Options: opts, started: time.Now(),
		rec:      &record.TwinRecord{Observations: []record.Observation{}, Screens: []record.Screen{}},
		pair:     pair{open: opts.Open, url: opts.URL, viewport: opts.Viewport, watched: opts.Watched, draw: draw},
		messages: map[string]bool{}, denied: map[string]bool{},
		graph: graph{works: map[kind]bool{}, returning: map[string]bool{}, worked: map[string]record.Point{}, ticked: map[string]bool{}, sentences: map[string]bool{}},
	}
	s.leaving = s.tally
	err := s.run(ctx)
	s.close(ctx)
	s.rec.RealSeconds, s.rec.GameSeconds = time.Since(s.started).Seconds(), s.lived
	s.rec.Spent.Pages = int(s.opens.Load())
	var looks []twin.Signature
	for _, k := range s.screens {
		looks = append(looks, k.look)
		s.rec.Screens = append(s.rec.Screens, record.Screen{ID: k.id, Offers: len(k.offers.Offers), Tried: len(k.tried), Canvas: k.canvas, Prefix: k.prefix})
	}
	if s.Looks != nil {
		s.Looks(looks)
	}
	if err != nil {
		s.rec.Reason = err.Error()
	}
	return s.rec, err
}

func (s *searcher) run(ctx context.Context) error {
	spent := &s.rec.Spent
	err := s.hung(s.begin(ctx))
	began := time.Now()
	spent.Begin = began.Sub(s.started).Seconds()
	if err != nil {
		return err
	}
	searching, cancel := context.WithTimeout(ctx, s.Limit)
	err = s.search(searching)
	timeUp := searching.Err() != nil && ctx.Err() == nil
	cancel()
	alike := !timeUp
	if err == nil && s.rec.Alive.Reloads > 0 {
		spent.Search = time.Since(began).Seconds()
		return nil
	}
	if (err == nil || timeUp) && !s.proven {
		alike = false
		// It has time of its own: what begins by itself is often over when all else is tried.
		beginning, cancel := context.WithTimeout(ctx, earlyFor)
		if err = s.early(beginning); err == nil && !s.proven {
			err = s.afresh(beginning)
		}
		if err == nil && !s.proven && s.effects == 0 && s.rec.Asked > 0 {
			err = s.welcome(beginning)
		}
		timeUp = beginning.Err() != nil && ctx.Err() == nil
		cancel()
	}
	searched := time.Now()
	if !s.proven {
		s.provenAt = searched
		s.rec.WantsFile = s.played != nil && s.played.Has(ctx, "input[type=file]")
	}
	spent.Search, spent.More = s.provenAt.Sub(began).Seconds(), searched.Sub(s.provenAt).Seconds()
	if err != nil && !timeUp {
		if s.played != nil && !s.wrote() {
			err = s.hung(err)
		}
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !alike {
		if err := s.level(ctx); err != nil {
			return s.hung(err)
		}
	}
	err = s.hung(s.live(ctx))
	spent.Play = time.Since(searched).Seconds()
	return err
}

// wrote reports whether the last input wrote something: where an absurd number in a form
// makes the game hang, that is not held against it.
func (s *searcher) wrote() bool {
	if len(s.played.Steps) == 0 {
		return false
	}
	switch s.lastStep().Input.Kind {
	case record.InputFill, record.InputSubmit, record.InputType, record.InputCopy:
		return true
	}
	return false
}

// hung notes whether an error means that the game hangs, and returns it.
func (s *searcher) hung(err error) error {
	if errors.Is(err, twin.ErrHung) {
		s.rec.Alive.Hung = err.Error()
	}
	return err
}

// search tries offers until enough is known or nothing is left.
func (s *searcher) search(ctx context.Context) error {
	for ctx.Err() == nil && !s.done() {
		if ends, err := s.restless(ctx); err != nil || ends {
			return err
		}
		if err := s.fill(ctx); err != nil {
			return err
		}
		var offer screen.Offer
		in, ok := s.at.untried(s.first())
		where := s.at
		switch {
		case ok:
			offer = s.at.ask(in)
		case !s.proven:
			offer, where, ok = s.next()
		default:
			if offer, ok = s.at.another(s.provenBy); !ok {
				return nil
			}
		}
		switch {
		case ok && where != s.at && s.returns < maxReturns:
			if err := s.returnTo(ctx, where); err != nil {
				return err
			}
			continue
		case ok && where != s.at:
			ok = false
		}
		if !ok {
			more, err := s.wait(ctx)
			if err != nil {
				return err
			}
			if !more {
				s.rec.Exhausted = true
				return nil
			}
			continue
		}
		if err := s.attempt(ctx, offer); err != nil {
			return err
		}
	}
	if s.effects >= maxEffects {
		s.rec.Exhausted = true
	}
	return ctx.Err()
}

func (s *searcher) first() []record.Input {
	if s.First == nil {
		return nil
	}
	return s.First()
}

func (s *searcher) done() bool {
	if s.proven && time.Since(s.provenAt) < max(FirstFor, s.FirstFor) {
		if _, left := s.at.untried(s.first()); left {
			return false
		}
	}
	if s.effects >= maxEffects {
		return true
	}
	return s.proven && (time.Since(s.provenAt) > moreFor || s.after >= moreTries || s.effects >= s.enough+moreEffects || len(playable(s.rec.Observations)) >= maxControls)
}

// wait lets time pass when all offers were tried. It reports whether there is
// something to try again.
func (s *searcher) wait(ctx context.Context) (bool, error) {
	if s.proven || s.waited >= len(waits) {
		return false, nil
	}
	if s.unchosen != nil && !s.singly {
		s.singly = true
		s.at.forget(promising, nil)
		return true, s.back(ctx)
	}
	if s.unchosen != nil { // nothing follows from it
		s.prefix, s.unchosen, s.singly = s.unchosen, nil, false
		if err := s.back(ctx); err != nil {
			return false, err
		}
	}
	d := waits[s.waited]
	s.waited++
	if err := s.pass(ctx, twin.Frames(d)); err != nil {
		return false, err
	}
	s.traces(ctx)
	if err := s.enter(ctx, byItself); err != nil {
		return false, err
	}
	s.at.forget(promising, nil)
	return true, nil
}

// returnTo brings both twins to an earlier screen.
func (s *searcher) returnTo(ctx context.Context, k *known) error {
	s.returns++
	s.prefix, s.unchosen = k.prefix, nil
	if err := s.reopen(ctx, k.prefix, k.frame); err != nil {
		return err
	}
	if _, err := s.survey(ctx); err != nil {
		return err
	}
	k.offers, s.at = s.now, k
	return nil
}

// back brings both twins to where the last input with an effect had led.
func (s *searcher) back(ctx context.Context) error {
	frame := s.played.Frame
	if err := s.reopen(ctx, s.prefix, frame); err != nil {
		return err
	}
	return s.enter(ctx, byItself)
}

// usual are steps at the places where they would be in the usual window.
func (s *searcher) usual(steps []record.Step) []record.Step {
	scale := s.Viewport.Width / s.viewport.Width
	if scale <= 1 { // the usual one is made as large
		return steps
	}
	out := slices.Clone(steps)
	for i := range out {
		in := &out[i].Input
		in.At = record.Point{X: in.At.X * scale, Y: in.At.Y * scale}
		in.Path = slices.Clone(in.Path)
		for k, p := range in.Path {
			in.Path[k] = record.Point{X: p.X * scale, Y: p.Y * scale}
		}
	}
	return out
}

func (s *searcher) emit(format string, args ...any) {
	if s.Emit != nil {
		s.Emit(0, 0, fmt.Sprintf(format, args...))
	}
}

// observation is the beginning of one, of an input that is about to be made.
func (s *searcher) observation(in record.Input, source screen.Source) record.Observation {
	return record.Observation{Stage: "search", Input: in, Offer: string(source), Seconds: s.played.Seconds(), From: s.at.id, To: s.at.id, Later: -1}
}

func (s *searcher) observe(ob record.Observation) {
	s.rec.Observations = append(s.rec.Observations, ob)
	if s.Observed != nil && ob.Effect() {
		s.Observed(ob)
	}
	if !ob.Effect() && ob.Reply == 0 {
		return
	}
	was := s.proven
	s.proven = s.Enough(s.rec) // what was seen later may take a proof back
	if s.proven && !was {
		s.enough, s.provenBy, s.provenAt = s.effects, screen.Source(ob.Offer), time.Now()
		if s.Proven != nil {
			s.Proven(s.usual(s.prefix))
		}
	}
}
