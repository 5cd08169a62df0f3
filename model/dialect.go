package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Dialect is the part of JSON Schema that a vendor's native structured output
// understands.
type Dialect struct {
	// Keywords that may stay; others are left out and only checked by us.
	Keywords []string
	// Formats of strings that may stay, when format is among the keywords.
	Formats []string
	// Closed wants additionalProperties: false on every object.
	Closed bool
	// AllRequired wants every property required. Optional ones are made
	// nullable instead, and the nulls are taken out of the answer again.
	AllRequired bool
	// Flat takes no schema that refers to itself.
	Flat bool
	// FewItems takes minItems of 0 and 1 only.
	FewItems bool
	// Hints takes a schema that it cannot enforce as a hint to the model.
	Hints bool
	// Most is how large a schema may be that is enforced.
	Most SchemaSize
}

// Translate is the schema in the dialect, to be enforced by the vendor. It is
// never looser in a way that matters: the answer is validated against the
// original. A schema that the dialect cannot say at all is an error, and the
// caller falls back.
func (d Dialect) Translate(s *Schema) (map[string]any, error) {
	root, err := s.object()
	if err != nil {
		return nil, err
	}
	if d.Flat && recursive(root) {
		return nil, fmt.Errorf("%w: schema %s refers to itself", ErrUnsupported, s.Name)
	}
	schema, err := d.node(root)
	if err != nil {
		return nil, err
	}
	if err := d.Most.holds(schema); err != nil {
		return nil, err
	}
	return schema, nil
}

// Say is the schema as the vendor is sent it, and whether it can be enforced.
// Where it cannot, a vendor that takes hints is sent the whole of it.
func (d Dialect) Say(s *Schema) (schema map[string]any, strict bool, err error) {
	schema, err = d.Translate(s)
	if err == nil || !d.Hints {
		return schema, err == nil, err
	}
	schema, err = s.object()
	return schema, false, err
}

// object is the schema decoded, with the older keyword for definitions put
// into the newer one, which is the only one that vendors know.
func (s *Schema) object() (map[string]any, error) {
	var root map[string]any
	if err := json.Unmarshal(s.JSON, &root); err != nil {
		return nil, fmt.Errorf("schema %s: %w", s.Name, err)
	}
	if root["type"] != "object" {
		return nil, fmt.Errorf("%w: schema %s is not of an object", ErrUnsupported, s.Name)
	}
	modernize(root)
	if ref := dangling(root, root); ref != "" {
		return nil, fmt.Errorf("%w: schema %s refers to %s, which is not in it", ErrUnsupported, s.Name, ref)
	}
	return root, nil
}

// named are the keywords whose value is schemas by name.
var named = []string{"properties", "$defs", "patternProperties", "dependentSchemas"}

// literal are the keywords whose value is data and not a schema.
var literal = []string{"enum", "const", "default", "examples"}

// modernize renames definitions to $defs, with the references to them. A
// property may be called definitions; that is why it has to know where it is.
func modernize(node any) {
	switch v := node.(type) {
	case map[string]any:
		if old, ok := v["definitions"].(map[string]any); ok {
			defs, _ := v["$defs"].(map[string]any)
			if defs == nil {
				defs = map[string]any{}
			}
			maps.Copy(defs, old)
			v["$defs"] = defs
			delete(v, "definitions")
		}
		if ref, ok := v["$ref"].(string); ok {
			v["$ref"] = strings.Replace(ref, "#/definitions/", "#/$defs/", 1)
		}
		for key, inner := range v {
			subs, ok := inner.(map[string]any)
			switch {
			case slices.Contains(literal, key):
			case ok && slices.Contains(named, key):
				for _, sub := range subs {
					modernize(sub)
				}
			default:
				modernize(inner)
			}
		}
	case []any:
		for _, inner := range v {
			modernize(inner)
		}
	}
}

// dangling is a reference that leads nowhere, "" when there is none.
func dangling(root map[string]any, node any) string {
	switch v := node.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && ref != "#" && lookup(root, ref) == nil {
			return ref
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if ref := dangling(root, v[name]); ref != "" {
				return ref
			}
		}
	case []any:
		for _, inner := range v {
			if ref := dangling(root, inner); ref != "" {
				return ref
			}
		}
	}
	return ""
}

// recursive reports whether a schema refers to itself, by whatever detour. Each
// definition is followed once: many may share one, and following each way to it
// would take for ever.
func recursive(root map[string]any) bool {
	const under, done = 1, 2
	state := map[string]int{}
	var visit func(node any) bool
	visit = func(node any) bool {
		switch v := node.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				if ref == "#" || state[ref] == under {
					return true
				}
				if state[ref] != done {
					state[ref] = under
					if visit(lookup(root, ref)) {
						return true
					}
					state[ref] = done
				}
			}
			for name, inner := range v {
				if name != "$defs" && visit(inner) {
					return true
				}
			}
		case []any:
			return slices.ContainsFunc(v, visit)
		}
		return false
	}
	return visit(root)
}

func (d Dialect) node(in map[string]any) (map[string]any, error) {
	if ref, ok := in["$ref"].(string); ok {
		// No vendor takes anything beside a reference.
		return map[string]any{"$ref": ref}, nil
	}
	out := map[string]any{}
	for key, value := range in {
		if key == "oneOf" && !slices.Contains(d.Keywords, "oneOf") {
			key = "anyOf"
		}
		if key == "const" && !slices.Contains(d.Keywords, "const") {
			key, value = "enum", []any{value}
		}
		if !slices.Contains(d.Keywords, key) || !d.takes(key, value) {
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

// takes reports whether a keyword may have that value.
func (d Dialect) takes(key string, value any) bool {
	switch key {
	case "format":
		name, _ := value.(string)
		return slices.Contains(d.Formats, name)
	case "minItems":
		return !d.FewItems || value == 0.0 || value == 1.0
	}
	return true
}

func (d Dialect) value(key string, value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		if key != "properties" && key != "$defs" {
			return d.node(v)
		}
		byName := map[string]any{}
		for name, sub := range v {
			node, ok := sub.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%w: property %s is true or false instead of a schema", ErrUnsupported, name)
			}
			translated, err := d.node(node)
			if err != nil {
				return nil, err
			}
			byName[name] = translated
		}
		return byName, nil
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
