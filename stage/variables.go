package stage

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	variableName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$`)
	// placeholder is what can only be meant as a variable. A name that begins
	// with a digit is one when it was given: "5%10%" may be just that.
	placeholder = regexp.MustCompile(`%([A-Za-z0-9_][A-Za-z0-9_-]*)%`)
)

// CheckVariables refuses names that could not be told from text; each is of
// letters, digits, _ and -. Act, Observe, Extract and Perform check theirs.
func CheckVariables(vars map[string]string) error {
	for _, n := range names(vars) {
		if !variableName.MatchString(n) {
			return fmt.Errorf("%w: %q is no name; letters, digits, _ and - make one", ErrVariable, n)
		}
	}
	return nil
}

// fill puts values in, and tells which variables it used. A name that was not
// given is an error where it stands for the whole of an argument or part of it,
// never typed as it is.
func fill(text string, vars map[string]string) (filled string, used []string, err error) {
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
			return "", nil, fmt.Errorf("%%%s%%: %w", name, ErrVariable)
		}
		out.WriteString(text[:at[0]] + value)
		used = append(used, name)
		text = text[at[1]:]
	}
	return out.String() + text, used, nil
}

// bound checks that variables go only where they may: each that Options.Origins
// names, only into documents of its sites.
func (s *Stage) bound(used []string, address string) error {
	for _, name := range used {
		origins, ok := s.opts.Origins[name]
		if ok && !slices.ContainsFunc(origins, func(o string) bool { return fitsOrigin(o, address) }) {
			return fmt.Errorf("%w: %%%s%% is not meant for %s", ErrOrigin, name, origin(address))
		}
	}
	return nil
}

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
