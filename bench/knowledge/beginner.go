package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/playtest-dev/playtest/model"
)

// beginner is a model that knows no game: it presses what can be pressed, what
// it pressed least first, and some keys in between. It is as dear as a real
// one, and no wiser in the second run than in the first.
type beginner struct {
	pressed map[string]int
	turn    int
}

// Name is that of a model whose price is known.
func (*beginner) Name() string { return "anthropic/claude-sonnet-5" }

// Capabilities are what the loop needs.
func (*beginner) Capabilities() model.Capabilities {
	return model.Capabilities{Images: true, Structured: model.Native}
}

// pressable are the lines of the tree that a person would try: buttons, links,
// painted words and things without a name but a place.
var pressable = regexp.MustCompile(`(?m)^\s*(\S+) (?:button|link|painted|object|clickable|option|checkbox|radio|cell|img)\b.*@`)

var keys = []string{"Space", "ArrowRight", "Enter", "ArrowUp", "ArrowLeft"}

// Generate answers what to do next.
func (b *beginner) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	if b.pressed == nil {
		b.pressed = map[string]int{}
	}
	b.turn++
	_, tree, _ := strings.Cut(req.Messages[0].Text(), "The page:")
	answer := map[string]any{"seen": "a screen", "reasoning": "it was tried least", "confidence": 75}
	best := ""
	for _, m := range pressable.FindAllStringSubmatch(tree, 40) {
		if id := m[1]; best == "" || b.pressed[id] < b.pressed[best] {
			best = id
		}
	}
	if best != "" && b.turn%3 != 0 {
		b.pressed[best]++
		answer["action"], answer["element"] = "click", best
	} else {
		answer["action"], answer["keys"] = "keypress", []string{keys[b.turn%len(keys)]}
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &model.Response{
		Message: model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(string(data))}},
		Stop:    model.StopEnd,
		Usage:   model.Usage{Input: 3000, Output: 120},
	}, nil
}
