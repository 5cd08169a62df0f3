package explore

import (
	"unicode"
	"unicode/utf8"

	"playtest/browser/probe"
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
		letters, digits, nought := 0, 0, false
		for _, el := range group {
			r, n := utf8.DecodeRuneInString(el.Text)
			switch {
			case n != len(el.Text):
			case unicode.IsLetter(r):
				letters++
			case unicode.IsDigit(r):
				digits++
				nought = nought || r == '0'
			}
		}
		if letters < leastKeys && !(nought && digits >= leastKeys) {
			continue
		}
		for _, el := range group {
			keys[el.Selector] = true
		}
	}
	return keys
}
