package layering_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/playtest-dev/playtest"

// layers says what each part of the module may import of the module, from the
// ground up. A name ending in /... means the package and everything below it.
// The first entry that fits a package counts. "." is the root package.
var layers = []struct {
	part string
	may  []string
}{
	{"metadata", nil},
	{"record", []string{"metadata"}},
	{".", []string{"record", "metadata", "browser", "internal/qa/...", "internal/egress"}},
	{"reprotest", []string{"record", "browser", "internal/repro"}},
	{"model", nil},
	{"model/provider/...", []string{"model", "model/..."}},
	{"model/openai/azure", []string{"model", "model/openai"}},
	{"model/...", []string{"model", "model/modeltest"}},

	{"browser/cdp", nil},
	{"browser", []string{"browser/cdp"}},
	{"browser/pool", []string{"browser", "internal/proc"}},
	{"browser/...", []string{"browser", "browser/..."}},

	{"internal/variable", []string{"browser/snapshot"}},
	{"stage", []string{"record", "metadata", "browser/...", "model", "internal/variable"}},
	{"judge", []string{"record", "metadata", "browser/...", "model", "stage"}},
	{"agent/...", []string{"record", "metadata", "browser/...", "model", "stage", "agent/...", "internal/variable"}},

	{"games/...", []string{"record", "metadata", "games/..."}},

	{"internal/layering", nil},
	{"internal/daily", nil},
	{"internal/golden", nil},
	{"internal/proc", nil},
	{"internal/store", []string{"record", "metadata"}},
	{"internal/evidence", []string{"record", "metadata"}},
	{"internal/report", []string{"record", "metadata"}},
	{"internal/...", []string{".", "record", "metadata", "agent/...", "judge", "stage", "browser/...", "model/...", "games/...", "internal/..."}},

	{"examples/...", []string{"agent/...", "judge", "stage", "browser/...", "model/...", "games/...", "examples/internal/..."}},
	{"bench/...", []string{".", "record", "metadata", "agent/...", "judge", "stage", "browser/...", "model/...", "games/...", "internal/...", "bench/..."}},
	{"cmd/...", []string{".", "record", "metadata", "agent/...", "judge", "stage", "browser/...", "model/...", "games/...", "internal/...", "bench/..."}},
}

// ground is what a run and its rooms stand on.
var ground = []string{"record", "metadata", "agent/...", "judge", "stage", "browser/...", "model/..."}

func mayImport(importer, imported string) (allowed, known bool) {
	if fits("internal/qa/...", importer) {
		if slices.ContainsFunc(ground, func(g string) bool { return fits(g, imported) }) {
			return true, true
		}
		// qa itself wires its rooms; a room may use another room.
		return fits("internal/qa/...", imported) && imported != "internal/qa", true
	}
	for _, l := range layers {
		if fits(l.part, importer) {
			return slices.ContainsFunc(l.may, func(m string) bool { return fits(m, imported) }), true
		}
	}
	return false, false
}

func fits(pattern, pkg string) bool {
	if below, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == below || strings.HasPrefix(pkg, below+"/")
	}
	return pattern == pkg
}

type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", module+"/...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatalf("reading what go list says: %v", err)
		}
		all = append(all, p)
	}
}

// within returns the path inside the module, "." for its root.
func within(importPath string) (string, bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range list(t) {
		importer, ok := within(p.ImportPath)
		if !ok {
			continue
		}
		for _, i := range p.Imports {
			imported, ours := within(i)
			if !ours {
				continue
			}
			switch allowed, known := mayImport(importer, imported); {
			case !known:
				t.Errorf("%s is in no layer: give it a place in the table of internal/layering", importer)
			case !allowed:
				t.Errorf("%s imports %s, which does not lie below it", importer, imported)
			}
		}
	}
}

// The table itself is tested, or it could forbid nothing.
func TestTable(t *testing.T) {
	tests := []struct {
		importer, imported string
		want               bool
	}{
		{".", "model", false},
		{"browser", "browser/cdp", true},
		{"browser/cdp", "browser", false},
		{"browser", "browser/probe", false},
		{"browser/probe", "browser", true},
		{"browser", "record", false},
		{"model/openai", "model", true},
		{"model/openai", "browser", false},
		{"model", "model/openai", false},
		{"stage", "browser/snapshot", true},
		{"stage", "internal/qa", false},
		{"internal/qa", "internal/qa/load", true},
		{"internal/qa/load", "internal/qa", false},
		{"internal/qa/load", "browser/probe", true},
		{"internal/qa", "internal/store", false},
		{"internal/store", "record", true},
		{"internal/store", "internal/qa", false},
		{"internal/server", "internal/store", true},
		{"internal/server", "cmd/playtest", false},
		{"games", "internal/qa", false},
		{"cmd/playtest", "internal/report", true},
		{"examples/act", "stage", true},
		{"examples/act", "internal/config", false}, // what others cannot import shows nothing to them
	}
	for _, tt := range tests {
		if got, _ := mayImport(tt.importer, tt.imported); got != tt.want {
			t.Errorf("%s importing %s: allowed is %v, want %v", tt.importer, tt.imported, got, tt.want)
		}
	}
}

// Only programs, the configuration and the front door from a name to a model
// read the environment, so that a library behaves the same wherever it is
// called. The front door reads it only when it is given no providers.
func TestEnvironmentIsReadAtTheEdge(t *testing.T) {
	// os.Environ is for handing a scrubbed environment to a child process.
	readers := []string{"Getenv", "LookupEnv", "ExpandEnv"}
	for _, p := range list(t) {
		pkg, ok := within(p.ImportPath)
		if !ok || fits("cmd/...", pkg) || fits("examples/...", pkg) || pkg == "internal/config" || pkg == "model/provider" {
			continue
		}
		for _, name := range p.GoFiles {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(readers, sel.Sel.Name) {
					t.Errorf("%s:%d calls os.%s: only cmd, internal/config and model/provider read the environment",
						path.Join(pkg, name), fset.Position(n.Pos()).Line, sel.Sel.Name)
				}
				return true
			})
		}
	}
}

// What a build tag leaves out stays out: docs/releasing.md says so, and with numbers.
func TestTagsLeaveOut(t *testing.T) {
	for tags, without := range map[string][]string{
		"slim":     {"github.com/aws/aws-sdk-go-v2/", "github.com/anthropics/anthropic-sdk-go/bedrock", "github.com/anthropics/anthropic-sdk-go/vertex"},
		"nomodels": {"github.com/openai/", "github.com/anthropics/", "github.com/Azure/", "github.com/aws/aws-sdk-go-v2/", "google.golang.org/", "cloud.google.com/"},
	} {
		out, err := exec.Command("go", "list", "-deps", "-tags", tags, module+"/cmd/playtest").Output()
		if err != nil {
			t.Fatalf("go list -tags %s: %v", tags, err)
		}
		for pkg := range strings.Lines(string(out)) {
			for _, prefix := range without {
				if strings.HasPrefix(pkg, prefix) {
					t.Errorf("with the tag %s %s is linked", tags, strings.TrimSpace(pkg))
				}
			}
		}
	}
}
