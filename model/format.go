package model

import (
	"fmt"
	"maps"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"time"
)

// Formats are checked here because the validator does not look at them and a
// vendor that refuses one is not told of it.

// formats say whether a text is of a format. Formats that are not named are
// not checked, as the specification has it.
var formats = map[string]func(string) bool{
	"date-time": parses(time.RFC3339),
	"date":      parses(time.DateOnly),
	"time":      parses("15:04:05Z07:00", "15:04:05"),
	"duration":  regexp.MustCompile(`^P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$`).MatchString,
	"email": func(s string) bool {
		a, err := mail.ParseAddress(s)
		return err == nil && a.Address == s
	},
	"hostname": regexp.MustCompile(`^(?i)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`).MatchString,
	"ipv4":     func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6":     func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() },
	"uuid":     regexp.MustCompile(`^(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString,
	"uri":      func(s string) bool { u, err := url.Parse(s); return err == nil && u.IsAbs() },
}

func parses(layouts ...string) func(string) bool {
	return func(s string) bool {
		return slices.ContainsFunc(layouts, func(layout string) bool { _, err := time.Parse(layout, s); return err == nil })
	}
}

// checkFormats says which text is not of the format that its schema names.
func checkFormats(root, schema, value any, path string, depth int) error {
	node, ok := schema.(map[string]any)
	if !ok || depth > 64 {
		return nil
	}
	if ref, ok := node["$ref"].(string); ok {
		return checkFormats(root, lookup(root, ref), value, path, depth+1)
	}
	switch v := value.(type) {
	case string:
		// Strict vendors want every property, so an empty text says that there is none.
		name, _ := node["format"].(string)
		if fits, known := formats[name]; known && v != "" && !fits(v) {
			return fmt.Errorf("%s: %q is not of the format %s", orRoot(path), clip(v, 80), name)
		}
	case map[string]any:
		props, _ := node["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			sub, named := props[name]
			if !named {
				sub = node["additionalProperties"]
			}
			if err := checkFormats(root, sub, v[name], path+"/"+name, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for i, inner := range v {
			if err := checkFormats(root, node["items"], inner, fmt.Sprintf("%s/%d", path, i), depth+1); err != nil {
				return err
			}
		}
	}
	return checkBranches(root, node, value, path, depth)
}

// checkBranches holds a value against the alternatives of a schema. One of
// them has to fit, of those that are for values of its kind.
func checkBranches(root any, node map[string]any, value any, path string, depth int) error {
	all, _ := node["allOf"].([]any)
	for _, branch := range all {
		if err := checkFormats(root, branch, value, path, depth+1); err != nil {
			return err
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		branches, _ := node[key].([]any)
		var wrong error
		fits := len(branches) == 0
		for _, branch := range branches {
			if !mayBe(root, branch, value) {
				continue
			}
			if err := checkFormats(root, branch, value, path, depth+1); err == nil {
				fits = true
			} else if wrong == nil {
				wrong = err
			}
		}
		if !fits && wrong != nil {
			return wrong
		}
	}
	return nil
}

// mayBe reports whether a schema is for values of that kind, as far as its
// type tells.
func mayBe(root, schema, value any) bool {
	node, ok := schema.(map[string]any)
	if !ok {
		return true
	}
	if ref, ok := node["$ref"].(string); ok {
		node, _ = lookup(root, ref).(map[string]any)
	}
	if node["type"] == nil {
		return true
	}
	kinds := []string{"number", "integer"}
	switch value.(type) {
	case nil:
		kinds = []string{"null"}
	case string:
		kinds = []string{"string"}
	case bool:
		kinds = []string{"boolean"}
	case map[string]any:
		kinds = []string{"object"}
	case []any:
		kinds = []string{"array"}
	}
	return slices.ContainsFunc(kinds, func(kind string) bool { return hasType(node, kind) })
}

func orRoot(path string) string {
	if path == "" {
		return "the value"
	}
	return path
}
