package stage

import (
	"slices"

	"github.com/playtest-dev/playtest/internal/variable"
)

// CheckVariables refuses names that could not be told from text; each is of
// letters, digits, _ and -. Act, Observe, Extract and Perform check theirs.
func CheckVariables(vars map[string]string) error { return variable.Check(vars) }

// Mask puts the names of variables in for their values: of those given, and of
// all that the stage was given before. Whoever shows a page to a model without
// a call of the stage uses it.
func (s *Stage) Mask(text string, vars map[string]string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets.Add(vars)
	return s.secrets.Text(text)
}

// MaskReady is Mask for a text that is still being written. What may be the
// beginning of a value is not shown yet: it is the rest, to which the next piece
// is to be added.
func (s *Stage) MaskReady(text string, vars map[string]string) (shown, rest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets.Add(vars)
	n := s.secrets.Ready(text)
	return s.secrets.Text(text[:n]), text[n:]
}

// reveals reports whether the page's own words about an action have a value in
// them.
func (s *Stage) reveals(a Action) bool {
	words := append(a.Selectors.List(), a.Description, a.Name, a.Selector, a.Selectors.CSS)
	return a.Target != nil && s.reveals(*a.Target) ||
		slices.ContainsFunc(append(words, a.Arguments...), func(w string) bool { return s.secrets.Text(w) != w })
}

func variableLine(vars map[string]string) string {
	if len(vars) == 0 {
		return "none"
	}
	return variable.Line(vars, nil)
}
