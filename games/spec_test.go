package games_test

import (
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/games"
)

const sample = `{
	"title": "Pebble", "kind": "dom", "genre": "puzzle", "split": "development", "description": "Skip a pebble.", "seeded": true,
	"start": {"type": "dom-button", "target": "Throw"},
	"controls": [{"type": "key", "keys": ["Space"], "changes": "the pebble flies"}],
	"awkward": [], "ends": "12"
}`

func TestParse(t *testing.T) {
	g, err := games.Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	if g.Title != "Pebble" || g.Engine != "vanilla" || g.Split != games.Development || g.Start.Target != "Throw" || g.Controls[0].Keys[0] != "Space" || g.Ends != "12" || !g.Seeded {
		t.Errorf("parsed %+v", g)
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"an unknown field", `"title"`, `"titel"`, "titel"},
		{"a missing title", `"Pebble"`, `" "`, "title: missing"},
		{"an unknown kind", `"dom"`, `"canvas"`, `kind: unknown "canvas", did you mean "canvas2d"`},
		{"an unknown split", `"development"`, `"exam"`, "split: unknown"},
		{"an unknown start", `"dom-button"`, `"dom-buton"`, `did you mean "dom-button"`},
		{"a button without text", `"Throw"`, `""`, "start.target: missing"},
		{"menus without steps", `"dom-button"`, `"menus"`, "start.steps"},
		{"a start key that is no code", `"dom-button"`, `"key"`, "KeyboardEvent.code"},
		{"an unknown control", `"type": "key"`, `"type": "kex"`, "controls[0].type"},
		{"a key that is no code", `"Space"`, `"space bar"`, `controls[0].keys: "space bar"`},
		{"a key control without keys", `["Space"]`, `[]`, "controls[0].keys: missing"},
		{"a control that changes nothing", `"the pebble flies"`, `""`, "controls[0].changes"},
		{"an end that is no number", `"12"`, `"soon"`, "ends:"},
		{"text after the end", `"ends": "12"
}`, `"ends": "12"
} {}`, "after the closing brace"},
		{"no JSON", sample, `hello`, "read description"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(sample, tt.old, tt.new, 1)
			if text == sample {
				t.Fatal("the case changes nothing")
			}
			_, err := games.Parse([]byte(text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"controls":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := games.Parse(data)
		if err == nil && (g.Title == "" || len(g.Controls) == 0) {
			t.Errorf("accepted an incomplete game: %+v", g)
		}
	})
}
