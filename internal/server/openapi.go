package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/playtest-dev/playtest/internal/store"
)

// openAPI makes the document that describes the routes, from the routes
// themselves and the types of their bodies.
func openAPI(list []route, version string) ([]byte, error) {
	schemas := map[string]any{}
	ref := func(value any) (any, error) {
		t := reflect.TypeOf(value)
		if _, ok := schemas[t.Name()]; !ok {
			s, err := schemaOf(t)
			if err != nil {
				return nil, err
			}
			schemas[t.Name()] = s
		}
		return map[string]any{"$ref": "#/components/schemas/" + t.Name()}, nil
	}
	if _, err := ref(Problem{}); err != nil {
		return nil, err
	}
	paths := map[string]map[string]any{}
	for _, rt := range list {
		if rt.summary == "" {
			continue // a page, for people
		}
		op := map[string]any{"summary": rt.summary, "security": []any{}}
		if rt.scope != "" {
			op["security"] = []any{map[string]any{"token": []string{string(rt.scope)}}, map[string]any{"session": []string{}}}
		}
		var params []any
		for _, name := range inPath.FindAllStringSubmatch(rt.path, -1) {
			params = append(params, map[string]any{"name": name[1], "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
		}
		for _, p := range rt.query {
			params = append(params, map[string]any{"name": p.name, "in": "query", "description": p.about, "schema": map[string]any{"type": "string"}})
		}
		if params != nil {
			op["parameters"] = params
		}
		if rt.takes != nil {
			s, err := ref(rt.takes)
			if err != nil {
				return nil, err
			}
			op["requestBody"] = map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": s}}}
		}
		ok := map[string]any{"description": http.StatusText(rt.success())}
		switch {
		case rt.gives != nil:
			s, err := ref(rt.gives)
			if err != nil {
				return nil, err
			}
			ok["content"] = map[string]any{"application/json": map[string]any{"schema": s}}
		case rt.media != "":
			ok["content"] = map[string]any{rt.media: map[string]any{}}
		}
		op["responses"] = map[string]any{
			strconv.Itoa(rt.success()): ok,
			"default":                  map[string]any{"description": "What went wrong", "content": map[string]any{"application/problem+json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Problem"}}}},
		}
		path := strings.ReplaceAll(rt.path, "...", "")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(rt.method)] = op
	}
	return json.MarshalIndent(map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "playtest", "version": version, "description": "Submit browser games to be played and judged, watch them being played, and read what was found."},
		"paths":   paths,
		"components": map[string]any{
			"schemas": schemas,
			"securitySchemes": map[string]any{
				"token":   map[string]any{"type": "http", "scheme": "bearer"},
				"session": map[string]any{"type": "apiKey", "in": "cookie", "name": cookieName},
			},
		},
	}, "", "  ")
}

var inPath = regexp.MustCompile(`\{([a-z]+)(?:\.\.\.)?\}`)

func (rt route) success() int {
	if rt.status == 0 {
		return http.StatusOK
	}
	return rt.status
}

func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Types: []string{"object", "string", "null"}},
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[time.Duration]():   {Type: "integer"},
	}})
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", t, err)
	}
	return s, nil
}

// describing adds a route that describes all of them, itself included.
func describing(list []route, version string) ([]route, error) {
	var document []byte
	list = append(list, route{method: "GET", path: "/api/openapi.json", scope: store.ScopeRead, summary: "This document", media: "application/json", do: func(r *request) error {
		r.w.Header().Set("Content-Type", "application/json")
		r.w.Header().Set("Cache-Control", "no-store")
		_, _ = r.w.Write(document) // the client is gone when this fails
		return nil
	}})
	var err error
	document, err = openAPI(list, version)
	return list, err
}
