package search

import (
	"context"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/qa/screen"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// attempt tries one offer.
func (s *searcher) attempt(ctx context.Context, offer screen.Offer) error {
	s.at.try(offer)
	if s.proven {
		s.after++
	}
	if offer.Below {
		var err error
		if offer, err = s.reveal(ctx, offer); err != nil {
			return err
		}
		s.at.try(offer)
	}
	ob := s.observation(offer.Input, offer.Source)
	ob.Noise, ob.Elsewhere = s.stray, s.played.Moved()
	painted, dialogs := s.paint, len(s.played.Page.Log().Dialogs())
	o, err := s.tryFilled(ctx, offer.Input, offer.Styled)
	if err == nil && s.paint != painted {
		// What it painted was not to be seen.
		if err = s.back(ctx); err == nil {
			o, err = s.trySeeded(ctx, offer.Input, offer.Styled)
		}
	}
	if err != nil {
		if s.played == nil || !offer.Input.Pressed() || ctx.Err() != nil {
			return err
		}
		question, asked := s.played.Asked(dialogs)
		if !asked {
			return err
		}
		// It asks for ever, until the answer is right.
		if err := s.back(ctx); err != nil {
			return err
		}
		return s.interview(ctx, ob, question, s.asksWhenPressed(offer, s.played.Frame))
	}
	o.fill(&ob)
	ob.Unhandled = s.traced && !o.trace || s.ticks(o)
	if o.trace && !o.effect() && s.scroll.Y > 0 {
		// What it changed may be where the page was scrolled from.
		v, err := s.lookAbove(ctx)
		if err != nil {
			return err
		}
		if v.diff.Pixels >= record.LeastPixels {
			o.view = v
			o.fill(&ob)
		}
	}
	if o.left == "" && o.loaded && len(s.screens[0].offers.Canvases) > 0 {
		// The page has a game on it: what another page of the site does is not its doing.
		o.left = s.played.Elsewhere()
		ob.Left = o.left
	}
	switch {
	case o.left != "":
		s.observe(ob)
		return s.back(ctx)
	case o.effect():
		s.dead, s.pointed = 0, nil
		if o, err = s.earlier(ctx, offer, o); err != nil {
			return err
		}
		o.fill(&ob)
		ob.Seconds = float64(s.lastStep().Frame) / twin.FramesPerSecond
		if !o.effect() { // it came only once
			s.observe(ob)
			return s.back(ctx)
		}
		return s.followUp(ctx, offer, ob, o)
	case o.trace || o.loaded:
		alike, err := s.stillAlike(ctx)
		if err != nil {
			return err
		}
		if alike && !o.loaded {
			if ob.Dialog {
				break // that is what it shows
			}
			before, step := s.prefix, s.lastStep()
			flashed, err := s.flash(ctx, offer, ob)
			if err != nil || flashed || !s.choosable(offer) {
				return err
			}
			return s.choose(ctx, offer, before, step)
		}
		s.observe(ob)
		// The twins are not alike any more, though nobody can see it.
		if s.hidden++; s.hidden > maxHidden {
			s.traced = false
			return nil
		}
		question, asked := s.played.Asked(dialogs)
		if err := s.back(ctx); err != nil {
			return err
		}
		_, err = s.otherwise(ctx, offer, ob, question, asked)
		return err
	}
	s.observe(ob)
	if ob.Dialog {
		all := s.played.Page.Log().Dialogs()
		s.refused(offer, all[min(dialogs, len(all)):])
	}
	question, asked := s.played.Asked(dialogs)
	if again, err := s.otherwise(ctx, offer, ob, question, asked); err != nil || again {
		return err
	}
	if offer.Input.Pressed() {
		s.pointed = append(s.pointed, offer)
	}
	if s.singly && s.unchosen != nil && pressesElement(offer) {
		return s.back(ctx)
	}
	return s.check(ctx)
}

// otherwise presses again what was answered by a dialog alone: with other answers, or with
// something else in the fields. It reports whether it did.
func (s *searcher) otherwise(ctx context.Context, offer screen.Offer, ob record.Observation, question string, asked bool) (bool, error) {
	switch {
	case offer.Input.Kind != record.InputClick:
		return false, nil
	case asked && offer.Input.Text == "":
		return true, s.answer(ctx, offer, question)
	case ob.Dialog && s.at.filled:
		return true, s.reword(ctx, offer)
	}
	return false, nil
}

// refused notes what was answered by a dialog alone. Where another dialog says something new, as
// that one has signed up, what was refused before may work now.
func (s *searcher) refused(offer screen.Offer, dialogs []browser.Dialog) {
	for _, d := range dialogs {
		if s.messages[d.Message] || len(s.messages) >= maxMessages {
			continue
		}
		s.messages[d.Message] = true
		for id := range s.denied {
			delete(s.at.tried, id)
		}
		clear(s.denied)
	}
	s.denied[offer.ID] = true
}

// answer presses again what asked the player something that was not answered as it wants.
func (s *searcher) answer(ctx context.Context, offer screen.Offer, question string) error {
	effects, id := s.effects, offer.ID
	for _, text := range screen.Replies(question) {
		offer.Input.Text, offer.ID = text, id+":"+text
		if err := s.attempt(ctx, offer); err != nil || s.effects > effects {
			return err
		}
	}
	offer.Input.Text, offer.ID = "", id
	ob := s.observation(offer.Input, offer.Source)
	return s.interview(ctx, ob, question, s.asksWhenPressed(offer, s.played.Frame))
}

// earlier brings the twins to the moment at which the present screen began and makes the
// input there, if every return to the present moment would cost much more. If it does
// something else then, the twins are brought back.
func (s *searcher) earlier(ctx context.Context, offer screen.Offer, o outcome) (outcome, error) {
	now, began := s.lastStep().Frame, s.began()
	if time.Duration(now-began)*s.played.Cost() < longReplay {
		return o, nil
	}
	for _, frame := range []int{began, now} {
		if err := s.openAt(ctx, s.prefix, frame); err != nil {
			return o, err
		}
		again, err := s.trySeeded(ctx, offer.Input, offer.Styled)
		if err != nil {
			return o, err
		}
		if frame == now || again.effect() && again.left == "" && twin.Sign(again.played).Apart(twin.Sign(o.played)) < screenApart {
			return again, nil
		}
	}
	return o, nil
}

// began is the frame at which the present screen was there, as far as it is known.
func (s *searcher) began() int {
	frame := s.at.frame
	if n := len(s.prefix); n > 0 {
		frame = max(frame, s.prefix[n-1].Frame+twin.FramesPerSecond)
	}
	return min(frame, s.lastStep().Frame)
}

// choosable reports whether pressing an offer may have chosen it though nothing shows that: other
// things are to be pressed then.
func (s *searcher) choosable(offer screen.Offer) bool {
	return pressesElement(offer) && s.silent < maxSilent && !s.proven
}

// pressesElement reports whether an offer clicks something of the document.
func pressesElement(offer screen.Offer) bool {
	return offer.Source == screen.Element && offer.Input.Kind == record.InputClick
}

// choose goes on with what was pressed, as if it were chosen now, until all was tried.
func (s *searcher) choose(ctx context.Context, offer screen.Offer, before []record.Step, step record.Step) error {
	s.silent++
	s.singly = false
	if s.unchosen == nil {
		s.unchosen = append([]record.Step{}, before...) // not nil where nothing came before
	}
	s.prefix = append(slices.Clone(s.unchosen), step)
	if err := s.reopen(ctx, s.prefix, step.Frame+twin.FramesPerSecond); err != nil {
		return err
	}
	s.at.forget(promising, nil)
	s.at.try(offer)
	return nil
}

// flash looks at an input again that the game drew something for which is gone now: it
// may be seen while the input is held. It reports whether it is.
func (s *searcher) flash(ctx context.Context, offer screen.Offer, ob record.Observation) (bool, error) {
	if s.flashes++; s.flashes > maxFlashes {
		s.observe(ob)
		return false, nil
	}
	v, err := s.hold(ctx, ob.Input)
	if err != nil {
		return false, err
	}
	if offer.Native {
		itself := twin.Mask{} // the browser shows that it is pressed
		itself.AddRect(offer.Box)
		v.diff = twin.Compare(v.alone, v.played, s.mask, s.fields, itself)
	}
	seen := v.diff.Pixels >= record.LeastPixels
	if seen {
		ob.Pixels, ob.Area, ob.Cells = v.diff.Pixels, v.diff.Area, v.diff.Cells
		ob.Later, ob.Repeats = 0, []record.Repeat{{Pixels: v.diff.Pixels}}
		if s.Keep != nil {
			ob.Before, ob.After = s.Keep("without", v.alone), s.Keep("with", v.played)
		}
	}
	s.observe(ob)
	return seen, nil
}

// check looks again now and then: the screen may have changed by itself, and the trace
// may have missed something.
func (s *searcher) check(ctx context.Context) error {
	if s.dead++; s.dead < checkEvery || s.proven {
		return nil
	}
	pointed := s.pointed
	s.dead, s.pointed = 0, nil
	if err := s.pass(ctx, painted); err != nil {
		return err
	}
	if err := s.look(ctx, false); err != nil {
		return err
	}
	if s.traced && s.differs() {
		// The browser itself scrolls, selects and shows where the focus is.
		if err := s.both(func(t *twin.Twin) error {
			t.Tidy(ctx, record.Input{Kind: record.InputDrag}, s.scroll)
			t.Blur(ctx)
			return t.Pass(ctx, painted)
		}); err != nil {
			return err
		}
		a, b := s.traces(ctx)
		waits := a.Frames + a.Timers + b.Frames + b.Timers
		if err := s.look(ctx, false); err != nil {
			return err
		}
		if s.differs() {
			// One of the inputs had an effect that was drawn in a way the trace does not know,
			// unless no code waits to draw anything.
			if s.untraceable = waits > 0; s.untraceable {
				clear(s.at.tried)
			}
			return s.back(ctx)
		}
	}
	from := s.at
	if err := s.enter(ctx, byItself); err != nil || s.at.id != len(s.screens)-1 || s.at == from || len(pointed) == 0 {
		return err
	}
	return s.point(ctx, from, pointed)
}

// point finds out whether the present screen, which is new, came by itself or because of the
// pointer, which comes to what is pressed in both twins. If so it is pointed there again, which
// is an input of its own then.
func (s *searcher) point(ctx context.Context, from *known, pointed []screen.Offer) error {
	if err := s.back(ctx); err != nil || s.at != from {
		return err
	}
	s.screens = s.screens[:len(s.screens)-1] // nothing is known of how to get there
	effects := s.effects
	for _, offer := range pointed {
		offer.ID, offer.Input.Kind = "point:"+offer.ID, record.InputHover
		if err := s.attempt(ctx, offer); err != nil || s.effects > effects {
			return err
		}
	}
	return nil
}

// differs reports whether the twins look different.
func (s *searcher) differs() bool { return s.seen.diff.Pixels > max(s.stray, record.LeastPixels) }

// stillAlike reports whether the twins go on drawing the same.
func (s *searcher) stillAlike(ctx context.Context) (bool, error) {
	if err := s.pass(ctx, idleWindow); err != nil {
		return false, err
	}
	a, b := s.traces(ctx)
	return a == b, nil
}

// ticks reports whether all that changed is one check box, which the browser draws: when it is
// pressed, or its label.
func (s *searcher) ticks(o outcome) bool {
	const edge = 4
	in := o.diff.Area
	return o.effect() && slices.ContainsFunc(s.now.Ticks, func(box record.Rect) bool {
		return in.X >= box.X-edge && in.Y >= box.Y-edge && in.X+in.Width <= box.X+box.Width+edge && in.Y+in.Height <= box.Y+box.Height+edge
	})
}
