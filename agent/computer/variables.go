package computer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/agent"
)

var placeholder = regexp.MustCompile(`%([A-Za-z0-9_][A-Za-z0-9_-]*)%`)

// fill puts values in for names. Where there are variables, a name that is none
// of them is an error: it would be typed as it is.
func fill(text string, vars map[string]string) (string, error) {
	if len(vars) == 0 {
		return text, nil
	}
	var missing string
	out := placeholder.ReplaceAllStringFunc(text, func(m string) string {
		v, ok := vars[m[1:len(m)-1]]
		if !ok {
			missing = m
		}
		return v
	})
	if missing != "" {
		return "", fmt.Errorf("there is no variable %s", missing)
	}
	return out, nil
}

// shortest is the length below which a value is not masked: a "1" is all over
// a page.
const shortest = 4

// mask puts names in for values, the longest first, also as they stand in
// addresses.
func (c *Computer) mask(text string) string {
	names := slices.SortedFunc(maps.Keys(c.opts.Variables), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(c.opts.Variables[b]), len(c.opts.Variables[a])), strings.Compare(a, b))
	})
	for _, name := range names {
		value := c.opts.Variables[name]
		if len(value) < shortest {
			continue
		}
		for _, form := range []string{value, url.QueryEscape(value), url.PathEscape(value)} {
			text = strings.ReplaceAll(text, form, "%"+name+"%")
		}
	}
	return text
}

// variableLine lists variables for the prompt.
func variableLine(vars, descriptions map[string]string) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		shown := "%" + name + "%"
		if what := strings.TrimSpace(descriptions[name]); what != "" {
			shown += " (" + clip(what, 120) + ")"
		}
		names = append(names, shown)
	}
	return strings.Join(names, ", ")
}

// approve asks the caller about something that the model wants done.
func (r *run) approve(ctx context.Context, name string, arguments any, acts bool) error {
	if r.opts.Approve == nil {
		return nil
	}
	data, err := json.Marshal(arguments)
	if err != nil {
		return fmt.Errorf("read the arguments of %s: %w", name, err)
	}
	if err := r.opts.Approve(ctx, agent.Proposed{Step: r.step.N, Tool: name, Arguments: data, PageURL: r.mask(r.page.URL()), Acts: acts}); err != nil {
		return fmt.Errorf("%w: %w", agent.ErrNotApproved, err)
	}
	return nil
}
