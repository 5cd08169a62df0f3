package adapt

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/internal/qa/explore"
	"github.com/playtest-dev/playtest/internal/qa/game"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
	"github.com/playtest-dev/playtest/stage"
)

//go:embed sight.md
var sightPrompt string

// The tiers of the starts that need a model, as the record calls them.
const (
	TierWords = "language"
	TierSight = "vision"
)

// phrasings are four ways to ask for the start in words, the plainest first.
var phrasings = []string{
	"press the control that starts the game",
	"begin playing: choose play, start or new game",
	"get past this screen into the game itself",
	"close what lies over the game, or continue to it",
}

// StartByWords is the second strategy: it asks for the start in words, in up
// to four phrasings, through act. A start counts only when something changed
// because of it. It returns the attempts in order; the last one had an effect if
// any had.
func StartByWords(ctx context.Context, g *game.Game, m model.Model, try explore.Try) ([]record.StartAttempt, error) {
	s, err := stage.New(ctx, g.Page, m, &stage.Options{Probe: g.Probe, Settle: time.Second})
	if err != nil {
		return nil, fmt.Errorf("start in words: %w", err)
	}
	var out []record.StartAttempt
	for _, phrase := range phrasings {
		began := time.Now()
		a := record.StartAttempt{Gesture: phrase, Tier: TierWords}
		var acted *stage.Acted
		a.Proof, err = try(ctx, phrase, func(ctx context.Context) error {
			var err error
			acted, err = s.Act(ctx, phrase, &stage.ActOptions{NoCache: true})
			return err
		})
		if acted != nil && len(acted.Actions) > 0 {
			a.Gesture, a.Hit = fmt.Sprintf("%s %q", acted.Actions[0].Method, acted.Actions[0].Description), true
		}
		a.Effect, a.Took = a.Proof != "", time.Since(began)
		out = append(out, a)
		if a.Effect || errors.Is(err, game.ErrGone) || ctx.Err() != nil {
			return out, fatal(ctx, err)
		}
		if model.AsError(err) != nil {
			// The model cannot be had; asking in other words will not help.
			return out, err
		}
	}
	return out, nil
}

// fatal keeps only the errors that end a run.
func fatal(ctx context.Context, err error) error {
	if errors.Is(err, game.ErrGone) {
		return err
	}
	return ctx.Err()
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

// StartBySight is the third strategy: a model looks at the picture and the
// page. Its first choice is tried, and then its alternatives of which it is
// more than half sure, until one has an effect.
func StartBySight(ctx context.Context, g *game.Game, m model.Model, try explore.Try) ([]record.StartAttempt, error) {
	run, err := metered(m)
	if err != nil {
		return nil, err
	}
	p := &player{g: g, run: run, reader: snapshot.New(g.Page, &snapshot.Options{Probe: g.Probe})}
	choices, err := p.askStart(ctx)
	p.release(ctx) // what is tried is watched as the game lives
	if err != nil {
		return nil, fmt.Errorf("start by sight: %w", err)
	}
	var out []record.StartAttempt
	for i, c := range choices {
		if strings.EqualFold(c.Action, "none") || i > 0 && c.Confidence <= sureStart {
			continue
		}
		in, err := c.input(p)
		if err != nil {
			continue // a place outside the picture, a key that does not exist
		}
		began := time.Now()
		a := record.StartAttempt{Gesture: in.String(), Tier: TierSight, Hit: true}
		a.Proof, err = try(ctx, in.String(), func(ctx context.Context) error { return g.Do(ctx, in, tap) })
		a.Effect, a.Took = a.Proof != "", time.Since(began)
		out = append(out, a)
		if a.Effect || errors.Is(err, game.ErrGone) || ctx.Err() != nil {
			return out, fatal(ctx, err)
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
func (c startChoice) input(p *player) (game.Input, error) {
	in := game.Input{Kind: game.Click, Why: c.Reasoning}
	switch strings.ToLower(strings.TrimSpace(c.Action)) {
	case "click":
	case "doubleclick":
		in.Kind = game.DoubleClick
	case "keypress":
		k, ok := browser.LookupKey(c.Key)
		if !ok {
			return in, fmt.Errorf("no key is called %q", c.Key)
		}
		in.Kind, in.Key = game.KeyPress, k.Code
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
