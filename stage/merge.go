package stage

import "reflect"

// merge puts the results of two parts of a page together: lists one after the
// other, everything else by what was found first. Rows that are equal stay, since
// a page may list the same thing twice; only one that names the same link, by its
// id, is the same row, seen from two parts.
func (s *shape) merge(a, b any) any { return s.mergeAt(a, b, s.tree, 0) }

func (s *shape) mergeAt(a, b, schema any, depth int) any {
	switch x := a.(type) {
	case nil:
		return b
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return a
		}
		for k, v := range y {
			x[k] = s.mergeAt(x[k], v, s.property(schema, k), depth+1)
		}
		return x
	case []any:
		y, ok := b.([]any)
		if !ok {
			return a
		}
		items := s.items(schema)
		for _, v := range y {
			if !s.linked(v, items, depth) || !has(x, v) {
				x = append(x, v)
			}
		}
		return x
	case string:
		if x == "" {
			return b
		}
	case float64:
		if x == 0 {
			return b
		}
	case bool:
		if !x {
			return b
		}
	}
	return a
}

// node follows references to the schema that is meant.
func (s *shape) node(schema any) map[string]any {
	for range maxSchemaDepth {
		n, ok := schema.(map[string]any)
		if !ok {
			return nil
		}
		ref, ok := n["$ref"].(string)
		if !ok {
			return n
		}
		schema = resolve(s.tree, ref)
	}
	return nil
}

func (s *shape) property(schema any, name string) any {
	n := s.node(schema)
	properties, _ := n["properties"].(map[string]any)
	if p, ok := properties[name]; ok {
		return p
	}
	return n["additionalProperties"]
}

func (s *shape) items(schema any) any { return s.node(schema)["items"] }

// linked reports whether a value holds the id of a link.
func (s *shape) linked(v, schema any, depth int) bool {
	if depth > maxSchemaDepth {
		return false
	}
	switch v := v.(type) {
	case string:
		return v != "" && isAddress(s.node(schema))
	case []any:
		for _, e := range v {
			if s.linked(e, s.items(schema), depth+1) {
				return true
			}
		}
	case map[string]any:
		for k, e := range v {
			if s.linked(e, s.property(schema, k), depth+1) {
				return true
			}
		}
	}
	return false
}

func has(list []any, v any) bool {
	for _, e := range list {
		if reflect.DeepEqual(e, v) {
			return true
		}
	}
	return false
}
