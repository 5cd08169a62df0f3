// Package variable is values that a model writes by name only: %password% stands
// for one until what the model wants typed goes into a page, and from then on the
// value is masked in whatever is shown.
package variable

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	// ErrName is a variable that was not given, or whose name is none.
	ErrName = errors.New("the variable is not known")
	// ErrOrigin is a variable that is not meant for a site.
	ErrOrigin = errors.New("the variable is not meant for this site")
)

var (
	rule = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$`)
	// placeholder is what can only be meant as a variable. A name that begins
	// with a digit is one when it was given: "5%10%" may be just that.
	placeholder = regexp.MustCompile(`%([A-Za-z0-9_][A-Za-z0-9_-]*)%`)
)

// Check refuses names that could not be told from text; each is of letters,
// digits, _ and -.
func Check(vars map[string]string) error {
	for _, n := range Names(vars) {
		if !rule.MatchString(n) {
			return fmt.Errorf("%w: %q is no name; letters, digits, _ and - make one", ErrName, n)
		}
	}
	return nil
}

// Fill puts values in, and tells which variables it used. A name that was not
// given is an error where it stands for the whole of an argument or part of it,
// never typed as it is.
func Fill(text string, vars map[string]string) (filled string, used []string, err error) {
	var out strings.Builder
	for text != "" {
		at := placeholder.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		name := text[at[2]:at[3]]
		value, ok := vars[name]
		if !ok && name[0] >= '0' && name[0] <= '9' {
			out.WriteString(text[:at[0]+1])
			text = text[at[0]+1:]
			continue
		}
		if !ok {
			return "", nil, fmt.Errorf("%%%s%%: %w", name, ErrName)
		}
		out.WriteString(text[:at[0]] + value)
		used = append(used, name)
		text = text[at[1]:]
	}
	return out.String() + text, used, nil
}

// Bound checks that variables go only where they may: each that origins names,
// only into documents of its sites.
func Bound(used []string, origins map[string][]string, address string) error {
	for _, name := range used {
		sites, ok := origins[name]
		if ok && !slices.ContainsFunc(sites, func(o string) bool { return fitsOrigin(o, address) }) {
			return fmt.Errorf("%w: %%%s%% is not meant for %s", ErrOrigin, name, origin(address))
		}
	}
	return nil
}

// Names lists the variables in order, for prompts and keys.
func Names(vars map[string]string) []string { return slices.Sorted(maps.Keys(vars)) }

// Line lists variables for a prompt, with what is said of them. Descriptions are
// the caller's and are shown as they are, on one line.
func Line(vars, descriptions map[string]string) string {
	var list []string
	for _, name := range Names(vars) {
		shown := "%" + name + "%"
		if what := strings.Join(strings.Fields(descriptions[name]), " "); what != "" {
			if r := []rune(what); len(r) > longestDescription {
				what = string(r[:longestDescription]) + "…"
			}
			shown += " (" + what + ")"
		}
		list = append(list, shown)
	}
	return strings.Join(list, ", ")
}

const longestDescription = 120

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "this document"
	}
	return u.Scheme + "://" + u.Host
}

// fitsOrigin reports whether an address is of an origin such as
// https://example.com, or https://*.example.com for the hosts below one.
func fitsOrigin(pattern, address string) bool {
	p, err := url.Parse(strings.TrimSuffix(pattern, "/"))
	u, err2 := url.Parse(address)
	if err != nil || err2 != nil || p.Scheme == "" || p.Scheme != u.Scheme || p.Path != "" {
		return false
	}
	if below, ok := strings.CutPrefix(strings.ToLower(p.Host), "*."); ok {
		return strings.HasSuffix(strings.ToLower(u.Host), "."+below)
	}
	return strings.EqualFold(p.Host, u.Host)
}
