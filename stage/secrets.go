package stage

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

// secrets are the values of variables that a stage was given. They are masked
// in everything that goes to a model, a callback or a cache, for as long as the
// stage lives, because a page goes on showing what was typed into it.
type secrets struct {
	pairs []secret // longest value first
}

// secret is a value as it may be written, and what stands for it: %name%, or
// %name:url% where it is encoded.
type secret struct{ name, value string }

// shortSecret is the length below which a value is masked only where it stands
// alone in quotes; a "1" is all over a page.
const shortSecret = 4

func (s *secrets) add(vars map[string]string) {
	for name, value := range vars {
		for _, p := range spellings(name, value) {
			if p.value != "" && !slices.Contains(s.pairs, p) {
				s.pairs = append(s.pairs, p)
			}
		}
	}
	slices.SortFunc(s.pairs, func(a, b secret) int {
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

func (s *secrets) mask(text string) string {
	for _, p := range s.pairs {
		if len(p.value) < shortSecret {
			text = strings.ReplaceAll(text, `"`+p.value+`"`, `"%`+p.name+`%"`)
			continue
		}
		text = strings.ReplaceAll(text, p.value, "%"+p.name+"%")
	}
	return text
}

// quote is a text in quotes, for messages, with names in for values.
func (s *secrets) quote(text string) string {
	for _, p := range s.pairs {
		if text == p.value {
			text = "%" + p.name + "%"
		}
	}
	return strconv.Quote(s.mask(text))
}

// in reports whether the page's own words about an action have a value in them.
func (s *secrets) in(a Action) bool {
	words := append(a.Selectors.List(), a.Description, a.Name, a.Selector, a.Selectors.CSS)
	return a.Target != nil && s.in(*a.Target) || slices.ContainsFunc(append(words, a.Arguments...), func(w string) bool { return s.mask(w) != w })
}

// names lists the variables in order, for prompts and keys.
func names(vars map[string]string) []string {
	list := make([]string, 0, len(vars))
	for n := range vars {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

func variableLine(vars map[string]string) string {
	list := names(vars)
	if len(list) == 0 {
		return "none"
	}
	for i, n := range list {
		list[i] = "%" + n + "%"
	}
	return strings.Join(list, ", ")
}

// Mask puts the names of variables in for their values: of those given, and of
// all that the stage was given before. Whoever shows a page to a model without
// a call of the stage uses it.
func (s *Stage) Mask(text string, vars map[string]string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets.add(vars)
	return s.secrets.mask(text)
}
