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
		{"a name", probe.Element{Hint: "Your name"}, []string{"Ada", "A", "5", "1234"}},
		{"a player with a number is a name", probe.Element{Hint: "Player 1"}, []string{"Ada", "A", "5", "1234"}},
		{"a number", probe.Element{Type: "number"}, []string{"5", "1234"}},
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

func TestGuess(t *testing.T) {
	for _, tt := range []struct {
		first   string
		guesses int
		want    string
		ok      bool
	}{
		{"A", 1, "E", true},
		{"E", 2, "O", true},
		{"5", 1, "99", true},
		{"8", 1, "5", true},
		{"1234", 1, "5678", true},
		{"Ada", 1, "Ada", false},
		{"D4", 3, "D4", false},
	} {
		if got, ok := screen.Guess(tt.first, tt.guesses); got != tt.want || ok != tt.ok {
			t.Errorf("%d guesses after %s: %s, %v, want %s, %v", tt.guesses, tt.first, got, ok, tt.want, tt.ok)
		}
	}
}
