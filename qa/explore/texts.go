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
	e.mutations = r.Mutated()
	for _, t := range slices.Concat(texts, e.offered, e.sceneTexts(ctx)) {
		e.known[game.Shape(t)] = true
	}
}

// sceneTexts are those that an engine says are written in its scene. Most are painted
// once and stay: from the painting nobody can tell whether they are still there.
func (e *Explorer) sceneTexts(ctx context.Context) []string {
	if e.g.Record.Load.Engine.Name == "" {
		return nil
	}
	engine, _ := e.g.Probe.Engine(ctx, e.g.Page) // one that does not answer says nothing
	var out []string
	for _, o := range slices.Concat(engine.Texts, engine.Objects) {
		if e.g.Rect.Contains(placeOf(o).Center()) {
			out = append(out, o.Text)
		}
	}
	return out
}

// documentTexts are the visible texts of the documents. What offers another round there
// is noted.
func (e *Explorer) documentTexts(ctx context.Context) ([]string, error) {
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		return nil, err
	}
	e.offered = nil
	for _, el := range els.Elements {
		if el.Href != "" {
			e.links[host(el.Href)] = true
		}
		if words.IsAgain(el.Text) && el.InView && el.Hit && !el.Disabled {
			e.offered = append(e.offered, el.Text)
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
