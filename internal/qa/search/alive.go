package search

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

const (
	// lookEvery is how much game time lies between two looks at the minute of play.
	lookEvery = 10 * time.Second
	// between is how many frames lie between two inputs.
	between = 54
	// maxPlayed bounds how many controls take turns.
	maxPlayed = 8
	megabyte  = 1 << 20
	// reviveTries bounds the search for what begins another round.
	reviveTries = 40
)

// live plays a minute of the game with the controls that had an effect. Where one of them is a
// button beside the game that stops it, it is played once more without that.
func (s *searcher) live(ctx context.Context) error {
	inputs, a := playable(s.rec.Observations), &s.rec.Alive
	began, base := s.played.Frame, slices.Clone(s.prefix)
	err := s.liveWith(ctx, inputs)
	if err != nil || a.Responds || a.Ended || a.DeadAt == 0 || !s.Matters(s.rec) {
		return err // a board may be used up
	}
	stops, others := s.stopping(inputs, began)
	if stops == "" || len(base) > 0 && base[len(base)-1].Input.String() == stops {
		return nil
	}
	before := *a
	s.prefix, *a = base, record.AliveRecord{}
	if err := s.reopen(ctx, base, began); err != nil {
		return err
	}
	if err := s.enter(ctx, byItself); err != nil {
		return err
	}
	err = s.liveWith(ctx, others)
	switch a.Stops = stops; {
	case err != nil:
		*a, a.Unexplained = before, true
	case !a.Responds && !a.Ended && s.Matters(s.rec):
		*a = before // it stops without that, too
	}
	return err
}

// stopping is the button of the document after whose press the game drew nothing any more,
// though no error was thrown, and the other controls; empty if there is none.
func (s *searcher) stopping(inputs []record.Input, began int) (stops string, others []record.Input) {
	a := s.rec.Alive
	if a.StillPlayed == 0 || a.Exceptions > 0 {
		return "", nil
	}
	still := int(a.StillPlayed*twin.FramesPerSecond) + twin.FramesPerSecond/2
	for _, st := range s.minuted {
		if st.Frame < began || st.Frame > still {
			continue
		}
		if stops = ""; st.Input.Kind == record.InputClick && st.Input.Selector != "" {
			stops = st.Input.String()
		}
	}
	for _, in := range inputs {
		if in.String() != stops {
			others = append(others, in)
		}
	}
	if len(others) == 0 {
		return "", nil
	}
	return stops, others
}

// liveWith plays a minute of the game in both twins alike, with some controls, and finds out
// whether it still answers then.
func (s *searcher) liveWith(ctx context.Context, inputs []record.Input) error {
	s.unused = true
	s.emit("playing %s of the game with %d controls", s.PlayFor, len(inputs))
	began := s.played.Frame
	base := slices.Clone(s.prefix)
	alive, painted := s.now, s.paint
	err := s.minute(ctx, inputs)
	s.rec.Alive.Seconds = float64(s.played.Frame-began) / twin.FramesPerSecond
	if err != nil {
		return err
	}
	if s.rec.Alive.Left != "" || s.rec.Alive.Loads >= manyLoads || len(inputs) == 0 {
		return s.leftAlone(ctx, base)
	}
	if err := s.lookBack(ctx, painted); err != nil {
		return err
	}
	if s.played.Frame-s.played.Drew > twin.Frames(lookEvery) {
		s.rec.Alive.StillPlayed = float64(s.played.Drew) / twin.FramesPerSecond
	}
	if s.rec.Alive.Apart = s.seen.diff.Pixels > s.stray; s.rec.Alive.Apart {
		return nil
	}
	if s.Keep != nil {
		s.rec.Alive.Picture = s.Keep("end", s.seen.played)
	}
	script := slices.Clone(s.prefix)
	s.minuted = script
	before := s.arrivals(ctx)
	ok, err := s.responds(ctx, inputs)
	if err != nil {
		return err
	}
	ended := s.played.Seconds()
	withheld := !ok && s.arrivals(ctx).withheldSince(before)
	if !ok && !withheld {
		if err := s.enter(ctx, byItself); err != nil {
			return err
		}
		s.rec.Alive.Gone = s.gone(alive)
		if s.rec.Alive.Ended = over(alive, s.now) && !s.rec.Alive.Gone; s.rec.Alive.Ended || s.rec.Alive.Gone || s.rec.Alive.Rests() {
			s.rec.Alive.DeadAt = s.played.Seconds()
			err := s.cleared(ctx, script)
			s.rec.Alive.Unexplained = err != nil
			return err
		}
		if s.rec.Alive.DeadAt = s.played.Seconds(); !s.Matters(s.rec) {
			return nil // a board may be used up
		}
	}
	if !ok {
		s.rec.Alive.DeadAt = 0
		s.emit("looking for what begins another round")
		if ok, err = s.revive(ctx, inputs, base); err != nil {
			return err
		}
	}
	if s.rec.Alive.Responds = ok; ok {
		return nil
	}
	if withheld {
		s.rec.Alive.DeadAt, s.rec.Alive.Withheld = ended, true
		return nil
	}
	if s.rec.Alive.Dialogs > 0 {
		// It told the player something and asked what to do next.
		s.rec.Alive.DeadAt, s.rec.Alive.Ended = s.played.Seconds(), true
		return nil
	}
	s.emit("finding out when the controls stopped working")
	if err = s.autopsy(ctx, inputs, alive, base, script, began); err == nil {
		err = s.cleared(ctx, script)
	}
	s.rec.Alive.Unexplained = err != nil
	return err
}

