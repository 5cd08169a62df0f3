package model

import (
	"fmt"
	"slices"
)

// SchemaSize is how much there is in a schema. As a bound, 0 is no bound.
type SchemaSize struct {
	Properties int
	Optional   int // properties that may be left out
	Unions     int // properties of more than one type
	Depth      int // objects within objects
	Choices    int // values of enumerations
}

// holds says what a schema has more of than fits.
func (most SchemaSize) holds(schema map[string]any) error {
	var has SchemaSize
	has.add(schema, 0)
	for _, each := range []struct {
		what      string
		has, most int
	}{
		{"properties", has.Properties, most.Properties},
		{"properties that may be left out", has.Optional, most.Optional},
		{"properties of several types", has.Unions, most.Unions},
		{"levels of objects", has.Depth, most.Depth},
		{"values to choose from", has.Choices, most.Choices},
	} {
		if each.most > 0 && each.has > each.most {
			return fmt.Errorf("%w: a schema with %d %s, more than %d", ErrUnsupported, each.has, each.what, each.most)
		}
	}
	return nil
}

// add counts a schema that lies in so many objects. What definitions hold counts
// once, however often it is referred to.
func (s *SchemaSize) add(v any, depth int) {
	node, ok := v.(map[string]any)
	if !ok {
		list, _ := v.([]any)
		for _, each := range list {
			s.add(each, depth)
		}
		return
	}
	if choices, ok := node["enum"].([]any); ok {
		s.Choices += len(choices)
	}
	if props, ok := node["properties"].(map[string]any); ok {
		depth++
		s.Depth = max(s.Depth, depth)
		s.Properties += len(props)
		required, _ := node["required"].([]any)
		for name, p := range props {
			if !slices.Contains(required, any(name)) {
				s.Optional++
			}
			if ofSeveralTypes(p) {
				s.Unions++
			}
			s.add(p, depth)
		}
	}
	defs, _ := node["$defs"].(map[string]any)
	for _, def := range defs {
		s.add(def, 0)
	}
	for key, inner := range node {
		if !slices.Contains(named, key) && !slices.Contains(literal, key) {
			s.add(inner, depth)
		}
	}
}

func ofSeveralTypes(v any) bool {
	node, _ := v.(map[string]any)
	types, _ := node["type"].([]any)
	return len(types) > 1 || node["anyOf"] != nil || node["oneOf"] != nil
}
