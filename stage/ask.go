package stage

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/model"
)

//go:embed act.md
var actPrompt string

//go:embed observe.md
var observePrompt string

//go:embed extract.md
var extractPrompt string

//go:embed progress.md
var progressPrompt string

//go:embed page.md
var pagePrompt string

// temperature is low: there is one right answer.
var temperature = 0.1

// question is one call to the model.
type question struct {
	purpose string
	system  string
	user    string
	schema  *model.Schema
	limit   int // tokens of the answer
	picture *model.Image
}

// ask makes one call and decodes the answer, which the gateway has validated.
func (s *Stage) ask(ctx context.Context, c *call, q question, out any) error {
	if s.run == nil {
		return fmt.Errorf("%s: %w", q.purpose, model.ErrNoModel)
	}
	began := time.Now()
	user := s.secrets.Text(q.user)
	c.meta.Sent = append(c.meta.Sent, user)
	c.meta.Calls++
	message := model.UserText(user)
	if q.picture != nil {
		message.Parts = append(message.Parts, model.Picture(q.picture))
	}
	resp, err := s.run.Generate(ctx, &model.Request{
		Purpose: q.purpose, System: strings.TrimSpace(q.system), Messages: []model.Message{message},
		Schema: q.schema, MaxTokens: q.limit, Temperature: &temperature,
	})
	c.meta.Timings.Model += time.Since(began)
	s.step("ask", q.purpose, began)
	if err != nil {
		if m := model.AsError(err); m != nil && m.Response != nil {
			c.pay(m.Response)
		}
		for _, kind := range []error{model.ErrSchema, model.ErrLength, model.ErrEmpty, model.ErrGarbage} {
			if errors.Is(err, kind) {
				return fmt.Errorf("%s: %w: %w", q.purpose, ErrReply, err)
			}
		}
		return fmt.Errorf("%s: %w", q.purpose, err)
	}
	c.pay(resp)
	if err := json.Unmarshal([]byte(resp.Text()), out); err != nil {
		return fmt.Errorf("%s: %w: %w", q.purpose, ErrReply, err)
	}
	return nil
}

func (c *call) pay(resp *model.Response) {
	c.meta.Usage = c.meta.Usage.Add(resp.Usage)
	c.meta.Cost = c.meta.Cost.Add(resp.Cost)
}

// describe is what the model is told about the page.
func describe(tree string, instruction string, vars map[string]string, note string) string {
	if note != "" {
		note = "\n" + note + "\n"
	}
	return strings.NewReplacer(
		"{{tree}}", strings.TrimRight(tree, "\n"), "{{instruction}}", strings.TrimSpace(instruction),
		"{{variables}}", variableLine(vars), "{{note}}", note,
	).Replace(pagePrompt)
}

// words are what an instruction is about, to find it on large pages.
func words(instruction string) []string {
	var list []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(instruction), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127)
	}) {
		if !common[w] && len(list) < 16 {
			list = append(list, w)
		}
	}
	return list
}

var common = func() map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq("a an the to of in on at by for from with and or is are be it its this that into out up down all any " +
		"click press tap type fill enter select choose pick open close find get go please button link field box text input page element") {
		m[w] = true
	}
	return m
}()

// format writes the tree as act and observe send it.
func (s *Stage) format(snap *snapshot.Snapshot, instruction, within string, part int) *snapshot.Text {
	return snap.Format(&snapshot.FormatOptions{
		Tokens: s.opts.Tokens, Words: words(instruction), Part: part, Within: within, MaxName: 80,
	})
}

// mustSchema makes the schemas of our own questions.
func mustSchema[T any](name string) *model.Schema {
	schema, err := model.SchemaFor[T](name)
	if err != nil {
		panic(err) // a mistake in this package
	}
	return schema
}
