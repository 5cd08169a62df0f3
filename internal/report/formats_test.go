package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/playtest-dev/playtest/internal/golden"
	"github.com/playtest-dev/playtest/internal/report"
	"github.com/playtest-dev/playtest/record"
)

// missingScript is a run of a game whose script is not there: four issues, one
// thing to mend.
func missingScript() (*record.Report, *record.Record) {
	const why = "The script moth.js could not be loaded (status 404), and the game does nothing without it."
	const dead = "107 inputs were tried and none had any effect. Before that the script moth.js could not be loaded (status 404)."
	rep := &record.Report{
		Status: record.Fail, Summary: "The game cannot be played: the script moth.js could not be loaded.",
		Checks: []record.Check{
			{Name: record.GameLoaded, State: record.Disproven, Cause: "script_failed", Reason: why},
			{Name: record.ControlsResponsive, State: record.Disproven, Cause: "dead_controls", Reason: dead},
			{Name: record.GameStable, State: record.Proven, Reason: "It was played for 60 seconds."},
		},
		Issues: []record.Issue{
			{Severity: record.Critical, Description: why, At: 2.4},
			{Severity: record.Critical, Description: dead},
			{Severity: record.Critical, Description: "The script moth.js could not be loaded (status 404).", Evidence: "network.log"},
			{Severity: record.Minor, Description: "A resource of type script could not be loaded: moth.js (status 404).", Evidence: "http://127.0.0.1:8080/noughts/moth.js"},
		},
		Timestamp: began, Metadata: record.ReportMetadata{SessionID: "x", GameURL: "http://127.0.0.1:8080/noughts/?seed=1", Environment: record.Environment{Playtest: "0.1.0"}},
	}
	rec := &record.Record{Health: record.HealthRecord{FailedLoads: []record.FailedLoad{{URL: "http://127.0.0.1:8080/noughts/moth.js", Type: "Script", Status: 404, SameSite: true}}}}
	return rep, rec
}

// throwing is a run of a game whose handlers throw.
func throwing() (*record.Report, *record.Record) {
	const text = "TypeError: dx is undefined"
	const dead = "31 inputs were tried and none had any effect."
	rep := &record.Report{
		Status: record.Fail, Summary: "The game cannot be played: its controls do nothing.",
		Checks: []record.Check{
			{Name: record.GameLoaded, State: record.Proven},
			{Name: record.ControlsResponsive, State: record.Disproven, Cause: "dead_controls", Reason: dead},
			{Name: record.GameStable, State: record.Unknown, Reason: "Nobody knows, 100 % sure: a, b"},
		},
		Issues: []record.Issue{
			{Severity: record.Critical, Description: dead},
			{Severity: record.Major, Description: "Uncaught error: " + text, Evidence: "http://127.0.0.1:8080/js/main.js:12, 31 times", At: 3},
			{Severity: record.Major, Description: "Operating Space ends in an error.", Evidence: text},
			{Severity: record.Minor, Description: "A resource of type font could not be loaded: pixel.woff2 (status 404).", Evidence: "http://127.0.0.1:8080/pixel.woff2"},
		},
		Timestamp: began, Metadata: record.ReportMetadata{SessionID: "y", GameURL: "http://127.0.0.1:8080/index.html"},
	}
	rec := &record.Record{Health: record.HealthRecord{Exceptions: []record.ErrorGroup{{Text: "Uncaught " + text + "\n    at jump", URL: "http://127.0.0.1:8080/js/main.js", Line: 12, Count: 31, ByInput: 31}}}}
	return rep, rec
}

func TestRoots(t *testing.T) {
	rep, rec := missingScript()
	roots := report.Roots(rep, rec)
	if len(roots) != 1 {
		t.Fatalf("%d things to mend, want one: %+v", len(roots), roots)
	}
	r := roots[0]
	if r.Kind != "script_failed" || r.Severity != record.Critical || r.File != "http://127.0.0.1:8080/noughts/moth.js" || r.At != 2.4 {
		t.Errorf("kind %q, severity %q, file %q, at %v", r.Kind, r.Severity, r.File, r.At)
	}
	if len(r.Consequences) != 1 || !strings.HasPrefix(r.Consequences[0].Description, "107 inputs") {
		t.Errorf("what follows from it: %+v", r.Consequences)
	}
	if len(r.Also) != 1 || !strings.Contains(r.Suggestion, "moth.js is uploaded") {
		t.Errorf("also %q, suggestion %q", r.Also, r.Suggestion)
	}
}

