package explore

import (
	"context"
	"slices"
	"strings"

	"playtest/browser"
	"playtest/browser/probe"
	"playtest/qa/game"
	"playtest/qa/words"
)

// rememberTexts notes what is written on the screen before anything was done.
func (e *Explorer) rememberTexts(ctx context.Context) {
	r, err := e.g.Read(ctx, nil)
	if err != nil {
		return
	}
	for _, t := range r.Texts() {
		e.known[game.Shape(t.Text)] = true
	}
	texts, err := e.documentTexts(ctx)
	if err != nil {
		return
	}
	for _, t := range texts {
		e.known[game.Shape(t)] = true
	}
	e.mutations = r.Mutated()
}

// documentTexts are the visible texts of the documents.
func (e *Explorer) documentTexts(ctx context.Context) ([]string, error) {
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		return nil, err
	}
	for _, el := range els.Elements {
		if el.Href != "" {
			e.links[host(el.Href)] = true
		}
	}
	var out []string
	for _, t := range els.Texts {
		if t.InView {
			out = append(out, t.Text)
		}
	}
	return out, nil
}

// overText finds text that says a round is over. Words that were on the screen
// from the start, such as a list of rules, do not count.
func (e *Explorer) overText(ctx context.Context) (string, bool, error) {
	return e.overWithin(ctx, 500)
}

// overWithin is overText for what was painted within the last milliseconds.
func (e *Explorer) overWithin(ctx context.Context, ms float64) (string, bool, error) {
	r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true, MaxAge: 400})
	if err != nil {
		if gone := e.g.Alive(ctx); gone != nil {
			return "", false, gone
		}
		return "", false, nil
	}
	for _, t := range r.Texts() {
		if t.Last < ms && e.saysOver(t.Text) {
			return t.Text, true, nil
		}
	}
	if mutations := r.Mutated(); mutations != e.mutations || e.stuckOver != "" {
		e.mutations = mutations
		texts, err := e.documentTexts(ctx)
		if err != nil {
			return "", false, nil
		}
		for _, t := range texts {
			if e.saysOver(t) {
				return t, true, nil
			}
		}
	}
	return "", false, nil
}

func (e *Explorer) saysOver(text string) bool {
	if len(text) > 120 || !words.SaysOver(text) {
		return false
	}
	return !e.known[game.Shape(text)]
}

// saysSomething: the last thing the game did was to show a text that was not there
// before, or a button that leads on from an end.
func (e *Explorer) saysSomething(ctx context.Context) bool {
	r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true, MaxAge: 6000})
	if err != nil {
		return false
	}
	for _, t := range r.Texts() {
		if t.Age < 6000 && t.Count <= 4 && len(strings.Fields(t.Text)) >= 1 && !e.known[game.Shape(t.Text)] && len(game.Shape(t.Text)) > 3 {
			return true
		}
	}
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	return err == nil && slices.ContainsFunc(els.Elements, func(el probe.Element) bool {
		leadsOn := words.Of(el.Text) == words.Again || words.Of(el.Text) == words.Continue
		return leadsOn && el.InView && el.Hit && !el.Disabled && !e.known[game.Shape(el.Text)]
	})
}
