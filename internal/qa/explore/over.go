package explore

import (
	"context"
	"slices"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/words"
)

// roundOver finds what tells that a round is over: a text that says so, or something to
// press for another round that was not there while this one ran. Some games say the rest
// with a picture.
func (e *Explorer) roundOver(ctx context.Context) (string, bool, error) {
	text, over, err := e.overText(ctx)
	if err != nil || over {
		return text, over, err
	}
	scene := e.scene(ctx)
	for _, t := range scene.Texts {
		if e.saysOver(t.Text) {
			return t.Text, true, nil
		}
	}
	for _, label := range e.offers(scene) {
		if !e.known[game.Shape(label)] {
			return label, true, nil
		}
	}
	return "", false, nil
}

// offers are what can be pressed for another round, elements and things of a scene.
func (e *Explorer) offers(scene probe.Engine) []string {
	out := slices.Clone(e.offered)
	for _, o := range scene.Objects {
		if words.IsAgain(o.Text) || words.NamesAgain(o.Text) {
			out = append(out, o.Text)
		}
	}
	return out
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

// beside notes what offers another round when one has just begun, so that it does not pass
// for the end of one.
func (e *Explorer) beside(ctx context.Context) {
	if _, over, err := e.overText(ctx); err != nil || over {
		return
	}
	for _, label := range e.offers(e.scene(ctx)) {
		e.known[game.Shape(label)] = true
	}
}