// lookBack looks at the end of the minute. Where the last thing that was drawn came in a frame
// that nobody was to look at, the twins are brought there again with every frame painted.
func (s *searcher) lookBack(ctx context.Context, painted bool) error {
	s.traces(ctx)
	if s.paint == painted {
		return s.look(ctx, false)
	}
	if err := s.openAt(ctx, slices.Clone(s.prefix), s.played.Frame); err != nil {
		return err
	}
	s.rec.Alive.Blank = twin.Uniform(s.seen.played)
	return nil
}

// level brings both twins to the same moment: a search that was broken off ends with an input
// that only one of them got, or while they were being opened.
func (s *searcher) level(ctx context.Context) error {
	switch {
	case s.played == nil:
		return s.returnTo(ctx, s.at)
	case len(s.alone.Steps) != len(s.played.Steps):
		s.prefix = slices.Clone(s.played.Steps)
		return s.reopen(ctx, s.prefix, s.played.Frame)
	}
	return nil
}

// minute makes the inputs in turn in both twins until the time has passed.
func (s *searcher) minute(ctx context.Context, inputs []record.Input) error {
	a := &s.rec.Alive
	a.Looks, a.Presses = []record.AliveLook{}, make([]record.PressCount, len(inputs))
	for i, in := range inputs {
		a.Presses[i].Input = in.String()
	}
	exceptions := s.played.Page.Log().Counts().Exceptions
	loads := s.played.Loads()
	var last *image.RGBA
	turn := 0
	for passed := time.Duration(0); passed < s.PlayFor; passed += lookEvery {
		from := s.played.Frame
		frames := twin.Frames(lookEvery)
		steps := len(s.played.Steps)
		first := turn
		if err := s.both(func(t *twin.Twin) error {
			n := first
			t.Conceal(ctx)
			defer t.Reveal(ctx)
			for t.Frame-from < frames && ctx.Err() == nil {
				if len(inputs) > 0 {
					in := inputs[n%len(inputs)]
					n++
					if err := t.Take(ctx, in); err != nil {
						return err
					}
					if in.Scrolls() {
						t.Tidy(ctx, in, s.scroll)
					}
				}
				left := max(1, frames-(t.Frame-from))
				if left <= between { // the last of them are looked at
					t.Reveal(ctx)
				}
				if err := t.Pass(ctx, min(between, left)); err != nil {
					return err
				}
			}
			return ctx.Err()
		}); err != nil {
			return err
		}
		made := s.played.Steps[steps:]
		turn += len(made)
		for i := range made {
			if len(inputs) > 0 {
				a.Presses[(first+i)%len(inputs)].Count++
			}
		}
		s.prefix = append(s.prefix, made...)
		trace, _ := s.traces(ctx)
		img, err := s.played.Picture(ctx)
		if err != nil {
			return err
		}
		look := record.AliveLook{Seconds: s.played.Seconds(), Drew: trace.Drawn+trace.Changed > 0, Blank: twin.Uniform(img)}
		look.Moved = last == nil || twin.Compare(last, img).Pixels >= record.LeastPixels
		if s.unseen(img) {
			a.States++
		}
		last = img
		a.Looks = append(a.Looks, look)
		if s.Keep != nil {
			s.Keep("playing", img)
		}
		if s.Emit != nil {
			s.Emit(int((passed + lookEvery).Seconds()), int(s.PlayFor.Seconds()), fmt.Sprintf("playing, %d controls in turn", len(inputs)))
		}
		if bytes, err := s.played.Page.Heap(ctx); err == nil { // one look more or less
			a.Heap = append(a.Heap, math.Round(bytes/megabyte*10)/10)
		}
		a.Blank = look.Blank
		a.Loads = s.played.Loads() - loads
		if a.Left = s.played.Left(); a.Left != "" {
			break
		}
		if s.played.Slow() && passed >= lookEvery {
			break // a scene that this machine hardly draws
		}
	}
	if a.Grows() && s.played.Page.CollectGarbage(ctx) == nil {
		if bytes, err := s.played.Page.Heap(ctx); err == nil {
			a.Kept = math.Round(bytes/megabyte*10) / 10
		}
	}
	after := s.played.Page.Log().Counts()
	a.Dialogs = after.Dialogs - s.dialogs
	if a.Exceptions = after.Exceptions - exceptions; a.Exceptions > 0 {
		a.Threw = s.threw()
	}
	return nil
}

