package variable

import (
	"cmp"
	"encoding/base64"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/playtest-dev/playtest/browser/snapshot"
)

// Mask puts names in for the values of variables, for as long as it lives: a page
// goes on showing what was typed into it. The zero value knows none. A Mask is not
// safe for use by several goroutines.
type Mask struct {
	pairs []secret // longest value first
}

// secret is a value as it may be written, and what stands for it: %name%, or
// %name:url% where it is encoded.
type secret struct{ name, value string }

// shortSecret is the length below which a value is masked only where it stands
// alone in quotes; a "1" is all over a page.
const shortSecret = 4

// Add has values masked from now on.
func (m *Mask) Add(vars map[string]string) {
	for name, value := range vars {
		for _, p := range spellings(name, value) {
			if p.value != "" && !slices.Contains(m.pairs, p) {
				m.pairs = append(m.pairs, p)
			}
		}
	}
	slices.SortFunc(m.pairs, func(a, b secret) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), strings.Compare(a.name, b.name))
	})
}

// spellings are the ways in which a page may show a value: as it is, in quotes of
// the tree, in an address, in HTML, and in base64, wherever in it the value begins.
func spellings(name, value string) []secret {
	list := []secret{{name, value}}
	if len(value) < shortSecret {
		return list
	}
	add := func(kind, spelt string) {
		if spelt != value {
			list = append(list, secret{name + ":" + kind, spelt})
		}
	}
	quoted := func(s string) string { q := snapshot.Quote(s); return q[1 : len(q)-1] }
	add("quoted", quoted(value))
	for _, spelt := range []string{url.QueryEscape(value), url.PathEscape(value)} {
		add("url", spelt)
		add("url", lowerHex.ReplaceAllStringFunc(spelt, strings.ToLower))
	}
	for _, spelt := range []string{html.EscapeString(value), textEscape.Replace(value)} {
		add("html", spelt)
		add("html", quoted(spelt))
	}
	if len(value) < shortBase64 {
		return list
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		add("base64", enc.EncodeToString([]byte(value)))
		for shift := range 3 {
			// What neither what comes before nor what follows has a part in.
			whole := enc.EncodeToString(append(make([]byte, shift), value...))
			add("base64", whole[(shift*8+5)/6:(shift+len(value))*8/6])
		}
	}
	return list
}

// shortBase64 is the length from which a value is looked for in base64: the few
// characters that shorter ones leave are all over a page.
const shortBase64 = 6

// textEscape escapes what must be escaped outside of attributes.
var textEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

var lowerHex = regexp.MustCompile(`%[0-9A-F]{2}`)

// sought is what a value is looked for as.
func (s secret) sought() string {
	if len(s.value) < shortSecret {
		return `"` + s.value + `"`
	}
	return s.value
}

// Text is a text with names in for values.
func (m *Mask) Text(text string) string {
	for _, p := range m.pairs {
		text = strings.ReplaceAll(text, p.sought(), strings.Replace(p.sought(), p.value, "%"+p.name+"%", 1))
	}
	return text
}

// Ready is how much of the beginning of a text that is still being written can be
// masked: no value begins there that ends behind it.
func (m *Mask) Ready(text string) int {
	ready := len(text)
	for _, p := range m.pairs {
		value := p.sought()
		for n := min(len(value)-1, len(text)); n > len(text)-ready; n-- {
			if strings.HasSuffix(text, value[:n]) {
				ready = len(text) - n
				break
			}
		}
	}
	// A value that is whole is not cut in two for one that may follow.
	for moved := true; moved; {
		moved = false
		for _, p := range m.pairs {
			from := max(0, ready-len(p.sought())+1)
			if i := strings.Index(text[from:], p.sought()); i >= 0 && from+i < ready {
				ready, moved = from+i, true
			}
		}
	}
	return ready
}

// Quote is a text in quotes, for messages, with names in for values.
func (m *Mask) Quote(text string) string {
	for _, p := range m.pairs {
		if text == p.value {
			text = "%" + p.name + "%"
		}
	}
	return strconv.Quote(m.Text(text))
}

// Restore puts the values of variables back into what a model has answered, where
// only their names were sent.
func Restore(text string, vars map[string]string) string {
	for name, value := range vars {
		for _, p := range spellings(name, value) {
			restored := p.value
			switch {
			case strings.HasSuffix(p.name, ":base64"):
				continue // only a part was masked, which cannot be put back
			case strings.HasSuffix(p.name, ":quoted"):
				restored = value // the quotes of the tree are not part of what the page says
			}
			text = strings.ReplaceAll(text, "%"+p.name+"%", restored)
		}
	}
	return text
}
