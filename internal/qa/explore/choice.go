package explore

import (
	"context"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/internal/qa/words"
	"github.com/playtest-dev/playtest/record"
)

const (
	// maxChoices bounds the things that are chosen before a start can be pressed.
	maxChoices = 8
	// chosen is how long a page gets to let a choice take effect.
	chosen = 250 * time.Millisecond
)

// startByChoice starts a game whose only disabled button waits for a choice: who to
// play, on what. It chooses until the button can be pressed, and presses it.
func (e *Explorer) startByChoice(ctx context.Context) (began bool, err error) {
	if e.rec.Start.Started && !e.still() {
		return false, nil // it runs
	}
	locked, choices := e.lockedStart(ctx)
	if locked == nil || len(choices) == 0 || len(choices) > maxChoices || e.tried[tierChoice+" "+locked.Selector] {
		return false, nil
	}
	e.tried[tierChoice+" "+locked.Selector] = true
	before := e.startedBy
	for _, el := range choices {
		in := click(boxOf(el), el.Text)
		in.Why = "a button waits for a choice"
		at, scroll := e.g.SinceLoad(), e.scrolled(ctx)
		if err := e.g.Do(ctx, in, 0); err != nil {
			return false, e.g.Alive(ctx)
		}
		e.startedBy = append(slices.Clip(e.startedBy), replay.Try{Input: in, Scroll: scroll, At: at})
		e.g.Pause(ctx, chosen)
		open := e.unlocked(ctx, *locked)
		if open == nil {
			continue
		}
		e.idle = nil // of how it was before the choice
		return e.enter(ctx, gesture{
			input: click(boxOf(*open), open.Text), tier: tierChoice, strong: true, hit: true,
			button: &record.Control{Selector: open.Selector, Text: open.Text},
		})
	}
	e.startedBy = before
	return false, nil
}

// lockedStart finds the only disabled button of the page, and what can be clicked
// beside it.
func (e *Explorer) lockedStart(ctx context.Context) (locked *probe.Element, choices []probe.Element) {
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		return nil, nil
	}
	for i, el := range els.Elements {
		if !el.InView || el.Box.W <= 0 || leadsAway(el) || words.IsAside(el.Text) || words.IsAgain(el.Text) {
			continue
		}
		switch {
		case el.Disabled && el.Tag == "button":
			if locked != nil {
				return nil, nil // they are the game's
			}
			locked = &els.Elements[i]
		case el.Disabled || !el.Hit || el.Tag == "input" || el.Tag == "select" || el.Tag == "canvas":
		case el.Is("listener") || el.Is("native"):
			choices = append(choices, el)
		}
	}
	return locked, choices
}

// unlocked is the button as it is now, if it can be pressed by now.
func (e *Explorer) unlocked(ctx context.Context, was probe.Element) *probe.Element {
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(els.Elements, func(el probe.Element) bool {
		return el.Selector == was.Selector && !el.Disabled && el.Hit && el.InView
	})
	if i < 0 {
		return nil
	}
	return &els.Elements[i]
}
