package stage

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// secrets are the values of variables that a stage was given. They are masked
// in everything that goes to a model, a callback or a cache, for as long as the
// stage lives, because a page goes on showing what was typed into it.
type secrets struct {
	pairs []secret // longest value first
}

type secret struct{ name, value string }

// shortSecret is the length below which a value is masked only where it stands
// alone in quotes; a "1" is all over a page.
const shortSecret = 4

func (s *secrets) add(vars map[string]string) {
	for name, value := range vars {
		p := secret{name, value}
		if value != "" && !slices.Contains(s.pairs, p) {
			s.pairs = append(s.pairs, p)
		}
	}
	slices.SortFunc(s.pairs, func(a, b secret) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), strings.Compare(a.name, b.name))
	})
}

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

var placeholder = regexp.MustCompile(`%([A-Za-z_][A-Za-z0-9_-]*)%`)

// fill puts values in. A name that was not given is an error where it stands
// for the whole of an argument or part of it, never typed as it is.
func fill(text string, vars map[string]string) (string, error) {
	var missing string
	out := placeholder.ReplaceAllStringFunc(text, func(m string) string {
		v, ok := vars[m[1:len(m)-1]]
		if !ok {
			missing = m
		}
		return v
	})
	if missing != "" {
		return "", fmt.Errorf("%s: %w", missing, ErrVariable)
	}
	return out, nil
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
