package stage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/model"
)

// shape is a schema as the caller wants it and as the model is asked: there,
// addresses are the ids of links, and what is no object is put into one,
// because vendors want objects.
type shape struct {
	wanted *model.Schema
	asked  *model.Schema
	tree   map[string]any
}

// wrapped is the field that holds what is no object.
const wrapped = "data"

// maxSchemaDepth is how deep a schema is looked into for addresses.
const maxSchemaDepth = 64

func newShape(raw json.RawMessage) (*shape, error) {
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, fmt.Errorf("%w: it is not a JSON object: %w", ErrSchema, err)
	}
	if len(tree) == 0 {
		return nil, fmt.Errorf("%w: it is empty", ErrSchema)
	}
	if !isObject(raw) {
		outer := map[string]any{
			"type": "object", "properties": map[string]any{wrapped: tree}, "required": []any{wrapped}, "additionalProperties": false,
		}
		// Definitions are found from the root.
		for _, k := range []string{"$defs", "definitions"} {
			if d, ok := tree[k]; ok {
				outer[k] = d
				delete(tree, k)
			}
		}
		tree = outer
	}
	if err := followable(tree, tree, nil, make(map[string]bool)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	s := &shape{tree: tree}
	var err error
	if s.wanted, err = schemaFrom(tree); err != nil {
		return nil, err
	}
	copied, _ := clone(tree).(map[string]any)
	askIDs(copied, 0)
	if s.asked, err = schemaFrom(copied); err != nil {
		return nil, err
	}
	return s, nil
}

// followable refuses references that lead back to themselves, as vendors do and
// as Go types cannot, and those that lead out of the schema. open are the
// references that were followed to get here, done those that end.
func followable(node any, root map[string]any, open []string, done map[string]bool) error {
	switch v := node.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && !done[ref] {
			if slices.Contains(open, ref) || ref == "#" {
				return fmt.Errorf("%s refers to itself", ref)
			}
			to := resolve(root, ref)
			if to == nil {
				return fmt.Errorf("%s leads nowhere in it", ref)
			}
			if err := followable(to, root, append(open, ref), done); err != nil {
				return err
			}
			done[ref] = true
		}
		for _, e := range v {
			if err := followable(e, root, open, done); err != nil {
				return err
			}
		}
	case []any:
		for _, e := range v {
			if err := followable(e, root, open, done); err != nil {
				return err
			}
		}
	}
	return nil
}

// schemaFrom checks that a schema can be used at all.
func schemaFrom(tree map[string]any) (*model.Schema, error) {
	data, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(data, &parsed); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	if _, err := parsed.Resolve(nil); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return &model.Schema{Name: "data", JSON: data}, nil
}

func isObject(raw json.RawMessage) bool {
	var top struct {
		Type       any `json:"type"`
		Properties any `json:"properties"`
	}
	return json.Unmarshal(raw, &top) == nil && (top.Type == "object" || top.Type == nil && top.Properties != nil)
}

func unwrap(data json.RawMessage) (json.RawMessage, error) {
	var outer map[string]json.RawMessage
	if err := json.Unmarshal(data, &outer); err != nil {
		return nil, err
	}
	return outer[wrapped], nil
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = clone(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = clone(e)
		}
		return out
	}
	return v
}

func isAddress(node map[string]any) bool { return node["format"] == "uri" || node["format"] == "url" }

// askIDs turns addresses into ids of links.
func askIDs(v any, depth int) {
	if depth > maxSchemaDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if isAddress(v) {
			delete(v, "format")
			what := "id of the link, as at the beginning of its line; empty if there is none"
			if d, ok := v["description"].(string); ok {
				what = d + " (" + what + ")"
			}
			v["description"] = what
		}
		for _, e := range v {
			askIDs(e, depth+1)
		}
	case []any:
		for _, e := range v {
			askIDs(e, depth+1)
		}
	}
}

// restore puts addresses in for ids. An id that is no link's becomes empty.
func (s *shape) restore(value any, snap *snapshot.Snapshot) any {
	return restore(value, s.tree, s.tree, snap, 0)
}

func restore(value any, schema any, root map[string]any, snap *snapshot.Snapshot, depth int) any {
	node, ok := schema.(map[string]any)
	if !ok || depth > maxSchemaDepth {
		return value
	}
	if ref, ok := node["$ref"].(string); ok {
		return restore(value, resolve(root, ref), root, snap, depth+1)
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := node[k].([]any); ok {
			for _, e := range list {
				value = restore(value, e, root, snap, depth+1)
			}
		}
	}
	switch v := value.(type) {
	case string:
		if !isAddress(node) {
			return v
		}
		return address(snap, v)
	case []any:
		for i := range v {
			v[i] = restore(v[i], node["items"], root, snap, depth+1)
		}
	case map[string]any:
		properties, _ := node["properties"].(map[string]any)
		for k := range v {
			below, ok := properties[k]
			if !ok {
				below = node["additionalProperties"]
			}
			v[k] = restore(v[k], below, root, snap, depth+1)
		}
	}
	return value
}

// address is where the link of that id leads. Something in a link, or around
// one, counts as the link.
func address(snap *snapshot.Snapshot, id string) string {
	n := snap.Node(id)
	for up := n; up != nil; up = up.Parent() {
		if up.Href != "" {
			return up.Href
		}
	}
	href := ""
	if n != nil {
		n.Walk(func(d *snapshot.Node) bool {
			href = d.Href
			return href == ""
		})
	}
	return href
}

// resolve finds a reference within the schema itself, as "#/$defs/item".
func resolve(root map[string]any, ref string) any {
	var at any = root
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	for step := range strings.SplitSeq(path, "/") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[step]
	}
	return at
}
