package search

import (
	"context"
	"image"
	"slices"

	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// followUp looks at what came of an input that had an effect, and goes on from there.
func (s *searcher) followUp(ctx context.Context, offer screen.Offer, ob record.Observation, o outcome) error {
	s.effects++
	before, step := s.prefix, s.lastStep()
	s.prefix, s.unchosen = append(slices.Clone(before), step), nil
	from, was, errors := s.at, s.now, s.alone.Page.Log().Counts().Exceptions
	known, told := len(s.screens), len(s.sentences)
	now, err := screen.Read(ctx, s.played.Page, s.played.Probe, s.viewport, s.Lean)
	if err != nil {
		return err
	}
	ob.New = s.unseen(o.played)
	stays := !o.loaded && now.Keeps(was) > stillOffered && twin.Sign(o.alone).Apart(twin.Sign(o.played)) < screenApart
	if s.Keep != nil {
		ob.Before, ob.After = s.Keep("without", o.alone), s.Keep("with", o.played)
	}
	if s.proven {
		// One more control. The game goes on from where the first was proven.
		if !stays {
			ob.To = s.place(now, o.played, byInput, s.prefix).id
		}
		s.prefix = before
		s.observe(ob)
		return s.revert(ctx)
	}
	if stays || ob.Local() {
		err = s.repeat(ctx, &ob, o, stays)
	} else {
		// A round that has begun may be over in a second, so none is waited here.
		ob.Reloaded = s.played.Reloads() > s.reloads
		err = s.renew(ctx)
	}
	if err != nil {
		return err
	}
	how := byInput
	if stays && (ob.Later == 0 || takenBack(ob)) {
		how = byItself
	}
	// What is marked where it was pressed may be chosen, to be put elsewhere.
	stay := takenBack(ob) && s.opened < maxOpened
	chosen := stay && under(ob.Area, offer.Input)
	opened := chosen || stay && now.Reveals(was)
	if opened {
		// Other things are to be pressed before it is taken back.
		s.opened++
		s.prefix, how = append(slices.Clone(before), step), byInput
		if err := s.reopen(ctx, s.prefix, step.Frame+twin.FramesPerSecond); err != nil {
			return err
		}
	}
	if err := s.enter(ctx, how); err != nil {
		return err
	}
	s.starts = append(s.starts, start{append(slices.Clone(before), step), s.at})
	if !stays && len(s.now.Canvases) == 0 {
		if err := s.unfold(ctx); err != nil {
			return err
		}
	}
	if !stays && !o.loaded {
		if err := s.await(ctx); err != nil {
			return err
		}
		if !ob.New && s.rests < maxRests {
			if ob.New, err = s.rest(ctx); err != nil {
				return err
			}
		}
		if len(s.sentences) > told {
			// A text may be too small to make another picture, and is another screen all the same.
			ob.New = true
			if err := s.distinguish(ctx, known); err != nil {
				return err
			}
		}
	}
	ob.Stopped = o.loaded && s.played.Page.Log().Counts().Exceptions > errors
	if chosen {
		s.at.forget(promising, nil)
	}
	if opened {
		s.now.Prefer(was)
		s.at.try(offer)
	}
	// A board may be closed while the game makes its own move.
	if !stays && (o.loaded || s.now.Keeps(was) <= stillOffered || twin.Sign(o.alone).Apart(twin.Sign(s.seen.played)) >= screenApart) {
		ob.To = s.at.id
	}
	if ob.New {
		s.worked[offer.ID] = offer.Input.At
	}
	alike := func(o record.Observation) bool { return takenBack(o) && o.Area == ob.Area }
	switch {
	case takenBack(ob) && slices.ContainsFunc(s.rec.Observations, alike):
		s.effects-- // the same answer to many inputs, as that a move is not allowed
	case ob.Unhandled, ob.To != ob.From && !ob.New:
		s.effects-- // the browser's own, or back to where the search has been
	}
	choice := len(ob.Repeats) > 0 && ob.Repeats[0].Same
	s.returning[offer.ID] = !ob.New || choice
	switch {
	case !choice || offer.Source != screen.Element || s.at != from:
	case ob.New:
		// What is chosen in a form stays chosen: what did nothing before may send it now.
		s.at.forget(promising, s.returning)
	case ob.Unhandled && len(s.ticked) < maxTicked:
		// What told before that something is to be chosen may send it, too.
		s.ticked[offer.ID] = true
		clear(s.returning)
		s.at.forget(promising, s.ticked)
	}
	if ob.From == ob.To && ob.Local() {
		s.works[kindOf(offer)] = true
	}
	s.observe(ob)
	s.emit("%s changes the game (%d pixels)", offer.Input, ob.Pixels)
	if !s.proven && s.at.id < from.id && s.returns < maxReturns && from.untriedBeside(s.at) > s.at.untriedBeside(from) {
		return s.returnTo(ctx, from) // a way back from where there is more to press
	}
	others := alternatives(offer)
	if s.proven || others == nil || s.chosen >= maxChoices {
		return nil
	}
	s.chosen++
	return s.others(ctx, append([]screen.Offer{offer}, others...), before, step.Frame)
}

// others tries inputs at the moment at which the first of them had an effect: in a game that
// goes on by itself, or that counts guesses, the same moment does not come again.
func (s *searcher) others(ctx context.Context, offers []screen.Offer, prefix []record.Step, frame int) error {
	here, now := s.prefix, s.played.Frame
	if err := s.choices(ctx, prefix, frame, offers); err != nil {
		return err
	}
	if s.proven {
		return s.renew(ctx)
	}
	s.prefix = here
	if err := s.reopen(ctx, here, now); err != nil {
		return err
	}
	return s.enter(ctx, byItself)
}

// alternatives are the keys that go with that of an offer, as left with right, or numbers in
// place of what was written.
func alternatives(offer screen.Offer) (out []screen.Offer) {
	switch {
	case offer.Source == screen.Key:
		for _, k := range screen.Opposites(offer.Input.Key) {
			out = append(out, screen.Offer{ID: "key:" + k, Source: screen.Key, Input: record.Input{Kind: record.InputKey, Key: k}})
		}
	case offer.Source == screen.Field && offer.Input.Kind == record.InputSubmit:
		const guesses = 3
		for i := range guesses {
			other := offer
			other.Input.Text, _ = screen.Guess("5", i)
			out = append(out, other)
		}
	}
	return out
}

// choices tries inputs at one moment, each in fresh twins, and compares what they bring:
// with nothing, and with what others brought. Where several in a row bring the same, any
// key does so.
func (s *searcher) choices(ctx context.Context, prefix []record.Step, frame int, offers []screen.Offer) error {
	var got []*image.RGBA // by those before
	same := 0             // in a row that brought what the one before did
	for _, offer := range offers {
		if same >= anyKey {
			return nil
		}
		if err := s.openAt(ctx, prefix, frame); err != nil {
			return err
		}
		if s.played.Frame != frame || s.seen.diff.Pixels > s.stray {
			return nil // not the same moment
		}
		ob := s.observation(offer.Input, offer.Source)
		// A game that goes on in steps shows at the next of them what was pressed.
		o, err := s.tryFor(ctx, offer.Input, false, twin.FramesPerSecond, true)
		if err != nil {
			return err
		}
		o.fill(&ob)
		ob.Unhandled = s.ticks(o)
		switch {
		case !o.effect() || o.left != "":
		case o.passed: // with what is seen later nothing is compared
			s.effects++
			ob.New = s.unseen(o.played)
			s.prefix = append(slices.Clone(prefix), s.lastStep())
		default:
			for _, other := range got {
				ob.Other = twin.Compare(other, o.played, s.mask, s.fields).Pixels
				ob.Alike = ob.Alike || ob.Other < record.LeastPixels
			}
			if same++; got == nil || ob.Other >= record.LeastPixels {
				same = 0
				s.effects++
			}
			got, ob.New = append(got, o.played), s.unseen(o.played)
			s.prefix = append(slices.Clone(prefix), s.lastStep())
		}
		if s.observe(ob); s.proven || ctx.Err() != nil {
			break
		}
	}
	return nil
}

// repeat looks again a second later, and then makes the input once more and compares
// with a twin that got it one time less. Chance begins anew before each input of the
// search, so that dealing anew once more makes no difference. Of what led to another screen
// and had an effect there, too, a third time tells whether it only begins anew.
func (s *searcher) repeat(ctx context.Context, ob *record.Observation, first outcome, stays bool) error {
	if err := s.pass(ctx, twin.FramesPerSecond); err != nil {
		return err
	}
	ob.Reloaded = s.played.Reloads() > s.reloads
	if err := s.look(ctx, true); err != nil {
		return err
	}
	ob.Later = s.seen.diff.Pixels
	later, begun := s.seen.played, s.prefix
	itself := twin.Mask{} // where the game changes without any input
	itself.Add(first.alone, s.seen.alone)
	ob.Itself = twin.Compare(first.alone, s.seen.alone).Pixels
	passed := false
	if ob.Later <= s.stray {
		a, b := s.traces(ctx)
		alike, err := s.stillAlike(ctx)
		if err != nil {
			return err
		}
		passed = alike && a.Timers == b.Timers
	}
	if !passed {
		if err := s.renew(ctx); err != nil {
			return err
		}
	}
	second, err := s.once(ctx, ob, first, first, itself)
	if err == nil && len(ob.Repeats) > 0 && !second.effect() && s.hurried < maxHurried && !under(ob.Area, ob.Input) &&
		twin.Compare(first.played, later, s.mask).Pixels >= record.LeastPixels {
		second, err = s.soon(ctx, ob, first, itself, begun)
	}
	if err != nil || stays || second.played == nil || !second.effect() || ob.Repeats[0].Same {
		return err
	}
	_, err = s.once(ctx, ob, first, second, itself)
	return err
}

// soon makes an input once more right after the first time: what it began may be over by
// itself a second later.
func (s *searcher) soon(ctx context.Context, ob *record.Observation, first outcome, itself twin.Mask, prefix []record.Step) (outcome, error) {
	const soonAfter = 24 // frames
	s.hurried++
	here, now, repeats := s.prefix, s.played.Frame, ob.Repeats
	s.prefix, ob.Repeats = prefix, nil
	if err := s.openAt(ctx, prefix, prefix[len(prefix)-1].Frame+soonAfter); err != nil {
		return outcome{}, err
	}
	again, err := s.once(ctx, ob, first, first, itself)
	if err != nil || again.effect() {
		return again, err
	}
	s.prefix, ob.Repeats = here, repeats
	return again, s.openAt(ctx, here, now)
}

// under reports whether what an input changed lies where it was made, as a cell does that
// is pressed: it may be pressed once only.
func under(area record.Rect, in record.Input) bool {
	return in.Pressed() && in.At.X >= area.X && in.At.X <= area.X+area.Width && in.At.Y >= area.Y && in.At.Y <= area.Y+area.Height
}

// once makes an input once more and compares with how it was before the first time, and
// after the last time.
func (s *searcher) once(ctx context.Context, ob *record.Observation, first, last outcome, itself twin.Mask) (outcome, error) {
	in := ob.Input
	if in.Kind == record.InputSubmit {
		in.Text, _ = screen.Guess(in.Text, len(ob.Repeats)+1)
	}
	again, err := s.tryFilled(ctx, in, ob.Unhandled)
	if err != nil || again.left != "" {
		return outcome{}, err
	}
	r := record.Repeat{Pixels: again.diff.Pixels}
	if again.view.played == nil {
		ob.Repeats = append(ob.Repeats, r)
		return again, nil
	}
	// Where everything moves by itself nobody can tell whether it is as it was.
	r.Back = twin.Compare(first.alone, again.view.played, itself, s.mask, s.fields).Pixels < record.LeastPixels &&
		twin.Compare(first.alone, first.view.played, itself, s.mask, s.fields).Pixels >= record.LeastPixels
	r.Same = twin.Compare(last.view.played, again.view.played, s.mask, s.fields).Pixels < record.LeastPixels
	r.New = s.unseen(again.view.played)
	ob.Repeats = append(ob.Repeats, r)
	s.prefix = append(slices.Clone(s.prefix), s.lastStep())
	return again, s.renew(ctx)
}

// trySeeded makes an input after chance began anew.
func (s *searcher) trySeeded(ctx context.Context, in record.Input, picture bool) (outcome, error) {
	if err := s.both(func(t *twin.Twin) error { t.Reseed(ctx); return nil }); err != nil {
		return outcome{}, err
	}
	return s.try(ctx, in, picture)
}

// renew makes the twins alike again, at the end of the prefix: the one that was left alone
// gets what the other has got. Where that does not lead there, an input that showed nothing was
// part of the way, as signing up before one may enter: then the way is all that was made.
func (s *searcher) renew(ctx context.Context) error {
	frame, whole := s.played.Frame, slices.Clone(s.played.Steps)
	alike, err := s.replace(ctx, &s.alone, s.prefix, frame)
	if err != nil || alike {
		return err
	}
	if len(whole) > len(s.prefix) {
		if alike, err = s.replace(ctx, &s.alone, whole, frame); err != nil {
			return err
		}
		if alike {
			s.prefix = whole
			return nil
		}
	}
	return s.reopen(ctx, s.prefix, frame)
}

// revert makes the twins alike again as if the last input had not been made.
func (s *searcher) revert(ctx context.Context) error {
	s.lived += s.played.Seconds()
	return s.align(ctx, &s.played, s.alone.Frame)
}

// align replaces one of the twins by one at the end of the prefix, and both if they are not
// alike then.
func (s *searcher) align(ctx context.Context, t **twin.Twin, frame int) error {
	alike, err := s.replace(ctx, t, s.prefix, frame)
	if err != nil || alike {
		return err
	}
	return s.reopen(ctx, s.prefix, frame)
}

// takenBack: making the input again brought back what was there before.
func takenBack(ob record.Observation) bool {
	return len(ob.Repeats) > 0 && ob.Repeats[0].Back
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
	// As little as possible: what it changes may be beside it.
	const margin = 60
	by := offer.Box.Y + offer.Box.Height + margin - s.viewport.Height
	if by < 0 {
		by = min(0, offer.Box.Y-margin)
	}
	to := record.Point{X: at.X, Y: max(0, at.Y+by)}
	if err := s.sync(ctx, record.Input{Kind: record.InputScroll, At: to}); err != nil {
		return offer, err
	}
	s.scroll = s.played.Scroll(ctx)
	if err := s.read(ctx); err != nil {
		return offer, err
	}
	s.at.offers = s.now
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
	s.prefix = append(slices.Clone(s.prefix), s.lastStep())
	s.traces(ctx)
	return nil
}

// catchUp makes an input in the twin that was left alone that the other has got already.
func (s *searcher) catchUp(ctx context.Context, in record.Input) error {
	from := s.alone.Frame
	if err := s.alone.Take(ctx, in); err != nil {
		return err
	}
	if err := s.played.Pass(ctx, s.alone.Frame-from); err != nil {
		return err
	}
	s.prefix = append(slices.Clone(s.prefix), s.lastStep())
	s.traces(ctx)
	return nil
}

// anyKey is how many keys in a row bring what the one before brought when any key does.
const anyKey = 3