// Errors about names that a missing script would have defined go when it is there.
func TestRootsOfUndefinedNames(t *testing.T) {
	rep, rec := missingScript()
	for _, text := range []string{"ReferenceError: Moth is not defined", "ReferenceError: Cannot access 'Lamp' before initialization", "TypeError: lamp is null"} {
		rep.Issues = append(rep.Issues, record.Issue{Severity: record.Minor, Description: "Uncaught error: Uncaught " + text})
		rec.Health.Exceptions = append(rec.Health.Exceptions, record.ErrorGroup{Text: "Uncaught " + text, Count: 1})
	}
	roots := report.Roots(rep, rec)
	if len(roots) != 2 || roots[0].Kind != "script_failed" || !strings.Contains(roots[1].Description, "lamp is null") {
		t.Fatalf("things to mend: %+v", roots)
	}
	if !strings.Contains(roots[0].Suggestion, "moth.js is uploaded") || roots[0].Line != 0 {
		t.Errorf("where to look: %q, line %d", roots[0].Suggestion, roots[0].Line)
	}
	if got := len(roots[0].Consequences); got != 3 {
		t.Errorf("%d issues follow from the script, want the dead controls and two errors: %+v", got, roots[0].Consequences)
	}
}

func TestRootsOfAnError(t *testing.T) {
	rep, rec := throwing()
	roots := report.Roots(rep, rec)
	var kinds []string
	for _, r := range roots {
		kinds = append(kinds, r.Kind)
	}
	if got := strings.Join(kinds, " "); got != "exception failed_load" {
		t.Fatalf("things to mend: %s", got)
	}
	if e := roots[0]; e.Severity != record.Critical || e.File != "http://127.0.0.1:8080/js/main.js" || e.Line != 12 || len(e.Consequences) != 2 {
		t.Errorf("the error, %s, is at %s:%d and brings %+v", e.Severity, e.File, e.Line, e.Consequences)
	}
}

// Whatever is in a report, every issue is told once: as a root, as what follows
// from one, or as another sighting of it.
func TestRootsLoseNothing(t *testing.T) {
	full, rec := played()
	for _, i := range full.Issues {
		found := 0
		for _, r := range report.Roots(full, rec) {
			if r.Description == i.Description {
				found++
			}
			for _, c := range r.Consequences {
				if c.Description == i.Description {
					found++
				}
			}
		}
		if found != 1 {
			t.Errorf("%q is told %d times", i.Description, found)
		}
	}
	if roots := report.Roots(&record.Report{}, nil); len(roots) != 0 {
		t.Errorf("nothing became %+v", roots)
	}
}

func cases() []report.Case {
	a, ar := missingScript()
	b, br := throwing()
	return []report.Case{{Report: a, Record: ar}, {Report: b, Record: br}, {Report: unopened()}}
}

func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := report.SARIF(&b, cases()...); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "report.sarif.golden"), b.String())
}

// What SARIF 2.1.0 demands of the parts that are written, in our words:
// testdata/sarif.schema.json.
func TestSARIFFollowsTheSchema(t *testing.T) {
	valid := validator(t, filepath.Join("testdata", "sarif.schema.json"))
	full, rec := played()
	for _, cs := range [][]report.Case{cases(), nil, {{Report: full, Record: rec}}, {{Report: hostileReport()}}} {
		var b bytes.Buffer
		if err := report.SARIF(&b, cs...); err != nil {
			t.Fatal(err)
		}
		if err := valid(b.Bytes()); err != nil {
			t.Error(err)
		}
		if wrong := bytes.ReplaceAll(b.Bytes(), []byte(`"level": "error"`), []byte(`"level": "fatal"`)); !bytes.Equal(wrong, b.Bytes()) && valid(wrong) == nil {
			t.Error("the schema lets a level pass that there is not")
		}
	}
}

func TestFingerprintsStay(t *testing.T) {
	root := func(text string) report.Root {
		return report.Root{Issue: record.Issue{Description: text}, Kind: "exception"}
	}
	a := report.Fingerprint(root("107 inputs to http://127.0.0.1:39201/moth.js did nothing"))
	if b := report.Fingerprint(root("99 inputs to http://127.0.0.1:8080/moth.js did nothing")); a != b {
		t.Error("another port or count is another issue")
	}
	if b := report.Fingerprint(root("107 inputs to http://127.0.0.1:39201/main.js did nothing")); a == b {
		t.Error("another file is the same issue")
	}
}

func TestGitHub(t *testing.T) {
	var b bytes.Buffer
	if err := report.GitHub(&b, cases()...); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "github.golden"), b.String())
}

func TestTAP(t *testing.T) {
	var b bytes.Buffer
	var reports []*record.Report
	for _, c := range cases() {
		reports = append(reports, c.Report)
	}
	if err := report.TAP(&b, append(reports, &record.Report{Status: record.VerdictError, Summary: "nothing"})...); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "report.tap.golden"), b.String())
}

const nasty = "::error::x\r\n::set-output name=a::b%0A # SKIP \x1b[31m\u202e\x00 ]]> <script>"

func hostileReport() *record.Report {
	return &record.Report{
		Status: record.VerdictError, Summary: nasty, Help: nasty,
		Checks:   []record.Check{{Name: record.GameLoaded, State: record.Disproven, Reason: nasty, Cause: nasty}, {Name: record.GameStable, State: record.Unknown, Reason: nasty}},
		Issues:   []record.Issue{{Severity: record.Critical, Description: nasty, Evidence: nasty}, {Severity: record.Minor, Description: nasty + " could not be loaded a%zz.js", Evidence: nasty}},
		Metadata: record.ReportMetadata{GameURL: nasty},
	}
}

