package explore

import (
	"context"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/discover"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/record"
)

// shown marks lines that are better typed with a word that the screen shows.
const shown = "a word on the screen"

// inField are lines to type into a text field, and what puts the cursor into it
// and selects what stands there: what was typed in vain is written over.
func (e *Explorer) inField(c record.Control) (lines, before []game.Input) {
	// Some games want what they show, some a command, some a number.
	lines = []game.Input{{Text: "go\n", Label: shown}, {Text: "look\n", Label: shown}, {Text: "5\n"}, {Text: "look\n"}, {Text: "go", Label: shown}, {Text: "help\n"}}
	if slices.Contains(c.Sources, discover.Number) {
		lines = []game.Input{{Text: "5\n"}, {Text: "7\n"}, {Text: "2\n"}, {Text: "50"}}
	}
	for i := range lines {
		lines[i].Kind = game.Typing
	}
	field := game.Input{At: c.Box.Center(), Selector: c.Selector}
	return lines, []game.Input{{Kind: game.Other, Label: "put the cursor into the text field " + c.Text, Why: "to type into it", Do: func(ctx context.Context) error {
		return e.g.Select(ctx, game.Where(ctx, e.g.Page, field))
	}}}
}

// asShown is the line with the word that stands out most on the screen, or, when
// that was typed before, the next.
func (e *Explorer) asShown(ctx context.Context, line string) string {
	els, err := e.g.Probe.Elements(ctx, e.g.Page, browser.Point(e.g.Rect.Center()))
	if err != nil {
		return line
	}
	texts := els.Texts
	sort.SliceStable(texts, func(i, j int) bool { return texts[i].Size > texts[j].Size })
	var words []string
	for _, t := range texts {
		if t.InView && plainWord.MatchString(t.Text) {
			words = append(words, t.Text)
		}
	}
	if len(words) == 0 {
		words = []string{e.word(ctx, strings.TrimSpace(line))}
	}
	word := words[0]
	if i := slices.IndexFunc(words, func(w string) bool { return !e.typed[w] }); i >= 0 {
		word = words[i]
	}
	e.typed[word] = true
	if strings.HasSuffix(line, "\n") {
		word += "\n"
	}
	return word
}

// typedWell: the code that knows a text field ran each time, and each time something
// changed beside the field that otherwise stands still. A clock that runs does not
// hide that.
func (e *Explorer) typedWell(res *result, recognised bool) bool {
	if res.control.Type != record.ControlTyping || !recognised || len(e.idle) < leastIdle {
		return false
	}
	with, without := 0, 0
	for i, w := range e.idle {
		if w.Novelty(slices.Concat(e.idle[:i], e.idle[i+1:])...) > 0 {
			without++
		}
	}
	for _, w := range res.windows {
		if w.Novelty(e.idle...) > 0 {
			with++
		}
	}
	return with >= 2 && 3*with >= 2*len(res.windows) && 4*without <= len(e.idle)
}

var (
	plainWord = regexp.MustCompile(`^\p{L}{2,12}$`)
	// keyWord is a word that needs no more than keys.
	keyWord = regexp.MustCompile(`^[A-Za-z]{2,12}$`)
)

// word picks a word that stands on the screen, which is what typing games want
// to be typed, or else what was planned.
func (e *Explorer) word(ctx context.Context, planned string) string {
	r, err := e.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true})
	if err != nil {
		return planned
	}
	var words []string
	add := func(text string) {
		for _, w := range strings.Fields(text) {
			if keyWord.MatchString(w) && len(strings.Fields(text)) <= 2 {
				words = append(words, strings.ToLower(w))
			}
		}
	}
	for _, t := range r.Texts() {
		add(t.Text)
	}
	if texts, err := e.documentTexts(ctx); err == nil {
		for _, t := range texts {
			add(t)
		}
	}
	if len(words) == 0 {
		return planned
	}
	return words[e.rng.IntN(len(words))]
}
