package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playtest-dev/playtest/model"
)

func TestDialectsTranslate(t *testing.T) {
	strict := model.Dialect{
		Keywords: []string{"type", "properties", "required", "items", "enum", "anyOf", "$ref", "$defs", "description", "format", "minItems"},
		Formats:  []string{"date"}, Closed: true, AllRequired: true, FewItems: true,
	}
	flat := strict
	flat.Flat = true
	small := model.Dialect{Keywords: strict.Keywords, Closed: true, Most: model.SchemaSize{Optional: 2, Unions: 1, Depth: 2, Choices: 3}}
	for _, tc := range []struct {
		name    string
		dialect model.Dialect
		schema  string
		want    string // "" when it cannot be said
	}{
		{
			name: "the older word for definitions", dialect: strict,
			schema: `{"type":"object","properties":{"a":{"$ref":"#/definitions/x"}},"required":["a"],"definitions":{"x":{"type":"string"}}}`,
			want:   `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"],"$defs":{"x":{"type":"string"}},"additionalProperties":false}`,
		},
		{
			name: "a property that is called so", dialect: strict,
			schema: `{"type":"object","properties":{"definitions":{"type":"string"}},"required":["definitions"]}`,
			want:   `{"type":"object","properties":{"definitions":{"type":"string"}},"required":["definitions"],"additionalProperties":false}`,
		},
		{
			name: "formats", dialect: strict,
			schema: `{"type":"object","properties":{"a":{"type":"string","format":"uri"},"b":{"type":"string","format":"date"}},"required":["a","b"]}`,
			want:   `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","format":"date"}},"required":["a","b"],"additionalProperties":false}`,
		},
		{
			name: "nothing beside a reference", dialect: strict,
			schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/x","description":"why"}},"required":["a"],"$defs":{"x":{"type":"string"}}}`,
			want:   `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"],"$defs":{"x":{"type":"string"}},"additionalProperties":false}`,
		},
		{
			name: "few items", dialect: strict,
			schema: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"minItems":3},"b":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["a","b"]}`,
			want:   `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["a","b"],"additionalProperties":false}`,
		},
		{
			name: "a constant", dialect: strict,
			schema: `{"type":"object","properties":{"a":{"type":"string","const":"x"}},"required":["a"]}`,
			want:   `{"type":"object","properties":{"a":{"type":"string","enum":["x"]}},"required":["a"],"additionalProperties":false}`,
		},
		{name: "a reference to nothing", dialect: strict, schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/y"}},"$defs":{"x":{"type":"string"}}}`},
		{name: "free keys", dialect: strict, schema: `{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}`},
		{name: "a list at the root", dialect: strict, schema: `{"type":"array","items":{"type":"string"}}`},
		{
			name: "a tree", dialect: strict,
			schema: `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}},"required":["kids"]}`,
			want:   `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}},"required":["kids"],"additionalProperties":false}`,
		},
		{name: "too many that may be left out", dialect: small, schema: `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"object","properties":{"d":{"type":"string"}}}}}`},
		{name: "too many of several types", dialect: small, schema: `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a","b"]}`},
		{name: "too deep", dialect: small, schema: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"object","properties":{}}},"required":["b"]}}},"required":["a"]}`},
		{name: "too many to choose from", dialect: small, schema: `{"type":"object","properties":{"a":{"enum":[1,2]},"b":{"enum":[3,4]}},"required":["a","b"]}`},
		{
			name: "just so many", dialect: small,
			schema: `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":"object","properties":{"enum":{"enum":[1,2,3]}},"additionalProperties":false}},"required":["b"],"additionalProperties":false}`,
			want:   `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":"object","properties":{"enum":{"enum":[1,2,3]}},"additionalProperties":false}},"required":["b"],"additionalProperties":false}`,
		},
		{name: "a tree where none may be", dialect: flat, schema: `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}},"required":["kids"]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tc.dialect.Translate(&model.Schema{Name: "x", JSON: json.RawMessage(tc.schema)})
			if tc.want == "" {
				if !errors.Is(err, model.ErrUnsupported) {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			var want map[string]any
			if err := json.Unmarshal([]byte(tc.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

// Forty definitions that each use the one before twice have a million million
// ways through them, and are looked at once each.
func TestSharedDefinitionsAreFollowedOnce(t *testing.T) {
	defs := `"d0": {"type": "string", "format": "uri"}`
	for i := 1; i < 40; i++ {
		defs += fmt.Sprintf(`, "d%d": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d%d"}, "b": {"$ref": "#/$defs/d%d"}}, "required": ["a", "b"]}`, i, i-1, i-1)
	}
	schema := &model.Schema{Name: "shared", JSON: json.RawMessage(`{"type": "object", "properties": {"first": {"$ref": "#/$defs/d39"}}, "$defs": {` + defs + `}}`)}
	d := model.Dialect{Keywords: []string{"type", "properties", "required", "$ref", "$defs"}, Closed: true, Flat: true}
	if _, err := d.Translate(schema); err != nil {
		t.Error(err)
	}
	if err := schema.Validate(json.RawMessage(`{"first": {"a": {}, "b": {}}}`)); err == nil {
		t.Error("a value that lacks what is required was taken")
	}
}

// What a vendor is not told, we check.
func TestFormatsAreValidated(t *testing.T) {
	good := map[string]string{
		"date-time": "2026-11-17T05:00:00Z", "date": "2026-11-17", "time": "05:00:00Z", "duration": "P1DT2H", "email": "a@b.example",
		"hostname": "example.org", "ipv4": "127.0.0.1", "ipv6": "::1", "uuid": "123e4567-e89b-12d3-a456-426614174000", "uri": "https://example.org/a?b=c",
	}
	for format, value := range good {
		schema := &model.Schema{Name: "x", JSON: json.RawMessage(`{"type":"object","properties":{
			"a":{"type":"array","items":{"$ref":"#/$defs/f"}},"b":{"anyOf":[{"type":"string","format":"` + format + `"},{"type":"null"}]}},
			"$defs":{"f":{"type":"string","format":"` + format + `"}}}`)}
		for _, tc := range []struct {
			data string
			fits bool
		}{
			{`{"a":["` + value + `"],"b":"` + value + `"}`, true},
			{`{"b":null}`, true},
			{`{"a":["` + value + `","no such"]}`, false},
			{`{"b":"no such"}`, false},
		} {
			err := schema.Validate(json.RawMessage(tc.data))
			if (err == nil) != tc.fits || err != nil && !strings.Contains(err.Error(), format) {
				t.Errorf("%s: %s: %v", format, tc.data, err)
			}
		}
	}
}
