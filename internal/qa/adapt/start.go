package adapt

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
	"github.com/playtest-dev/playtest/stage"
)

//go:embed sight.md
var sightPrompt string

// The tiers of starts, as the record calls them: those that a model proposed, and those
// that worked in an earlier run.
const (
	TierWords = "language"
	TierSight = "vision"
	TierKnown = "knowledge"
)

// startWords asks for the start in words.
const startWords = "what starts the game: the control that says play, start, begin, new game or continue in any language, or else what closes whatever lies over the game"

// maxStarts bounds how many of a model's proposals are tried.
const maxStarts = 4

// StartsByWords asks a model which elements of the page start the game, the most
// likely first. Whether they do is for its caller to measure.
func StartsByWords(ctx context.Context, g *game.Game, m model.Model) ([]record.Input, error) {
	s, err := stage.New(ctx, g.Page, m, &stage.Options{Probe: g.Probe})
	if err != nil {
		return nil, fmt.Errorf("start in words: %w", err)
	}
	seen, err := s.Observe(ctx, startWords, nil)
	if err != nil {
		return nil, fmt.Errorf("start in words: %w", err)
	}
	var out []record.Input
	for _, a := range seen.Actions {
		box, err := boxOf(ctx, g.Page, a.Selector)
		if err != nil || len(out) == maxStarts {
			continue // gone since, or painted
		}
		out = append(out, record.Input{Kind: record.InputClick, At: box.Center(), Label: a.Name})
	}
	return out, nil
}

// boxOf is where an element is in the window.
func boxOf(ctx context.Context, page *browser.Page, selector string) (record.Rect, error) {
	el, err := page.Locator(selector).Element(ctx)
	if err != nil {
		return record.Rect{}, err
	}
	defer el.Release()
	box, err := el.Box(ctx)
	return record.Rect(box), err
}

// startReply is what a model answers to a screen that waits for its start.
type startReply struct {
	startChoice
	Alternatives []startChoice `json:"alternatives,omitempty"`
}

type startChoice struct {
	Action     string   `json:"action" jsonschema:"click, doubleclick, keypress or none"`
	Element    string   `json:"element,omitempty" jsonschema:"id of the thing in the list"`
	X          *float64 `json:"x,omitempty" jsonschema:"pixels of the picture"`
	Y          *float64 `json:"y,omitempty"`
	Key        string   `json:"key,omitempty" jsonschema:"KeyboardEvent.code"`
	Reasoning  string   `json:"reasoning"`
	Confidence float64  `json:"confidence" jsonschema:"0 to 1"`
}

// sureStart is how sure an alternative must be to be tried, 0 to 1.
const sureStart = 0.5

// StartsBySight asks a model that looks at the picture and the page how the game is
// started: its first choice, and its alternatives of which it is more than half sure.
// Whether they start it is for its caller to measure.
func StartsBySight(ctx context.Context, g *game.Game, m model.Model) ([]record.Input, error) {
	run, err := metered(m)
	if err != nil {
		return nil, err
	}
	p := &player{g: g, run: run, reader: snapshot.New(g.Page, &snapshot.Options{Probe: g.Probe})}
	choices, err := p.askStart(ctx)
	p.release(ctx)
	if err != nil {
		return nil, fmt.Errorf("start by sight: %w", err)
	}
	var out []record.Input
	for i, c := range choices {
		if strings.EqualFold(c.Action, "none") || i > 0 && c.Confidence <= sureStart || len(out) == maxStarts {
			continue
		}
		if in, err := c.input(p); err == nil { // a place outside the picture, a key that does not exist
			out = append(out, in)
		}
	}
	return out, nil
}

func (p *player) askStart(ctx context.Context) ([]startChoice, error) {
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	img := p.now.picture
	if img == nil {
		return nil, decide.ErrNoPicture
	}
	p.hold(ctx)
	cool := 0.1
	reply, _, err := model.Decode[startReply](ctx, p.run, &model.Request{
		Purpose:     "decision",
		System:      strings.NewReplacer("{{width}}", strconv.Itoa(img.Width), "{{height}}", strconv.Itoa(img.Height)).Replace(sightPrompt),
		Messages:    []model.Message{{Role: model.User, Parts: []model.Part{model.Text(p.now.tree), model.Picture(img)}}},
		MaxTokens:   1000,
		Temperature: &cool,
		Effort:      model.LowEffort,
	})
	if err != nil {
		return nil, err
	}
	return append([]startChoice{reply.startChoice}, reply.Alternatives...), nil
}

// input makes a gesture of a choice.
func (c startChoice) input(p *player) (record.Input, error) {
	in := record.Input{Kind: record.InputClick}
	switch strings.ToLower(strings.TrimSpace(c.Action)) {
	case "click":
	case "doubleclick":
		in.Kind = record.InputDoubleClick
	case "keypress":
		k, ok := browser.LookupKey(c.Key)
		if !ok {
			return in, fmt.Errorf("no key is called %q", c.Key)
		}
		in.Kind, in.Key = record.InputKey, k.Code
		return in, nil
	default:
		return in, fmt.Errorf("%q starts nothing", c.Action)
	}
	state := p.state(1)
	if it, ok := state.Find(strings.Trim(c.Element, "[] ")); ok {
		in.At, in.Label = it.Box.Center(), it.Text
	} else if c.X != nil && c.Y != nil {
		in.At = state.OnPage(*c.X, *c.Y)
	} else {
		return in, errors.New("no place is named")
	}
	if !p.g.Viewport.Contains(in.At) {
		return in, fmt.Errorf("%.0f,%.0f lies outside the picture", in.At.X, in.At.Y)
	}
	return in, nil
}