// responds reports whether any of the inputs still makes a difference, now or two
// seconds later.
func (s *searcher) responds(ctx context.Context, inputs []record.Input) (bool, error) {
	for _, wait := range []int{0, 2 * twin.FramesPerSecond} {
		if err := s.pass(ctx, wait); err != nil {
			return false, err
		}
		if ok, err := s.respondsNow(ctx, inputs); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

func (s *searcher) respondsNow(ctx context.Context, inputs []record.Input) (bool, error) {
	s.traces(ctx)
	for _, in := range inputs {
		ob := record.Observation{Stage: "alive", Input: in, Seconds: s.played.Seconds(), From: s.at.id, To: s.at.id, Later: -1}
		o, err := s.try(ctx, in, false)
		if err != nil {
			return false, err
		}
		o.fill(&ob)
		s.rec.Observations = append(s.rec.Observations, ob)
		if o.effect() {
			return true, nil
		}
	}
	return false, nil
}

// revive looks for what begins another round: both twins get what began the first one,
// and then the offers of the present screen, one after the other, until an input that was
// proven before makes a difference between them again.
func (s *searcher) revive(ctx context.Context, inputs []record.Input, base []record.Step) (bool, error) {
	var before twin.Trace
	again := func(in record.Input) (changed, ok bool, err error) {
		s.blind(s.traced)
		defer func() { s.blind(false) }()
		if err := s.sync(ctx, in); err != nil || s.played.Left() != "" {
			return false, false, err
		}
		if err := s.pass(ctx, twin.FramesPerSecond/2); err != nil {
			return false, false, err
		}
		trace, _ := s.traces(ctx)
		still := trace.Changed+trace.Drawn == 0 || trace == before // it draws the same as before
		if before = trace; still && s.traced {
			return false, false, nil
		}
		ok, err = s.respondsNow(ctx, inputs)
		return true, ok, err
	}
	for _, step := range base {
		if _, ok, err := again(step.Input); err != nil || ok {
			return ok, err
		}
	}
	tried := map[string]bool{}
	for range reviveTries {
		i := slices.IndexFunc(s.now.Offers, func(o screen.Offer) bool { return !tried[o.ID] && !o.Away })
		if i < 0 || ctx.Err() != nil || s.played.Left() != "" {
			break
		}
		offer := s.now.Offers[i]
		tried[offer.ID] = true
		if offer.Below {
			var err error
			if offer, err = s.reveal(ctx, offer); err != nil {
				return false, err
			}
		}
		changed, ok, err := again(offer.Input)
		if err != nil || ok {
			return ok, err
		}
		if !changed {
			continue
		}
		was := s.now
		if err := s.pass(ctx, painted); err != nil {
			return false, err
		}
		if _, err := s.survey(ctx); err != nil {
			return false, err
		}
		if s.now.Same(was) < screenAlike {
			clear(tried)
			tried[offer.ID] = true
		}
	}
	return false, nil
}

// gone reports whether no canvas can be seen any more, though one was before, and nothing new
// that can be read either. What is lost while the search goes on is compared with a screen from
// before.
func (s *searcher) gone(alive *screen.Screen) bool {
	if len(s.now.Canvases) > 0 {
		return false
	}
	before := []*screen.Screen{alive}
	for _, k := range s.screens {
		before = append(before, k.offers)
	}
	i := slices.IndexFunc(before, func(b *screen.Screen) bool { return len(b.Canvases) > 0 })
	return i >= 0 && len(s.now.NewTexts(before[i])) == 0
}

// over reports whether something new is shown, as at the end of a round: that things are
// missing which could be pressed before is nothing new.
func over(alive, now *screen.Screen) bool {
	return len(now.NewTexts(alive)) > 0 || alive.Keeps(now) < screenAlike
}

// playable are the inputs that take turns in the minute of play: those that play on
// the same screen, or else the first of these kinds that there are: those that switch
// something on it, those that lead elsewhere.
func playable(observations []record.Observation) []record.Input {
	plays := func(o record.Observation) bool {
		return o.From == o.To && !takenBack(o) && !o.Loaded && !o.Reloaded && !o.Unhandled
	}
	switches := func(o record.Observation) bool { return o.From == o.To }
	leads := func(record.Observation) bool { return true }
	for _, wanted := range []func(record.Observation) bool{plays, switches, leads} {
		if inputs := distinct(observations, wanted); len(inputs) > 0 {
			return inputs[:min(len(inputs), maxPlayed)]
		}
	}
	return nil
}

// distinct are the inputs with an effect that is wanted, each once.
func distinct(observations []record.Observation, wanted func(record.Observation) bool) []record.Input {
	var out []record.Input
	seen := map[string]bool{}
	for _, o := range observations {
		if o.Effect() && wanted(o) && !seen[o.Input.String()] {
			seen[o.Input.String()] = true
			out = append(out, o.Input)
		}
	}
	return out
}
