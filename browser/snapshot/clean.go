package snapshot

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes one line of page text: white space collapsed, control and
// formatting characters gone, so that nothing a page says can look like a line
// of ours. What joins characters into one, as in 👩‍🚀, stays.
func clean(s string) string {
	if tidy(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	c := cleaner{out: &b}
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			c.join = 0
			continue
		}
		if !c.visible(r) {
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		c.write(r)
	}
	return b.String()
}

// cleanLines does the same to text in which white space counts, as in <pre>:
// its line breaks, tabs and runs of spaces stay.
func cleanLines(s string) string {
	if !strings.ContainsAny(s, "\n\t") && tidy(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	c := cleaner{out: &b}
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		switch {
		case r == '\n' || r == '\t':
			c.join = 0
			b.WriteRune(r)
		case r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			c.join = 0
			b.WriteByte('\n')
		case unicode.IsSpace(r):
			c.join = 0
			b.WriteByte(' ')
		case c.visible(r):
			c.write(r)
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

const (
	zeroWidthJoiner    = '\u200d' // makes one picture of several emoji
	zeroWidthNonJoiner = '\u200c' // keeps letters apart, as Persian needs
	blackFlag          = '\U0001f3f4'
)

// cleaner decides which characters may stay. Joiners are kept only between two
// others, one at a time, and tags only in the flags that are made of them:
// elsewhere both are ways to hide words from a person.
type cleaner struct {
	out  *strings.Builder
	last rune
	join rune // a joiner that waits for what it joins
	flag bool // in a flag such as Scotland's
}

func (c *cleaner) visible(r rune) bool {
	switch {
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner:
		if c.last != 0 {
			c.join = r
		}
		return false
	case r >= 0xe0020 && r <= 0xe007f:
		return c.flag
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == unicode.ReplacementChar:
		return false
	}
	return true
}

func (c *cleaner) write(r rune) {
	if c.join != 0 {
		c.out.WriteRune(c.join)
		c.join = 0
	}
	c.flag = r == blackFlag || c.flag && r >= 0xe0020 && r < 0xe007f
	c.last = r
	c.out.WriteRune(r)
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
			if utf8.RuneCountInString(s[i:]) == 1 {
				return s
			}
			return strings.TrimRight(s[:whole(s, i)], " ") + "…"
		}
		count++
	}
	return s
}

// whole moves a cut back to where it splits no character that is made of
// several: an emoji with its joiners, a letter with its accents, a flag.
func whole(s string, cut int) int {
	for back := 0; cut > 0 && cut < len(s) && back < 24; back++ {
		if !utf8.RuneStart(s[cut]) {
			cut--
			continue
		}
		next, _ := utf8.DecodeRuneInString(s[cut:])
		before, size := utf8.DecodeLastRuneInString(s[:cut])
		if before != zeroWidthJoiner && !extends(next) {
			break
		}
		cut -= size
	}
	return cut
}

// extends reports whether a rune belongs to the one before it.
func extends(r rune) bool {
	return r == zeroWidthJoiner || unicode.Is(unicode.M, r) || r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0020 && r <= 0xe007f
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

// Quote writes words of a page as the tree does.
func Quote(s string) string { return quote(s) }

// quote puts the page's words between quotes, as JSON does: a quote of the page's
// own has a backslash before it and a line break is \n, so that both can be read
// and neither can end the quotes or the line.
func quote(s string) string {
	if strings.ContainsAny(s, "\"\\\n\t") {
		s = escape.Replace(s)
	}
	return `"` + s + `"`
}
