package screen

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/browser/probe"
)

// names are written into fields, another into each: some games want players to differ.
var names = []string{"Ada", "Ben", "Cleo", "Dina"}

// letters are guessed in words, the commonest first, numbers where nothing says between
// which: some low and some high, and codes where digits are guessed, which are all different
// in most such games.
var (
	letters = strings.Split("AEIORSTNLDUCMPHG", "")
	numbers = []string{"5", "99", "1", "50", "8"}
	codes   = []string{"1234", "5678", "2746", "9135"}
)

var (
	// cellLike is an example of a letter with a number, as of a cell of a board.
	cellLike = regexp.MustCompile(`(?:^|[^\p{L}\d])(\p{L})(\d{1,2})(?:$|[^\p{L}\d])`)
	// quoted is an example in quotation marks.
	quoted = regexp.MustCompile(`["'«“„]([^"'»”“]{1,20})["'»”“]`)
	number = regexp.MustCompile(`\d{1,6}`)
)

// Answers are what a player might write into the nth field that is filled in, the likeliest first:
// what its hint suggests, or else a name, a letter, a number, a code; what there is room for, if
// that is one character.
func Answers(f probe.Element, n int) []string {
	letter := letters[n%len(letters)]
	if f.Longest == 1 {
		return []string{letter, numbers[0]}
	}
	if all := suggested(f.Hint); all != nil {
		return all
	}
	if f.Type == "number" {
		return []string{numbers[0], codes[0]}
	}
	return []string{names[n%len(names)], letter, numbers[0], codes[0]}
}

// Guess is what a player writes after some guesses, the first of which is given: another letter
// another number or another code. It reports whether the first was a guess at all.
func Guess(first string, guesses int) (text string, ok bool) {
	for _, all := range [][]string{letters, numbers, codes} {
		if i := slices.Index(all, first); i >= 0 {
			return all[(i+guesses)%len(all)], true
		}
	}
	return first, false
}

// Replies are what a player might answer to a question that did not take a name.
func Replies(question string) []string {
	if all := suggested(question); all != nil {
		return all
	}
	return []string{"4", "a"}
}

// Tests are answers to one question, in groups of a kind: a game answers some of a group alike
// and others differently, if it looks at what they are.
func Tests(question string) [][]string {
	groups := [][]string{{"r", "s", "t", "n", "l", "e", "a"}, {"50", "25", "75", "3", "1"}, codes}
	if all := suggested(question); len(all) > 2 {
		groups = append([][]string{all}, groups...)
	}
	return groups
}

// suggested is what a text gives as an example and others like it, or numbers between two
// that it names; nil if it suggests nothing.
func suggested(text string) []string {
	if m := cellLike.FindStringSubmatch(text); m != nil {
		return []string{m[1] + m[2], next(m[1]) + "2", next(m[1]) + "3", next(m[1]) + "1"}
	}
	if m := quoted.FindStringSubmatch(text); m != nil {
		return []string{m[1]}
	}
	if bounds := number.FindAllString(text, -1); len(bounds) == 2 {
		low, _ := strconv.Atoi(bounds[0]) // six digits at most
		high, _ := strconv.Atoi(bounds[1])
		if low < high {
			part := func(of float64) string { return strconv.Itoa(low + int(of*float64(high-low))) }
			return []string{part(0.5), part(0.25), part(0.75)}
		}
	}
	return nil
}

// next is the letter after one, or the one before the last of an alphabet.
func next(letter string) string {
	r := []rune(letter)[0]
	switch r {
	case 'z', 'Z', 'я', 'Я':
		return string(r - 1)
	}
	return string(r + 1)
}
