package onlooker

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/internal/qa/load"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

//go:embed indicators.js
var askElements string

// Indicators are the success indicators of a game's metadata, watched from the
// moment it is loaded until the run ends.
type Indicators struct {
	g       *game.Game
	list    []indicator
	watched time.Time
}

// indicator is a success indicator of the metadata with what was seen of it.
type indicator struct {
	metadata.SuccessIndicator
	met    bool
	detail string

	looks int // how often it was looked for
	found int // how often there was something to look at
	// first is what it was at the first look, by shape where there are several.
	first   map[string]string
	picture *game.Picture
	invalid bool
}

// element is what indicators.js says of a selector.
type element struct {
	Invalid, Found, Shown bool
	Text, Looks           string
	X, Y, W, H            float64
}

// NewIndicators are those of the game's metadata, of which none was looked for yet.
func NewIndicators(g *game.Game) *Indicators {
	ins := &Indicators{g: g}
	if m := g.Record.Target.Metadata; m != nil {
		for _, s := range m.SuccessIndicators {
			ins.list = append(ins.list, indicator{SuccessIndicator: s, first: map[string]string{}})
		}
	}
	return ins
}

// Met counts the indicators that were met.
func (ins *Indicators) Met() (n int) {
	for _, in := range ins.list {
		if in.met {
			n++
		}
	}
	return n
}

// indicateEvery is how often indicators that were not met yet are looked for.
const indicateEvery = 400 * time.Millisecond

// Look looks for the indicators that were not met yet, unless it just did. A page that
// does not answer shows none.
func (ins *Indicators) Look(ctx context.Context) {
	var open []*indicator
	for i := range ins.list {
		// Animations and responses as such are told by the trials in the end.
		if in := &ins.list[i]; !in.met && (in.Selector != "" || in.Pattern != "" || in.Type == metadata.SuccessScoreChange) {
			open = append(open, in)
		}
	}
	if len(open) == 0 || time.Since(ins.watched) < indicateEvery {
		return
	}
	ins.watched = time.Now()
	seen := ins.elements(ctx, open)
	r, err := ins.g.Read(ctx, &probe.ReadOptions{Brief: true, Texts: true})
	if err != nil {
		return
	}
	for i, in := range open {
		in.looks++
		in.invalid = seen[i].Invalid
		switch in.Type {
		case metadata.SuccessElementVisible:
			ins.lookVisible(ctx, in, seen[i], r)
		case metadata.SuccessScoreChange:
			ins.lookScore(ctx, in, seen[i], r)
		default:
			ins.lookChange(ctx, in, seen[i])
		}
	}
}

// elements asks all frames for the elements of the indicators. The first frame
// that has one answers.
func (ins *Indicators) elements(ctx context.Context, open []*indicator) []element {
	out := make([]element, len(open))
	selectors := make([]string, len(open))
	for i, in := range open {
		selectors[i] = in.Selector
		if in.Selector == "" {
			selectors[i] = "playtest-nothing" // there is no such element
		}
	}
	list, err := json.Marshal(selectors)
	if err != nil {
		return out // strings always encode
	}
	expr := fmt.Sprintf("(%s)(%s)\n//# sourceURL=playtest:indicators", askElements, list)
	for _, f := range ins.g.Page.Frames() {
		var found []element
		if err := f.Evaluate(ctx, expr, &found); err != nil || len(found) != len(out) {
			continue
		}
		for i, el := range found {
			if out[i].Found || !el.Found && !el.Invalid {
				continue
			}
			if o, err := f.Origin(ctx); err == nil {
				el.X, el.Y = el.X+o.X, el.Y+o.Y
			}
			out[i] = el
		}
	}
	return out
}

func (ins *Indicators) lookVisible(ctx context.Context, in *indicator, el element, r *probe.Reading) {
	if in.meet(el.Shown) || in.Pattern == "" {
		if in.met {
			in.detail = fmt.Sprintf("seen %.1f seconds after the game was opened", ins.g.Age().Seconds())
		}
		return
	}
	if in.meet(load.Indicator(ctx, ins.g, r, "", in.Pattern).Met) {
		in.detail = fmt.Sprintf("the text %q was seen %.1f seconds after the game was opened", in.Pattern, ins.g.Age().Seconds())
	}
}

// meet notes a look and reports whether the indicator is met now.
func (in *indicator) meet(yes bool) bool {
	if yes {
		in.found++
		in.met = true
	}
	return yes
}

// lookScore compares a text with what it was at first: that of the element, or
// those texts on the screen that bear the pattern or speak of a score.
func (ins *Indicators) lookScore(ctx context.Context, in *indicator, el element, r *probe.Reading) {
	if in.Selector != "" {
		if el.Found {
			in.compare(in.Selector, el.Text)
		}
		return
	}
	texts := latest(r.Texts())
	if els, err := ins.g.Probe.Elements(ctx, ins.g.Page, browser.Point(ins.g.Rect.Center())); err == nil {
		for _, t := range els.Texts {
			if t.InView {
				texts = append(texts, t.Text)
			}
		}
	}
	for _, t := range texts {
		if in.speaks(t) {
			in.compare(game.Shape(t), t)
		}
	}
}

