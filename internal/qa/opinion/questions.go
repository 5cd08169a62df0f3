package opinion

import (
	"context"
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/judge"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

func questions(rec *record.Record) []metadata.Question {
	if rec.Target.Rubric == nil {
		return nil
	}
	return rec.Target.Rubric.Questions
}

// questions puts the rubric's questions to the judge, in one call, about the
// same evidence. An answer that is not the expected one is an issue.
func (a *asking) questions(ctx context.Context, op *record.Opinion) {
	list := questions(a.rec)
	if len(list) == 0 {
		return
	}
	asked := make([]judge.Question, len(list))
	for i, q := range list {
		asked[i] = judge.Question{Text: q.Ask}
	}
	seen := judge.Evidence{Reasoning: a.facts.b.String()}
	for _, p := range a.pictures {
		seen.Pictures = append(seen.Pictures, p.image.Data)
	}
	j, err := judge.New(a.run, nil)
	var batch *judge.Batch
	if err == nil {
		batch, err = j.Batch(ctx, asked, seen)
	}
	if err != nil {
		a.rep.Issues = append(a.rep.Issues, record.Issue{
			Severity: record.Minor, Description: fmt.Sprintf("The rubric's questions (%d) were not answered: %s.", len(list), reason(err)), Evidence: help(err),
		})
		return
	}
	for i, got := range batch.Judgements {
		expected := strings.ToUpper(list[i].Expect)
		if expected == "" {
			expected = string(judge.Yes)
		}
		answer := record.Answer{
			Question: list[i].Ask, Expected: expected, Answer: string(got.Answer), Met: string(got.Answer) == expected,
			Reasoning: a.facts.spell(got.Reasoning),
		}
		op.Answers = append(op.Answers, answer)
		if answer.Met || got.Answer == judge.Invalid {
			continue
		}
		severity := list[i].Severity
		if severity == "" {
			severity = record.Minor
		}
		a.rep.Issues = append(a.rep.Issues, record.Issue{
			Severity: severity, By: a.model, Evidence: clip(answer.Reasoning),
			Description: fmt.Sprintf("%s The answer is %s, expected was %s.", list[i].Ask, got.Answer, expected),
		})
	}
}
