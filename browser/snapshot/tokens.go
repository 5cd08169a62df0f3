package snapshot

import "unicode/utf8"

// Tokens estimates how many tokens a model will count for a text, without any
// vendor's tokenizer: words by length, digits by three, other characters one by
// one, a run of spaces as one. On our own trees it lies within some percent of
// the usual encodings.
func Tokens(s string) int {
	total := 0
	for i := 0; i < len(s); {
		c := s[i]
		start := i
		switch {
		case letter(c):
			for i < len(s) && letter(s[i]) {
				i++
			}
			total += (i - start + 5) / 6
		case c >= '0' && c <= '9':
			for i < len(s) && s[i] >= '0' && s[i] <= '9' {
				i++
			}
			total += (i - start + 2) / 3
		case c == ' ':
			for i < len(s) && s[i] == ' ' {
				i++
			}
			// A single space belongs to the word after it.
			if i-start > 1 || i >= len(s) {
				total++
			}
		case c < utf8.RuneSelf:
			i++
			// Punctuation in a row usually shares tokens in pairs.
			if i < len(s) && s[i] == c {
				i++
			}
			total++
		default:
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
			total++
		}
	}
	return total
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
