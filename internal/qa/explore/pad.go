package explore

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/record"
)

// leastKeys is how many buttons with one sign each make a keyboard.
const leastKeys = 8

// padKeys are the selectors of buttons that belong to a keyboard or a number pad
// which the page shows. On one of them "X" closes nothing and "1" is no level: rows
// of levels have no nought.
func padKeys(els []probe.Element) map[string]bool {
	groups := map[string][]probe.Element{}
	for _, el := range els {
		g := nth.ReplaceAllString(el.Selector, "")
		groups[g] = append(groups[g], el)
	}
	keys := map[string]bool{}
	for _, group := range groups {
		if !isPad(group, func(el probe.Element) string { return el.Text }) {
			continue
		}
		for _, el := range group {
			keys[el.Selector] = true
		}
	}
	return keys
}

// isPad reports whether things that are alike are the keys of a keyboard.
func isPad[T any](things []T, text func(T) string) bool {
	letters, digits, nought := 0, 0, false
	for _, t := range things {
		switch r := sign(text(t)); {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
			nought = nought || r == '0'
		}
	}
	return letters >= leastKeys || nought && digits >= leastKeys
}

// sign is the only sign of a text, if it has but one.
func sign(text string) rune {
	if r, n := utf8.DecodeRuneInString(text); n == len(text) {
		return r
	}
	return 0
}

// writing puts the keys of a pad first that write something. Those that rub out or
// send do nothing before.
func writing(members []record.Control) {
	if !isPad(members, func(c record.Control) string { return c.Text }) {
		return
	}
	writes := func(c record.Control) bool { r := sign(c.Text); return unicode.IsLetter(r) || unicode.IsDigit(r) }
	slices.SortStableFunc(members, func(a, b record.Control) int {
		switch {
		case writes(a) == writes(b):
			return 0
		case writes(a):
			return -1
		}
		return 1
	})
}
