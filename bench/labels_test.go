package bench_test

import (
	"errors"
	"testing"

	"github.com/playtest-dev/playtest/bench"
)

func TestLabelMistakes(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		line int
		msg  string
	}{
		"no list":         {`{"games": []}`, 1, "a label file is a JSON list of games, it must begin with ["},
		"empty":           {`[]`, 1, "there is no game in the list"},
		"torn":            {"[\n{\"name\": \"a\",\n \"url\" \"x\"}]", 3, `this is not JSON: invalid character '"' after object key`},
		"no end":          {"[\n{\"name\": \"a\", \"url\": \"http://x/\", \"verdict\": \"pass\"}\n", 3, "the list does not end with ]"},
		"something after": {"[{\"name\": \"a\", \"url\": \"http://x/\", \"verdict\": \"pass\"}]\n{}", 2, "there is something behind the end of the list"},
		"unknown field":   {"[{\n\"name\": \"a\",\n\"adress\": \"x\"}]", 3, `there is no field "adress"`},
		"wrong type":      {"[{\"name\": \"a\",\n\"url\": 5}]", 2, "url cannot be a number"},
		"no name":         {"[\n{\"url\": \"http://x/\", \"verdict\": \"pass\"}]", 2, "a game needs a name"},
		"bad name":        {`[{"name": "a/b", "url": "http://x/", "verdict": "pass"}]`, 1, `the name "a/b" must be without spaces, / and @`},
		"same name":       {"[{\"name\": \"a\", \"url\": \"http://x/\", \"verdict\": \"pass\"},\n{\"name\": \"a\", \"url\": \"http://y/\", \"verdict\": \"pass\"}]", 2, `"a" is already the name of the game in line 1`},
		"no place":        {`[{"name": "a", "verdict": "pass"}]`, 1, "a game has either a url, a package or a repo"},
		"bad url":         {"[{\"name\": \"a\",\n\"url\": \"ftp://x/\", \"verdict\": \"pass\"}]", 2, `the game's address begins with "ftp:": only http and https can be played`},
		"no version":      {`[{"name": "a", "package": "p2", "page": "x.html", "verdict": "pass"}]`, 1, `package "p2" must say its version, as in name@1.2.3`},
		"no page":         {`[{"name": "a", "package": "p2@0.7.1", "verdict": "pass"}]`, 1, "page is missing: which file of the package is the game?"},
		"bad verdict":     {"[{\"name\": \"a\", \"url\": \"http://x/\",\n\n\"verdict\": \"good\"}]", 3, `verdict "good" is not pass or fail`},
		"bad check":       {`[{"name": "a", "url": "http://x/", "verdict": "fail", "checks": ["loaded"]}]`, 1, `"loaded" is not a check`},
		"needless checks": {`[{"name": "a", "url": "http://x/", "verdict": "pass", "checks": ["gameLoaded"]}]`, 1, "a game that passes has no checks to fail on"},
		"bad fault":       {`[{"name": "a", "url": "http://x/", "verdict": "pass", "faults": ["gremlin"]}]`, 1, `no fault is called "gremlin"`},
		"bad split":       {`[{"name": "a", "url": "http://x/", "verdict": "pass", "split": "training"}]`, 1, `split "training" is not development or examination`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bench.ParseLabels([]byte(tt.text))
			var mistake *bench.LabelError
			if !errors.As(err, &mistake) {
				t.Fatalf("error %v, want a label's", err)
			}
			if mistake.Line != tt.line || mistake.Msg != tt.msg {
				t.Errorf("line %d: %s\nwant line %d: %s", mistake.Line, mistake.Msg, tt.line, tt.msg)
			}
		})
	}
}

func TestRealLabels(t *testing.T) {
	labels, err := bench.ReadLabels("real.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(labels) < 15 {
		t.Errorf("%d labels, want 15 or more", len(labels))
	}
}
