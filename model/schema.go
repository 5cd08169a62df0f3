package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the shape of a structured answer.
type Schema struct {
	// Name is letters, digits, _ and -, at most 64: vendors insist on one.
	Name string          `json:"name"`
	JSON json.RawMessage `json:"json"`
}

// resolved keeps parsed schemas by their text: the same few are used for a
// whole run, and resolving one costs more than a validation.
var resolved sync.Map // string -> *jsonschema.Resolved

func (s *Schema) resolve() (*jsonschema.Resolved, error) {
	if r, ok := resolved.Load(string(s.JSON)); ok {
		return r.(*jsonschema.Resolved), nil
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(s.JSON, &parsed); err != nil {
		return nil, fmt.Errorf("schema %s: %w", s.Name, err)
	}
	r, err := parsed.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", s.Name, err)
	}
	resolved.Store(string(s.JSON), r)
	return r, nil
}

// Check says what is wrong with the schema itself.
func (s *Schema) Check() error {
	_, err := s.resolve()
	return err
}

// Validate says where a JSON value departs from the schema.
func (s *Schema) Validate(data json.RawMessage) error {
	r, err := s.resolve()
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if err := r.Validate(value); err != nil {
		return err
	}
	if !bytes.Contains(s.JSON, []byte(`"format"`)) {
		return nil
	}
	var schema any
	if err := json.Unmarshal(s.JSON, &schema); err != nil {
		return fmt.Errorf("schema %s: %w", s.Name, err)
	}
	return checkFormats(schema, schema, value, "", 0)
}

// SchemaFor is the schema of a Go type, from its json and jsonschema tags.
func SchemaFor[T any](name string) (*Schema, error) {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", reflect.TypeFor[T](), err)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", reflect.TypeFor[T](), err)
	}
	return &Schema{Name: name, JSON: data}, nil
}

// Decode asks for an answer in the shape of T and returns it. The request's
// Schema is taken if it has one, else that of T.
func Decode[T any](ctx context.Context, m Model, req *Request) (T, *Response, error) {
	var value T
	asked := *req
	if asked.Schema == nil {
		s, err := SchemaFor[T]("answer")
		if err != nil {
			return value, nil, err
		}
		asked.Schema = s
	}
	resp, err := m.Generate(ctx, &asked)
	if err != nil {
		return value, nil, err
	}
	data, err := asked.Schema.read(resp)
	if err != nil {
		return value, resp, &Error{Kind: ErrSchema, Model: resp.Model, Message: err.Error(), Response: resp}
	}
	if err := json.Unmarshal(data, &value); err != nil {
		return value, resp, &Error{Kind: ErrSchema, Model: resp.Model, Message: err.Error(), Response: resp}
	}
	return value, resp, nil
}

// read finds the JSON in an answer and validates it.
func (s *Schema) read(resp *Response) (json.RawMessage, error) {
	data := extractJSON(resp.Text())
	if data == nil {
		return nil, errors.New("there is no JSON in the answer")
	}
	if data = s.DropNulls(data); data == nil {
		return nil, errors.New("the JSON in the answer is broken")
	}
	if err := s.Validate(data); err != nil {
		return nil, err
	}
	return data, nil
}

// extractJSON takes the JSON value out of an answer that may have put a fence
// or a sentence around it.
func extractJSON(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if json.Valid([]byte(text)) && text != "" {
		return json.RawMessage(text)
	}
	if _, rest, ok := strings.Cut(text, "```"); ok {
		inner, _, _ := strings.Cut(rest, "```")
		inner = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(inner), "json"))
		if json.Valid([]byte(inner)) && inner != "" {
			return json.RawMessage(inner)
		}
	}
	// The first value that parses: prose before and after it is ignored.
	for i := strings.IndexAny(text, "{["); i >= 0; {
		var value json.RawMessage
		if json.NewDecoder(strings.NewReader(text[i:])).Decode(&value) == nil {
			return value
		}
		next := strings.IndexAny(text[i+1:], "{[")
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return nil
}

// DropNulls is the value without nulls of properties that the schema neither requires nor
// lets be null. Strict modes make every property required, and the model then
// writes null for what it has nothing to say about. It is nil when the value
// or the schema is not JSON.
func (s *Schema) DropNulls(data json.RawMessage) json.RawMessage {
	var schema, value any
	if json.Unmarshal(s.JSON, &schema) != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	if !pruneNulls(schema, schema, value, 0) {
		return data
	}
	out, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return out
}

func pruneNulls(root, schema, value any, depth int) (changed bool) {
	node, ok := schema.(map[string]any)
	if !ok || depth > 64 {
		return false
	}
	if ref, ok := node["$ref"].(string); ok {
		return pruneNulls(root, lookup(root, ref), value, depth+1)
	}
	switch v := value.(type) {
	case map[string]any:
		props, _ := node["properties"].(map[string]any)
		required, _ := node["required"].([]any)
		for name, sub := range props {
			inner, there := v[name]
			if !there {
				continue
			}
			if inner == nil && !slices.Contains(required, any(name)) && !allowsNull(root, sub) {
				delete(v, name)
				changed = true
				continue
			}
			changed = pruneNulls(root, sub, inner, depth+1) || changed
		}
	case []any:
		for _, inner := range v {
			changed = pruneNulls(root, node["items"], inner, depth+1) || changed
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		options, _ := node[key].([]any)
		for _, option := range options {
			changed = pruneNulls(root, option, value, depth+1) || changed
		}
	}
	return changed
}

// unescape undoes what JSON pointers do to / and ~ in names.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// lookup follows a reference inside the same document.
func lookup(root any, ref string) any {
	if ref == "#" {
		return root
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	at := root
	for _, step := range strings.Split(path, "/") {
		node, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = node[unescape.Replace(step)]
	}
	return at
}

func allowsNull(root, schema any) bool {
	node, ok := schema.(map[string]any)
	if !ok {
		return true
	}
	if ref, ok := node["$ref"].(string); ok {
		return allowsNull(root, lookup(root, ref))
	}
	switch t := node["type"].(type) {
	case string:
		return t == "null"
	case []any:
		return slices.Contains(t, any("null"))
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		options, _ := node[key].([]any)
		for _, option := range options {
			if allowsNull(root, option) {
				return true
			}
		}
	}
	_, enum := node["enum"]
	_, constant := node["const"]
	return !enum && !constant && node["anyOf"] == nil && node["oneOf"] == nil && node["properties"] == nil
}
