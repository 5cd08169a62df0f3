package snapshot

import (
	"strings"
	"unicode"
)

// clean makes one line of page text: white space collapsed, control and
// formatting characters gone, so that nothing a page says can look like a line
// of ours.
func clean(s string) string {
	if tidy(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == unicode.ReplacementChar:
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// tidy reports whether there is nothing to clean, which is the usual case.
func tidy(s string) bool {
	last := byte(' ')
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return len(s) == 0 || last != ' '
}

// shorten cuts text to at most n characters and says so.
func shorten(s string, n int) string {
	if n <= 0 || len(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count == n-1 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		count++
	}
	return s
}

func quote(s string) string {
	if strings.ContainsAny(s, `"\`) {
		s = strings.NewReplacer(`\`, `\\`, `"`, `'`).Replace(s)
	}
	return `"` + s + `"`
}
