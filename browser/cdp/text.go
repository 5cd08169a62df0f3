package cdp

import (
	"bytes"
	"unicode/utf8"
)

var replacement = []byte("\uFFFD")

// repair makes a message decodable that carries text which is no valid UTF-8,
// or half of a surrogate pair as an escape. Chromium passes on what pages
// write, and pages write such things.
func repair(m []byte) []byte {
	if !utf8.Valid(m) {
		m = bytes.ToValidUTF8(m, replacement)
	}
	if bytes.Contains(m, []byte(`\ud`)) || bytes.Contains(m, []byte(`\uD`)) {
		m = repairSurrogates(m)
	}
	return m
}

// repairSurrogates overwrites lone surrogate escapes with the escape of the
// replacement character, which has the same length.
func repairSurrogates(m []byte) []byte {
	for i := 0; i+1 < len(m); i++ {
		if m[i] != '\\' {
			continue
		}
		u, ok := escape(m[i:])
		if !ok {
			i++ // another escape such as \\ or \n: skip what it escapes
			continue
		}
		switch {
		case u >= 0xD800 && u < 0xDC00:
			if low, ok := escape(m[i+6:]); ok && low >= 0xDC00 && low < 0xE000 {
				i += 11
				continue
			}
			copy(m[i:], `\ufffd`)
		case u >= 0xDC00 && u < 0xE000:
			copy(m[i:], `\ufffd`)
		}
		i += 5
	}
	return m
}

// escape reads \uXXXX at the start of b.
func escape(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
