package repro

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/qa/twin"
	"github.com/playtest-dev/playtest/record"
)

const (
	// follow is after how many frames the pages are compared; late, after how many
	// more when nothing differs yet: some effects show later.
	follow, late = 12, 30
	closeLimit   = 5 * time.Second
)

// Player replays claims of one game.
type Player struct {
	// Open opens a fresh browser context of the claim's window.
	Open twin.Opener
	// URL is where the game is now.
	URL string

	// painted: every frame of the pages is painted, which scenes that are drawn slowly do
	// not need. A game that paints now and then does.
	painted bool
}

// Outcome is what happened this time.
type Outcome struct {
	// Pixels of the half-size picture that differ because of the input.
	Pixels int `json:"pixels"`
	// Noise counts pixels that differed before it, which are left out.
	Noise int `json:"noise,omitempty"`
	// Error is the first line of what it threw, Hung why the page did not return.
	Error string `json:"error,omitempty"`
	Hung  string `json:"hung,omitempty"`
	// Left is where it led to, Loaded whether it loaded another document.
	Left   string `json:"left,omitempty"`
	Loaded bool   `json:"loaded,omitempty"`
}

// Same reports whether the outcome is what was claimed.
func (o *Outcome) Same(c *Claim) bool {
	switch c.Kind {
	case Hangs:
		return o.Hung != ""
	case Throws:
		return o.Error == c.Error
	case Works:
		return o.Hung == "" && o.Pixels >= record.LeastPixels
	case Dead:
		return o.Hung == "" && o.Error == "" && o.Pixels < record.LeastPixels && o.Left == "" && !o.Loaded
	}
	return false
}

// String says what happened.
func (o *Outcome) String() string {
	switch {
	case o.Hung != "":
		return "the page hangs"
	case o.Error != "":
		return "it throws " + o.Error
	case o.Left != "":
		return "it leads to " + o.Left
	case o.Loaded:
		return "it loads another page"
	case o.Pixels >= record.LeastPixels:
		return fmt.Sprintf("it changes %d points of the picture", o.Pixels)
	}
	return "it does nothing"
}

// Replay does in fresh pages what the claim says and tells what happened. An error
// means that the game could not be played. One goroutine at a time replays.
func (p *Player) Replay(ctx context.Context, c *Claim) (*Outcome, error) {
	out, stale, err := p.once(ctx, c)
	if err == nil && stale && !p.painted {
		p.painted = true
		out, _, err = p.once(ctx, c)
	}
	return out, err
}

// once replays a claim and reports whether a picture may have lacked what the page painted
// last.
func (p *Player) once(ctx context.Context, c *Claim) (_ *Outcome, stale bool, _ error) {
	var pages [2]*twin.Twin
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer cancel()
		for _, t := range pages {
			_ = t.Close(closing) // the browser is closed afterwards, and with it what is left
		}
	}()
	// Both get the inputs before; a page that hangs on the way shows no claim.
	if err := each(func(i int) (err error) {
		if pages[i], err = twin.Open(ctx, twin.Options{Context: p.Open, URL: p.URL, Size: c.Window, Patient: true, Paint: p.painted}); err != nil {
			return err
		}
		return pages[i].Replay(ctx, c.Prefix, c.Frame)
	}); err != nil {
		return nil, false, fmt.Errorf("bring the game to where it was: %w", err)
	}
	alone, played := pages[0], pages[1]
	before, mask, err := look(ctx, alone, played, nil)
	if err != nil {
		return nil, false, err
	}
	out := &Outcome{Noise: before.Pixels}
	thrown := func() int {
		return played.Page.Log().Counts().Exceptions - alone.Page.Log().Counts().Exceptions
	}
	loads := func() int { return played.Loads() - alone.Loads() }
	threwBefore, loadsBefore := thrown(), loads()
	scroll := played.Scroll(ctx)
	var held [2]*image.RGBA // some effects are gone when the input is let go
	err = each(func(i int) error {
		t := pages[i]
		var err error
		if i == 1 {
			held[i], err = t.TakeAndLook(ctx, c.Input)
		} else if err = t.Forgo(ctx, c.Input); err == nil {
			held[i], err = t.Picture(ctx)
		}
		if err != nil {
			return err
		}
		if err := t.Pass(ctx, follow); err != nil {
			return err
		}
		if c.Input.Scrolls() {
			t.Tidy(ctx, c.Input, scroll)
		}
		return nil
	})
	if errors.Is(err, twin.ErrHung) {
		out.Hung = err.Error()
		return out, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("make the input: %w", err)
	}
	if c.Passes {
		out.Pixels = twin.Compare(held[0], held[1], mask).Pixels
	}
	for _, more := range []int{0, late} {
		if out.Pixels >= record.LeastPixels {
			break
		}
		if err := each(func(i int) error { return pages[i].Pass(ctx, more) }); err != nil {
			if errors.Is(err, twin.ErrHung) {
				out.Hung = err.Error()
				return out, false, nil
			}
			return nil, false, fmt.Errorf("watch what follows: %w", err)
		}
		diff, _, err := look(ctx, alone, played, mask)
		if err != nil {
			return nil, false, err
		}
		out.Pixels = diff.Pixels
	}
	if thrown() > threwBefore {
		all := played.Page.Log().Exceptions()
		out.Error = "an error"
		if len(all) > 0 {
			out.Error = firstLine(all[len(all)-1].Text)
		}
	}
	out.Left, out.Loaded = played.Left(), loads() > loadsBefore
	for _, t := range pages {
		t.Trace(ctx)
		stale = stale || t.Stale
	}
	return out, stale, nil
}

// each does something with both pages at once.
func each(do func(i int) error) error {
	var wg sync.WaitGroup
	var errs [2]error
	for i := range errs {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

// look compares what the pages show, and returns where they differ as a mask. On a
// busy machine a page's last frame may reach its picture late, so a difference
// counts when a second look shows it.
func look(ctx context.Context, alone, played *twin.Twin, mask twin.Mask) (twin.Difference, twin.Mask, error) {
	var d twin.Difference
	var shots [2]*image.RGBA
	for range 2 {
		if err := each(func(i int) (err error) {
			shots[i], err = []*twin.Twin{alone, played}[i].Picture(ctx)
			return err
		}); err != nil {
			return d, nil, fmt.Errorf("compare the pages: %w", err)
		}
		if d = twin.Compare(shots[0], shots[1], mask); d.Pixels == 0 {
			return d, mask, nil
		}
	}
	if mask == nil {
		mask = twin.Mask{}
		mask.Add(shots[0], shots[1])
	}
	return d, mask, nil
}
