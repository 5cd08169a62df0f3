package model

import (
	"fmt"
	"strings"
)

// Ref names a model: "anthropic/claude-haiku-5-5". The part after the first
// slash may contain more of them, as OpenRouter's names do.
type Ref struct {
	Provider string
	Name     string
}

func (r Ref) String() string { return r.Provider + "/" + r.Name }

// ParseChain reads "vendor/name,vendor/name", the preferred model first.
func ParseChain(s string) ([]Ref, error) {
	var refs []Ref
	seen := map[string]bool{}
	for item := range strings.SplitSeq(s, ",") {
		item = strings.TrimSpace(item)
		provider, name, ok := strings.Cut(item, "/")
		if !ok || provider == "" || name == "" {
			return nil, fmt.Errorf("model %q: want vendor/name, such as anthropic/claude-haiku-5-5", item)
		}
		if seen[item] {
			return nil, fmt.Errorf("model %q is named twice", item)
		}
		seen[item] = true
		refs = append(refs, Ref{Provider: provider, Name: name})
	}
	return refs, nil
}
