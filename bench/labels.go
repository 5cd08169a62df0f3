package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/playtest-dev/playtest/games"
	"github.com/playtest-dev/playtest/games/fault"
	"github.com/playtest-dev/playtest/record"
)

// Label is a game that is served elsewhere, or comes in a package, with what is known about it.
type Label struct {
	Name string `json:"name"`
	// URL is where the game is served. A game in a package has Package and Page instead.
	URL     string `json:"url,omitempty"`
	Package string `json:"package,omitempty"` // npm's name@version
	Root    string `json:"root,omitempty"`    // the package's folder that is served, all of it unless given
	Mount   string `json:"mount,omitempty"`   // the path it is served under, / unless given
	Page    string `json:"page,omitempty"`    // the file to open, from the root
	// Repo is a public repository (owner/name) and Commit the snapshot that was labelled. Its
	// game is looked for in a folder of that name, laid out as Root was in the repository.
	Repo   string `json:"repo,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Facts about the game: licence, engine, language of its words.
	Licence  string `json:"licence,omitempty"`
	Engine   string `json:"engine,omitempty"`
	Language string `json:"language,omitempty"`
	// Why a broken game is broken, How and when (Labelled) it was labelled, and the Round
	// in which it was first played.
	Why      string `json:"why,omitempty"`
	How      string `json:"how,omitempty"`
	Labelled string `json:"labelled,omitempty"`
	Round    int    `json:"round,omitempty"`
	// Verdict of the game as it is: pass or fail.
	Verdict record.Verdict     `json:"verdict"`
	Checks  []record.CheckName `json:"checks,omitempty"` // which a broken game may be failed on
	Split   games.Split        `json:"split,omitempty"`  // examination unless it says otherwise
	// Kind, Start, Controls and Ends as in a game.json. Faults are put in only where the controls are known.
	Kind     string          `json:"kind,omitempty"`
	Start    games.Start     `json:"start"`
	Controls []games.Control `json:"controls,omitempty"`
	Ends     string          `json:"ends,omitempty"`
	// Faults limits the faults; absent means every one that applies.
	Faults []string `json:"faults,omitempty"`
	Note   string   `json:"note,omitempty"`
}

// LabelError is a mistake in a label file.
type LabelError struct {
	Line int
	Msg  string
}

func (e *LabelError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// ReadLabels reads a label file.
func ReadLabels(name string) ([]Label, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the labels: %w", err)
	}
	labels, err := ParseLabels(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return labels, nil
}

// ParseLabels reads a JSON list of labels. Every mistake is a *LabelError that names its line.
func ParseLabels(data []byte) ([]Label, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	line := func(offset int64) int { return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n")) }
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return nil, &LabelError{line(dec.InputOffset()), "a label file is a JSON list of games, it must begin with ["}
	}
	var labels []Label
	names := map[string]int{}
	for dec.More() {
		before := dec.InputOffset()
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, &LabelError{line(syntaxOffset(err, dec.InputOffset())), "this is not JSON: " + err.Error()}
		}
		start := before + int64(bytes.Index(data[before:], raw))
		at := func(field string) int {
			if found := regexp.MustCompile(`"` + regexp.QuoteMeta(field) + `"\s*:`).FindIndex(raw); found != nil {
				return line(start + int64(found[0]))
			}
			return line(start)
		}
		l, mistake, field := parseLabel(raw)
		if mistake != "" {
			return nil, &LabelError{at(field), mistake}
		}
		if first, twice := names[l.Name]; twice {
			return nil, &LabelError{at("name"), fmt.Sprintf("%q is already the name of the game in line %d", l.Name, first)}
		}
		names[l.Name] = at("name")
		labels = append(labels, l)
	}
	if _, err := dec.Token(); err != nil {
		return nil, &LabelError{line(int64(len(data))), "the list does not end with ]"}
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, &LabelError{line(dec.InputOffset()), "there is something behind the end of the list"}
	}
	if len(labels) == 0 {
		return nil, &LabelError{1, "there is no game in the list"}
	}
	return labels, nil
}

func syntaxOffset(err error, otherwise int64) int64 {
	if s, ok := err.(*json.SyntaxError); ok {
		return s.Offset
	}
	return otherwise
}

var unknownField = regexp.MustCompile(`unknown field "([^"]*)"`)

