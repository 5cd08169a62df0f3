package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Dialect is the part of JSON Schema that a vendor's native structured output
// understands.
type Dialect struct {
	// Keywords that may stay; others are left out and only checked by us.
	Keywords []string
	// Closed wants additionalProperties: false on every object.
	Closed bool
	// AllRequired wants every property required. Optional ones are made
	// nullable instead, and the nulls are taken out of the answer again.
	AllRequired bool
}

// Translate is the schema in the dialect. It is never looser in a way that
// matters: the answer is validated against the original. A schema that the
// dialect cannot say at all is an error, and the caller falls back.
func (d Dialect) Translate(s *Schema) (map[string]any, error) {
	var root map[string]any
	if err := json.Unmarshal(s.JSON, &root); err != nil {
		return nil, fmt.Errorf("schema %s: %w", s.Name, err)
	}
	if root["type"] != "object" {
		return nil, fmt.Errorf("%w: schema %s is not of an object", ErrUnsupported, s.Name)
	}
	return d.node(root)
}

func (d Dialect) node(in map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for key, value := range in {
		if key == "oneOf" && !slices.Contains(d.Keywords, "oneOf") {
			key = "anyOf"
		}
		if key == "const" && !slices.Contains(d.Keywords, "const") {
			key, value = "enum", []any{value}
		}
		if !slices.Contains(d.Keywords, key) {
			continue
		}
		translated, err := d.value(key, value)
		if err != nil {
			return nil, err
		}
		out[key] = translated
	}
	_, isObject := in["properties"]
	if !isObject && !hasType(in, "object") {
		return out, nil
	}
	if extra, ok := in["additionalProperties"]; ok && extra != false && d.Closed {
		return nil, fmt.Errorf("%w: an object with free property names", ErrUnsupported)
	}
	if d.Closed {
		if !isObject {
			return nil, fmt.Errorf("%w: an object without properties", ErrUnsupported)
		}
		out["additionalProperties"] = false
	}
	if d.AllRequired {
		d.requireAll(in, out)
	}
	return out, nil
}

func (d Dialect) value(key string, value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		if key != "properties" && key != "$defs" {
			return d.node(v)
		}
		named := map[string]any{}
		for name, sub := range v {
			node, ok := sub.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%w: property %s is true or false instead of a schema", ErrUnsupported, name)
			}
			translated, err := d.node(node)
			if err != nil {
				return nil, err
			}
			named[name] = translated
		}
		return named, nil
	case []any:
		if key != "anyOf" && key != "allOf" && key != "oneOf" && key != "prefixItems" {
			return v, nil
		}
		list := make([]any, len(v))
		for i, sub := range v {
			node, ok := sub.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%w: %s holds true or false instead of a schema", ErrUnsupported, key)
			}
			translated, err := d.node(node)
			if err != nil {
				return nil, err
			}
			list[i] = translated
		}
		return list, nil
	}
	return value, nil
}

func (d Dialect) requireAll(in, out map[string]any) {
	props, _ := out["properties"].(map[string]any)
	required, _ := in["required"].([]any)
	names := slices.Sorted(maps.Keys(props))
	all := make([]any, len(names))
	for i, name := range names {
		all[i] = name
		if !slices.Contains(required, any(name)) {
			props[name] = nullable(props[name].(map[string]any))
		}
	}
	out["required"] = all
}

// nullable is the schema with null allowed too.
func nullable(node map[string]any) map[string]any {
	if t, ok := node["type"].(string); ok && node["enum"] == nil {
		node["type"] = []any{t, "null"}
		return node
	}
	if t, ok := node["type"].([]any); ok && slices.Contains(t, any("null")) {
		return node
	}
	return map[string]any{"anyOf": []any{node, map[string]any{"type": "null"}}}
}

func hasType(node map[string]any, name string) bool {
	switch t := node["type"].(type) {
	case string:
		return t == name
	case []any:
		return slices.Contains(t, any(name))
	}
	return false
}
