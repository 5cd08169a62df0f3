package screen_test

import (
	"slices"
	"testing"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/internal/qa/screen"
)

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		field probe.Element
		want  []string
	}{
		{"a name", probe.Element{Hint: "Your name"}, []string{"Ada"}},
		{"a player with a number is a name", probe.Element{Hint: "Player 1"}, []string{"Ada"}},
		{"a number", probe.Element{Type: "number"}, []string{"5"}},
		{"a cell", probe.Element{Hint: "Enter coordinate (e.g. D4)"}, []string{"D4", "E2", "E3", "E1"}},
		{"a cell in another script", probe.Element{Hint: "Клетка, например А1"}, []string{"А1", "Б2", "Б3", "Б1"}},
		{"a range", probe.Element{Hint: "guess 1-100"}, []string{"50", "25", "75"}},
		{"a range in words", probe.Element{Hint: "ein Wert von 10 bis 20", Type: "number"}, []string{"15", "12", "17"}},
		{"a letter", probe.Element{Hint: "Your name", Longest: 1}, []string{"A", "5"}},
		{"a quotation", probe.Element{Hint: "write “go north”"}, []string{"go north"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := screen.Answers(tt.field, 0); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