var scores = regexp.MustCompile(`(?i)score|points|pts\b|punkte|puntos|puntaje|pontos|punteggio|очки|счёт|wynik|puan|得分|分数|スコア|점수`)

// speaks reports whether a text with a number is one that the indicator means.
func (in *indicator) speaks(text string) bool {
	if game.Shape(text) == text {
		return false // no number in it
	}
	if in.Pattern != "" {
		return strings.Contains(strings.ToLower(text), strings.ToLower(in.Pattern))
	}
	return scores.MatchString(text)
}

func (in *indicator) compare(what, now string) {
	in.found++
	was, known := in.first[what]
	switch {
	case !known:
		in.first[what] = now
		in.detail = fmt.Sprintf("it stayed at %q", now)
	case was != now:
		in.met, in.detail = true, fmt.Sprintf("%q became %q", was, now)
	}
}

// latest are the painted texts, of those that differ only in their numbers the
// one that was painted last.
func latest(texts []probe.Text) []string {
	newest := map[string]probe.Text{}
	for _, t := range texts {
		if have, ok := newest[game.Shape(t.Text)]; !ok || t.Last < have.Last || t.Last == have.Last && t.Age < have.Age {
			newest[game.Shape(t.Text)] = t
		}
	}
	var out []string
	for _, t := range newest {
		out = append(out, t.Text)
	}
	slices.Sort(out)
	return out
}

// lookChange notices that an element changes, in the document or in the picture.
func (ins *Indicators) lookChange(ctx context.Context, in *indicator, el element) {
	if !el.Shown {
		return
	}
	in.found++
	was, known := in.first[in.Selector]
	in.first[in.Selector] = el.Looks
	if known && was != el.Looks {
		in.met, in.detail = true, fmt.Sprintf("%s changed in the document", in.Selector)
		return
	}
	box := ins.g.Clamp(record.Rect{X: el.X, Y: el.Y, Width: el.W, Height: el.H})
	if box.Empty() {
		return
	}
	now := ins.g.PictureOf(ctx, box)
	if in.picture != nil && slices.ContainsFunc(game.Tiles(in.picture, now), func(d float32) bool { return d > 2 }) {
		in.met, in.detail = true, fmt.Sprintf("the picture of %s changed", in.Selector)
	}
	in.picture = now
}

// Results says for each indicator whether it was met, by what was seen in the live page and
// by the record of what was tried.
func (ins *Indicators) Results() []record.IndicatorResult {
	var out []record.IndicatorResult
	for i := range ins.list {
		in := &ins.list[i]
		if !in.met {
			in.conclude(ins.g.Record)
		}
		out = append(out, record.IndicatorResult{
			Kind: record.IndicatorSuccess, Type: in.Type, Text: strings.TrimSpace(in.Selector + " " + in.Pattern), Met: in.met, Detail: in.detail,
		})
	}
	return out
}

// conclude asks what was tried and seen in the whole run, and says what was measured where
// nothing came.
func (in *indicator) conclude(rec *record.Record) {
	switch {
	case in.invalid:
		in.detail = fmt.Sprintf("%q is not a CSS selector", in.Selector)
	case in.Type == metadata.SuccessInteraction:
		in.concludeResponse(rec)
	case in.Type == metadata.SuccessAnimation && in.Selector == "":
		in.concludeAnimation(rec)
	case in.found == 0:
		what := "no text that names a score"
		if s := strings.TrimSpace(in.Selector + " " + in.Pattern); s != "" {
			what = s
		}
		in.detail = fmt.Sprintf("%s was not seen in %d looks", what, in.looks)
	case in.Type == metadata.SuccessAnimation:
		in.detail = fmt.Sprintf("%s stood still in %d looks", in.Selector, in.found)
	default:
		in.detail += fmt.Sprintf(" in %d looks", in.found)
	}
}

// concludeAnimation: the picture changed, by itself or while the game was played.
func (in *indicator) concludeAnimation(rec *record.Record) {
	if rec.Twins == nil {
		in.detail = "the game was not played"
		return
	}
	moved, looks := 0, rec.Twins.Alive.Looks
	for _, l := range looks {
		if l.Moved {
			moved++
		}
	}
	in.met, in.detail = rec.Twins.Animated || moved > 1, fmt.Sprintf("the picture changed between %d of %d looks at the play", max(0, moved-1), len(looks))
	if rec.Twins.Animated {
		in.detail = "the picture changes by itself"
	}
}

// concludeResponse: a control of the game answered, with a selector that one.
func (in *indicator) concludeResponse(rec *record.Record) {
	tried := 0
	for _, t := range rec.Explore.Trials {
		i := slices.IndexFunc(rec.Discover.Controls, func(c record.Control) bool { return c.ID == t.ControlID })
		if i < 0 || in.Selector != "" && rec.Discover.Controls[i].Selector != in.Selector {
			continue
		}
		tried++
		if t.Outcome == record.Responsive {
			in.met, in.detail = true, fmt.Sprintf("%s: %s", rec.Discover.Controls[i].Description, t.Reason)
			return
		}
	}
	in.detail = fmt.Sprintf("none of %d controls that were tried was shown to work", tried)
	if in.Selector != "" {
		in.detail = fmt.Sprintf("%s did not change in %d looks", in.Selector, in.found)
	}
}
