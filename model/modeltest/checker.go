package modeltest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif" // pictures that vendors take
	_ "image/jpeg"
	_ "image/png"
	"regexp"
	"slices"
	"strings"

	_ "golang.org/x/image/webp"
)

// checker gathers what is wrong with a request.
type checker struct{ faults []string }

func (c *checker) fault(path, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = path + ": " + text
	}
	c.faults = append(c.faults, text)
}

// rule holds one value against the documentation.
type rule func(c *checker, path string, v any)

// shape is an object's fields. A name ending in ! must be there; a field that
// is not named must not be.
type shape map[string]rule

func (s shape) check(c *checker, path string, v any) {
	object, ok := v.(map[string]any)
	if !ok {
		c.fault(path, "want an object, got %T", v)
		return
	}
	for name, r := range s {
		plain := strings.TrimSuffix(name, "!")
		value, there := object[plain]
		if !there && plain != name {
			c.fault(path, "%s is missing", plain)
		}
		if there && r != nil {
			r(c, path+"."+plain, value)
		}
	}
	for name := range object {
		_, optional := s[name]
		_, required := s[name+"!"]
		if !optional && !required {
			c.fault(path, "unknown field %s", name)
		}
	}
}

func object(s shape) rule { return s.check }

func list(r rule) rule {
	return func(c *checker, path string, v any) {
		items, ok := v.([]any)
		if !ok {
			c.fault(path, "want a list, got %T", v)
			return
		}
		for i, item := range items {
			r(c, fmt.Sprintf("%s[%d]", path, i), item)
		}
	}
}

func text(c *checker, path string, v any) {
	if s, ok := v.(string); !ok || s == "" {
		c.fault(path, "want a text that is not empty, got %v", v)
	}
}

func anyText(c *checker, path string, v any) {
	if _, ok := v.(string); !ok {
		c.fault(path, "want a text, got %T", v)
	}
}

func boolean(c *checker, path string, v any) {
	if _, ok := v.(bool); !ok {
		c.fault(path, "want true or false, got %T", v)
	}
}

func number(least, most float64) rule {
	return func(c *checker, path string, v any) {
		n, ok := v.(float64)
		if !ok || n < least || n > most {
			c.fault(path, "want a number from %v to %v, got %v", least, most, v)
		}
	}
}

func word(words ...string) rule {
	return func(c *checker, path string, v any) {
		s, _ := v.(string)
		if !slices.Contains(words, s) {
			c.fault(path, "want one of %v, got %v", words, v)
		}
	}
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func name(c *checker, path string, v any) {
	s, _ := v.(string)
	if !toolName.MatchString(s) {
		c.fault(path, "%q is not a name of up to 64 letters, digits, _ and -", s)
	}
}

// picture holds an image against a vendor's limits.
func (c *checker) picture(path, media, data string, types []string, maxBase64, maxSide int) {
	if !slices.Contains(types, media) {
		c.fault(path, "media type %q is not taken", media)
	}
	if len(data) > maxBase64 {
		c.fault(path, "image exceeds %d bytes", maxBase64)
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		c.fault(path, "not base64: %v", err)
		return
	}
	cfg, kind, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		c.fault(path, "not a picture: %v", err)
		return
	}
	if media != "image/"+kind {
		c.fault(path, "it says %s and is %s", media, kind)
	}
	if cfg.Width > maxSide || cfg.Height > maxSide {
		c.fault(path, "image dimensions %dx%d exceed %d", cfg.Width, cfg.Height, maxSide)
	}
}

// dataURL takes a data URL apart.
func (c *checker) dataURL(path, url string, types []string) {
	rest, ok := strings.CutPrefix(url, "data:")
	media, data, ok2 := strings.Cut(rest, ";base64,")
	if !ok || !ok2 {
		c.fault(path, "not a data URL")
		return
	}
	c.picture(path, media, data, types, 50<<20, 10_000)
}

// schemaRules is a vendor's subset of JSON Schema.
type schemaRules struct {
	Keywords []string `json:"keywords"`
	Formats  []string `json:"formats"`
	// Closed: additionalProperties must be false. AllRequired: every property
	// must be. NoRecursion: a schema may not refer to itself. LoneRefs: nothing
	// stands beside a reference.
	Closed      bool `json:"closed"`
	AllRequired bool `json:"all_required"`
	NoRecursion bool `json:"no_recursion"`
	LoneRefs    bool `json:"lone_refs"`
	// MostMinItems is the largest minItems, 0 for any.
	MostMinItems float64 `json:"most_min_items"`
	// Most is how many there may be in a schema: optional properties, those that
	// are unions of types, levels of objects, properties, values of enums.
	Most map[string]int `json:"most"`
}

