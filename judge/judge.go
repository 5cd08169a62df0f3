// Package judge answers yes/no questions about what pictures show and about
// what somebody says they did, with a model.
//
//	j, err := judge.New(model, nil)
//	answer, err := j.Ask(ctx, judge.Question{Text: "Is the player logged in?"}, judge.Evidence{Camera: judge.Page(page)})
//	if answer.Answer == judge.Yes { ... }
//
// Every answer is YES or NO with its reasoning, and INVALID when the model's
// reply cannot be read. A model that does not answer at all is an error.
package judge

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/model"
)

//go:embed judge.md
var prompt string

//go:embed answers.json
var answersSchema []byte

// Answer is one of three.
type Answer string

// The answers.
const (
	Yes     Answer = "YES"
	No      Answer = "NO"
	Invalid Answer = "INVALID" // the reply could not be read
)

// Question is a yes/no question.
type Question struct {
	Text string
	// Expected is an answer to hold the evidence against: a name, a price, what
	// an agent reported. The question then is whether it is right.
	Expected string
}

// Judgement is the answer to a question.
type Judgement struct {
	Question  Question
	Answer    Answer
	Reasoning string
}

// Evidence is what a question is about. At least one kind is needed.
type Evidence struct {
	// Camera takes a picture at the time of asking, after the judge's delay.
	Camera Camera
	// Pictures were taken earlier, PNG, JPEG or WebP, oldest first.
	Pictures [][]byte
	// Reasoning is what somebody says they thought and did.
	Reasoning string
}

// Camera takes a picture now.
type Camera func(ctx context.Context) ([]byte, error)

// Page is a camera on the page's viewport.
func Page(p *browser.Page) Camera {
	return func(ctx context.Context) ([]byte, error) { return p.Screenshot(ctx, nil) }
}

// DefaultDelay is how long a page is given to finish drawing.
const DefaultDelay = 250 * time.Millisecond

// Options tune a Judge.
type Options struct {
	// System replaces the judge's own instructions.
	System string
	// Delay before a camera takes its picture: DefaultDelay if zero, none if
	// negative.
	Delay time.Duration
	// PictureSide is the longest side of a picture as it is sent (1280 pixels).
	PictureSide int
}

// Judge asks a model. It is safe for use by many goroutines.
type Judge struct {
	run  *model.Run
	opts Options
}

// ErrNoEvidence is a question about nothing.
var ErrNoEvidence = errors.New("there is no picture and no reasoning to judge by")

// New makes a judge of a model. No model is model.ErrNoModel.
func New(m model.Model, opts *Options) (*Judge, error) {
	run, err := model.Direct(m)
	if err != nil {
		return nil, fmt.Errorf("new judge: %w", err)
	}
	j := &Judge{run: run}
	if opts != nil {
		j.opts = *opts
	}
	if j.opts.System == "" {
		j.opts.System = prompt
	}
	if j.opts.Delay == 0 {
		j.opts.Delay = DefaultDelay
	}
	if j.opts.PictureSide <= 0 {
		j.opts.PictureSide = 1280
	}
	return j, nil
}

// Ask puts one question.
func (j *Judge) Ask(ctx context.Context, q Question, e Evidence) (*Judgement, error) {
	b, err := j.Batch(ctx, []Question{q}, e)
	if err != nil {
		return nil, err
	}
	return &b.Judgements[0], nil
}

// Batch is the answers to several questions.
type Batch struct {
	// Judgements are in the order of the questions, whatever order the model
	// answered in.
	Judgements []Judgement
	Usage      model.Usage
	Cost       model.Cost
	Latency    time.Duration
}

// temperature is the evaluators': low, with room for a doubt.
var temperature = 0.3

// Purpose is what the judge's calls are made for, in the ledger and for deadlines.
const Purpose = "judge"

// tokensPerAnswer bounds a reply: an answer and a few sentences.
const tokensPerAnswer = 300

// Batch puts many questions about the same evidence in one call.
func (j *Judge) Batch(ctx context.Context, questions []Question, e Evidence) (*Batch, error) {
	if len(questions) == 0 {
		return nil, errors.New("judge: there is no question")
	}
	parts, err := j.show(ctx, questions, e)
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	resp, err := j.run.Generate(ctx, &model.Request{
		Purpose: Purpose, System: strings.TrimSpace(j.opts.System), Messages: []model.Message{{Role: model.User, Parts: parts}},
		Schema: &model.Schema{Name: "answers", JSON: answersSchema}, MaxTokens: 1024 + tokensPerAnswer*len(questions), Temperature: &temperature,
	})
	if err != nil && !unreadable(err) {
		return nil, fmt.Errorf("judge: %w", err)
	}
	b := &Batch{Judgements: make([]Judgement, len(questions))}
	for i, q := range questions {
		b.Judgements[i] = Judgement{Question: q, Answer: Invalid, Reasoning: "The model's reply has no answer to this question."}
	}
	if err != nil {
		why := "The model's reply could not be read."
		if errors.Is(err, model.ErrRefusal) {
			why = "The model would not answer."
		}
		for i := range b.Judgements {
			b.Judgements[i].Reasoning = why
		}
		if e := model.AsError(err); e.Response != nil {
			b.pay(e.Response)
		}
		return b, nil
	}
	b.pay(resp)
	var got reply
	if err := json.Unmarshal([]byte(resp.Text()), &got); err != nil {
		return nil, fmt.Errorf("judge: %w", err) // the gateway has validated it
	}
	b.take(got)
	return b, nil
}

// unreadable: there was a reply, and it was no answer.
func unreadable(err error) bool {
	if model.AsError(err) == nil {
		return false
	}
	for _, kind := range []error{model.ErrSchema, model.ErrLength, model.ErrEmpty, model.ErrRefusal} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

func (b *Batch) pay(r *model.Response) {
	b.Usage, b.Cost, b.Latency = r.Usage, r.Cost, r.Latency
}

// reply is what the model is asked for. Answers carry the number of their
// question, so that one left out does not shift the others.
type reply struct {
	Answers []struct {
		Number     int    `json:"number"`
		Evaluation Answer `json:"evaluation"`
		Reasoning  string `json:"reasoning"`
	} `json:"answers"`
}

// take puts answers in the order of the questions. A question that was answered
// twice, differently, was not answered.
func (b *Batch) take(got reply) {
	seen := map[int]Answer{}
	for _, a := range got.Answers {
		i := a.Number - 1
		if i < 0 || i >= len(b.Judgements) {
			continue
		}
		if before, ok := seen[i]; ok {
			if before != a.Evaluation {
				b.Judgements[i].Answer, b.Judgements[i].Reasoning = Invalid, "The model answered both YES and NO."
			}
			continue
		}
		seen[i] = a.Evaluation
		b.Judgements[i].Answer, b.Judgements[i].Reasoning = a.Evaluation, strings.TrimSpace(a.Reasoning)
	}
}