// A game's words begin no command of a build server and end no test's.
func TestFormatsOfAHostileGame(t *testing.T) {
	rep := hostileReport()
	var gh, tap, junit bytes.Buffer
	if err := report.GitHub(&gh, report.Case{Report: rep}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(gh.String()), "\n") {
		if !regexp.MustCompile(`^::(error|warning|notice) title=[^:]*::`).MatchString(line) {
			t.Errorf("a line that is no annotation: %q", line)
		}
	}
	if err := report.TAP(&tap, rep); err != nil {
		t.Fatal(err)
	}
	if got := regexp.MustCompile(`(?m)^(not )?ok .*[^\\]# *SKIP`).FindString(tap.String()); got != "" {
		t.Errorf("the game skipped its test: %q", got)
	}
	if err := report.JUnit(&junit, rep); err != nil {
		t.Fatal(err)
	}
	var any struct{}
	if err := xml.Unmarshal(junit.Bytes(), &any); err != nil {
		t.Errorf("no XML: %v", err)
	}
}

var schemas = flag.String("schemas", "", "a folder with JUnit.xsd and sarif-schema-2.1.0.json as they are published")

// TestPublishedSchemas checks what is written against the schemas themselves, which are not
// ours to keep here: the one that Windy Road publishes for Ant's JUnit task, by xmllint, and
// OASIS' for SARIF.
//
//	go test ./internal/report -run TestPublishedSchemas -schemas DIR
func TestPublishedSchemas(t *testing.T) {
	if *schemas == "" {
		t.Skip("-schemas names no folder")
	}
	full, rec := played()
	all := append(cases(), report.Case{Report: full, Record: rec}, report.Case{Report: hostileReport()}, report.Case{Report: &record.Report{Summary: "nothing"}})
	t.Run("JUnit", func(t *testing.T) {
		var b bytes.Buffer
		var reports []*record.Report
		for _, c := range all {
			reports = append(reports, c.Report)
		}
		if err := report.JUnit(&b, reports...); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "xmllint", "--noout", "--nonet", "--schema", filepath.Join(*schemas, "JUnit.xsd"), "-")
		cmd.Stdin = &b
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("SARIF", func(t *testing.T) {
		valid := validator(t, filepath.Join(*schemas, "sarif-schema-2.1.0.json"))
		var b bytes.Buffer
		if err := report.SARIF(&b, all...); err != nil {
			t.Fatal(err)
		}
		if err := valid(b.Bytes()); err != nil {
			t.Error(err)
		}
		if err := valid(bytes.Replace(b.Bytes(), []byte(`"results"`), []byte(`"outcomes"`), 1)); err == nil {
			t.Error("the schema takes anything")
		}
	})
}

// validator checks JSON against the schema in a file.
func validator(t *testing.T, name string) func(text []byte) error {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(text []byte) error {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(value)
	}
}

// The order of elements and the attributes that the schema of Ant's JUnit task
// demands, which Jenkins and others check against.
func TestJUnitFollowsTheSchema(t *testing.T) {
	full, _ := played()
	var b bytes.Buffer
	if err := report.JUnit(&b, full, unopened(), &record.Report{Summary: "nothing"}, hostileReport()); err != nil {
		t.Fatal(err)
	}
	required := map[string][]string{
		"testsuite": {"id", "package", "name", "timestamp", "hostname", "tests", "failures", "errors", "time"},
		"testcase":  {"name", "classname", "time"}, "failure": {"type"}, "error": {"type"}, "property": {"name", "value"},
	}
	order := map[string]int{"properties": 1, "testcase": 2, "system-out": 3, "system-err": 4}
	dec := xml.NewDecoder(&b)
	var open []string
	last, seen := 0, map[string]int{}
	for {
		token, err := dec.Token()
		if token == nil {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			seen[name]++
			for _, want := range required[name] {
				found := false
				for _, a := range e.Attr {
					found = found || a.Name.Local == want && (a.Value != "" || want == "value")
				}
				if !found {
					t.Errorf("<%s> has no %s", name, want)
				}
			}
			if len(open) > 0 && open[len(open)-1] == "testsuite" {
				if order[name] < last {
					t.Errorf("<%s> comes too late", name)
				}
				last = order[name]
			}
			if name == "testsuite" {
				last = 0
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	if seen["testsuite"] != 4 || seen["system-err"] != 4 || seen["properties"] != 4 {
		t.Errorf("elements %v", seen)
	}
}

// The action's script gets what callers say as variables, never as a part of itself.
func TestActionFile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct {
			Description string
			Required    bool
		}
		Runs struct {
			Using string
			Steps []struct {
				Uses, Shell, Run string
				Env              map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(data, &action); err != nil {
		t.Fatal(err)
	}
	if action.Runs.Using != "composite" || !action.Inputs["game"].Required {
		t.Errorf("runs using %q, inputs %v", action.Runs.Using, action.Inputs)
	}
	for _, s := range action.Runs.Steps {
		if s.Run != "" && s.Shell == "" {
			t.Errorf("a step without a shell: %q", s.Run)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("an expression is a part of a script: %q", s.Run)
		}
	}
}