// parseLabel reads one label, and says what is wrong and with which field.
func parseLabel(raw []byte) (l Label, mistake, field string) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		if m := unknownField.FindStringSubmatch(err.Error()); m != nil {
			return l, fmt.Sprintf("there is no field %q", m[1]), m[1]
		}
		if t, ok := err.(*json.UnmarshalTypeError); ok {
			return l, fmt.Sprintf("%s cannot be a %s", t.Field, t.Value), t.Field[strings.LastIndex(t.Field, ".")+1:]
		}
		return l, err.Error(), ""
	}
	mistake, field = l.mistake()
	if l.Split == "" {
		l.Split = games.Examination
	}
	return l, mistake, field
}

func (l Label) mistake() (mistake, field string) {
	switch {
	case l.Name == "":
		return "a game needs a name", "name"
	case strings.ContainsAny(l.Name, "/@ "):
		return fmt.Sprintf("the name %q must be without spaces, / and @", l.Name), "name"
	case l.sources() != 1:
		return "a game has either a url, a package or a repo", "url"
	case l.Repo != "" && (l.Commit == "" || l.Page == ""):
		return "a game of a repository needs its commit and its page", "repo"
	case l.URL != "" && record.ValidateURL(l.URL) != nil:
		return record.ValidateURL(l.URL).Error(), "url"
	case l.Package != "" && !strings.Contains(strings.TrimPrefix(l.Package, "@"), "@"):
		return fmt.Sprintf("package %q must say its version, as in name@1.2.3", l.Package), "package"
	case l.Package != "" && l.Page == "":
		return "page is missing: which file of the package is the game?", "package"
	case l.URL != "" && l.Page+l.Root+l.Mount != "":
		return "page, root and mount belong to a package, not to a url", "url"
	case l.Mount != "" && (!strings.HasPrefix(l.Mount, "/") || !strings.HasSuffix(l.Mount, "/")):
		return fmt.Sprintf("mount %q must begin and end with /", l.Mount), "mount"
	case l.Verdict != record.Pass && l.Verdict != record.Fail:
		return fmt.Sprintf("verdict %q is not pass or fail", l.Verdict), "verdict"
	case l.Verdict == record.Pass && len(l.Checks) > 0:
		return "a game that passes has no checks to fail on", "checks"
	case l.Verdict == record.Fail && len(l.Faults) > 0:
		return "no faults are put into a game that is broken already", "faults"
	case l.Split != "" && l.Split != games.Development && l.Split != games.Examination:
		return fmt.Sprintf("split %q is not development or examination", l.Split), "split"
	case l.Kind != "" && !slices.Contains([]string{"dom", "canvas2d", "webgl", "iframe"}, l.Kind):
		return fmt.Sprintf("kind %q is not one of dom, canvas2d, webgl, iframe", l.Kind), "kind"
	}
	for _, c := range l.Checks {
		if _, ok := record.Points[c]; !ok {
			return fmt.Sprintf("%q is not a check", c), "checks"
		}
	}
	for _, f := range l.Faults {
		if _, ok := fault.Get(f); !ok {
			return fmt.Sprintf("no fault is called %q", f), "faults"
		}
	}
	return "", ""
}

// sources counts where the label says that the game comes from.
func (l Label) sources() int {
	n := 0
	for _, s := range []string{l.URL, l.Package, l.Repo} {
		if s != "" {
			n++
		}
	}
	return n
}

// Game is what the label says of the game.
func (l Label) Game() games.Game {
	return games.Game{Name: l.Name, Title: l.Name, Kind: l.Kind, Split: l.Split, Start: l.Start, Controls: l.Controls, Ends: l.Ends}
}
