package report

import (
	"strings"
	"unicode"
)

// Plain is text of a page made harmless for a terminal or a log: on one line,
// without control characters, which move the cursor and more, and without the
// invisible ones that turn the direction of what follows or hide in it.
func Plain(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			gap = true
		case hidden(r):
		default:
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden are the characters that only change how others are shown. The joiners
// of emoji (U+200D) and their variation selectors stay.
func hidden(r rune) bool {
	switch {
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069: // direction
		return true
	case r == 0x200B || r == 0x200E || r == 0x200F || r == 0x061C || r == 0x2060 || r == 0xFEFF || r == 0x00AD:
		return true
	case r >= 0xE0000 && r <= 0xE0FFF: // tags
		return true
	case r >= 0xFFF9 && r <= 0xFFFB: // annotations
		return true
	}
	return false
}
