package decide_test

import (
	"fmt"
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/decide"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

func keys(codes ...string) []record.Control {
	var out []record.Control
	for _, k := range codes {
		out = append(out, record.Control{ID: "key:" + k, Type: record.ControlKey, Keys: []string{k}, Description: "the key " + k, Confidence: 0.9})
	}
	return out
}

func cells(n int) []decide.Item {
	var out []decide.Item
	for i := range n {
		out = append(out, decide.Item{ID: fmt.Sprint(i), Role: "button", Interactive: true, Box: record.Rect{X: float64(60 * (i % 10)), Y: float64(60 * (i / 10)), Width: 50, Height: 50}})
	}
	return out
}

func texts(list ...string) []decide.Item {
	var out []decide.Item
	for i, s := range list {
		out = append(out, decide.Item{Role: "text", Text: s, Box: record.Rect{X: 10, Y: float64(20 * i), Width: 100, Height: 18}})
	}
	return out
}

func TestRecognise(t *testing.T) {
	meta := func(genre, prose string) *metadata.Metadata {
		return &metadata.Metadata{Genre: genre, Description: prose}
	}
	tests := []struct {
		name     string
		meta     *metadata.Metadata
		controls []record.Control
		items    []decide.Item
		want     decide.Genre
	}{
		{"nothing known", nil, nil, nil, decide.Generic},
		{"one weak hint is not enough", nil, nil, texts("jump!"), decide.Generic},
		{"platformer by name", meta("Platformer", ""), nil, nil, decide.Platformer},
		{"clicker by name", meta("idle clicker", ""), nil, nil, decide.Clicker},
		{"puzzle by name", meta("puzzle", ""), nil, nil, decide.Puzzle},
		{"runner by name", meta("endless runner", ""), nil, nil, decide.Runner},
		{"shooter by name", meta("space shooter", ""), nil, nil, decide.Shooter},
		{"cards by name", meta("card", ""), nil, nil, decide.Board},
		{"match-3 by name", meta("match-3", ""), nil, nil, decide.Match3},
		{"typing by name", meta("typing", ""), nil, nil, decide.Typing},
		{"a genre of nobody's", meta("vaporwave", ""), nil, nil, decide.Generic},
		{"the author's word beats the controls", meta("puzzle", ""), keys("ArrowLeft", "ArrowRight", "ArrowUp", "Space"), nil, decide.Puzzle},
		{"by the description", meta("", "A sokoban with cats"), nil, nil, decide.Puzzle},
		{"platformer by its keys", nil, keys("ArrowLeft", "ArrowRight", "ArrowUp", "Space"), nil, decide.Platformer},
		{"shooter by its keys", nil, keys("ArrowLeft", "ArrowRight", "Space"), nil, decide.Shooter},
		{"runner by its key", nil, keys("Space"), nil, decide.Runner},
		{"four directions are anything", nil, keys("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"), nil, decide.Generic},
		{"typing by its letters", nil, []record.Control{{Type: record.ControlTyping}}, nil, decide.Typing},
		{"a board by its squares", nil, nil, cells(9), decide.Board},
		{"match-3 by its grid", nil, nil, cells(64), decide.Match3},
		{"clicker by its screen", nil, nil, texts("12 per second", "Upgrades", "Click the jar"), decide.Clicker},
		{"shooter by its screen", nil, nil, texts("Space Invaders"), decide.Shooter},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, why := decide.Recognise(tt.meta, tt.controls, tt.items)
			if got != tt.want {
				t.Errorf("got %s (%s), want %s", got, why, tt.want)
			}
			if why == "" {
				t.Error("no reason is given")
			}
		})
	}
}
