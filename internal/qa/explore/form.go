package explore

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/replay"
	"github.com/playtest-dev/playtest/internal/qa/words"
)

// names are what players are called who are asked.
var names = []string{"Ann", "Ben", "Cleo", "Dan"}

// maxForms bounds how often a page is filled in, which may ask one thing after the other.
const maxForms = 3

// fillIn answers what stands beside a button that starts the game or leads on: who
// plays, at which level. Many games do not begin before they are told.
func (e *Explorer) fillIn(ctx context.Context) error {
	if e.forms >= maxForms || e.rec.Start.Started {
		return nil
	}
	fields := e.blanks(ctx)
	if len(fields) == 0 {
		return nil
	}
	e.forms++
	for i, el := range fields {
		for _, in := range answer(el, names[i]) {
			in.Why = "a game may want to be told before it begins"
			at, scroll := e.g.SinceLoad(), e.scrolled(ctx)
			if err := e.g.Do(ctx, in, 0); err != nil {
				return e.g.Alive(ctx)
			}
			e.startedBy = append(slices.Clip(e.startedBy), replay.Try{Input: in, Scroll: scroll, At: at})
			if el.Tag == "select" {
				e.g.Pause(ctx, chosen)
			}
		}
	}
	e.idle = nil // of how it was before
	return e.watchIdle(ctx, 1)
}

// answer is what a player does with a field: write a name, take the next entry of a list,
// or mark a choice.
func answer(el probe.Element, name string) []game.Input {
	into := click(boxOf(el), el.Text)
	switch {
	case el.Tag == "select":
		return []game.Input{into, {Kind: game.KeyPress, Key: "ArrowDown"}, {Kind: game.KeyPress, Key: "Enter"}}
	case el.Type == "radio":
		return []game.Input{into}
	}
	return []game.Input{into, {Kind: game.Typing, Text: name, Label: el.Text}}
}

// blanks are the fields without an answer on a page with a button that leads on, none
// where there are too many for a form. Of choices that exclude each other the first stands
// for all.
func (e *Explorer) blanks(ctx context.Context) []probe.Element {
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		return nil
	}
	var fields []probe.Element
	leadsOn, marked := false, false
	for _, el := range els.Elements {
		switch {
		case !el.InView || el.Box.W <= 0 || el.Child:
		case el.Tag == "select", el.Tag == "input" && slices.Contains([]string{"", "text", "radio"}, el.Type):
			if !el.Hit || el.Disabled || marked && el.Type == "radio" {
				continue
			}
			marked = marked || el.Type == "radio"
			fields = append(fields, el)
		case words.IsStart(el.Text) || words.IsContinue(el.Text):
			leadsOn = true
		}
	}
	if !leadsOn || len(fields) > len(names) {
		return nil
	}
	return slices.DeleteFunc(fields, func(el probe.Element) bool { return !e.blank(ctx, el) })
}

// blank reports whether a field has no answer yet.
func (e *Explorer) blank(ctx context.Context, el probe.Element) bool {
	var blank bool
	expr := fmt.Sprintf(`(() => {
		const f = document.querySelector(%s);
		if (!f || f.readOnly) return false;
		if (f.type === 'radio') return !!f.name && ![...document.getElementsByName(f.name)].some((o) => o.checked);
		return f.value === '' && (f.localName !== 'select' || f.options.length > 1);
	})()`, strconv.Quote(el.Selector))
	err := e.g.Page.MainFrame().EvaluateIsolated(ctx, expr, &blank)
	return err == nil && blank
}
