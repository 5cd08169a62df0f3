package agent

import (
	"strings"

	"github.com/playtest-dev/playtest/browser/snapshot"
)

// cut shortens a text to about so many tokens and says what it left out.
func cut(text string, tokens int) (string, bool) {
	whole := len(text)
	// No token is longer than some characters; the rest need not be counted.
	if most := tokens * 12; len(text) > most {
		text = text[:most]
	}
	for n := snapshot.Tokens(text); n > tokens; n = snapshot.Tokens(text) {
		text = text[:min(len(text)-1, len(text)*tokens/n)]
	}
	if len(text) == whole {
		return text, false
	}
	return strings.ToValidUTF8(text, ""), true
}

// line makes a text fit for a list: one line, so many characters.
func line(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
