// Package opinion asks a model what it makes of a record and holds the answer
// against what was measured. A model adds issues, refines the look and the
// playability of a game and explains; it cannot turn a check, and where it
// disagrees with a measurement the report says so and is less sure.
//
// Whatever goes wrong with the model, the measured result stands.
package opinion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/judge"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

// The evaluators that ask a model.
const (
	// Data sends what was measured, and no pictures, in one call.
	Data = record.EvaluatorData
	// Vision sends pictures too, and asks for the five metrics.
	Vision = record.EvaluatorVision
)

// Defaults of Options.
const (
	DefaultPictureTokens = 6000
	DefaultLimit         = time.Minute
)

// Options tune Refine.
type Options struct {
	// Evaluator is Data or Vision, Data if empty.
	Evaluator string
	// Pictures reads a picture of the record by its path. Without it there are
	// none to look at.
	Pictures func(ctx context.Context, path string) ([]byte, error)
	// PictureTokens bounds what the pictures may count for, about.
	PictureTokens int
	// Limit is the longest time for all calls together.
	Limit time.Duration
}

// Refine returns the report with a model's opinion worked in. The given report
// is the measured one, of the same record, and is not changed. A model that is
// missing, does not answer, cannot be understood or would cost too much leaves
// the measured result, with a minor issue that says so; an error is only a
// record, report or option that cannot be used.
func Refine(ctx context.Context, rec *record.Record, rep *record.Report, m model.Model, opts *Options) (*record.Report, error) {
	if rec == nil || rep == nil {
		return nil, errors.New("opinion: a record and its report are needed")
	}
	var o Options
	if opts != nil {
		o = *opts
	}
	switch o.Evaluator {
	case "":
		o.Evaluator = Data
	case Data, Vision:
	default:
		return nil, fmt.Errorf("opinion: evaluator %q is not one of data, vision", o.Evaluator)
	}
	if o.PictureTokens <= 0 {
		o.PictureTokens = DefaultPictureTokens
	}
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	ctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()

	out := clone(rep)
	run, err := model.Direct(m)
	if err != nil {
		return standsAlone(out, rec, err), nil
	}
	a := &asking{rec: rec, rep: out, run: run, opts: o, before: len(run.Ledger().Entries())}
	if o.Evaluator == Vision {
		a.pictures = choose(ctx, rec.Screenshots, o.Pictures, o.PictureTokens)
		if len(a.pictures) == 0 {
			a.opts.Evaluator = Data
			out.Issues = append(out.Issues, record.Issue{
				Severity: record.Minor, Description: "No picture of the run could be read, so the model judged by the data alone.",
			})
		}
	}
	got, err := a.ask(ctx)
	if err != nil {
		a.settle(nil)
		return standsAlone(out, rec, err), nil
	}
	op := a.meet(got)
	a.questions(ctx, op)
	a.settle(op)
	out.Opinion, out.Evaluator = op, op.Evaluator
	return out, nil
}

// asking is one opinion on its way.
type asking struct {
	rec      *record.Record
	rep      *record.Report
	run      *model.Run
	opts     Options
	pictures []picture
	facts    *facts

	model  string // the one that answered
	before int    // entries of the run's ledger that are not ours
}

// Purpose is what opinions are asked for, in the ledger and for deadlines.
const Purpose = "evaluation"

// settle writes down what it all came to, by the ledger: calls that failed or
// were answered by another model of the chain cost too.
func (a *asking) settle(op *record.Opinion) {
	var usage model.Usage
	var latency time.Duration
	cost := model.Cost{Known: true}
	for _, e := range a.run.Ledger().Entries()[a.before:] {
		if e.Purpose == Purpose || e.Purpose == judge.Purpose {
			usage, cost = usage.Add(e.Usage), cost.Add(e.Cost)
			latency += e.Latency
			if !e.Cost.Known {
				a.rep.Metadata.UnpricedCalls++
			}
		}
	}
	m := &a.rep.Metadata
	m.EstimatedCost += cost.Amount.Dollars()
	if len(a.pictures) > 0 {
		m.VisionAnalysisTokens += usage.Total()
	}
	if op == nil {
		return
	}
	op.Tokens, op.Latency = usage.Total(), record.Seconds(latency)
	if cost.Known {
		dollars := cost.Amount.Dollars()
		op.Cost = &dollars
	}
}

// clone copies what Refine changes.
func clone(rep *record.Report) *record.Report {
	out := *rep
	out.Issues = slices.Clone(rep.Issues)
	out.Metrics = slices.Clone(rep.Metrics)
	return &out
}

// standsAlone is the measured report with a word on why there is no opinion.
func standsAlone(rep *record.Report, rec *record.Record, err error) *record.Report {
	what := "No model was asked"
	if asked(err) {
		what = "The model's opinion could not be had"
	}
	what += ": " + reason(err) + ". The measured result stands."
	if n := len(questions(rec)); n > 0 {
		what += fmt.Sprintf(" Questions of the rubric that stay open: %d.", n)
	}
	rep.Issues = append(rep.Issues, record.Issue{Severity: record.Minor, Description: what, Evidence: help(err)})
	return rep
}

// asked: a model was reached and said something, or may have.
func asked(err error) bool {
	return !errors.Is(err, model.ErrNoModel) && !errors.Is(err, model.ErrBudget) && !errors.Is(err, model.ErrPriceUnknown)
}

// reason says in a user's words why there is no opinion. What a vendor wrote
// stays in the log.
func reason(err error) string {
	for _, r := range []struct {
		kind error
		text string
	}{
		{model.ErrNoModel, "none is configured"},
		{model.ErrBudget, "it would have cost more than the budget leaves"},
		{model.ErrPriceUnknown, "its price is not known, so the budget could not be kept"},
		{model.ErrRefusal, "the model would not answer"},
		{model.ErrFilter, "a content filter stopped the answer"},
		{model.ErrSchema, "the answer could not be understood"},
		{model.ErrLength, "the answer was cut off"},
		{model.ErrEmpty, "the answer was empty"},
		{model.ErrUnsupported, "the model cannot look at pictures"},
		{model.ErrContextTooLong, "the record is too long for the model"},
		{model.ErrAuth, "the key was not accepted"},
		{model.ErrQuota, "the account's quota is used up"},
		{model.ErrNotFound, "there is no model of that name"},
		{context.Canceled, "it was interrupted"},
	} {
		if errors.Is(err, r.kind) {
			return r.text
		}
	}
	return "the evaluation service is not reachable now"
}

func help(err error) string {
	switch {
	case errors.Is(err, model.ErrNoModel):
		return "docs/models.md tells how to set one up"
	case errors.Is(err, model.ErrBudget), errors.Is(err, model.ErrPriceUnknown):
		return "raise --budget, or choose a cheaper model"
	case errors.Is(err, model.ErrAuth), errors.Is(err, model.ErrNotFound), errors.Is(err, model.ErrUnsupported):
		return "playtest doctor --models tries the models that are set up"
	}
	return "playtest evaluate judges the saved record again, later or with another model"
}
