package onlooker

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

//go:embed indicators.js
var askElements string

// Indicators are the success indicators of a game's metadata, watched while
// somebody plays it.
type Indicators struct {
	g    *game.Game
	list []indicator
}

type indicator struct {
	metadata.SuccessIndicator
	met    bool
	detail string
	// first is what was seen at the first look, by what was looked at.
	first map[string]string
}

// element is what indicators.js says of a selector.
type element struct {
	Shown       bool
	Text, Looks string
}

// NewIndicators are those of the game's metadata, of which none was looked for yet.
func NewIndicators(g *game.Game) *Indicators {
	in := &Indicators{g: g}
	if m := g.Record.Target.Metadata; m != nil {
		for _, s := range m.SuccessIndicators {
			in.list = append(in.list, indicator{SuccessIndicator: s, first: map[string]string{}})
		}
	}
	return in
}

// Look looks for the indicators that were not met yet and returns how many of
// them are met now. A page that does not answer shows none.
func (in *Indicators) Look(ctx context.Context) (met int) {
	var open []*indicator
	var selectors []string
	for i := range in.list {
		if each := &in.list[i]; !each.met {
			open, selectors = append(open, each), append(selectors, each.Selector)
		}
	}
	if len(open) == 0 {
		return 0
	}
	r, err := in.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true})
	if err != nil {
		return 0
	}
	seen := in.elements(ctx, selectors)
	for i, each := range open {
		switch each.Type {
		case metadata.SuccessElementVisible:
			in.visible(ctx, each, seen[i], r)
		case metadata.SuccessScoreChange:
			in.score(ctx, each, seen[i], r)
		default:
			if e := seen[i]; e != nil && e.Shown {
				each.compare(each.Selector, e.Looks, each.Selector+" changed in the document")
			}
		}
		if each.met {
			met++
		}
	}
	return met
}

// Met counts the indicators that were met.
func (in *Indicators) Met() int {
	n := 0
	for _, each := range in.list {
		if each.met {
			n++
		}
	}
	return n
}

// Merge notes in results of the same indicators what was met while they were
// watched here.
func (in *Indicators) Merge(results []record.IndicatorResult) {
	for i := range results {
		if i < len(in.list) && in.list[i].met && !results[i].Met {
			results[i].Met, results[i].Detail = true, in.list[i].detail+", in play"
		}
	}
}

// elements asks all frames for the selectors. The first frame that has one answers.
func (in *Indicators) elements(ctx context.Context, selectors []string) []*element {
	out := make([]*element, len(selectors))
	list, err := json.Marshal(selectors)
	if err != nil {
		return out // strings always encode
	}
	expr := fmt.Sprintf("(%s)(%s)\n//# sourceURL=playtest:indicators", askElements, list)
	for _, f := range in.g.Page.Frames() {
		var found []*element
		if err := f.Evaluate(ctx, expr, &found); err != nil || len(found) != len(out) {
			continue
		}
		for i, e := range found {
			if out[i] == nil {
				out[i] = e
			}
		}
	}
	return out
}

func (in *Indicators) visible(ctx context.Context, each *indicator, e *element, r *probe.Reading) {
	switch {
	case e != nil && e.Shown:
		each.met, each.detail = true, each.Selector+" was seen"
	case each.Pattern != "" && load.Indicator(ctx, in.g, r, "", each.Pattern).Met:
		each.met, each.detail = true, fmt.Sprintf("the text %q was seen", each.Pattern)
	}
}

// score compares a text with what it was at first: that of the element, or those
// on the screen that bear the pattern or speak of a score.
func (in *Indicators) score(ctx context.Context, each *indicator, e *element, r *probe.Reading) {
	if each.Selector != "" {
		if e != nil {
			each.compare(each.Selector, e.Text, "")
		}
		return
	}
	newest := map[string]probe.Text{}
	for _, t := range r.Texts() {
		shape := game.Shape(t.Text)
		if had, ok := newest[shape]; !ok || t.Last < had.Last {
			newest[shape] = t
		}
	}
	texts := map[string]string{}
	for shape, t := range newest {
		texts[shape] = t.Text
	}
	if els, err := in.g.Probe.Elements(ctx, in.g.Page, browser.Point(in.g.Rect.Center())); err == nil {
		for _, t := range els.Texts {
			if t.InView {
				texts[game.Shape(t.Text)] = t.Text
			}
		}
	}
	for shape, text := range texts {
		if each.speaks(text) {
			each.compare(shape, text, "")
		}
	}
}

var scores = regexp.MustCompile(`(?i)score|points|pts\b|punkte|puntos|puntaje|pontos|punteggio|очки|счёт|wynik|puan|得分|分数|スコア|점수`)

// speaks reports whether a text with a number is one that the indicator means.
func (each *indicator) speaks(text string) bool {
	if game.Shape(text) == text {
		return false // no number in it
	}
	if each.Pattern != "" {
		return strings.Contains(strings.ToLower(text), strings.ToLower(each.Pattern))
	}
	return scores.MatchString(text)
}

// compare meets the indicator when something is not what it was at first.
func (each *indicator) compare(what, now, detail string) {
	was, known := each.first[what]
	switch {
	case !known:
		each.first[what] = now
	case was != now && detail != "":
		each.met, each.detail = true, detail
	case was != now:
		each.met, each.detail = true, fmt.Sprintf("%q became %q", was, now)
	}
}
