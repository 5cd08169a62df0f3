package screen

import (
	"regexp"
	"strconv"

	"github.com/playtest-dev/playtest/browser/probe"
)

// names are written into fields, another into each: some games want players to differ.
var names = []string{"Ada", "Ben", "Cleo", "Dina"}

// letters are guessed in words, the commonest first.
const letters = "AEIORSTNLDUCMPHG"

var (
	// cellLike is an example of a letter with a number, as of a cell of a board.
	cellLike = regexp.MustCompile(`(?:^|[^\p{L}\d])(\p{L})(\d{1,2})(?:$|[^\p{L}\d])`)
	// quoted is an example in quotation marks.
	quoted = regexp.MustCompile(`["'«“„]([^"'»”“]{1,20})["'»”“]`)
	number = regexp.MustCompile(`\d{1,6}`)
)

// Answers are what a player might write into the nth field that is filled in, the likeliest first:
// what its hint suggests, or else a name; a letter or a number where there is room for one
// character.
func Answers(f probe.Element, n int) []string {
	if f.Longest == 1 {
		return []string{letters[n%len(letters):][:1], "5"}
	}
	if all := suggested(f.Hint); all != nil {
		return all
	}
	if f.Type == "number" {
		return []string{"5"}
	}
	return []string{names[n%len(names)]}
}

// Replies are what a player might answer to a question that did not take a name.
func Replies(question string) []string {
	if all := suggested(question); all != nil {
		return all
	}
	return []string{"4", "a"}
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
