package decide

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

//go:embed vision.md
var visionPrompt string

//go:embed turn.md
var turnPrompt string

// Vision is the second layer: a model looks at the screen.
type Vision struct {
	run *model.Run
}

// NewVision makes the layer of a model. One that is not behind a gateway is
// put behind one, so that retryable failures are retried.
func NewVision(m model.Model) (*Vision, error) {
	run, err := model.Direct(m)
	if err != nil {
		return nil, fmt.Errorf("vision: %w", err)
	}
	return &Vision{run: run}, nil
}

// Name is Sight.
func (*Vision) Name() string { return Sight }

// Threshold is VisionThreshold.
func (*Vision) Threshold() float64 { return VisionThreshold }

// Thinks is true: a model takes seconds.
func (*Vision) Thinks() bool { return true }

// stepReply is one thing to do, in a model's words.
type stepReply struct {
	Action       string   `json:"action" jsonschema:"click, doubleclick, scroll, keypress, hold, chord, drag, type, repeat, sequence, wait or complete"`
	Element      string   `json:"element,omitempty" jsonschema:"id of the thing in the list"`
	X            *float64 `json:"x,omitempty" jsonschema:"pixels of the picture"`
	Y            *float64 `json:"y,omitempty"`
	ToX          *float64 `json:"toX,omitempty" jsonschema:"where a drag ends"`
	ToY          *float64 `json:"toY,omitempty"`
	Keys         []string `json:"keys,omitempty" jsonschema:"KeyboardEvent.code"`
	Text         string   `json:"text,omitempty"`
	Milliseconds int      `json:"milliseconds,omitempty"`
	Times        int      `json:"times,omitempty"`
}

// actionReply is a step, or a sequence of them.
type actionReply struct {
	stepReply
	Steps []stepReply `json:"steps,omitempty" jsonschema:"of a sequence"`
}

// choiceReply is an action with how sure the model is of it.
type choiceReply struct {
	actionReply
	Reasoning  string  `json:"reasoning"`
	Confidence float64 `json:"confidence" jsonschema:"0 to 100"`
}

// visionReply is what a model answers to a screen.
type visionReply struct {
	Seen string `json:"seen" jsonschema:"what the screen shows"`
	choiceReply
	Alternatives []choiceReply `json:"alternatives,omitempty"`
}

var visionSchema = func() *model.Schema {
	s, err := model.SchemaFor[visionReply]("next_action")
	if err != nil {
		panic(err) // a mistake in this package
	}
	return s
}()

// ErrNoPicture is what the layer says when there is nothing to look at.
var ErrNoPicture = errors.New("there is no picture to look at")

const (
	visionTokens = 1500
	// maxHistory is how many past turns are told; older ones no longer matter.
	maxHistory = 8
)

// Propose shows the model the screen and what is known.
func (v *Vision) Propose(ctx context.Context, s *State) (Proposal, error) {
	if s.Picture == nil {
		return Proposal{}, ErrNoPicture
	}
	cool := 0.1
	reply, _, err := model.Decode[visionReply](ctx, v.run, &model.Request{
		Purpose:     "decision",
		System:      visionSystem(s.Picture),
		Messages:    []model.Message{{Role: model.User, Parts: []model.Part{model.Text(turnText(s)), model.Picture(s.Picture)}}},
		Schema:      visionSchema,
		MaxTokens:   visionTokens,
		Temperature: &cool,
		Effort:      model.LowEffort,
	})
	if err != nil {
		return Proposal{}, err
	}
	return reply.proposal(s)
}

func (r visionReply) proposal(s *State) (Proposal, error) {
	p := Proposal{Saw: strings.TrimSpace(r.Seen)}
	a, err := r.resolve(s)
	if err != nil {
		return p, err
	}
	p.Action, p.Confidence, p.Reason = a, percent(r.Confidence), strings.TrimSpace(r.Reasoning)
	for _, alt := range r.Alternatives {
		if a, err := alt.resolve(s); err == nil { // what cannot be done is no alternative
			p.Alternatives = append(p.Alternatives, Alternative{Action: a, Confidence: percent(alt.Confidence), Reason: alt.Reasoning})
		}
	}
	return p, nil
}

// percent reads a confidence, which models give as a share or in percent
// whatever they are told.
func percent(c float64) float64 {
	if c > 0 && c <= 1 {
		return 100 * c
	}
	return c
}

// resolve turns the reply into an action on the page.
func (r actionReply) resolve(s *State) (Action, error) {
	kind := Kind(strings.ToLower(strings.TrimSpace(r.Action)))
	if kind != Sequence {
		return r.step(s)
	}
	a := Action{Kind: Sequence}
	for i, st := range r.Steps {
		one, err := st.step(s)
		if err != nil {
			return Action{}, fmt.Errorf("step %d: %w", i+1, err)
		}
		a.Steps = append(a.Steps, one)
	}
	return a, nil
}

