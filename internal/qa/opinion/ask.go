package opinion

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
)

//go:embed data.md
var dataPrompt string

//go:embed vision.md
var visionPrompt string

//go:embed rules.md
var rules string

//go:embed data.json
var dataSchema []byte

//go:embed vision.json
var visionSchema []byte

// temperature is the evaluators': low, with room for a doubt.
var temperature = 0.3

// answerTokens bounds a reply: reasoning, issues and five justifications.
const answerTokens = 3000

// reply is what a model is asked for. Metrics are there only where pictures
// were.
type reply struct {
	GameLoaded         record.CheckState `json:"gameLoaded"`
	ControlsResponsive record.CheckState `json:"controlsResponsive"`
	GameStable         record.CheckState `json:"gameStable"`
	Metrics            map[string]scored `json:"metrics"`
	Issues             []raised          `json:"issues"`
	Reasoning          string            `json:"reasoning"`
}

type scored struct {
	Score         int    `json:"score"`
	Justification string `json:"justification"`
}

type raised struct {
	Severity    record.Severity `json:"severity"`
	Description string          `json:"description"`
	Evidence    []string        `json:"evidence"`
}

func (r *reply) check(name record.CheckName) record.CheckState {
	switch name {
	case record.GameLoaded:
		return r.GameLoaded
	case record.ControlsResponsive:
		return r.ControlsResponsive
	}
	return r.GameStable
}

// ask makes the one call.
func (a *asking) ask(ctx context.Context) (*reply, error) {
	a.facts = tell(a.rec, a.pictures)
	system, schema := dataPrompt, &model.Schema{Name: "opinion", JSON: dataSchema}
	if a.opts.Evaluator == Vision {
		system, schema.JSON = visionPrompt, visionSchema
	}
	parts := []model.Part{model.Text(a.facts.b.String())}
	for i, p := range a.pictures {
		parts = append(parts, model.Text(fmt.Sprintf("P%d:", i+1)), model.Picture(p.image))
	}
	resp, err := a.run.Generate(ctx, &model.Request{
		Purpose: Purpose, System: strings.TrimSpace(system) + "\n\n" + strings.TrimSpace(rules),
		Messages: []model.Message{{Role: model.User, Parts: parts}},
		Schema:   schema, MaxTokens: answerTokens, Temperature: &temperature,
	})
	if err != nil {
		return nil, err
	}
	a.model = resp.Model
	var got reply
	if err := json.Unmarshal([]byte(resp.Text()), &got); err != nil {
		return nil, fmt.Errorf("opinion: %w", err)
	}
	return &got, nil
}
