package explore

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"playtest"
	"playtest/browser"
	"playtest/browser/probe"
	"playtest/qa/game"
	"playtest/qa/replay"
	"playtest/qa/words"
)

// names are what players are called who are asked.
var names = []string{"Ann", "Ben", "Cleo", "Dan"}

// giveNames writes names into the empty text fields beside a start button. Many
// games want to know who plays before they begin.
func (e *Explorer) giveNames(ctx context.Context) error {
	if e.introduced || e.rec.Start.Started || !slices.ContainsFunc(e.g.Record.Discover.Controls, isField) {
		return nil
	}
	fields := e.nameFields(ctx)
	if len(fields) == 0 || len(fields) > len(names) {
		return nil
	}
	e.introduced = true
	for i, el := range fields {
		into, name := click(boxOf(el), el.Text), game.Input{Kind: game.Typing, Text: names[i], Label: el.Text}
		for _, in := range []game.Input{into, name} {
			in.Why = "a game may want to know who plays"
			at, scroll := e.g.SinceLoad(), e.scrolled(ctx)
			if err := e.g.Do(ctx, in, 0); err != nil {
				return e.g.Alive(ctx)
			}
			e.startedBy = append(slices.Clip(e.startedBy), replay.Try{Input: in, Scroll: scroll, At: at})
		}
	}
	e.idle = nil // of how it was before
	return e.watchIdle(ctx, 1)
}

func isField(c playtest.Control) bool { return c.Type == playtest.ControlTyping && c.Box != nil }

// nameFields are the empty text fields on a page with a start button.
func (e *Explorer) nameFields(ctx context.Context) []probe.Element {
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		return nil
	}
	var fields []probe.Element
	start := false
	for _, el := range els.Elements {
		switch {
		case !el.InView || el.Box.W <= 0 || el.Child:
		case el.Tag == "input" && (el.Type == "" || el.Type == "text") && el.Hit && !el.Disabled:
			if e.empty(ctx, el) {
				fields = append(fields, el)
			}
		case words.IsStart(el.Text):
			start = true
		}
	}
	if !start {
		return nil
	}
	return fields
}

func (e *Explorer) empty(ctx context.Context, el probe.Element) bool {
	var empty bool
	err := e.g.Page.MainFrame().EvaluateIsolated(ctx, fmt.Sprintf("document.querySelector(%s)?.value === ''", strconv.Quote(el.Selector)), &empty)
	return err == nil && empty
}