// Lengths of actions for which the model named none.
const (
	usualHold  = 300 * time.Millisecond
	usualWait  = time.Second
	usualTimes = 8
)

func (r stepReply) step(s *State) (Action, error) {
	a := Action{Kind: Kind(strings.ToLower(strings.TrimSpace(r.Action))), Text: r.Text, For: time.Duration(r.Milliseconds) * time.Millisecond, Times: r.Times}
	for _, name := range r.Keys {
		k, ok := browser.LookupKey(name)
		if !ok {
			return Action{}, fmt.Errorf("%s: no key is called %q", a.Kind, name)
		}
		a.Keys = append(a.Keys, k.Code)
	}
	from, label, err := r.place(s)
	if err != nil {
		return Action{}, fmt.Errorf("%s: %w", a.Kind, err)
	}
	a.At, a.Label = from, label
	switch a.Kind {
	case Hold:
		a.For = or(a.For, usualHold)
	case Wait:
		a.For = or(a.For, usualWait)
	case Repeat:
		a.Times = or(a.Times, usualTimes)
	case Drag:
		if from == nil || r.ToX == nil || r.ToY == nil {
			return Action{}, fmt.Errorf("%s: it has no beginning or no end", a.Kind)
		}
		a.Path, a.At = []record.Point{*from, s.OnPage(*r.ToX, *r.ToY)}, nil
	case Keypress:
		if len(a.Keys) > 1 {
			a.Kind = Chord
		}
	}
	return a, nil
}

func or[T time.Duration | int](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// place is where the pointer acts: at the element, or at the place.
func (r stepReply) place(s *State) (*record.Point, string, error) {
	if id := strings.Trim(r.Element, "[] "); id != "" {
		it, ok := s.Find(id)
		if !ok {
			return nil, "", fmt.Errorf("nothing on the page has the id %q", id)
		}
		at := it.Box.Center()
		return &at, it.Text, nil
	}
	if r.X == nil || r.Y == nil {
		return nil, "", nil
	}
	at := s.OnPage(*r.X, *r.Y)
	return &at, "", nil
}

// OnPage turns a place on the picture into one on the page.
func (s *State) OnPage(x, y float64) record.Point {
	if s.Picture == nil || s.Picture.Width == 0 || s.Picture.Height == 0 {
		return record.Point{X: x, Y: y}
	}
	return record.Point{
		X: s.Viewport.X + x*s.Viewport.Width/float64(s.Picture.Width),
		Y: s.Viewport.Y + y*s.Viewport.Height/float64(s.Picture.Height),
	}
}

func visionSystem(img *model.Image) string {
	return strings.NewReplacer("{{width}}", strconv.Itoa(img.Width), "{{height}}", strconv.Itoa(img.Height)).Replace(visionPrompt)
}

// turnText tells a model what is known besides the picture.
func turnText(s *State) string {
	instructions := ""
	if m := s.Metadata; m != nil && m.TestingStrategy != nil && m.TestingStrategy.Instructions != "" {
		instructions = "The author's instructions: " + m.TestingStrategy.Instructions + "\n"
	}
	genre := s.Genre
	if genre == "" {
		genre = Generic
	}
	return strings.NewReplacer(
		"{{turn}}", strconv.Itoa(s.Turn),
		"{{goals}}", orNothing(strings.Join(s.Goals, "; "), "play on and get further"),
		"{{genre}}", string(genre),
		"{{controls}}", orNothing(controlsText(s), "none"),
		"{{progress}}", orNothing(progressText(s.Progress), "nothing yet"),
		"{{instructions}}", instructions,
		"{{history}}", orNothing(historyText(s.History), "nothing yet"),
		"{{changes}}", orNothing(strings.TrimSpace(s.Changes), "nothing"),
		"{{tree}}", strings.TrimRight(s.Tree, "\n"),
	).Replace(turnPrompt)
}

func orNothing(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func controlsText(s *State) string {
	var out []string
	for _, c := range s.Controls {
		text := c.Description
		if text == "" {
			text = c.ID
		}
		if s.Proven[c.ID] {
			text += " (the game answers to it)"
		}
		if out = append(out, text); len(out) == 24 {
			break
		}
	}
	return strings.Join(out, "; ")
}

func progressText(list []record.Progress) string {
	var out []string
	for _, p := range list[max(0, len(list)-6):] {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s", p.What, p.To)))
	}
	return strings.Join(out, ", ")
}

func historyText(list []Turn) string {
	var out []string
	for i, t := range list {
		if i < len(list)-maxHistory {
			continue
		}
		effect := orNothing(t.Effect, orNothing(t.Note, "nothing came of it"))
		out = append(out, fmt.Sprintf("%d. %s: %s", i+1, t.Action, effect))
	}
	return strings.Join(out, "\n")
}
