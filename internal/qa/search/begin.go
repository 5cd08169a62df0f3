package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

// begin opens the twins and waits in game time until there is something to see.
func (s *searcher) begin(ctx context.Context) error {
	err := s.openAlike(ctx)
	if s.Small != nil && (errors.Is(err, twin.ErrHung) || err == nil && s.played.Slow() && s.scene(ctx)) {
		s.close(ctx)
		s.open, s.viewport = s.Small, s.SmallViewport
		err = s.openAlike(ctx)
	} else if err == nil {
		err = s.grow(ctx)
	}
	if err != nil {
		return fmt.Errorf("open the game twice: %w", err)
	}
	s.rec.Opened, s.rec.Window = true, s.viewport
	before := s.seen.alone
	s.rec.Repeatable, s.rec.Noise = s.seen.diff.Share < unrepeatable, s.seen.diff.Share
	for waited := time.Duration(0); ; waited += 2 * time.Second {
		if s.rec.Blank = twin.Uniform(s.seen.alone); !s.rec.Blank || waited >= blankFor {
			break
		}
		if err := s.pass(ctx, twin.Frames(2*time.Second)); err != nil {
			return err
		}
		if err := s.look(ctx, false); err != nil {
			return err
		}
		before = s.seen.alone
	}
	if err := s.pass(ctx, animatedFor); err != nil {
		return err
	}
	s.traces(ctx)
	if err := s.look(ctx, false); err != nil {
		return err
	}
	s.dialogs = s.played.Page.Log().Counts().Dialogs
	s.rec.Asked = s.played.Questions()
	s.rec.Drawing, s.rec.Lacking = s.played.Active, lacking(s.played.Page.Log())
	s.rec.Animated = twin.Compare(before, s.seen.alone).Pixels >= record.LeastPixels
	if err := s.bring(ctx); err != nil {
		return err
	}
	return s.enter(ctx, byItself)
}

// grow opens the twins in a larger window if that shows all of a page that the usual one
// cuts off: a player would see what lies below, and the browser scrolls nothing.
func (s *searcher) grow(ctx context.Context) error {
	if s.Large == nil {
		return nil
	}
	if err := s.read(ctx); err != nil {
		return err
	}
	size := s.now.Grown(s.viewport)
	if size == s.viewport {
		return nil
	}
	s.close(ctx)
	s.open, s.viewport = s.Large(size), size
	return s.openAlike(ctx)
}

// bring brings the game's canvas into view, as a player does who finds it below the window.
func (s *searcher) bring(ctx context.Context) error {
	if err := s.read(ctx); err != nil || s.now.Under == 0 {
		return err
	}
	at := s.played.Scroll(ctx)
	in := record.Input{Kind: record.InputScroll, At: record.Point{X: at.X, Y: at.Y + s.now.Under}}
	if err := s.sync(ctx, in); err != nil {
		return err
	}
	s.scroll = s.played.Scroll(ctx)
	s.base = []record.Step{{Frame: twin.WarmUp, Input: in}}
	return s.look(ctx, false)
}

// traces reads what the twins drew, and what time it was in the one that is played.
func (s *searcher) traces(ctx context.Context) (a, b twin.Trace) {
	const racing = 6 // a pace at which no person can play
	a, b = s.pair.traces(ctx)
	for _, c := range s.played.Stretches {
		s.rec.Pace.Stretches++
		switch {
		case c.Told == 0:
			s.rec.Pace.Stood++
		case c.Told > racing*c.Passed:
			s.rec.Pace.Raced++
		}
	}
	s.played.Stretches = nil
	return a, b
}

// lacking reports whether a script is missing, or stopped with an error.
func lacking(log *browser.Log) bool {
	lost := func(q browser.Request) bool { return q.Type == "Script" && q.Lost() != "" }
	return log.Counts().Exceptions > 0 || slices.ContainsFunc(log.Requests(), lost)
}

// scene reports whether a WebGL canvas fills the window, so that a smaller window means
// less to draw and nothing lost.
func (s *searcher) scene(ctx context.Context) bool {
	const most = 0.9
	r, err := s.played.Probe.Read(ctx, s.played.Page, nil)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(r.Canvases(), func(c probe.Canvas) bool {
		return strings.HasPrefix(c.Kind, "webgl") && c.W >= most*s.viewport.Width && c.H >= most*s.viewport.Height
	})
}

// openAlike opens the twins, again if they do not show the same: what a game loads may
// have come in another frame in each.
func (s *searcher) openAlike(ctx context.Context) error {
	for range maxOpens {
		s.mask, s.stray = nil, 0
		painted := s.paint
		if err := s.reopen(ctx, nil, twin.Frames(settleFor)); err != nil || s.mask == nil && s.paint == painted {
			return err
		}
	}
	return nil
}
