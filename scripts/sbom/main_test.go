package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// The document of a program names everything that is linked into it, each with
// its licence, and the program by its sum. The test itself is such a program.
func TestEveryModuleIsNamed(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the test does not know what it was built from")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := run(out, self, filepath.Join("..", "..", "THIRD_PARTY_NOTICES.md")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two documents of the same program differ")
	}
	var doc document
	if err := json.Unmarshal(first.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Components) != len(info.Deps)+1 || len(doc.Metadata.Component.Hashes) != 1 {
		t.Errorf("%d components of %d modules, %+v", len(doc.Components), len(info.Deps), doc.Metadata)
	}
}

func TestDescribe(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "example.org/game", Version: "(devel)"}, Deps: []*debug.Module{
		{Path: "example.org/a", Version: "v1.0.0", Sum: "h1:AAAA"},
		{Path: "example.org/b", Version: "v2.0.0", Replace: &debug.Module{Path: "example.org/c", Version: "v3.0.0", Sum: "h1:////"}},
	}}
	known := map[string][]string{"example.org/a v1.0.0": {"MIT"}, "example.org/c v3.0.0": {"MPL-2.0"}}
	doc, err := describe(info, "00", known)
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.Components[2]; got.PURL != "pkg:golang/example.org/c@v3.0.0" || got.Hashes[0].Content != "ffffff" || got.Licences[0].Licence.ID != "MPL-2.0" {
		t.Errorf("a replaced module: %+v", got)
	}
	delete(known, "example.org/a v1.0.0")
	if _, err := describe(info, "00", known); err == nil || !strings.Contains(err.Error(), "example.org/a v1.0.0 has no licence") {
		t.Errorf("a module without a licence: %v", err)
	}
}

// Each module of the notices has a licence that has a name.
func TestLicencesAreRecognised(t *testing.T) {
	notices, err := os.ReadFile(filepath.Join("..", "..", "THIRD_PARTY_NOTICES.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := licences(string(notices))
	if len(known) < 50 {
		t.Errorf("%d modules", len(known))
	}
	for module, names := range known {
		if len(names) == 0 {
			t.Errorf("the licence of %s is not recognised", module)
		}
	}
	if got := known[moduleOf(t, known, "github.com/riverqueue/river ")]; len(got) != 1 || got[0] != "MPL-2.0" {
		t.Errorf("River has %q", got)
	}
}

func moduleOf(t *testing.T, known map[string][]string, prefix string) string {
	t.Helper()
	for module := range known {
		if strings.HasPrefix(module, prefix) {
			return module
		}
	}
	t.Fatalf("%s is not among the notices", prefix)
	return ""
}