func (s schemaRules) check(c *checker, path string, v any) {
	if str(v, "type") != "object" {
		c.fault(path, "schema must be a JSON Schema of 'type: \"object\"', got %v", str(v, "type"))
	}
	s.references(c, path, v)
	s.node(c, path, v)
	has := map[string]int{}
	measure(has, v, 1)
	for what, most := range s.Most {
		if has[what] > most {
			c.fault(path, "Schemas contains too many %s (%d, limit: %d).", what, has[what], most)
		}
	}
}

// measure counts what there is in a schema of that level.
func measure(has map[string]int, v any, level int) {
	node, _ := v.(map[string]any)
	props, _ := node["properties"].(map[string]any)
	if props != nil {
		has["levels"] = max(has["levels"], level)
		level++
	}
	required, _ := node["required"].([]any)
	for name, p := range props {
		has["properties"]++
		if !slices.Contains(required, any(name)) {
			has["optional"]++
		}
		if prop, _ := p.(map[string]any); prop != nil {
			if types, _ := prop["type"].([]any); len(types) > 1 || prop["anyOf"] != nil || prop["oneOf"] != nil {
				has["unions"]++
			}
		}
		measure(has, p, level)
	}
	values, _ := node["enum"].([]any)
	has["values"] += len(values)
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		for _, sub := range items(node, key) {
			measure(has, sub, level)
		}
	}
	if each := node["items"]; each != nil {
		measure(has, each, level)
	}
	defs, _ := node["$defs"].(map[string]any)
	for _, def := range defs {
		measure(has, def, 1)
	}
}

func (s schemaRules) node(c *checker, path string, v any) {
	node, ok := v.(map[string]any)
	if !ok {
		c.fault(path, "want a schema, got %T", v)
		return
	}
	for key, value := range node {
		if !slices.Contains(s.Keywords, key) {
			c.fault(path, "keyword %s is not supported", key)
		}
		switch key {
		case "format":
			if name, _ := value.(string); !slices.Contains(s.Formats, name) {
				c.fault(path, "'%v' is not a valid format", value)
			}
		case "minItems":
			if n, _ := value.(float64); s.MostMinItems > 0 && n > s.MostMinItems {
				c.fault(path, "minItems of %v is not supported", value)
			}
		case "$ref":
			if s.LoneRefs && len(node) > 1 {
				c.fault(path, "$ref cannot have keywords beside it")
			}
		case "properties", "$defs":
			named, _ := value.(map[string]any)
			for n, sub := range named {
				s.node(c, path+"."+n, sub)
			}
		case "items":
			s.node(c, path+"[]", value)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			subs, _ := value.([]any)
			for i, sub := range subs {
				s.node(c, fmt.Sprintf("%s.%s[%d]", path, key, i), sub)
			}
		}
	}
	s.object(c, path, node)
}

func (s schemaRules) object(c *checker, path string, node map[string]any) {
	props, isObject := node["properties"].(map[string]any)
	if !isObject && node["type"] != "object" {
		return
	}
	if s.Closed && node["additionalProperties"] != false {
		c.fault(path, "additionalProperties must be false")
	}
	if s.AllRequired {
		required, _ := node["required"].([]any)
		for n := range props {
			if !slices.Contains(required, any(n)) {
				c.fault(path, "%s must be required", n)
			}
		}
	}
}

// references follows every reference, each once: it has to lead somewhere, and
// where the vendor takes no recursion not back to where it came from.
func (s schemaRules) references(c *checker, path string, root any) {
	const under, done = 1, 2
	state := map[string]int{}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				to := pointed(root, ref)
				switch {
				case to == nil:
					c.fault(path, "reference to component %q which was not found in the schema", ref)
				case state[ref] == under || ref == "#":
					if s.NoRecursion {
						c.fault(path, "recursive schemas are not supported")
					}
				case state[ref] != done:
					state[ref] = under
					visit(to)
					state[ref] = done
				}
			}
			for name, inner := range v {
				if name != "$defs" {
					visit(inner)
				}
			}
		case []any:
			for _, inner := range v {
				visit(inner)
			}
		}
	}
	visit(root)
}

// pointed is what a reference names within its document, nil for nothing.
func pointed(root any, ref string) any {
	if ref == "#" {
		return root
	}
	rest, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	at := root
	for step := range strings.SplitSeq(rest, "/") {
		object, _ := at.(map[string]any)
		at = object[step]
	}
	return at
}

// str is a field of an object as a string, "" when it is not one.
func str(v any, field string) string {
	object, _ := v.(map[string]any)
	s, _ := object[field].(string)
	return s
}

// items is a field of an object as a list.
func items(v any, field string) []any {
	object, _ := v.(map[string]any)
	l, _ := object[field].([]any)
	return l
}
