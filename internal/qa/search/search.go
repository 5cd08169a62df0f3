// Package search plays a game in two pages under one stepped clock and writes
// down what each input changed. It goes from screen to screen: what is offered on
// the present screen is tried, the most promising first, and every input that
// changes something leads on from there. It observes and never judges; whether
// enough is known is asked of its caller.
package search

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// Options of a search.
type Options struct {
	Open     twin.Opener
	URL      string
	Viewport record.Rect
	// Lean orders offers by their labels; nil orders them by looks alone.
	Lean screen.Lean
	// First are inputs to try before all others, such as those of the metadata.
	First []record.Input
	// Enough is asked after every effect whether the search may end.
	Enough func(*record.TwinRecord) bool
	// Limit bounds the search, PlayFor is how much game time the minute of play lasts.
	Limit   time.Duration
	PlayFor time.Duration
	// Emit is told of progress; Keep stores a picture and returns its path. Both may be nil.
	Emit func(format string, args ...any)
	Keep func(name string, img *image.RGBA) string
}

const (
	// settleFor is how much game time passes before the first input.
	settleFor = 2 * time.Second
	// blankFor is how much more passes while nothing can be seen.
	blankFor = 14 * time.Second
	// maxEffects bounds how many inputs with an effect are followed, maxHidden how
	// many whose effect cannot be seen.
	maxEffects, maxHidden = 16, 6
	// maxControls is how many controls are looked for once the first is proven.
	maxControls = 3
	// more is how long is spent on finding more of them.
	more = 1500 * time.Millisecond
)

// waits are the stretches of game time after which everything is tried again
// while nothing had an effect: splash screens, countdowns.
var waits = []time.Duration{5 * time.Second, 15 * time.Second}

// searcher is one search.
type searcher struct {
	Options
	pair
	rec *record.TwinRecord

	began   time.Time
	prefix  []record.Step
	screens []*known
	at      *known
	now     *screen.Screen // what is on the present screen
	effects int
	hidden  int
	waited  int
	filled  map[int]bool
	proven  time.Time
	states  []twin.Signature
}

// known is a screen that the search came to.
type known struct {
	id     int
	look   twin.Signature
	offers *screen.Screen
	tried  map[string]int
	prefix []record.Step
	frame  int
}

// Run plays the game and returns what was observed. An error means that the
// game's pages could not be opened or stepped; what was observed until then is
// in the record all the same.
func Run(ctx context.Context, opts Options) (*record.TwinRecord, error) {
	s := &searcher{
		Options: opts, began: time.Now(), filled: map[int]bool{},
		rec:  &record.TwinRecord{Observations: []record.Observation{}, Screens: []record.Screen{}},
		pair: pair{open: opts.Open, url: opts.URL, viewport: opts.Viewport},
	}
	defer s.close(ctx)
	err := s.run(ctx)
	s.rec.RealSeconds = time.Since(s.began).Seconds()
	if s.played != nil {
		s.rec.GameSeconds += s.played.Seconds()
	}
	for _, k := range s.screens {
		s.rec.Screens = append(s.rec.Screens, record.Screen{ID: k.id, Offers: len(k.offers.Offers), Tried: len(k.tried), Prefix: k.prefix})
	}
	if err != nil {
		s.rec.Reason = err.Error()
		if errors.Is(err, twin.ErrHung) {
			s.rec.Alive.Hung = err.Error()
		}
	}
	return s.rec, err
}

func (s *searcher) run(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	searching, cancel := context.WithTimeout(ctx, s.Limit)
	err := s.search(searching)
	timeUp := searching.Err() != nil && ctx.Err() == nil
	cancel()
	if err != nil && !timeUp {
		return err
	}
	if timeUp && s.played == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return s.live(ctx)
}

// begin opens the twins and waits in game time until there is something to see.
func (s *searcher) begin(ctx context.Context) error {
	if err := s.reopen(ctx, nil, twin.Frames(settleFor)); err != nil {
		return fmt.Errorf("open the game twice: %w", err)
	}
	s.rec.Opened = true
	for waited := time.Duration(0); ; waited += 2 * time.Second {
		d, alone, _, err := s.look(ctx, false)
		if err != nil {
			return err
		}
		s.rec.Repeatable, s.rec.Noise = d.Share < unrepeatable, d.Share
		if s.rec.Blank = twin.Uniform(alone); !s.rec.Blank || waited >= blankFor {
			break
		}
		if err := s.pass(ctx, twin.Frames(2*time.Second)); err != nil {
			return err
		}
	}
	if err := s.animated(ctx); err != nil {
		return err
	}
	return s.enter(ctx)
}

// animated finds out whether the picture changes while nothing is sent.
func (s *searcher) animated(ctx context.Context) error {
	before, err := s.alone.Picture(ctx)
	if err != nil {
		return err
	}
	if err := s.pass(ctx, idleWindow); err != nil {
		return err
	}
	after, err := s.alone.Picture(ctx)
	if err != nil {
		return err
	}
	s.rec.Animated = twin.Compare(before, after, nil).Pixels >= leastPixels
	return nil
}

