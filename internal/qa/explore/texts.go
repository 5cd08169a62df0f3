package explore

import (
	"context"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
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
	for _, t := range slices.Concat(texts, e.offered) {
		e.known[game.Shape(t)] = true
	}
	scene := e.scene(ctx)
	for _, o := range slices.Concat(scene.Objects, scene.Texts) {
		e.known[game.Shape(o.Text)] = true
	}
}

// scene is what an engine says is in its scene and can be seen. Most texts there are
// painted once and stay: from the painting nobody can tell whether they are still there.
func (e *Explorer) scene(ctx context.Context) probe.Engine {
	if e.g.Record.Load.Engine.Name == "" {
		return probe.Engine{}
	}
	engine, _ := e.g.Probe.Engine(ctx, e.g.Page) // one that does not answer has nothing to show
	hidden := func(o probe.Object) bool { return !e.g.Rect.Contains(placeOf(o).Center()) }
	engine.Objects, engine.Texts = slices.DeleteFunc(engine.Objects, hidden), slices.DeleteFunc(engine.Texts, hidden)
	return engine
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
			e.links[game.Host(el.Href)] = true
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