// enter reads the present screen and finds out whether it is known.
func (s *searcher) enter(ctx context.Context) error {
	now, err := screen.Read(ctx, s.played.Page, s.played.Probe, s.viewport, s.Lean)
	if err != nil {
		return err
	}
	img, err := s.played.Picture(ctx)
	if err != nil {
		return err
	}
	s.now = now
	s.alone.Scrolls = now.Elements.ScrollHeight > s.viewport.Height
	s.played.Scrolls = s.alone.Scrolls
	s.fields = twin.Mask{}
	for _, box := range now.Boxes {
		s.fields.AddRect(box)
	}
	look := twin.Sign(img)
	for _, k := range s.screens {
		if k.offers.Same(now) > screenAlike && k.look.Apart(look) < screenApart {
			s.at = k
			k.offers = now
			return nil
		}
	}
	s.at = &known{id: len(s.screens), look: look, offers: now, tried: map[string]int{}, prefix: slices.Clone(s.prefix), frame: s.played.Frame}
	s.screens = append(s.screens, s.at)
	return nil
}

// search tries offers until enough is known or nothing is left.
func (s *searcher) search(ctx context.Context) error {
	for ctx.Err() == nil && !s.done() {
		if err := s.fill(ctx); err != nil {
			return err
		}
		offer, ok := s.next()
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
	return ctx.Err()
}

func (s *searcher) done() bool {
	if s.effects >= maxEffects {
		return true
	}
	if s.proven.IsZero() {
		return false
	}
	return time.Since(s.proven) > more || len(controls(s.rec.Observations)) >= maxControls
}

// next is the most promising offer of the present screen that was not tried yet.
func (s *searcher) next() (screen.Offer, bool) {
	for i, in := range s.First {
		id := fmt.Sprintf("first:%d", i)
		if s.at.tried[id] == 0 {
			return screen.Offer{ID: id, Input: in, Source: screen.Key, Prior: 1}, true
		}
	}
	for _, o := range s.now.Offers {
		if s.at.tried[o.ID] == 0 {
			return o, true
		}
	}
	return screen.Offer{}, false
}

// wait lets time pass when all offers of the present screen were tried. It reports
// whether there is something to try again.
func (s *searcher) wait(ctx context.Context) (bool, error) {
	if !s.proven.IsZero() {
		return false, nil
	}
	if s.waited >= len(waits) {
		return false, nil
	}
	d := waits[s.waited]
	s.waited++
	if err := s.pass(ctx, twin.Frames(d)); err != nil {
		return false, err
	}
	return true, s.again(ctx)
}

// again forgets what was tried on the present screen.
func (s *searcher) again(ctx context.Context) error {
	s.traces(ctx)
	if err := s.enter(ctx); err != nil {
		return err
	}
	for _, o := range s.now.Offers {
		if o.Prior >= promising {
			delete(s.at.tried, o.ID)
		}
	}
	return nil
}

// promising is the prior from which on an offer is tried again after a wait.
const promising = 0.35

// attempt tries one offer.
func (s *searcher) attempt(ctx context.Context, offer screen.Offer) error {
	s.at.tried[offer.ID]++
	if offer.Below {
		var err error
		if offer, err = s.reveal(ctx, offer); err != nil {
			return err
		}
		s.at.tried[offer.ID]++
	}
	ob := record.Observation{Stage: "search", Input: offer.Input, Offer: string(offer.Source), Seconds: s.played.Seconds(), From: s.at.id, To: s.at.id, Noise: s.stray, Later: -1}
	picture := offer.Source == screen.Element || offer.Input.Kind == record.InputDrag
	o, err := s.try(ctx, offer.Input, picture)
	if err != nil {
		return err
	}
	ob.Trace, ob.Pixels, ob.Area, ob.Cells, ob.Left, ob.Loaded, ob.Threw, ob.Dialog = o.trace, o.diff.Pixels, o.diff.Area, o.diff.Cells, o.left, o.loaded, o.threw, o.dialog
	switch {
	case o.left != "":
		s.observe(ob)
		return s.back(ctx)
	case o.effect():
		return s.followUp(ctx, offer, ob, o)
	case o.trace || o.loaded:
		s.observe(ob)
		alike, err := s.stillAlike(ctx)
		if err != nil || alike && !o.loaded {
			return err // it only drew the same once more
		}
		// The twins are not alike any more, though nobody can see it.
		if s.hidden++; s.hidden > maxHidden {
			s.traced = false
			return nil
		}
		return s.back(ctx)
	}
	s.observe(ob)
	return nil
}

// stillAlike reports whether the twins go on drawing the same.
func (s *searcher) stillAlike(ctx context.Context) (bool, error) {
	if err := s.pass(ctx, idleWindow/idleWindows); err != nil {
		return false, err
	}
	a, b := s.traces(ctx)
	return a == b, nil
}

func (s *searcher) observe(ob record.Observation) {
	s.rec.Observations = append(s.rec.Observations, ob)
	if s.proven.IsZero() && ob.Effect() && s.Enough(s.rec) {
		s.proven = time.Now()
	}
}

// back brings both twins to where the last input with an effect had led.
func (s *searcher) back(ctx context.Context) error {
	frame := s.played.Frame
	s.rec.GameSeconds += s.played.Seconds()
	if err := s.reopen(ctx, s.prefix, frame); err != nil {
		return err
	}
	return s.enter(ctx)
}

// followUp looks at what came of an input that had an effect, and goes on from there.
func (s *searcher) followUp(ctx context.Context, offer screen.Offer, ob record.Observation, o outcome) error {
	s.effects++
	steps := s.played.Steps
	prefix := append(slices.Clone(s.prefix), steps[len(steps)-1])
	was, from := s.now, s.at
	now, err := screen.Read(ctx, s.played.Page, s.played.Probe, s.viewport, s.Lean)
	if err != nil {
		return err
	}
	apart := twin.Sign(o.alone).Apart(twin.Sign(o.played))
	stays := was.Same(now) > screenAlike && apart < screenApart && !o.loaded
	ob.New = s.unseen(o.played)
	last := o.played
	if stays {
		for range repeatsOfOnce {
			r, err := s.try(ctx, offer.Input, true)
			if err != nil {
				return err
			}
			prefix = append(prefix, s.played.Steps[len(s.played.Steps)-1])
			if r.played == nil || r.left != "" {
				break
			}
			ob.Repeats = append(ob.Repeats, record.Repeat{Pixels: r.diff.Pixels, Moved: twin.Compare(last, r.played, nil).Pixels, New: s.unseen(r.played)})
			last = r.played
		}
	}
	if err := s.pass(ctx, twin.FramesPerSecond); err != nil {
		return err
	}
	d, _, _, err := s.look(ctx, false)
	if err != nil {
		return err
	}
	ob.Later = d.Pixels
	if s.Keep != nil {
		ob.Before, ob.After = s.Keep("without", o.alone), s.Keep("with", o.played)
	}
	s.prefix = prefix
	alike, err := s.renew(ctx, prefix)
	if err != nil {
		return err
	}
	if !alike {
		s.rec.GameSeconds += s.played.Seconds()
		if err := s.reopen(ctx, prefix, s.played.Frame); err != nil {
			return err
		}
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	ob.To = s.at.id
	if stays {
		ob.To = from.id
		s.at = from
		from.offers = s.now
	}
	s.observe(ob)
	if s.Emit != nil {
		s.Emit("%s changes the game (%d pixels)", offer.Input, ob.Pixels)
	}
	return nil
}

// unseen reports whether a picture was not seen before, and remembers it.
func (s *searcher) unseen(img *image.RGBA) bool {
	if img == nil {
		return false
	}
	sig := twin.Sign(img)
	for _, k := range s.states {
		if k.Apart(sig) == 0 {
			return false
		}
	}
	s.states = append(s.states, sig)
	return true
}

// reveal scrolls to an offer in both twins and returns it at its new place.
func (s *searcher) reveal(ctx context.Context, offer screen.Offer) (screen.Offer, error) {
	at := s.played.Scroll(ctx)
	to := record.Point{X: at.X, Y: max(0, at.Y+offer.Box.Y+offer.Box.Height/2-s.viewport.Height/2)}
	if err := s.sync(ctx, record.Input{Kind: record.InputScroll, At: to}); err != nil {
		return offer, err
	}
	s.scroll = s.played.Scroll(ctx)
	if err := s.enter(ctx); err != nil {
		return offer, err
	}
	for _, o := range s.now.Offers {
		if o.ID == offer.ID {
			return o, nil
		}
	}
	return offer, nil
}

// sync makes an input in both twins, as part of how to get here.
func (s *searcher) sync(ctx context.Context, in record.Input) error {
	if err := s.both(func(t *twin.Twin) error { return t.Take(ctx, in) }); err != nil {
		return err
	}
	s.prefix = append(slices.Clone(s.prefix), s.played.Steps[len(s.played.Steps)-1])
	s.traces(ctx)
	return nil
}

// fill fills in the fields of the present screen in both twins, as a player does
// before pressing anything.
func (s *searcher) fill(ctx context.Context) error {
	if s.filled[s.at.id] || len(s.now.Fields) == 0 {
		return nil
	}
	s.filled[s.at.id] = true
	for i, f := range s.now.Fields {
		in := record.Input{Kind: record.InputFill, Text: screen.Answer(f), Label: f.Text, At: record.Point{X: f.CX, Y: f.CY}}
		if f.Tag == "select" {
			in.Kind = record.InputChoose
		}
		if i >= maxFields {
			break
		}
		if err := s.sync(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// maxFields bounds how many fields of a screen are filled in.
const maxFields = 6
